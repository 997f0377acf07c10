/** The names that a chain index's schema may have. */

import { BootError } from "../../../boot-error.ts";

// Ponder's limit of characters, and PostgreSQL's of bytes: it cuts a longer name.
const CHARACTERS_MAX = 45;
const BYTES_MAX = 63;
// Of the blocks and logs that Ponder keeps, and of PostgreSQL itself.
const RESERVED = new Set(["ponder_sync", "information_schema"]);

/** Throws a BootError for a name that Ponder or PostgreSQL would refuse, or that holds something else. */
export function requireSchemaName(schema: string): void {
  const fault = faultOf(schema);
  if (fault) throw new BootError(`Schema "${schema}" ${fault}; set DATABASE_SCHEMA to another name.`);
}

function faultOf(schema: string): string | undefined {
  if (schema === "vitrine") return "holds what a re-index must not touch";
  if (RESERVED.has(schema) || schema.startsWith("pg_")) return "is reserved";
  // Ponder puts it into statements as it is.
  if (/["'\\\p{Cc}]/u.test(schema)) return "contains a quote, a backslash or a control character";
  if (schema.length > CHARACTERS_MAX || Buffer.byteLength(schema) > BYTES_MAX)
    return `is longer than ${CHARACTERS_MAX} characters, or ${BYTES_MAX} bytes`;
  return undefined;
}
