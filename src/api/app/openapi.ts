/** The OpenAPI document of every REST route, at /openapi.json and, committed, in openapi.json. */

import type { OpenAPIHono } from "@hono/zod-openapi";
import { KEY_HEADER, KEY_PARAMETER } from "../http/key.ts";
import type { ApiEnv } from "../http/router.ts";
import { assetRoutes } from "../ui/assets.ts";

/** Raised with every addition; a breaking change gets a new API name instead. */
const VERSION = "0.1.0";

export function describeApi(app: OpenAPIHono<ApiEnv>, baseUrl: string): void {
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
  });
  // Rendered once, on the first request, when every route is registered.
  const load = async (): Promise<string> => JSON.stringify(openApiDocument(app, baseUrl));
  app.route("/", assetRoutes({ "openapi.json": { type: "application/json", load } }));
}

export function openApiDocument(app: OpenAPIHono<ApiEnv>, baseUrl: string) {
  const document = app.getOpenAPI31Document({
    openapi: "3.1.0",
    info: {
      title: "Vitrine",
      version: VERSION,
      description: "Metadata, lock and access service behind an NFT marketplace.",
    },
    servers: [{ url: baseUrl }],
  });
  // Wherever the header authenticates, the query parameter does too.
  for (const operations of Object.values(document.paths ?? {})) {
    for (const { security } of Object.values(operations) as { security?: Record<string, string[]>[] }[]) {
      const isKeyed = security?.some((scheme) => "ApiKeyAuth" in scheme);
      if (isKeyed && !security?.some((scheme) => "ApiKeyQuery" in scheme))
        security?.push({ ApiKeyQuery: [] });
    }
  }
  return document;
}
