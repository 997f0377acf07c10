/** The partner routes of collection information: read it, and replace it as a whole. */

import { createRoute, z } from "@hono/zod-openapi";
import type { CollectionConfig } from "../../../config.ts";
import { errorResponses } from "../../http/error-responses.ts";
import { ApiError } from "../../http/errors.ts";
import { chainIdField, collectionNameField } from "../../http/fields.ts";
import { jsonAnswer, jsonBody } from "../../http/json-content.ts";
import { assertCollectionAllowed, type KeyCheck } from "../../http/key.ts";
import { isNamed, jsonTag } from "../../http/revalidation.ts";
import { createRouter, limitBody, requireJson } from "../../http/router.ts";
import type { Collections } from "../collections.ts";
import type { InformationService } from "./information.ts";
import { informationRequest, nullableInformation } from "./information-schema.ts";

const PATH = "/collections/{collection_address}/information";
// Enough for a thousand trait types with long names.
const BODY_BYTES_MAX = 100 * 1024;

const shared = { tags: ["market-partner"], security: [{ ApiKeyAuth: [] }] };
const keyErrors = ["KEY_MISSING", "KEY_INVALID", "NOT_ALLOWED"] as const;
const request = {
  params: z.object({ collection_address: collectionNameField }),
  query: z.object({ chain_id: chainIdField }),
};

const answerSchema = z
  .object({
    chain_id: z.number(),
    collection_address: z.string(),
    information: nullableInformation,
    notices: z
      .array(z.object({ path: z.string(), message: z.string() }))
      .openapi({ description: "Parts of `trait_groups` that have no effect on the current tokens." }),
  })
  .openapi("InformationAnswer");

const readRoute = createRoute({
  ...shared,
  method: "get",
  path: PATH,
  operationId: "getInformation",
  summary: "A collection's information from its creators, including trait groups",
  request,
  responses: {
    200: jsonAnswer("The information", answerSchema),
    ...errorResponses("INVALID_REQUEST", ...keyErrors, "COLLECTION_NOT_FOUND"),
  },
});

const replaceRoute = createRoute({
  ...shared,
  method: "put",
  path: PATH,
  operationId: "replaceInformation",
  summary: "Replace a collection's whole information",
  description:
    "The app needs the permission for the collection. Fields that the body leaves out are removed. With `If-Match`, nothing is written unless it names the state that GET would answer now.",
  middleware: [requireJson, limitBody(BODY_BYTES_MAX)],
  request: {
    ...request,
    headers: z.object({
      "if-match": z.string().optional().openapi({
        description:
          "The `ETag` of GET, several of them, or `*` for any state. Another writer's change since, or new `notices`, are answered with 412.",
      }),
    }),
    body: jsonBody(informationRequest),
  },
  responses: {
    200: jsonAnswer("Current state", answerSchema),
    ...errorResponses(
      "INVALID_REQUEST",
      ...keyErrors,
      "COLLECTION_NOT_FOUND",
      "PRECONDITION_FAILED",
      "BODY_TOO_LARGE",
      "UNSUPPORTED_MEDIA_TYPE",
    ),
  },
});

export interface InformationRouteDeps {
  readonly information: InformationService;
  readonly findCollection: Collections["findNamed"];
  readonly permissionsPage: KeyCheck["permissionsPage"];
}

export function informationRoutes({ information, findCollection, permissionsPage }: InformationRouteDeps) {
  async function readAnswer(collection: CollectionConfig): Promise<z.infer<typeof answerSchema>> {
    const [found = null] = await information.readAll([collection]);
    const notices = await information.noticesOf(collection, found?.trait_groups ?? []);
    return { ...nameCollection(collection), information: found, notices };
  }

  /** The record that a writer has seen; undefined without the header. Throws PRECONDITION_FAILED for another state. */
  async function seenBy(ifMatch: string | undefined, collection: CollectionConfig) {
    if (ifMatch === undefined || ifMatch.trim() === "*") return undefined;
    const answer = await readAnswer(collection);
    if (!isNamed(ifMatch, jsonTag(answer))) throw preconditionFailed();
    return { information: answer.information };
  }

  return createRouter()
    .openapi(readRoute, async (c) => {
      const collection = await findCollection(
        c.req.valid("param").collection_address,
        c.req.valid("query").chain_id,
      );
      return c.json(await readAnswer(collection), 200);
    })
    .openapi(replaceRoute, async (c) => {
      const collection = await findCollection(
        c.req.valid("param").collection_address,
        c.req.valid("query").chain_id,
      );
      const app = c.get("app");
      assertCollectionAllowed(app, collection, permissionsPage);
      const { updated_at: _, ...submitted } = c.req.valid("json");
      // First: if the notices fail, nothing is stored either.
      const notices = await information.noticesOf(collection, submitted.trait_groups);
      const seen = await seenBy(c.req.valid("header")["if-match"], collection);
      const actor = `app:${app.name}`;
      const stored = seen
        ? await information.replaceSeen(collection, submitted, actor, seen.information)
        : await information.replace(collection, submitted, actor);
      if (!stored) throw preconditionFailed();
      return c.json({ ...nameCollection(collection), information: stored, notices }, 200);
    });
}

const preconditionFailed = () =>
  new ApiError("PRECONDITION_FAILED", [
    { path: "if-match", message: "names no current state; read the information again" },
  ]);

const nameCollection = ({ chainId, address }: CollectionConfig) => ({
  chain_id: chainId,
  collection_address: address,
});
