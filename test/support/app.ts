/** The whole HTTP application over a real database, with contracts and metadata hosts by hand. */

import { type AccessModuleDeps, createAccessModule } from "../../src/api/access/module.ts";
import { type AppServices, createApp } from "../../src/api/app/app.ts";
import { createCollections } from "../../src/api/catalog/collections.ts";
import { createCatalogModule } from "../../src/api/catalog/module.ts";
import { createIndexHeads } from "../../src/api/chain/index/index-heads.ts";
import { createChainClients } from "../../src/api/chain/rpc/clients.ts";
import type { HeadWitness } from "../../src/api/chain/rpc/head-witness.ts";
import { createConsole } from "../../src/api/console/routes.tsx";
import { createDelegationModule } from "../../src/api/delegation/module.ts";
import { createEventHub } from "../../src/api/events/hub.ts";
import { createGuardedFetch } from "../../src/api/fetch/guarded-fetch.ts";
import { graphqlRoutes } from "../../src/api/graphql/routes.ts";
import { silentLogger } from "../../src/api/http/logger.ts";
import { createAllowlist } from "../../src/api/media/display/allowlist.ts";
import { createMedia } from "../../src/api/media/service.ts";
import { createDisk } from "../../src/api/media/storage/disk.ts";
import { missFile } from "../../src/api/media/storage/media-file-store.ts";
import { createReportStore } from "../../src/api/metadata/records/report-store.ts";
import { createRenormaliser } from "../../src/api/metadata/renormalise/renormalise.ts";
import { createMetadata } from "../../src/api/metadata/service.ts";
import { createTraitApproval } from "../../src/api/metadata/traits/trait-approval.ts";
import type { ReadUri } from "../../src/api/metadata/uri/read-uri.ts";
import { createRefreshModule } from "../../src/api/refresh/module.ts";
import { depth, findQueued } from "../../src/api/refresh/queue/queue.ts";
import { createSearch } from "../../src/api/search/service.ts";
import { createTradeChecks } from "../../src/api/trading/checks/checks.ts";
import { createReconcile } from "../../src/api/trading/reconcile/reconcile.ts";
import { createTrading } from "../../src/api/trading/service.ts";
import type { IndexConfig } from "../../src/config.ts";
import type { TestDatabase } from "./database.ts";
import { createFakeCalls, ownerOfOnly } from "./fake-contract.ts";
import { CHAIN_ID, COLLECTION, createFakeResolve, failed } from "./refresh.ts";

export const OPERATOR_TOKEN = "operator-token-of-the-tests";
/** On a second chain only. */
export const FAR_COLLECTION = "0x00000000000000000000000000000000000000fa";
export const FAR_CHAIN_ID = 2020;
const REGISTRY = "0x00000000000000447e69651d841bd8d104bed493";
export const SECRET = "secret-of-the-tests-with-enough-characters";
export const GATEWAY = "https://gateway.example";
export const BASE_URL = "http://localhost:42069";

