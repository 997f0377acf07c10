import { expect, it } from "vitest";
import { columnsOf } from "../../../src/api/db/columns.ts";

it("has an array for each name, in the order of the names, of as many values as there are rows", () => {
  const rows = [
    { id: 1, name: "a", size: null },
    { id: 2, name: "", size: 0 },
  ];

  expect(columnsOf(rows, "name", "id", "size")).toEqual([
    ["a", ""],
    [1, 2],
    [null, 0],
  ]);
  expect(columnsOf(rows.slice(2), "id", "name")).toEqual([[], []]);
});
