/** Ponder's refusals to use a schema, parsed from its output, and what the operator can do about each. */

// Ponder's limit.
const SCHEMA_LENGTH_MAX = 45;
// The JSON log escapes the quotes.
const OTHER_INDEX = /Schema \\?"([^"\\]+)\\?" was previously used by a/;
const IN_USE = /schema \\?"([^"\\]+)\\?"\. A different Ponder app is actively using this schema/;

export interface PonderRefusal {
  readonly kind: "other-index" | "in-use";
  readonly schema: string;
}

/** The refusal in a line of Ponder's output, if any. */
export function findRefusal(line: string): PonderRefusal | undefined {
  const otherIndex = OTHER_INDEX.exec(line)?.[1];
  if (otherIndex) return { kind: "other-index", schema: otherIndex };
  const inUse = IN_USE.exec(line)?.[1];
  return inUse ? { kind: "in-use", schema: inUse } : undefined;
}

/** One sentence for the operator: what is wrong and what to run. */
export function explainRefusal({ kind, schema }: PonderRefusal): string {
  return kind === "other-index"
    ? `Schema "${schema}" holds an index built by other code or other collections: "npx vitrine index check" says what differs. To build a new one, run "npx vitrine index beside" while the old service goes on, or without one: DATABASE_SCHEMA=${nextSchema(schema)} npm start`
    : `Schema "${schema}" is in use by another process; stop that process or set DATABASE_SCHEMA to another name.`;
}

/** The name with its number suffix raised, or with the suffix _2. */
export function nextSchema(name: string): string {
  const [, base = name, number = "1"] = /^(.*)_(\d+)$/.exec(name) ?? [];
  const suffix = `_${Number(number) + 1}`;
  return base.slice(0, SCHEMA_LENGTH_MAX - suffix.length) + suffix;
}