const index: IndexConfig = {
  registries: [{ chainId: CHAIN_ID, address: REGISTRY, startBlock: 0 }],
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

/** A node that has every block that the index is at. */
export const trustingWitness: HeadWitness = { confirm: async () => true };

export interface Sent {
  readonly method?: string;
  readonly key?: string | undefined;
  readonly headers?: Record<string, string>;
  /** Sent as JSON; text and bytes are sent as they are. */
  readonly body?: unknown;
  /** The client's address, as the socket tells it. */
  readonly from?: string;
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
  {
    room: roomOverrides = {},
    unseenMax,
    ...overrides
  }: Partial<AppServices> & { room?: Partial<AccessModuleDeps>; unseenMax?: number } = {},
  privateHosts: ReadonlySet<string> = new Set(),
) {
  const { database, tables } = test;
  /** Ids that the contracts have; every other one reverts. */
  const existing = new Set<string>();
  const readUri: ReadUri = async ({ tokenId }) =>
    existing.has(tokenId)
      ? { kind: "read", uri: `https://meta.example/${tokenId}`, standard: "erc721" }
      : { kind: "reverted", message: `tokenURI(${tokenId}) reverted` };

  const baseUrl = overrides.baseUrl ?? BASE_URL;
  const logger = overrides.logger ?? silentLogger;
  const secrets = roomOverrides.secrets ?? { current: SECRET, previous: undefined };
  const accessModule = createAccessModule({
    database,
    clients: new Map(),
    secrets,
    operatorAddresses: new Set(),
    trustedProxies: [],
    baseUrl,
    logger,
    ...roomOverrides,
  });
  const { access } = accessModule;
  const clients = createChainClients(index.chains);
  const collections = createCollections(index);
  const metadata = createMetadata({ resolve: createFakeResolve(() => failed("timeout")).resolve, tables });
  const trading = createTrading({ database, tables, witness: trustingWitness, maxAgeSeconds: 60 });
  const allowlist = createAllowlist(database);
  const { refresh, operatorRequests } = createRefreshModule({
    database,
    metadata,
    calls: createFakeCalls(
      CHAIN_ID,
      ownerOfOnly((tokenId) => existing.has(tokenId)),
    ).calls,
    readUri,
    latestBlock: async () => 10,
    tokenLimiter: accessModule.rateLimits.anonymousTokens,
    ...(unseenMax !== undefined && { unseenMax }),
  });
  const fetch = createGuardedFetch(privateHosts, "Vitrine tests");
  const search = createSearch({ database, tables, logger: silentLogger });
  const catalogModule = createCatalogModule({
    database,
    tables,
    collections,
    metadata,
    trading,
    allowlist,
    media: createMedia({ database, gateways: [GATEWAY], baseUrl: BASE_URL }),
    search,
    findQueued: (chainId, collection, tokenIds) => findQueued(database, chainId, collection, tokenIds),
    audit: access.audit,
    fetching: { fetch, fetchFromGateway: fetch, gateways: [GATEWAY] },
    reportStore: createReportStore(database),
    operatorContact: "help@operator.example",
  });
  const hub = createEventHub({ database, logger: silentLogger });
  const traitApproval = createTraitApproval(database);
  const renormaliser = createRenormaliser({
    database,
    tables,
    media: createMedia({ database, gateways: [GATEWAY], baseUrl: BASE_URL }),
    logger: silentLogger,
  });
  const app = createApp({
    renormaliser,
    database,
    tables,
    access,
    allowlist,
    catalogModule,
    collections,
    search,
    reconcile: createReconcile({
      database,
      tables,
      clients,
      firstBlock: collections.firstBlock,
      knownInRange: metadata.knownInRange,
    }),
    images: { disk: createDisk("/nonexistent"), onMissing: (name) => missFile(database, name) },
    operatorRequests,
    refresh,
    traitApproval,
    tradeChecks: createTradeChecks({
      database,
      tables,
      clients,
      witness: trustingWitness,
      tradeMaxAgeSeconds: 60,
    }),
    delegationModule: createDelegationModule({ database, tables, index, url: undefined, key: undefined }),
    hub,
    graphql: graphqlRoutes(
      { schema: undefined as never, handle: async () => ({ status: 200, json: '{"data":{}}' }) },
      accessModule.rateLimits.clientAddress,
    ),
    rateLimits: accessModule.rateLimits,
    sessions: accessModule.sessions,
    console: createConsole({
      ...accessModule,
      ...catalogModule,
      database,
      collections,
      allowlist,
      traitApproval,
      operatorRequests,
      secrets,
      baseUrl,
      logger,
    }),
    health: {
      heads: createIndexHeads(database, tables),
      latestBlock: async () => 10,
      stalled: new Set(),
      reportEndpoints: () => [],
      depth: () => depth(database),
    },
    operatorToken: OPERATOR_TOKEN,
    baseUrl: BASE_URL,
    logger: silentLogger,
    ...overrides,
  });

  return {
    app,
    ...accessModule,
    catalog: catalogModule.catalog,
    catalogRoom: catalogModule,
    search,
    refresh,
    renormaliser,
    collections,
    metadata,
    existing,

    async call(path: string, { method, key, headers, body, from = "127.0.0.1" }: Sent = {}): Promise<Answer> {
      const init: RequestInit = {
        method: method ?? (body === undefined ? "GET" : "POST"),
        headers: {
          ...(key !== undefined && { "x-api-key": key }),
          ...(body !== undefined && !isRaw(body) && { "content-type": "application/json" }),
          ...headers,
        },
        ...(body !== undefined && {
          body: isRaw(body) || typeof body === "string" ? body : JSON.stringify(body),
        }),
      };
      const response = await app.request(path, init, { incoming: { socket: { remoteAddress: from } } });
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
