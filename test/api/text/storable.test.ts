/** What PostgreSQL refuses in a text. */

import { expect, it } from "vitest";
import { isStorable, storable, storableExcerpt } from "../../../src/api/text/storable.ts";

it.each([
  ["a\0b", "a\ufffdb", "ab"],
  ["a\ud800b", "a\ufffdb", "a\ufffdb"],
  ["a\u{1f600}b", "a\u{1f600}b", "a\u{1f600}b"],
  ["", "", ""],
])("%j is stored as %j, and in an excerpt as %j", (text, whole, excerpt) => {
  expect([storable(text), storableExcerpt(text), isStorable(text)]).toEqual([whole, excerpt, text === whole]);
});
