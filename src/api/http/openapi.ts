/** The OpenAPI document of every REST route, at /openapi.json and, committed, in openapi.json. */

import type { OpenAPIHono } from "@hono/zod-openapi";
import type { ApiEnv } from "../contract/router.ts";

/** Raised with every addition; a breaking change gets a new API name instead. */
const VERSION = "0.1.0";

export function describeApi(app: OpenAPIHono<ApiEnv>, baseUrl: string): void {
  app.openAPIRegistry.registerComponent("securitySchemes", "ApiKeyAuth", {
    type: "apiKey",
    in: "header",
    name: "X-API-Key",
    description: "Also accepted as the query parameter `apiKey`; the header comes first.",
  });
  app.openAPIRegistry.registerComponent("securitySchemes", "OperatorToken", {
    type: "http",
    scheme: "bearer",
  });
  app.get("/openapi.json", (c) => c.json(openApiDocument(app, baseUrl)));
}

export function openApiDocument(app: OpenAPIHono<ApiEnv>, baseUrl: string) {
  return app.getOpenAPI31Document({
    openapi: "3.1.0",
    info: {
      title: "Vitrine",
      version: VERSION,
      description: "Metadata, lock and access service behind an NFT marketplace.",
    },
    servers: [{ url: baseUrl }],
  });
}
