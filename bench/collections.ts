/** A thousand collections of ten thousand tokens each: loads, memory, and searches with room for all and for a third. */

import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { Registry } from "prom-client";
import { type ChainTables, chainTables } from "../src/api/chain/index/tables.ts";
import { createDatabase } from "../src/api/db/database.ts";
import { migrate } from "../src/api/db/migrate.ts";
import { silentLogger } from "../src/api/logging/logger.ts";
import { stopEmbeddedPostgres } from "../src/api/postgres/embedded-postgres.ts";
import type { TokenFilter } from "../src/api/search/query.ts";
import { createSearch, type Search } from "../src/api/search/service.ts";
import type { CollectionConfig } from "../src/config.ts";
import { CHAIN_ID, type Client, createChainTables, traitName, valueAt } from "./catalog-data.ts";
import { joinPostgres } from "./postgres.ts";
import { byPace, say } from "./rounds.ts";

const COLLECTIONS = Number(process.env.BENCH_COLLECTIONS ?? byPace(1_000, 10));
const TOKENS = Number(process.env.BENCH_TOKENS ?? byPace(10_000, 1_000));
const SEARCHES = byPace(3_000, 300);
const SEARCHES_AT_ONCE = 4;
const LOADS_AT_ONCE = 4;
const HEAP_MB = 4_000;
const BYTES_PER_MB = 1_000_000;
// Distinct values of each trait.
const VALUES = [2, 5, 10, 20, 20, 50, 100, 100, 200, 200];
const VALUES_IN_ALL = VALUES.reduce((sum, each) => sum + each, 0);

const below = (limit: number): number => Math.floor(Math.random() * limit);
const addressOf = (nth: number): string => `0x${(nth + 1).toString(16).padStart(40, "0")}`;

export async function benchCollections() {
  const folder = mkdtempSync(join(tmpdir(), "vitrine-bench-"));
  chmodSync(folder, 0o711);
  const url = await joinPostgres(folder);
  await migrate(url);
  const database = createDatabase(url, silentLogger);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const tables = chainTables("bench");
  try {
    await createChainTables(client, tables, url);
    await createCollections(client, tables);
    say(`${COLLECTIONS} collections written`);
    const collections = Array.from({ length: COLLECTIONS }, (_, nth) => ({
      chainId: CHAIN_ID,
      address: addressOf(nth),
      startBlock: 0,
    }));
    async function withSearch<Result>(
      memoryMax: number | undefined,
      work: (search: Search, metrics: Registry) => Promise<Result>,
    ): Promise<Result> {
      const metrics = new Registry();
      const threads = { connectionString: url, count: 1, heapMb: HEAP_MB };
      const search = createSearch({
        database,
        tables,
        logger: silentLogger,
        metrics,
        threads,
        ...(memoryMax !== undefined && { memoryMax }),
      });
      return work(search, metrics).finally(() => search.close());
    }
    const all = await withSearch(undefined, async (search, metrics) => {
      const loads = await ask(collections, LOADS_AT_ONCE, (collection) => search.facets(collection, none));
      const searches = await ask(someOf(collections), SEARCHES_AT_ONCE, searchOnce(search));
      const bytes = await readMetric(metrics, "vitrine_search_index_bytes");
      return { loads, searches, bytes };
    });
    const figures = {
      collections: COLLECTIONS,
      tokens_each: TOKENS,
      load: { ...all.loads, tokens_per_second: Math.round(all.loads.per_second * TOKENS) },
      memory_mb: Math.round(all.bytes / BYTES_PER_MB),
      bytes_per_token: Math.round(all.bytes / COLLECTIONS / TOKENS),
      searches: all.searches,
    };
    say(JSON.stringify(figures));
    // As one of three replicas behind a load balancer that hashes by collection, and as one that gets all requests.
    const third = all.bytes / 3;
    const share = collections.slice(0, Math.floor(COLLECTIONS / 3.3));
    const hashed = await withSearch(third, (search, metrics) => measureBudget(search, metrics, share));
    say(`a third of the collections in a third of the memory: ${JSON.stringify(hashed)}`);
    const crowded = await withSearch(third, (search, metrics) => measureBudget(search, metrics, collections));
    say(`all collections in a third of the memory: ${JSON.stringify(crowded)}`);
    return {
      ...figures,
      third_of_memory: { for_a_third_of_the_collections: hashed, for_all_collections: crowded },
    };
  } finally {
    await client.end();
    await database.close();
    await stopEmbeddedPostgres(folder);
    rmSync(folder, { recursive: true, force: true });
  }
}

const none: TokenFilter = { criteria: [], ranges: [] };

