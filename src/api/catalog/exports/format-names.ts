/** The formats of an export by name, as callers choose them. */
export const exportFormats = ["ndjson", "csv", "parquet"] as const;
export type ExportFormat = (typeof exportFormats)[number];
