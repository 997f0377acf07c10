/** What is said of a field that is not as it must be: what is expected, the limit, and what arrived. */

import type { z } from "@hono/zod-openapi";
import { clip } from "../../http/fields.ts";
import { describe } from "../../metadata/rules.ts";

type Issue = { readonly input?: unknown };

const KEYS_MAX = 10;

export const mustBe = (what: string) => ({
  error: ({ input }: Issue) => `must be ${what}; it is ${describe(input)}`,
});

/** Of an object that takes no other fields than its own. */
export const mustBeObject = (what: string) => ({
  error: (issue: z.core.$ZodRawIssue) => {
    if (issue.code !== "unrecognized_keys") return `must be ${what}; it is ${describe(issue.input)}`;
    const keys = issue.keys.slice(0, KEYS_MAX).map((key) => `"${clip(key)}"`);
    return `has no field ${keys.join(", ")}`;
  },
});

/** Of a list that is too long. */
export const holdsAtMost = (what: string, max: number) => ({
  error: ({ input }: Issue) => `holds ${(input as unknown[]).length} ${what}; the limit is ${max}`,
});

/** Of a text that is too long. */
export const charactersAtMost = (max: number) => ({
  error: ({ input }: Issue) => `holds ${String(input).length} characters; the limit is ${max}`,
});
