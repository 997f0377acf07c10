import { expect, it } from "vitest";
import { CURSOR_LENGTH_MAX, readCursor, writeCursor } from "../../../src/api/search/cursor.ts";

it("a cursor of the longest name that is listed, with the longest id, is within the limit and read back", () => {
  const sort = { by: "name", descending: false } as const;
  const position = { key: "\u{1F48E}".repeat(1_000), tokenId: String(2n ** 256n - 1n) };

  const cursor = writeCursor(sort, position);

  expect(cursor.length).toBeLessThanOrEqual(CURSOR_LENGTH_MAX);
  expect(readCursor(sort, cursor)).toEqual(position);
});
