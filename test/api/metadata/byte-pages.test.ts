import { expect, it } from "vitest";
import { bytePages } from "../../../src/api/metadata/records/byte-pages.ts";

const MAX = 2 * 1024 * 1024;

it.each([
  ["nothing", [], []],
  ["what fits exactly", [MAX - 1, 1], [[MAX - 1, 1]]],
  ["a byte too many", [MAX - 1, 2], [[MAX - 1], [2]]],
  ["one that is larger than a page, between small ones", [1, MAX + 1, 1], [[1], [MAX + 1], [1]]],
  ["one of a page's size", [MAX, 0, 1], [[MAX, 0], [1]]],
])("%s", (_title, sizes, pages) => {
  expect(bytePages(sizes, (bytes) => bytes)).toEqual(pages);
});
