/** A real chain, metadata host, database and service, as child processes, for one test file. */

import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { type Chain, startChain } from "../../../demo/chain.ts";
import {
  type MetadataHost,
  type MetadataHostOptions,
  startMetadataHost,
} from "../../../demo/metadata-host.ts";
import { type Population, populate } from "../../../demo/populate.ts";
import { freePort, type Service, type ServiceOptions, startService } from "../../../demo/service.ts";
import type { TokenView } from "../../../src/api/catalog/tokens/token-view.ts";
import { joinEmbeddedPostgres, stopEmbeddedPostgres } from "../../../src/api/postgres/embedded-postgres.ts";
import { eventually as within } from "../eventually.ts";
import { makeFolder } from "../folder.ts";
import { OPERATOR_TOKEN } from "../service-key.ts";

// Ponder waits 25 s for the schema of a killed process, on a machine that may be busy.
const EVENTUALLY_MS = 90_000;

export interface World {
  readonly chain: Chain;
  readonly host: MetadataHost;
  readonly population: Population;
  readonly folder: string;
  readonly heroes: string;
  readonly items: string;
  /** The service's environment. */
  readonly env: Record<string, string>;
  readonly port: number;
  service: Service;
  /** Restarts the service after it has ended. */
  start(options?: Partial<ServiceOptions>): Promise<Service>;
  query<Row>(sql: string): Promise<Row[]>;
  close(): Promise<void>;
}

/** Documents with this base name pictures that nobody serves: drawing and checking them takes ten seconds of a core. */
export const WITHOUT_PICTURES = { documentBaseUrl: "http://127.0.0.1:9" };

/**
 * `more` adds to the environment and to the start options, and may fill the chain and the host in another way. What is
 * older than 30 blocks when the service is ready is history: its locks are not published as events.
 */
export async function createWorld(
  more: {
    readonly env?: Record<string, string>;
    readonly service?: Partial<ServiceOptions>;
    readonly populate?: typeof populate;
    readonly host?: MetadataHostOptions;
    readonly secondsPerBlock?: number;
  } = {},
): Promise<World> {
  const folder = makeFolder();
  const [chain, host, port] = await Promise.all([startChain(), startMetadataHost(more.host), freePort()]);
  const population = await (more.populate ?? populate)(chain, host);
  // The guard trusts a chain index only while blocks keep coming.
  await chain.mineEvery(more.secondsPerBlock ?? 1);
  const heroes = population.erc721.address.toLowerCase();
  const items = population.erc1155.address.toLowerCase();
  const collections = [heroes, items].map((address) => ({ chainId: chain.chainId, address, startBlock: 0 }));
  writeFileSync(join(folder, "collections.json"), JSON.stringify(collections));

  const env = {
    [`PONDER_RPC_URL_${chain.chainId}`]: chain.rpcUrl,
    COLLECTIONS_FILE: join(folder, "collections.json"),
    DATABASE_URL: "",
    DATABASE_SCHEMA: "vitrine_e2e",
    VITRINE_DATA: folder,
    BASE_URL: `http://localhost:${port}`,
    VITRINE_OPERATOR_TOKEN: OPERATOR_TOKEN,
    ALLOW_PRIVATE_HOSTS: new URL(host.url).host,
    IPFS_GATEWAYS: host.ipfsGateway,
    ...more.env,
  };
  const start = (options: Partial<ServiceOptions> = {}): Promise<Service> =>
    startService({ port, env, logFile: join(folder, "service.log"), ...more.service, ...options });

  const world: World = {
    chain,
    host,
    population,
    folder,
    heroes,
    items,
    env,
    port,
    service: await start(),
    async start(options) {
      world.service = await start(options);
      return world.service;
    },
    async query<Row>(sql: string) {
      const client = new pg.Client({ connectionString: await joinEmbeddedPostgres(folder) });
      await client.connect();
      try {
        return (await client.query(sql)).rows as Row[];
      } finally {
        await client.end();
      }
    },
    async close() {
      await world.service.stop();
      await stopEmbeddedPostgres(folder);
      await Promise.all([chain.close(), host.close()]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
  return world;
}

/** A partner's program over HTTP. */
export function createPartner(baseUrl: string, key: string) {
  const call = async (
    path: string,
    body?: unknown,
  ): Promise<{ status: number; body: Record<string, unknown> }> => {
    const response = await fetch(`${baseUrl}${path}`, {
      headers: { "x-api-key": key, ...(body !== undefined && { "content-type": "application/json" }) },
      ...(body !== undefined && {
        method: "POST",
        body: typeof body === "string" ? body : JSON.stringify(body),
      }),
    });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };
  return {
    call,
    token: async (address: string, id: string | number): Promise<TokenView> =>
      (await call(`/market/collections/${address}/tokens/${id}`)).body as unknown as TokenView,
    refresh: (address: string, ids: readonly string[], query = "") =>
      call(`/market-partner/collections/${address}/refresh_metadata${query}`, { token_ids: ids }),
    async graphql(query: string, variables: Record<string, unknown> = {}, operationName?: string) {
      const { body } = await call("/graphql", { query, variables, operationName });
      return body as { data?: Record<string, unknown>; errors?: { message: string }[] };
    },
  };
}

/** As `eventually`, with the time that a service takes on a busy machine. */
export const eventually: typeof within = (ask, passes, withinMs = EVENTUALLY_MS) =>
  within(ask, passes, withinMs);
