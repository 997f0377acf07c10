import { expect, it } from "vitest";
import { threadScript } from "../../../src/api/jobs/thread.ts";

it("the thread of an export loads no package of chains, and Parquet's only for Parquet: they take longer than a small export", async () => {
  const script = await threadScript(
    new URL("../../../src/api/catalog/exports/export-thread.ts", import.meta.url),
  );

  expect(script.match(/.*"hyparquet-writer".*/g)).toEqual([
    expect.stringMatching(
      /^ +.* = await Promise\.resolve\(\)\.then\(\(\) => .*require\("hyparquet-writer"\)/,
    ),
  ]);
  expect(script).not.toMatch(/require\("(viem|ponder)|etherscan\.io/);
  // It would look for the package in the current folder.
  expect(script).not.toMatch(/\bimport\(/);
});
