import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const THREAD = fileURLToPath(new URL("../../../src/api/jobs/thread.ts", import.meta.url));
const PROGRAM = new URL("./young-generation-thread.ts", import.meta.url).href;

// In a process with the flags that `npm start` sets.
const run = (young: string): { committed: number; collections: number } =>
  JSON.parse(
    execFileSync(
      process.execPath,
      [
        "--min-semi-space-size=64",
        "--max-semi-space-size=64",
        "--import",
        "tsx",
        "--input-type=module",
        "--eval",
        `import { startThread } from ${JSON.stringify(THREAD)};
         const thread = await startThread(new URL(${JSON.stringify(PROGRAM)}), {
           resourceLimits: { maxOldGenerationSizeMb: 96, ${young} } });
         thread.on("message", (found) => console.log(JSON.stringify(found)));`,
      ],
      { encoding: "utf8" },
    ),
  );

it("a thread with a small heap has its own young generation, whatever the process has", () => {
  const { committed, collections } = run("maxYoungGenerationSizeMb: 12");
  expect(committed).toBeLessThan(60_000_000);
  // Garbage of 200 MB fills a young generation of 12 MB some dozen times; it is collected whole a few times at most.
  expect(collections).toBeLessThan(20);
});
