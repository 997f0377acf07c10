/**
 * What reading a token costs as work grows: time, bytes in the database, WAL and memory, by the number of tokens of one
 * collection, by the number of collections, and for another version of each token.
 */

import { setTimeout as sleep } from "node:timers/promises";
import type { Database } from "../src/api/db/database.ts";
import { type Ingest, withIngest } from "./ingest.ts";
import { byPace, say } from "./rounds.ts";

const SIZES = byPace([10_000, 100_000, 1_000_000], [1_000]);
const COLLECTIONS = byPace([10, 100, 1_000], [5]);
const TOKENS_OF_EACH = 100;
const CONCURRENCY = 64;
// A token is not fetched again within five seconds of its last fetch.
const SPACING_MS = 5_100;
const BYTES_PER_MB = 1_000_000;
// docs/refresh.md: history is kept for 90 days.
const HOURLY_VERSIONS_KEPT = 90 * 24;

interface Cost {
  readonly tokens: number;
  readonly per_second: number;
  readonly bytes_per_token: number;
  readonly wal_bytes_per_token: number;
  readonly memory_mb: number;
}

export async function benchGrowth(): Promise<object> {
  const by_tokens: Cost[] = [];
  let another_version: object = {};
  for (const [nth, tokens] of SIZES.entries()) {
    await withIngest(CONCURRENCY, async (ingest) => {
      by_tokens.push(await measure(ingest, [addressOf(1)], tokens));
      if (nth === 0) another_version = await measureVersions(ingest, tokens);
    });
    say(`${tokens} tokens: ${JSON.stringify(by_tokens.at(-1))}`);
  }
  const by_collections: (Cost & { readonly collections: number })[] = [];
  for (const collections of COLLECTIONS) {
    const addresses = Array.from({ length: collections }, (_, nth) => addressOf(nth + 1));
    const cost = await withIngest(CONCURRENCY, (ingest) => measure(ingest, addresses, TOKENS_OF_EACH));
    by_collections.push({ collections, ...cost });
    say(`${collections} collections: ${JSON.stringify(cost)}`);
  }
  return { by_tokens, by_collections, another_version };
}

const addressOf = (nth: number): string => `0x${nth.toString(16).padStart(40, "0")}`;
const idsOf = (tokens: number): string[] => Array.from({ length: tokens }, (_, index) => String(index + 1));

async function measure(
  { database, refresh }: Ingest,
  collections: readonly string[],
  tokensOfEach: number,
): Promise<Cost> {
  const before = await readSizes(database);
  let seconds = 0;
  for (const collection of collections) seconds += await refresh(collection, idsOf(tokensOfEach));
  const after = await readSizes(database);
  const tokens = collections.length * tokensOfEach;
  return {
    tokens,
    per_second: Math.round(tokens / seconds),
    bytes_per_token: Math.round((after.stored - before.stored) / tokens),
    wal_bytes_per_token: Math.round((after.wal - before.wal) / tokens),
    memory_mb: Math.round(process.memoryUsage().rss / BYTES_PER_MB),
  };
}

/** The tables of `vitrine` with their database indexes, and the end of the WAL, in bytes. */
async function readSizes(database: Database): Promise<{ stored: number; wal: number }> {
  const [row] = await database.query<{ stored: number; wal: number }>(
    `select sum(pg_total_relation_size(oid))::float8 as stored, pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 as wal
       from pg_class where relnamespace = 'vitrine'::regnamespace and relkind = 'r'`,
  );
  return row ?? { stored: 0, wal: 0 };
}

/** What a second version of each token adds, and what a token that changes hourly keeps of its last 90 days. */
async function measureVersions(ingest: Ingest, tokens: number): Promise<object> {
  await sleep(SPACING_MS);
  const cost = await measure(ingest, [addressOf(1)], tokens);
  const megabytes = (cost.bytes_per_token * HOURLY_VERSIONS_KEPT) / BYTES_PER_MB;
  return { ...cost, mb_of_90_days_hourly: Number(megabytes.toFixed(1)) };
}
