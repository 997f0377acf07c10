/** Cells of CSV files: RFC 4180, and nothing that a spreadsheet would run. */

import { expect, it } from "vitest";
import { csvCell, csvLine } from "../../../src/api/text/csv.ts";

it.each<[what: string, cell: Parameters<typeof csvCell>[0], text: string]>([
  ["null", null, ""],
  ["nothing", undefined, ""],
  ["empty text", "", '""'],
  ["0", 0, "0"],
  ["false", false, "false"],
  ["a negative number", -1.5, "-1.5"],
  ["a negative number as text", "-1.5e+3", "-1.5e+3"],
  ["what begins like a negative number", "-1+cmd", "'-1+cmd"],
  ["a formula", "=1+1", "'=1+1"],
  ["a formula that is quoted as well", '@a,"b"', `"'@a,""b"""`],
  ["a tab at the start", "\ta", "'\ta"],
  ["a comma", "a,b", '"a,b"'],
  ["a line break", "a\nb", '"a\nb"'],
])("is written: %s", (_, cell, text) => {
  expect(csvCell(cell)).toBe(text);
});

it("are separated by commas and end with CRLF", () => {
  expect(csvLine(["a", "", "c"])).toBe("a,,c\r\n");
});
