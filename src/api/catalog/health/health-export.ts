/** The tokens with a cause as a file: CSV (RFC 4180) or one JSON object per line. */

import { csvCell, csvLine } from "../../text/csv.ts";
import type { Affected } from "./health-store.ts";

export const healthExportFormats = ["csv", "ndjson"] as const;
export type HealthExportFormat = (typeof healthExportFormats)[number];

export const healthExportTypes: Readonly<Record<HealthExportFormat, string>> = {
  csv: "text/csv; charset=utf-8",
  ndjson: "application/x-ndjson",
};

const FIELDS = ["token_id", "kind", "code", "reason"] as const;

const rowOf = (code: string, { tokenId, kind, reason }: Affected) => ({
  token_id: tokenId,
  kind,
  code,
  reason,
});

const lineOf: Readonly<Record<HealthExportFormat, (code: string, each: Affected) => string>> = {
  csv: (code, each) => {
    const row = rowOf(code, each);
    return csvLine(FIELDS.map((field) => csvCell(row[field])));
  },
  ndjson: (code, each) => `${JSON.stringify(rowOf(code, each))}\n`,
};

/** Reads the next batch when the client has taken the one before, and none after it has left. */
export function healthExportOf(
  format: HealthExportFormat,
  code: string,
  batches: AsyncGenerator<readonly Affected[]>,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream<Uint8Array>({
    start(controller) {
      if (format === "csv") controller.enqueue(encoder.encode(csvLine(FIELDS)));
    },
    async pull(controller) {
      const { done, value } = await batches.next();
      if (done) controller.close();
      else controller.enqueue(encoder.encode(value.map((each) => lineOf[format](code, each)).join("")));
    },
    async cancel() {
      await batches.return(undefined);
    },
  });
}
