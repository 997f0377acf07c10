import { expect, it } from "vitest";
import { unwritable } from "../../src/api/data-folder.ts";

it.each([
  ["ENOSPC", "free space there or set VITRINE_DATA"],
  ["EDQUOT", "free space there or set VITRINE_DATA"],
  ["EACCES", "set VITRINE_DATA"],
  ["EROFS", "set VITRINE_DATA"],
])("a folder that fails with %s: %s", (code, remedy) => {
  expect(unwritable("/data", Object.assign(new Error("no"), { code })).message).toBe(
    `/data can't be written (${code}); ${remedy} to a folder that can be written.`,
  );
});
