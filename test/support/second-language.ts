/** A second language of pages: every text of the first, marked, so that a text of any other origin shows. */

import { en } from "../../src/api/ui/words/en.ts";
import { languages } from "../../src/api/ui/words/languages.ts";

/** What Accept-Language calls it. */
export const SECOND = "xx";

const mark = (value: unknown): unknown => {
  if (typeof value === "string") return `⟦${value}⟧`;
  if (typeof value === "function") return (...given: unknown[]) => mark(value(...given));
  if (Array.isArray(value)) return value.map(mark);
  return Object.fromEntries(Object.entries(value as object).map(([key, each]) => [key, mark(each)]));
};

/** Lets pages speak it, for the rest of the test file. */
export function speakSecond(): void {
  Object.assign(languages, { [SECOND]: { ...(mark(en) as typeof en), locale: en.locale } });
}

/** The words of a text that are not of the second language. */
export function unmarkedIn(text: string, allowed: RegExp): string[] {
  // Marks may be nested: the innermost goes first.
  let rest = text.replace(/0x[0-9a-f…]+/g, " ");
  for (let before = ""; before !== rest; ) {
    before = rest;
    rest = rest.replace(/⟦[^⟦⟧]*⟧/g, " ");
  }
  return rest.match(/\p{L}{3,}/gu)?.filter((word) => !allowed.test(word)) ?? [];
}
