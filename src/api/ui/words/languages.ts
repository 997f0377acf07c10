/** The languages of pages: one file each, with the same keys as the English one. */

import type { Context } from "hono";
import { accepts } from "hono/accepts";
import { en } from "./en.ts";

/** Every text of a page; one that holds a value is a function of it. */
export type Words = typeof en;

export const DEFAULT_LANGUAGE = "en";

/** By tag (BCP 47), in lower case. */
export const languages: Readonly<Record<string, Words>> = { en };

export interface Spoken {
  readonly language: string;
  readonly words: Words;
}

/** The language that a browser prefers among ours (RFC 9110, 12.5.4); English for none. `de-AT` is served with `de`. */
export function spokenTo(c: Context): Spoken {
  const supports = Object.keys(languages);
  const language = accepts(c, {
    header: "Accept-Language",
    supports,
    default: DEFAULT_LANGUAGE,
    match: (preferences, { default: otherwise }) => {
      const tags = [...preferences]
        .filter(({ q }) => q > 0)
        .sort((a, b) => b.q - a.q)
        .flatMap(({ type }) => [type.toLowerCase(), type.toLowerCase().split("-")[0] ?? ""]);
      return tags.find((tag) => supports.includes(tag)) ?? otherwise;
    },
  });
  return { language, words: languages[language] ?? en };
}
