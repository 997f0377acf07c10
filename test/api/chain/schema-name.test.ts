/** Which names a chain index's schema may have. */

import { expect, it } from "vitest";
import { requireSchemaName } from "../../../src/api/chain/index/schema-name.ts";

it.each(["vitrine_chain", "Chain-2", "public", "größe", "x".repeat(45), "ü".repeat(31)])(
  "%s is a name for a schema",
  (schema) => {
    expect(() => requireSchemaName(schema)).not.toThrow();
  },
);

it.each([
  [
    "vitrine",
    /^Schema "vitrine" holds what a re-index must not touch; set DATABASE_SCHEMA to another name\.$/,
  ],
  ["ponder_sync", /^Schema "ponder_sync" is reserved; set DATABASE_SCHEMA/],
  ["information_schema", /is reserved; /],
  ["pg_chain", /is reserved; /],
  ['a"b', /^Schema "a"b" contains a quote, a backslash or a control character; /],
  ["a'b", /contains a quote/],
  ["a\\b", /contains a quote, a backslash/],
  ["a\nb", /control character/],
  ["x".repeat(46), /is longer than 45 characters, or 63 bytes; /],
  ["ü".repeat(32), /is longer than 45 characters, or 63 bytes; /],
])("%j is refused with a sentence", (schema, sentence) => {
  expect(() => requireSchemaName(schema)).toThrow(sentence);
});
