/** The whole HTTP application over a real database, with scripted contracts and metadata hosts. */

import { type AppServices, createApp } from "../../../src/api/app/app.ts";
import type { HeadWitness } from "../../../src/api/chain/rpc/head-witness.ts";
import type { ServingConfig } from "../../../src/api/config.ts";
import { graphqlRoutes } from "../../../src/api/graphql/routes.ts";
import { silentLogger } from "../../../src/api/logging/logger.ts";
import { createServices, type ServiceDeps } from "../../../src/api/services.ts";
import type { IndexConfig } from "../../../src/config.ts";
import { createFakeCalls, ownerOfOnly } from "../chain/fake-contract.ts";
import type { TestDatabase } from "../database/database.ts";
import { CHAIN_ID, COLLECTION, createFakeResolve, failed } from "../refresh/refresh.ts";
import { OPERATOR_TOKEN } from "../service-key.ts";

/** Exists on a second chain only. */
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

const testConfig: ServingConfig = {
  port: 42069,
  dataFolder: "/nonexistent",
  mediaStore: { kind: "folder", folder: "/nonexistent" },
  mediaBaseUrl: BASE_URL,
  baseUrl: BASE_URL,
  operatorContact: "help@operator.example",
  operatorToken: OPERATOR_TOKEN,
  operatorAddresses: new Set(),
  secrets: { current: SECRET, previous: undefined },
  ipfsGateways: [GATEWAY],
  ipfsUnverified: "allow",
  extraSchemes: new Set(),
  allowedPrivateHosts: new Set(),
  autoApprove: new Set(),
  demoWallet: false,
  trustedProxies: [],
  refreshConcurrency: 0,
  tradeMaxAgeSeconds: 60,
  resampleHours: 0,
  searchThreads: 1,
  searchMemoryMb: 1_000,
  delegationUrl: undefined,
  delegationApiKey: undefined,
  webhookPausesMs: [],
  drainSeconds: 0,
};

/** A node that has every block of the chain index. */
export const trustingWitness: HeadWitness = { confirm: async () => true };

export interface Sent {
  readonly method?: string;
  readonly key?: string | undefined;
  readonly headers?: Record<string, string>;
  /** Sent as JSON; text and bytes are sent unchanged. */
  readonly body?: unknown;
  /** The client's address, as on the socket. */
  readonly from?: string;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: answers are checked field by field
  readonly body: any;
}

const isRaw = (body: unknown): body is Uint8Array<ArrayBuffer> => body instanceof Uint8Array;

/** `privateHosts` are `host:port` entries on this machine that URIs may lead to; it may grow later. */
export function createTestApp(
  test: Pick<TestDatabase, "database" | "tables">,
  {
    config,
    limits,
    unseenMax,
    connectionString,
    metrics,
    configured = index.collections,
    chains = index.chains,
    registries = index.registries,
    ...overrides
  }: Partial<AppServices> &
    Pick<ServiceDeps, "limits" | "unseenMax" | "connectionString" | "metrics"> & {
      config?: Partial<ServingConfig>;
      configured?: IndexConfig["collections"];
    } & Partial<Pick<IndexConfig, "chains" | "registries">> = {},
  privateHosts: ReadonlySet<string> = new Set(),
) {
  const { database, tables } = test;
  /** The contracts' ids; every other one reverts. */
  const existing = new Set<string>();
  const services = createServices({
    database,
    tables,
    index: { chains, registries, collections: configured },
    logger: overrides.logger ?? silentLogger,
    config: {
      ...testConfig,
      allowedPrivateHosts: privateHosts,
      baseUrl: overrides.baseUrl ?? BASE_URL,
      mediaBaseUrl: overrides.baseUrl ?? BASE_URL,
      ...config,
    },
    chain: {
      latestBlock: async () => 10,
      reportEndpoints: () => [],
      witness: trustingWitness,
      calls: createFakeCalls(
        CHAIN_ID,
        ownerOfOnly((tokenId) => existing.has(tokenId)),
      ).calls,
    },
    readUri: async ({ tokenId }) =>
      existing.has(tokenId)
        ? { kind: "read", uri: `https://meta.example/${tokenId}`, standard: "erc721" }
        : { kind: "reverted", message: `tokenURI(${tokenId}) reverted` },
    resolve: createFakeResolve(() => failed("timeout")).resolve,
    ...(limits && { limits }),
    ...(unseenMax !== undefined && { unseenMax }),
    ...(connectionString !== undefined && { connectionString }),
    ...(metrics && { metrics }),
  });
  const { rateLimits } = services;
  const app = createApp({
    ...services,
    graphql: graphqlRoutes(
      {
        handle: async () => ({ status: 200, json: '{"data":{}}' }),
        handleBatch: async (operations) => ({
          status: 200,
          json: `[${operations.map(() => '{"data":{}}').join(",")}]`,
        }),
      },
      rateLimits,
    ),
    ...overrides,
  });

  return {
    ...services,
    app,
    catalog: services.catalogModule.catalog,
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
      const isJson = /[/+]json\b/.test(response.headers.get("content-type") ?? "");
      return {
        status: response.status,
        headers: response.headers,
        text,
        body: isJson && text !== "" ? JSON.parse(text) : undefined,
      };
    },

    /** A page as a browser requests it: again where it says that tokens are being loaded. */
    async browse(path: string, sent: Sent = {}): Promise<Answer> {
      for (;;) {
        const answer = await this.call(path, { ...sent, headers: { accept: "text/html", ...sent.headers } });
        if (answer.status !== 503 || answer.headers.get("refresh") === null) return answer;
      }
    },

    /** A key of the app with this name. */
    async createKey(apis: readonly string[] = ["market-partner", "market"], app = "Tests"): Promise<string> {
      return (await services.access.createKey({ name: app, apis, collections: null }, "tests")).key;
    },
  };
}
