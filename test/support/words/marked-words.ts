/** A second language for tests: every text of the first, marked. */

import { en } from "../../../src/api/ui/words/en.ts";

/** Texts in marks; what functions return is marked too. */
export const mark = (value: unknown): unknown => {
  if (typeof value === "string") return `⟦${value}⟧`;
  if (typeof value === "function") return (...given: unknown[]) => mark(value(...given));
  if (Array.isArray(value)) return value.map(mark);
  return Object.fromEntries(Object.entries(value as object).map(([key, each]) => [key, mark(each)]));
};

export const marked = { ...(mark(en) as typeof en), locale: en.locale };
