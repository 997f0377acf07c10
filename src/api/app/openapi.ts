/** The OpenAPI document of every REST route, at /openapi.json and, committed, in openapi.json. */

import type { OpenAPIHono } from "@hono/zod-openapi";
import type { CollectionConfig } from "../../config.ts";
import { errorExamples } from "../http/error-responses.ts";
import { KEY_HEADER, KEY_PARAMETER } from "../http/key.ts";
import type { ApiEnv } from "../http/router.ts";
import { assetRoutes } from "../ui/assets.ts";
import { addClientSamples } from "./client-samples.ts";
import { describeOperations, type PathItems, tags } from "./openapi-operations.ts";
import { withServedExamples } from "./served-examples.ts";

/** Raised with every addition; a breaking change gets a new API name instead. */
const VERSION = "0.1.0";

export type ServedCollections = readonly Pick<CollectionConfig, "chainId" | "address">[];

export function describeApi(
  app: OpenAPIHono<ApiEnv>,
  baseUrl: string,
  collections: ServedCollections | undefined,
): void {
  app.openAPIRegistry.registerComponent("securitySchemes", "ApiKeyAuth", {
    type: "apiKey",
    in: "header",
    name: KEY_HEADER,
    description:
      "The KEY of an app, from its Information tab in the console. It comes before the query parameter.",
  });
  app.openAPIRegistry.registerComponent("securitySchemes", "ApiKeyQuery", {
    type: "apiKey",
    in: "query",
    name: KEY_PARAMETER,
    description: "The same key, for callers that can't send a header.",
  });
  app.openAPIRegistry.registerComponent("securitySchemes", "OperatorToken", {
    type: "http",
    scheme: "bearer",
    description: "VITRINE_OPERATOR_TOKEN of the service.",
  });
  // Rendered once, on the first request, when every route is registered.
  const load = async (): Promise<string> =>
    JSON.stringify(openApiDocument(app, [{ url: baseUrl }], collections));
  app.route("/", assetRoutes({ "openapi.json": { type: "application/json", load } }));
}

type Server = {
  readonly url: string;
  readonly variables?: Record<string, { default: string; description: string }>;
};

/** The document; with the collections that a service has, their chains and addresses are its examples and defaults. */
export function openApiDocument(
  app: OpenAPIHono<ApiEnv>,
  servers: readonly Server[],
  collections: ServedCollections = [],
) {
  const document = app.getOpenAPI31Document({
    openapi: "3.1.0",
    info: {
      title: "Vitrine",
      version: VERSION,
      description: [
        "Metadata, lock and access service behind an NFT marketplace.",
        "Every error has the schema `Error`; its `code` is for programs. A query parameter that an operation doesn't have is refused, and `chain_id` and `chainId` are the same parameter. A path asked with another method answers 405 with `Allow`. Before any operation, the server answers 408 to requests that arrive too slowly and 431 to headers that are too large. A fault of the service is answered 500 with the code `INTERNAL`. Every answer has an `X-Request-Id`, and those that count against a limit of requests its `RateLimit` fields.",
      ].join("\n\n"),
      license: { name: "MIT", url: "https://opensource.org/license/mit" },
      contact: { name: "The operator of the service", url: `${baseUrlOf(servers)}/console` },
    },
    servers: [...servers],
    tags: tags.map((tag) => ({ ...tag })),
  });
  describeOperations((document.paths ?? {}) as PathItems);
  const text = JSON.stringify(document.paths);
  const used = Object.entries(errorExamples).filter(([code]) => text.includes(`/examples/${code}"`));
  document.components = { ...document.components, examples: Object.fromEntries(used) };
  // An empty list of what the service doesn't send.
  delete document.webhooks;
  const served = withServedExamples(document, collections);
  addClientSamples(served, baseUrlOf(servers));
  return served;
}

const baseUrlOf = ([server]: readonly Server[]): string =>
  server?.variables?.baseUrl?.default ?? server?.url ?? "";
