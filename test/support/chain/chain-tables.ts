/** The service over chains that a test fills itself, and its resulting tables. */

import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { getTableName } from "drizzle-orm";
import pg from "pg";
import type { Chain } from "../../../demo/chain.ts";
import {
  freePort,
  type Service,
  type ServiceOptions,
  spawnService,
  startService,
} from "../../../demo/service.ts";
import * as chainSchema from "../../../ponder.schema.ts";
import { createDatabaseOf } from "../database/run-database.ts";
import { makeFolder } from "../folder.ts";
import { eventually } from "../processes/world.ts";
import { OPERATOR_TOKEN } from "../service-key.ts";

export interface IndexedChain {
  readonly chain: Chain;
  /** Addresses of token contracts. */
  readonly collections: readonly string[];
  /** The address of a delegate registry; without it none is indexed. */
  readonly registry?: string;
}

export interface Site {
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  /** Starts Ponder without a supervisor, and waits until it is ready; with a schema each, several can run. */
  start(schema: string): Promise<Service>;
  /** Starts it without waiting, for a start that is not expected to succeed. `env` adds to the environment. */
  spawn(
    schema: string,
    env?: Record<string, string>,
    options?: { readonly isSupervised?: boolean },
  ): Promise<Service>;
  query<Row>(sql: string): Promise<Row[]>;
  /** A digest of every table that handlers write, to compare two chain indexes. */
  digest(schema: string): Promise<Record<string, string>>;
  close(): Promise<void>;
}

/** A folder, an empty database and an environment. `env` adds to it; by default, no metadata is fetched. */
export async function createSite(
  chains: readonly IndexedChain[],
  env: Record<string, string> = {},
): Promise<Site> {
  const folder = makeFolder();
  const database = await createDatabaseOf();
  const pool = new pg.Pool({ connectionString: database.url });
  // Of connections that nobody uses; a query reports its own.
  pool.on("error", () => undefined);
  const collections = chains.flatMap(({ chain, collections: addresses }) =>
    addresses.map((address) => ({ chainId: chain.chainId, address, startBlock: 0 })),
  );
  writeFileSync(join(folder, "collections.json"), JSON.stringify(collections));
  const services: Service[] = [];

  const options = async (schema: string, more: Record<string, string> = {}): Promise<ServiceOptions> => {
    const port = await freePort();
    return {
      port,
      env: { ...site.env, BASE_URL: `http://localhost:${port}`, ...more },
      logFile: join(folder, `${schema}.log`),
      ponderArgs: ["start", "--schema", schema],
    };
  };

  const site: Site = {
    folder,
    env: {
      ...Object.fromEntries(
        chains.flatMap(({ chain: { chainId, rpcUrl }, registry }) => [
          [`PONDER_RPC_URL_${chainId}`, rpcUrl],
          [`DELEGATE_REGISTRY_${chainId}`, registry ? `${registry}@0` : "off"],
        ]),
      ),
      COLLECTIONS_FILE: join(folder, "collections.json"),
      DATABASE_URL: database.url,
      VITRINE_DATA: folder,
      VITRINE_OPERATOR_TOKEN: OPERATOR_TOKEN,
      REFRESH_CONCURRENCY: "0",
      ...env,
    },
    async start(schema) {
      const service = await startService(await options(schema));
      services.push(service);
      return service;
    },
    async spawn(schema, more = {}, { isSupervised = false } = {}) {
      const { ponderArgs, env, ...rest } = await options(schema, more);
      const supervised = { ...rest, env: { ...env, DATABASE_SCHEMA: schema } };
      const service = spawnService(isSupervised ? supervised : { ...rest, env, ponderArgs });
      services.push(service);
      return service;
    },
    query: async <Row>(sql: string) => (await pool.query(sql)).rows as Row[],
    async digest(schema) {
      const content = "count(*) || ' rows ' || coalesce(md5(string_agg(t::text, ' ' order by t::text)), '')";
      const parts = onchainTables.map(
        (table) => `select '${table}' as name, ${content} as digest from ${schema}.${table} t`,
      );
      const rows = await site.query<{ name: string; digest: string }>(parts.join(" union all "));
      return Object.fromEntries(rows.map(({ name, digest }) => [name, digest]));
    },
    async close() {
      await Promise.all([pool.end(), ...services.map((service) => service.stop())]);
      await database.drop();
      await Promise.all(chains.map(({ chain }) => chain.close()));
      rmSync(folder, { recursive: true, force: true });
    },
  };
  return site;
}

/** Waits until the chain's current head is indexed. Only for a head that no reorg is about to replace. */
export async function untilIndexed(service: Service, chain: Chain): Promise<void> {
  const head = Number(await chain.blockNumber());
  await eventually(
    async () => {
      const response = await fetch(`${service.baseUrl}/status`);
      return (await response.json()) as Record<string, { block: { number: number } }>;
    },
    (status) => (status[chain.chainId]?.block.number ?? 0) >= head,
  );
}

/** The names of every table that handlers write. */
export const onchainTables: readonly string[] = Object.values(chainSchema).map((table) =>
  getTableName(table),
);

type Fields = Record<string, unknown>;

/** Reads through Ponder's generated GraphQL, like any client. */
export function createReader(baseUrl: string) {
  const ask = async (
    query: string,
  ): Promise<{ data?: Record<string, unknown>; errors?: { message: string }[] }> => {
    const response = await fetch(`${baseUrl}/graphql`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ query }),
    });
    return (await response.json()) as { data?: Record<string, unknown>; errors?: { message: string }[] };
  };
  const answer = async (query: string): Promise<unknown> => {
    const { data, errors } = await ask(query);
    if (!data || errors) throw new Error(`${query}: ${JSON.stringify(errors)}`);
    return Object.values(data)[0];
  };
  return {
    ask,
    /** One row by its key, or null. `key` is written as GraphQL arguments. */
    one: async (field: string, key: string, fields: string): Promise<Fields | null> =>
      (await answer(`{ ${field}(${key}) { ${fields} } }`)) as Fields | null,
    /** Up to 1,000 rows in the order of a column. */
    list: async (field: string, where: string, fields: string, orderBy = "id"): Promise<Fields[]> => {
      const page = await answer(
        `{ ${field}(where: { ${where} }, orderBy: "${orderBy}", limit: 1000) { items { ${fields} } } }`,
      );
      return (page as { items: Fields[] }).items;
    },
    count: async (field: string, where: string): Promise<number> => {
      const page = await answer(`{ ${field}(where: { ${where} }, limit: 1) { totalCount } }`);
      return (page as { totalCount: number }).totalCount;
    },
  };
}

export type Reader = ReturnType<typeof createReader>;
