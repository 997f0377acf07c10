import { execFile } from "node:child_process";
import { resolve } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";

const PROJECT = resolve(import.meta.dirname, "../..");

it("ten thousand images pass through the cache, and no process grows past its ceiling of memory", async () => {
  // In its own process, which has only the service's memory. With a variable of the benches, the documents stay as they are.
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ["--import", "tsx", "bench/index.ts", "media-cache"],
    { cwd: PROJECT, env: { ...process.env, BASE_URL: "", BENCH_UNKEPT: "1" } },
  );

  const figures = JSON.parse(stdout);
  process.stdout.write(`${JSON.stringify({ test: "media memory", ...figures })}\n`);
  expect(figures.cached).toBe(10_000);
  expect(Math.max(figures.service_mb, figures.decoder_mb)).toBeLessThanOrEqual(figures.ceiling_mb);
});
