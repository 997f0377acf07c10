/** A document's issues in the REST API: every code with its meaning, from the one table. */

import { z } from "@hono/zod-openapi";
import { issueTable } from "./issues.ts";

/** In Markdown. */
export const issueMeanings = Object.entries(issueTable)
  .map(([code, { level, meaning }]) => `- \`${code}\` (${level}): ${meaning}`)
  .join("\n");

export const issueSchema = z.object({
  code: z.enum(Object.keys(issueTable) as [keyof typeof issueTable]).openapi({ description: issueMeanings }),
  level: z.enum(["error", "warning", "info"]).openapi({
    description:
      "error: a required part is missing or unreadable. warning: something was left out. info: nothing is lost.",
  }),
  path: z.string().openapi({
    description: "Where in the document; empty for the whole.",
    example: "attributes[3].value",
  }),
  message: z.string(),
});
