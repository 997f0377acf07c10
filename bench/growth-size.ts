/** One size of bench/growth.ts: how many collections, the tokens of each, and whether another version of each follows. */

import { existsSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { Database } from "../src/api/db/database.ts";
import { withCleanup } from "./cleanup.ts";
import { type Ingest, withIngest } from "./ingest.ts";

const CONCURRENCY = 64;
// A token is not fetched again within five seconds of its last fetch.
const SPACING_MS = 5_100;
const BYTES_PER_MB = 1_000_000;
const BYTES_PER_KIB = 1_024;
// docs/refresh.md: history is kept for 90 days.
const HOURLY_VERSIONS_KEPT = 90 * 24;

export interface Cost {
  readonly tokens: number;
  readonly per_second: number;
  readonly bytes_per_token: number;
  readonly wal_bytes_per_token: number;
  /** The peak of the process with the queue and its worker. */
  readonly memory_mb: number;
}

export interface Size {
  readonly cost: Cost;
  readonly anotherVersion?: Cost & { readonly mb_of_90_days_hourly: number };
}

const addressOf = (nth: number): string => `0x${nth.toString(16).padStart(40, "0")}`;
const idsOf = (tokens: number): string[] => Array.from({ length: tokens }, (_, index) => String(index + 1));

function measureSize(collections: number, tokensOfEach: number, hasVersions: boolean): Promise<Size> {
  const addresses = Array.from({ length: collections }, (_, nth) => addressOf(nth + 1));
  return withIngest(CONCURRENCY, async (ingest) => ({
    cost: await measure(ingest, addresses, tokensOfEach),
    ...(hasVersions && { anotherVersion: await measureVersions(ingest, addresses, tokensOfEach) }),
  }));
}

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
    memory_mb: Math.round(memoryPeak() / BYTES_PER_MB),
  };
}

/** In bytes. What the operating system counts may include the process that has started this one; Linux also counts it alone. */
function memoryPeak(): number {
  const status = "/proc/self/status";
  const [, own] = existsSync(status) ? (/^VmHWM:\s+(\d+) kB/m.exec(readFileSync(status, "utf8")) ?? []) : [];
  return Number(own ?? process.resourceUsage().maxRSS) * BYTES_PER_KIB;
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
async function measureVersions(
  ingest: Ingest,
  collections: readonly string[],
  tokensOfEach: number,
): Promise<Size["anotherVersion"]> {
  await sleep(SPACING_MS);
  const cost = await measure(ingest, collections, tokensOfEach);
  const megabytes = (cost.bytes_per_token * HOURLY_VERSIONS_KEPT) / BYTES_PER_MB;
  return { ...cost, mb_of_90_days_hourly: Number(megabytes.toFixed(1)) };
}

const [collections, tokensOfEach, versions] = process.argv.slice(2);
const code = await withCleanup(
  () => measureSize(Number(collections), Number(tokensOfEach), versions !== undefined),
  (size) => process.stdout.write(JSON.stringify(size)),
);
process.exit(code);
