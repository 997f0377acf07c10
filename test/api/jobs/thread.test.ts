import { expect, it } from "vitest";
import { threadScript } from "../../../src/api/jobs/thread.ts";

it("the thread of an export loads no package of chains, which takes longer than a small export", async () => {
  const script = await threadScript(
    new URL("../../../src/api/catalog/exports/export-thread.ts", import.meta.url),
  );

  expect(script).toMatch(/require\("hyparquet-writer"\)/);
  expect(script).not.toMatch(/require\("(viem|ponder)/);
});
