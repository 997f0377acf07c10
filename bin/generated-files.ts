/** Generates the committed contracts from the code, without a database, a chain or a port. */

import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type GraphQLSchema, lexicographicSortSchema, printSchema } from "graphql";
import * as ponderSchema from "../ponder.schema.ts";
import { type AppServices, createApp } from "../src/api/app/app.ts";
import { openApiDocument } from "../src/api/app/openapi.ts";
import { mergeSchema } from "../src/api/graphql/gateway/merged-schema.ts";
import { ownSdl } from "../src/api/graphql/own/own.graphql.ts";
import { createRouter } from "../src/api/http/router.ts";
import { silentLogger } from "../src/api/logging/logger.ts";

const BASE_URL = "http://localhost:42069";

/** Routes describe themselves when mounted; no service is called. */
export function printOpenApi(): string {
  const unused = new Proxy({}, { get: () => () => undefined });
  const services = {
    access: unused,
    allowlist: unused,
    catalogModule: unused,
    collections: unused,
    delegationModule: unused,
    operatorRequests: unused,
    refresh: unused,
    database: unused,
  };
  const app = createApp({
    ...(services as unknown as AppServices),
    graphql: createRouter(),
    rateLimits: { limiters: {}, failures: unused } as unknown as AppServices["rateLimits"],
    health: unused as AppServices["health"],
    secrets: { current: "never used", previous: undefined },
    operatorToken: undefined,
    baseUrl: BASE_URL,
    logger: silentLogger,
  });
  const description = "BASE_URL of the service";
  const servers = [{ url: "{baseUrl}", variables: { baseUrl: { default: BASE_URL, description } } }];
  return `${JSON.stringify(openApiDocument(app, servers), null, 2)}\n`;
}

/** The schema that introspection of POST /graphql shows, sorted. */
export async function printSdl(): Promise<string> {
  // Ponder exports neither the function nor its path; only this generator relies on it.
  const path = join(process.cwd(), "node_modules/ponder/dist/esm/graphql/index.js");
  const { buildGraphQLSchema } = (await import(pathToFileURL(path).href)) as {
    buildGraphQLSchema: (options: { schema: typeof ponderSchema }) => GraphQLSchema;
  };
  const merged = mergeSchema(buildGraphQLSchema({ schema: ponderSchema }), ownSdl);
  return `${printSchema(lexicographicSortSchema(merged))}\n`;
}
