/** The formats of an export. Each turns batches of rows into bytes, in memory that doesn't grow with their number. */

import { csvCell, csvLine } from "../../text/csv.ts";
import type { Cell, CellType, Column } from "./export-rows.ts";
import type { ExportFormat } from "./format-names.ts";

export const mediaTypes: Readonly<Record<ExportFormat, string>> = {
  ndjson: "application/x-ndjson",
  csv: "text/csv; charset=utf-8",
  parquet: "application/vnd.apache.parquet",
};

export interface RowWriter<Row> {
  /** The bytes before the first row. */
  begin(): Uint8Array;
  /** `bytes`: about how much memory the rows take. */
  rows(rows: readonly Row[], bytes: number): Uint8Array;
  /** The bytes after the last row. */
  end(): Uint8Array;
}

const encoder = new TextEncoder();
const NOTHING = new Uint8Array();

/** Loads what a format needs, and returns what makes a writer for rows of these columns. */
export async function loadFormat(
  format: ExportFormat,
): Promise<<Row>(columns: readonly Column<Row>[]) => RowWriter<Row>> {
  switch (format) {
    case "ndjson":
      return () => ({
        begin: () => NOTHING,
        rows: (rows) => encoder.encode(rows.map((row) => `${JSON.stringify(row)}\n`).join("")),
        end: () => NOTHING,
      });
    case "csv":
      return (columns) => ({
        begin: () => encoder.encode(csvLine(columns.map(({ name }) => csvCell(name)))),
        rows: (rows) =>
          encoder.encode(rows.map((row) => csvLine(columns.map(({ of }) => csvCell(of(row))))).join("")),
        end: () => NOTHING,
      });
    case "parquet": {
      // Fifty modules, which neither a start nor another format needs.
      const library = await import("hyparquet-writer");
      return (columns) => createParquetWriter(library, columns);
    }
  }
}

// A row group is in memory at once, and encoding it keeps the event loop.
const ROW_GROUP = 5_000;
const ROW_GROUP_BYTES = 8_000_000;

// The least and the greatest value of each column and row group are kept until the file's footer, whole.
const STATISTICS_CHARACTERS_MAX = 1_000;

const parquetTypes = { text: "STRING", number: "DOUBLE", boolean: "BOOLEAN" } as const satisfies Record<
  CellType,
  string
>;

const isLong = (cell: Cell): boolean => typeof cell === "string" && cell.length > STATISTICS_CHARACTERS_MAX;

function createParquetWriter<Row>(
  { ByteWriter, ParquetWriter, schemaFromColumnData }: typeof import("hyparquet-writer"),
  columns: readonly Column<Row>[],
): RowWriter<Row> {
  const bytes = new ByteWriter();
  const take = (): Uint8Array => {
    const taken = bytes.getBytes().slice();
    // `offset`, which the footer refers to, goes on.
    bytes.index = 0;
    return taken;
  };
  const columnsOf = (rows: readonly Row[]) =>
    columns.map(({ name, type, of }) => {
      const data = rows.map((row) => of(row) ?? null);
      return { name, type: parquetTypes[type], nullable: true, data, statistics: !data.some(isLong) };
    });
  const parquet = new ParquetWriter({
    writer: bytes,
    schema: schemaFromColumnData({ columnData: columnsOf([]) }),
    createdBy: "vitrine",
  });
  let waiting: Row[] = [];
  let waitingBytes = 0;
  const flush = (): void => {
    // The first write to a `ByteWriter` is done when this returns: it has no `flush`.
    if (waiting.length > 0)
      void parquet.write({ columnData: columnsOf(waiting), rowGroupSize: waiting.length });
    waiting = [];
    waitingBytes = 0;
  };
  return {
    begin: take,
    rows(rows, bytes) {
      waiting.push(...rows);
      waitingBytes += bytes;
      if (waiting.length >= ROW_GROUP || waitingBytes >= ROW_GROUP_BYTES) flush();
      return take();
    },
    end() {
      flush();
      void parquet.finish();
      return take();
    },
  };
}
