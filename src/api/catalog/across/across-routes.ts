/** Route of the search across collections. */

import { createRoute, z } from "@hono/zod-openapi";
import { errorResponses } from "../../http/error-responses.ts";
import { chainIdField, limitField } from "../../http/fields.ts";
import { jsonAnswer } from "../../http/json-content.ts";
import { createRouter } from "../../http/router.ts";
import { collectionSchema } from "../collection-view.ts";
import { TEXT_CHARACTERS_MAX, textSchema } from "../tokens/token-filter.ts";
import { tokenSchema } from "../tokens/token-view.ts";
import type { Across, Found } from "./across.ts";

export const soughtSchema = textSchema.trim().min(1, { error: "must not be empty" });

const foundSchema = z
  .object({
    collections: z
      .array(collectionSchema)
      .openapi({ description: "By name, slug and address, the best first." }),
    tokens: z.array(tokenSchema).openapi({
      description:
        "By name and id, the best first; those whose documents have at most 8 MiB together, which may be fewer than the limit.",
    }),
    unsearched: z.number().openapi({
      description:
        "The number of collections whose tokens were left out: without a search index in memory, few are searched. Each can be searched alone.",
    }),
  })
  .openapi("SearchResults");

const searchRoute = createRoute({
  method: "get",
  path: "/search",
  operationId: "searchAll",
  tags: ["market"],
  security: [{ ApiKeyAuth: [] }],
  summary: "Collections and tokens by name, over all collections",
  description:
    "First what has the id, the address or exactly the name or slug, then what begins with the text, then what contains it, ignoring case; each by name.",
  request: {
    query: z.object({
      chain_id: chainIdField.openapi({ description: "The chain; without it, all." }),
      q: soughtSchema.openapi({ maxLength: TEXT_CHARACTERS_MAX, example: "dragon" }),
      limit: limitField.openapi({ description: "Of collections, and of tokens." }),
    }),
  },
  responses: {
    200: jsonAnswer("The best of each kind", foundSchema),
    ...errorResponses("INVALID_REQUEST", "KEY_MISSING", "KEY_INVALID", "NOT_ALLOWED"),
  },
});

export const viewFound = ({ collections, tokens, unsearched }: Found): z.infer<typeof foundSchema> => ({
  collections: [...collections],
  tokens: [...tokens],
  unsearched,
});

export function acrossRoutes({ across }: { readonly across: Across }) {
  return createRouter().openapi(searchRoute, async (c) => {
    const { chain_id: chainId, q, limit } = c.req.valid("query");
    return c.json(viewFound(await across.find(q, { chainId, limit })), 200);
  });
}
