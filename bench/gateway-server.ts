/**
 * Both sides of the gateway bench in one process: the token route behind Hono's own CORS alone at `/bare`, and the same one
 * of the whole application, with key, limit, usage and headers, which is asked as the service asks it: without a router
 * before it. What it answers stands still, so that all of the difference is ours. Neither side has the limits of the
 * service's HTTP server.
 */

import { createServer } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { Hono } from "hono";
import { cors } from "hono/cors";
import { Registry } from "prom-client";
import { createAccessModule } from "../src/api/access/module.ts";
import { type AppServices, createApp } from "../src/api/app/app.ts";
import { catalogRoutes } from "../src/api/catalog/routes.ts";
import { createDatabase } from "../src/api/db/database.ts";
import { tiers } from "../src/api/http/limits/tiers.ts";
import { createRequestMetrics } from "../src/api/http/request-metrics.ts";
import { createRouter } from "../src/api/http/router.ts";
import { silentLogger } from "../src/api/logging/logger.ts";

const BASE_URL = "http://localhost:42069";
const COLLECTION = "0x5fbdb2315678afecb367f032d93f642f64180aa3";
const [, , url = ""] = process.argv;

const token = {
  chain_id: 31337,
  collection_address: COLLECTION,
  token_id: "1",
  name: "Hero #1",
  traits: Array.from({ length: 10 }, (_, index) => ({
    trait_type: `Trait ${index}`,
    value: `Value ${index}`,
  })),
};

const database = createDatabase(url, silentLogger);
const accessModule = createAccessModule({
  database,
  clients: new Map(),
  secrets: { current: "secret-of-the-bench-with-enough-characters", previous: undefined },
  operatorAddresses: new Set(),
  autoApprove: new Set(),
  trustedProxies: [],
  // So wide that the limit is counted and never reached.
  limits: { ...tiers, advanced: { ...tiers.advanced, requests: 1_000_000_000 } },
  baseUrl: BASE_URL,
  logger: silentLogger,
});
const unused = new Proxy({}, { get: () => () => undefined });
const services = {
  ...accessModule,
  database,
  catalogModule: { catalog: { findToken: async () => token } },
  collections: { all: [], findNamed: async () => ({ chainId: 31337, address: COLLECTION, startBlock: 0 }) },
  ...Object.fromEntries(
    ["allowlist", "delegationModule", "health", "hub", "operatorRequests", "refresh"].map((name) => [
      name,
      unused,
    ]),
  ),
  measureRequests: createRequestMetrics(new Registry()),
  graphql: createRouter(),
  secrets: { current: "never used", previous: undefined },
  operatorToken: undefined,
  baseUrl: BASE_URL,
  logger: silentLogger,
} as unknown as AppServices;

const app = createApp(services);
const bare = new Hono()
  .use(cors({ origin: "*" }))
  .route("/bare", catalogRoutes({ ...services.catalogModule, ...services }));
const { key } = await accessModule.access.createKey(
  { name: "bench", apis: ["market"], collections: null },
  "bench",
);

const answerBare = getRequestListener(bare.fetch);
const answer = getRequestListener(app.fetch);
const server = createServer((request, response) =>
  request.url?.startsWith("/bare/") ? answerBare(request, response) : answer(request, response),
);
server.listen(0, () => {
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  process.stdout.write(`${JSON.stringify({ port, key, path: `/collections/${COLLECTION}/tokens/1` })}\n`);
});
