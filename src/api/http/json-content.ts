/** JSON bodies and answers of routes, as OpenAPI describes them. */

import type { z } from "@hono/zod-openapi";

const contentOf = <Schema extends z.ZodType>(schema: Schema) => ({ "application/json": { schema } });

/** A body that a request must have. */
export const jsonBody = <Schema extends z.ZodType>(schema: Schema) => ({
  required: true as const,
  content: contentOf(schema),
});

export const jsonAnswer = <Schema extends z.ZodType>(description: string, schema: Schema) => ({
  description,
  content: contentOf(schema),
});
