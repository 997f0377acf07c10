/** What a page knows of its visitor: choices kept in cookies, and a language. No page needs any of it to work. */

import { AsyncLocalStorage } from "node:async_hooks";
import type { Context } from "hono";
import { getCookie } from "hono/cookie";
import { en } from "./words/en.ts";
import { DEFAULT_LANGUAGE, type Spoken, spokenTo, type Words } from "./words/languages.ts";

export const themes = ["system", "light", "dark"] as const;
export const densities = ["roomy", "dense"] as const;

export type Theme = (typeof themes)[number];
export type Density = (typeof densities)[number];

/** The choices, by the name of their field; their cookies are called the same after `vitrine_`. */
export const choices = { theme: themes, density: densities } as const;

export const cookieOf = (name: keyof typeof choices): string => `vitrine_${name}`;

export interface Visitor extends Spoken {
  readonly theme: Theme;
  readonly density: Density;
}

const ANYBODY: Visitor = { theme: "system", density: "roomy", language: DEFAULT_LANGUAGE, words: en };

// Every part of a page shows words, so they are read here and not handed from each part to the next.
const visitors = new AsyncLocalStorage<Visitor>();

/** The visitor of the request that is being answered; nobody in particular outside of one. */
export const visitor = (): Visitor => visitors.getStore() ?? ANYBODY;

/** The words of the visitor's language. */
export const words = (): Words => visitor().words;

/** Answers a request with `visitor()` known. A cookie of unknown content counts as none. */
export const withVisitor = <Answer>(c: Context, answer: () => Answer): Answer =>
  visitors.run(
    {
      ...spokenTo(c),
      theme: oneOf(themes, getCookie(c, cookieOf("theme"))),
      density: oneOf(densities, getCookie(c, cookieOf("density"))),
    },
    answer,
  );

const oneOf = <Choice extends string>(known: readonly [Choice, ...Choice[]], text?: string): Choice =>
  known.find((each) => each === text) ?? known[0];
