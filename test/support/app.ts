/** The whole HTTP application over a real database, with contracts and metadata hosts by hand. */

import { createAccess } from "../../src/api/access/service.ts";
import { createCollections } from "../../src/api/catalog/collections.ts";
import { createReports } from "../../src/api/catalog/reports.ts";
import { createCatalog } from "../../src/api/catalog/service.ts";
import { createChainClients } from "../../src/api/chain/clients.ts";
import { createIndexHeads } from "../../src/api/chain/index-heads.ts";
import { silentLogger } from "../../src/api/contract/logger.ts";
import { graphqlRoutes } from "../../src/api/graphql/routes.ts";
import { type AppServices, createApp } from "../../src/api/http/app.ts";
import { createAllowlist } from "../../src/api/media/allowlist.ts";
import { createGuardedFetch } from "../../src/api/metadata/guarded-fetch.ts";
import type { ReadUri } from "../../src/api/metadata/read-uri.ts";
import { createReportStore } from "../../src/api/metadata/report-store.ts";
import { createMetadata } from "../../src/api/metadata/service.ts";
import { createTraitApproval } from "../../src/api/metadata/trait-approval.ts";
import { depth, isQueued } from "../../src/api/refresh/queue.ts";
import { createRefresh } from "../../src/api/refresh/service.ts";
import { createReconcile } from "../../src/api/trading/reconcile.ts";
import { createTrading } from "../../src/api/trading/service.ts";
import type { IndexConfig } from "../../src/config.ts";
import type { TestDatabase } from "./database.ts";
import { CHAIN_ID, COLLECTION, createFakeResolve, failed } from "./refresh.ts";

export const OPERATOR_TOKEN = "operator-token-of-the-tests";
/** On a second chain only. */
export const FAR_COLLECTION = "0x00000000000000000000000000000000000000fa";
export const FAR_CHAIN_ID = 2020;
export const GATEWAY = "https://gateway.example";

const index: IndexConfig = {
  registries: [],
  chains: [
    { id: FAR_CHAIN_ID, rpcUrls: ["http://127.0.0.1:1"] },
    { id: CHAIN_ID, rpcUrls: ["http://127.0.0.1:1"] },
  ],
  collections: [
    {
      chainId: CHAIN_ID,
      address: COLLECTION,
      startBlock: 0,
      name: "Heroes",
      slug: "heroes",
      standard: "erc721",
    },
    { chainId: FAR_CHAIN_ID, address: FAR_COLLECTION, startBlock: 0 },
    { chainId: FAR_CHAIN_ID, address: COLLECTION, startBlock: 0, name: "Far heroes" },
  ],
};

export interface Sent {
  readonly method?: string;
  readonly key?: string | undefined;
  readonly headers?: Record<string, string>;
  /** Sent as JSON; text and bytes are sent as they are. */
  readonly body?: unknown;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: answers are looked at field by field
  readonly body: any;
}

const isRaw = (body: unknown): body is Uint8Array<ArrayBuffer> => body instanceof Uint8Array;

/** `privateHosts` are `host:port` on this machine that URIs may lead to; it may grow later. */
export function createTestApp(
  test: TestDatabase,
  overrides: Partial<AppServices> = {},
  privateHosts: ReadonlySet<string> = new Set(),
) {
  const { database, tables } = test;
  /** Ids that the contracts have; every other one reverts. */
  const existing = new Set<string>();
  const readUri: ReadUri = async ({ tokenId }) =>
    existing.has(tokenId)
      ? { kind: "read", uri: `https://meta.example/${tokenId}`, standard: "erc721" }
      : { kind: "reverted", message: `tokenURI(${tokenId}) reverted` };

  const access = createAccess(database);
  const collections = createCollections(index);
  const metadata = createMetadata({ resolve: createFakeResolve(() => failed("timeout")).resolve, tables });
  const trading = createTrading({ database, tables, maxAgeSeconds: 60 });
  const allowlist = createAllowlist(database);
  const refresh = createRefresh({ database, metadata, readUri, latestBlock: async () => 10 });
  const catalog = createCatalog({
    database,
    metadata,
    trading,
    allowlist,
    gateways: [GATEWAY],
    isQueued: (chainId, collection, tokenId) => isQueued(database, { chainId, collection, tokenId }),
  });
  const fetch = createGuardedFetch(privateHosts, "Vitrine tests");
  const reports = createReports({
    catalog,
    allowlist,
    store: createReportStore(database),
    fetching: { fetch, fetchFromGateway: fetch, gateways: [GATEWAY] },
    operatorContact: "help@operator.example",
  });
  const app = createApp({
    database,
    access,
    allowlist,
    catalog,
    collections,
    reconcile: createReconcile({
      database,
      tables,
      clients: createChainClients(index.chains),
      firstBlock: collections.firstBlock,
      knownInRange: metadata.knownInRange,
    }),
    refresh,
    reports,
    traitApproval: createTraitApproval(database),
    graphql: graphqlRoutes({
      schema: undefined as never,
      handle: async () => ({ status: 200, json: '{"data":{}}' }),
    }),
    health: {
      heads: createIndexHeads(database, tables),
      latestBlock: async () => 10,
      stalled: new Set(),
      depth: () => depth(database),
    },
    operatorToken: OPERATOR_TOKEN,
    baseUrl: "http://localhost:42069",
    logger: silentLogger,
    ...overrides,
  });

  return {
    app,
    access,
    catalog,
    collections,
    metadata,
    existing,

    async call(path: string, { method, key, headers, body }: Sent = {}): Promise<Answer> {
      const response = await app.request(path, {
        method: method ?? (body === undefined ? "GET" : "POST"),
        headers: {
          ...(key !== undefined && { "x-api-key": key }),
          ...(body !== undefined && !isRaw(body) && { "content-type": "application/json" }),
          ...headers,
        },
        ...(body !== undefined && {
          body: isRaw(body) || typeof body === "string" ? body : JSON.stringify(body),
        }),
      });
      const text = await response.text();
      const isJson = response.headers.get("content-type")?.includes("json");
      return {
        status: response.status,
        headers: response.headers,
        text,
        body: isJson ? JSON.parse(text) : undefined,
      };
    },

    /** A key of an app of its own name. */
    async createKey(apis: readonly string[] = ["market-partner", "market"], app = "Tests"): Promise<string> {
      return (await access.createKey({ name: app, apis, collections: null }, "tests")).key;
    },
  };
}
