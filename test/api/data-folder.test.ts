import { expect, it } from "vitest";
import { PassingBootError, unwritable } from "../../src/api/data-folder.ts";

it.each([
  ["ENOSPC", ": its disk is full; free space there or set VITRINE_DATA", true],
  ["EDQUOT", ": its disk is full; free space there or set VITRINE_DATA", true],
  ["EACCES", "; set VITRINE_DATA", false],
  ["EROFS", "; set VITRINE_DATA", false],
])("a folder that fails with %s%s; that it may pass: %s", (code, remedy, isPassing) => {
  const error = unwritable("/data", Object.assign(new Error("no"), { code }));

  expect(error.message).toBe(`/data can't be written (${code})${remedy} to a folder that can be written.`);
  expect(error instanceof PassingBootError).toBe(isPassing);
});
