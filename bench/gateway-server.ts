/**
 * Both sides of the gateway bench in one process and one router: the token route at `/bare`, and the same one of the whole
 * application, with key, limit, usage and headers. What it answers stands still, so that all of the difference is ours.
 */

import { createServer } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { Hono } from "hono";
import { cors } from "hono/cors";
import { createAccessModule } from "../src/api/access/module.ts";
import { type AppServices, createApp } from "../src/api/app/app.ts";
import { catalogRoutes } from "../src/api/catalog/routes.ts";
import { createDatabase } from "../src/api/db/database.ts";
import { tiers } from "../src/api/http/limits/tiers.ts";
import { silentLogger } from "../src/api/http/logger.ts";
import { createRouter } from "../src/api/http/router.ts";

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
  graphql: createRouter(),
  secrets: { current: "never used", previous: undefined },
  operatorToken: undefined,
  baseUrl: BASE_URL,
  logger: silentLogger,
} as unknown as AppServices;

const app = createApp(services);
// As Ponder mounts it: one router for all, and its CORS before everything.
const whole = new Hono()
  .use(cors({ origin: "*" }))
  .route("/bare", catalogRoutes({ ...services.catalogModule, ...services }))
  .route("/", app);
const { key } = await accessModule.access.createKey(
  { name: "bench", apis: ["market"], collections: null },
  "bench",
);

const server = createServer(getRequestListener(whole.fetch));
server.listen(0, () => {
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  process.stdout.write(`${JSON.stringify({ port, key, path: `/collections/${COLLECTION}/tokens/1` })}\n`);
});
