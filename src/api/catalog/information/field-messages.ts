/** Messages for invalid fields: what is expected, the limit, and what arrived. */

import type { z } from "@hono/zod-openapi";
import { clip } from "../../http/text/printable.ts";
import { describe } from "../../metadata/rules.ts";

type Issue = { readonly input?: unknown };

const KEYS_MAX = 10;

export const mustBe = (what: string) => ({
  error: ({ input }: Issue) => `must be ${what}; it is ${describe(input)}`,
});

/** For an object that accepts no unknown fields. */
export const mustBeObject = (what: string) => ({
  error: (issue: z.core.$ZodRawIssue) => {
    if (issue.code !== "unrecognized_keys") return `must be ${what}; it is ${describe(issue.input)}`;
    const keys = issue.keys.slice(0, KEYS_MAX).map((key) => `"${clip(key)}"`);
    return `has no field ${keys.join(", ")}`;
  },
});

/** For a list that is too long. */
export const listAtMost = (what: string, max: number) => ({
  error: ({ input }: Issue) => `has ${(input as unknown[]).length} ${what}; the limit is ${max}`,
});

/** For a text that is too long. */
export const charactersAtMost = (max: number) => ({
  error: ({ input }: Issue) => `has ${String(input).length} characters; the limit is ${max}`,
});