async function measureBudget(search: Search, metrics: Registry, collections: readonly CollectionConfig[]) {
  // What was asked first makes room where it must.
  await ask(collections, LOADS_AT_ONCE, (collection) => search.facets(collection, none));
  const before = await readMetric(metrics, "vitrine_search_database_answers_total");
  const searches = await ask(someOf(collections), SEARCHES_AT_ONCE, searchOnce(search));
  return {
    ...searches,
    memory_mb: Math.round((await readMetric(metrics, "vitrine_search_index_bytes")) / BYTES_PER_MB),
    loads: await readMetric(metrics, "vitrine_search_loads_total"),
    evictions: await readMetric(metrics, "vitrine_search_evictions_total"),
    answered_by_postgresql: (await readMetric(metrics, "vitrine_search_database_answers_total")) - before,
  };
}

const someOf = (collections: readonly CollectionConfig[]): CollectionConfig[] =>
  Array.from({ length: SEARCHES }, () => collections[below(collections.length)] as CollectionConfig);

/** A page or the facets of one value of a trait. */
const searchOnce =
  (search: Search) =>
  (collection: CollectionConfig): Promise<unknown> => {
    const trait = 2 + below(4);
    const value = valueAt(trait, below(VALUES[trait] as number));
    const filter: TokenFilter = { ...none, criteria: [{ name: traitName(trait), values: [value] }] };
    return Math.random() < 0.5
      ? search.page(collection, { filter, sort: { by: "name", descending: false }, limit: 20 })
      : search.facets(collection, filter);
  };

async function ask(
  collections: readonly CollectionConfig[],
  atOnce: number,
  work: (collection: CollectionConfig) => Promise<unknown>,
) {
  const ms: number[] = [];
  const startedAt = performance.now();
  const left = collections.values();
  const lane = async (): Promise<void> => {
    for (const collection of left) {
      const from = performance.now();
      await work(collection);
      ms.push(performance.now() - from);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
  const seconds = (performance.now() - startedAt) / 1000;
  const sorted = ms.toSorted((a, b) => a - b);
  const quantile = (share: number): number =>
    Number((sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0).toFixed(1));
  return {
    per_second: Number((ms.length / seconds).toFixed(1)),
    p50_ms: quantile(0.5),
    p99_ms: quantile(0.99),
  };
}

async function readMetric(metrics: Registry, name: string): Promise<number> {
  return (await metrics.getSingleMetric(name)?.get())?.values.reduce((sum, { value }) => sum + value, 0) ?? 0;
}

/** Ids of types and values are numbered by collection, so that one statement can write the tokens of many. */
async function createCollections(client: Client, { tokenState }: ChainTables): Promise<void> {
  await client.query("drop index vitrine.token_traits");
  const firstOf = VALUES.map((_, trait) => VALUES.slice(0, trait).reduce((sum, each) => sum + each, 1));
  const address = "'0x' || lpad(to_hex(c + 1), 40, '0')";
  const each = `generate_series(0, ${COLLECTIONS - 1}) c`;
  for (const [trait, values] of VALUES.entries()) {
    const typeId = `c * ${VALUES.length} + ${trait + 1}`;
    await client.query(
      `insert into vitrine.trait_type (id, chain_id, collection, key, trait_type, display_type) overriding system value
       select ${typeId}, ${CHAIN_ID}, ${address}, '=${traitName(trait)}', '${traitName(trait)}', 'string' from ${each}`,
    );
    await client.query(
      `insert into vitrine.trait_value (id, trait_type_id, display_type, key, value_text) overriding system value
       select c * ${VALUES_IN_ALL} + ${firstOf[trait]} + v, ${typeId}, 'string', '=' || t, t
         from ${each}, generate_series(0, ${values - 1}) v, lateral (select 'value ' || v || ' of ${trait}' as t) text`,
    );
  }
  const picks = VALUES.map(
    (values, trait) =>
      `c * ${VALUES_IN_ALL} + ${firstOf[trait]} + floor(power(random(), 2) * ${values})::int`,
  );
  await client.query(
    `insert into vitrine.token (chain_id, collection, token_id, name, description, served_at, since_block, traits)
     select ${CHAIN_ID}, ${address}, n, 'Hero #' || n, 'One of many heroes', now() - n * interval '1 second', n / 50,
            array[${picks.join(", ")}]
       from ${each}, generate_series(1, ${TOKENS}) n`,
  );
  await client.query(
    `insert into ${tokenState} (chain_id, collection_address, token_id, standard, owner, burned, lock_count)
     select ${CHAIN_ID}, ${address}, n, 'erc721', '0x' || lpad(to_hex(n % 1000), 40, '0'), n % 100 = 0, 0
       from ${each}, generate_series(1, ${TOKENS}) n`,
  );
  await client.query("create index token_traits on vitrine.token using gin (traits)");
  for (const table of ["vitrine.token", "vitrine.trait_value", "vitrine.trait_type", tokenState])
    await client.query(`vacuum analyze ${table}`);
}
