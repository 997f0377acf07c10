/** The partner routes of collection information: read it, and replace it as a whole. */

import { createRoute, z } from "@hono/zod-openapi";
import type { CollectionConfig } from "../../../config.ts";
import { addressField, chainIdField } from "../../http/fields.ts";
import { assertHolds } from "../../http/key.ts";
import { createRouter, errorResponses, limitBody, requireJson } from "../../http/router.ts";
import type { InformationService } from "./information.ts";
import { informationBody, toldSchema } from "./information-schema.ts";

const PATH = "/collections/{collection_address}/information";
// Enough for a thousand trait types with long names.
const BODY_BYTES_MAX = 100 * 1024;

const shared = { tags: ["market-partner"], security: [{ ApiKeyAuth: [] }] };
const keyErrors = ["KEY_MISSING", "KEY_INVALID", "NOT_ALLOWED"] as const;
const request = {
  params: z.object({ collection_address: addressField }),
  query: z.object({ chain_id: chainIdField }),
};

const answerSchema = z
  .object({
    chain_id: z.number(),
    collection_address: z.string(),
    information: toldSchema,
    notices: z
      .array(z.object({ path: z.string(), message: z.string() }))
      .openapi({ description: "What in `trait_groups` has no effect as the tokens are now." }),
  })
  .openapi("InformationAnswer");

const readRoute = createRoute({
  ...shared,
  method: "get",
  path: PATH,
  operationId: "getInformation",
  summary: "What a collection's makers tell of it, trait groups included",
  request,
  responses: {
    200: { description: "The information", content: { "application/json": { schema: answerSchema } } },
    ...errorResponses("INVALID_REQUEST", ...keyErrors, "COLLECTION_NOT_FOUND"),
  },
});

const replaceRoute = createRoute({
  ...shared,
  method: "put",
  path: PATH,
  operationId: "replaceInformation",
  summary: "Replace the information of a collection, as a whole",
  description: "The app must hold the collection. What is left out of the body is not told any more.",
  middleware: [requireJson, limitBody(BODY_BYTES_MAX)],
  request: {
    ...request,
    body: { required: true, content: { "application/json": { schema: informationBody } } },
  },
  responses: {
    200: { description: "As it is now", content: { "application/json": { schema: answerSchema } } },
    ...errorResponses(
      "INVALID_REQUEST",
      ...keyErrors,
      "COLLECTION_NOT_FOUND",
      "BODY_TOO_LARGE",
      "UNSUPPORTED_MEDIA_TYPE",
    ),
  },
});

export interface InformationRouteDeps {
  readonly information: InformationService;
  readonly findCollection: (address: string, chainId?: number) => CollectionConfig;
}

export function informationRoutes({ information, findCollection }: InformationRouteDeps) {
  return createRouter()
    .openapi(readRoute, async (c) => {
      const collection = findCollection(
        c.req.valid("param").collection_address,
        c.req.valid("query").chain_id,
      );
      const [found = null] = await information.readAll([collection]);
      const notices = await information.noticesOf(collection, found?.trait_groups ?? []);
      return c.json({ ...nameCollection(collection), information: found, notices }, 200);
    })
    .openapi(replaceRoute, async (c) => {
      const collection = findCollection(
        c.req.valid("param").collection_address,
        c.req.valid("query").chain_id,
      );
      const app = c.get("app");
      assertHolds(app, collection);
      const submitted = c.req.valid("json");
      // First: if the notices fail, nothing is stored either.
      const notices = await information.noticesOf(collection, submitted.trait_groups);
      const stored = await information.replace(collection, submitted, `app:${app.name}`);
      return c.json({ ...nameCollection(collection), information: stored, notices }, 200);
    });
}

const nameCollection = ({ chainId, address }: CollectionConfig) => ({
  chain_id: chainId,
  collection_address: address,
});
