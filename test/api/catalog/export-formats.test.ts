/** What a format's writer holds while rows go through it. */

import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { parquetMetadata, parquetReadObjects } from "hyparquet";
import { expect, it } from "vitest";
import { loadFormat } from "../../../src/api/catalog/exports/export-formats.ts";

const TEXT_BYTES = 1_000_000;
const ROWS = 60;

it("Parquet keeps none of the long texts that were written", async () => {
  setFlagsFromString("--expose-gc");
  const gc = runInNewContext("gc") as () => void;
  const createWriter = await loadFormat("parquet");
  const writer = createWriter<string>([{ name: "text", type: "text", of: (text) => text }]);
  const written: Uint8Array[] = [writer.begin()];
  gc();
  const before = process.memoryUsage().heapUsed;
  for (let row = 0; row < ROWS; row++) {
    // A text of its own, and no view of its parts.
    const text = Buffer.alloc(TEXT_BYTES, `text ${row} `).toString();
    written.push(writer.rows([text], TEXT_BYTES));
  }
  gc();

  // Of the rows of a group that is not full, at most.
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(10 * TEXT_BYTES);

  written.push(writer.end());
  const file = new Uint8Array(Buffer.concat(written)).buffer;
  const rows = await parquetReadObjects({ file });
  expect(rows.map(({ text }) => String(text).slice(0, 8))).toEqual(
    Array.from({ length: ROWS }, (_, row) => `text ${row} `.padEnd(8, "t").slice(0, 8)),
  );
});

it.each([
  [999, true],
  [1_000, true],
  [1_001, false],
])(
  "Parquet has the least and the greatest of a column's texts of %i characters: %s",
  async (characters, isKept) => {
    const createWriter = await loadFormat("parquet");
    const writer = createWriter<string>([{ name: "text", type: "text", of: (text) => text }]);
    const text = "x".repeat(characters);
    const parts = [writer.begin(), writer.rows(["a", text], characters), writer.end()];

    const { row_groups } = parquetMetadata(new Uint8Array(Buffer.concat(parts)).buffer);

    const { min_value, max_value } = row_groups[0]?.columns[0]?.meta_data?.statistics ?? {};
    // The footer has their first characters.
    expect([min_value, max_value]).toEqual(
      isKept ? ["a", expect.stringMatching(/^x/)] : [undefined, undefined],
    );
  },
);

it("Parquet without rows says what its list of row groups is of, which strict readers check", async () => {
  const createWriter = await loadFormat("parquet");
  const writer = createWriter<string>([{ name: "text", type: "text", of: (text) => text }]);
  const file = Buffer.concat([writer.begin(), writer.end()]);

  // FileMetaData in Thrift's compact protocol: no rows (field 3, a number), and an empty list (field 4) of structs.
  const footer = file.subarray(-8 - file.readUInt32LE(file.length - 8), -8);
  expect(footer.toString("hex")).toContain("1600" + "190c");
  expect(await parquetReadObjects({ file: new Uint8Array(file).buffer })).toEqual([]);
});
