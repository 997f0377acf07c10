/** CSV as in RFC 4180. */

// OWASP "CSV Injection": spreadsheets run a cell that starts like this as a formula.
const FORMULA = /^[=+\-@\t\r]/;

/** An empty cell is null, and `""` empty text. Text that a spreadsheet would run as a formula gets an apostrophe. */
export function csvCell(cell: string | number | boolean | null | undefined): string {
  if (cell === null || cell === undefined) return "";
  if (typeof cell !== "string") return String(cell);
  // A negative number is no formula.
  const text = FORMULA.test(cell) && !/^-\d+(\.\d+)?(e[+-]?\d+)?$/.test(cell) ? `'${cell}` : cell;
  return text === "" || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** A row of cells that `csvCell` made. */
export const csvLine = (cells: readonly string[]): string => `${cells.join(",")}\r\n`;
