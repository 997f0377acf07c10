/**
 * Refresh through the whole service, with a chain, its events and a metadata host as processes, beside a plain script
 * that stores the same rows: the first read of a collection, sweeps, updates as they happen, and a single request.
 */

import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { encodeFunctionData, type Hex } from "viem";
import {
  byPace,
  type Comparison,
  comparePairs,
  compareRounds,
  isQuick,
  median,
  type Round,
  say,
} from "./rounds.ts";
import { runScript } from "./script.ts";
import { CONCURRENCY, type ServedCollection, withServedCollection } from "./served-collection.ts";

const TOKENS = Number(process.env.BENCH_TOKENS ?? byPace(20_000, 1_000));
// Odd, so that the service has the last sweep of changed documents.
const ROUNDS = byPace(3, 1);
const STILL_SWEEPS = byPace(3, 1);
const RATES = byPace([100, 400], [400]);
const UPDATE_SECONDS = byPace(15, 1);
const UPDATES_BAR = { p50_ms: 100, p99_ms: 250 };
const SINGLES = byPace(50, 5);
// By then, what the other side has left PostgreSQL to do is over.
const REST_MS = byPace(5_000, 0);
const POLL_SWEEP_MS = 50;
const POLL_INDEXED_MS = 10;
const DEADLINE_MS = 180_000;

const COLLECTION = { tokens: TOKENS, settings: ["track_commit_timestamp = on"] };

export async function benchRefresh(): Promise<object> {
  const pairs: Record<"vitrine" | "bare", Round[]> = { vitrine: [], bare: [] };
  const readFirst = async (served: ServedCollection): Promise<void> => {
    pairs.vitrine.push({ perSecond: TOKENS / served.firstReadSeconds });
    pairs.bare.push({ perSecond: TOKENS / (await readPlainly(served)) });
  };
  // A service has one first read: each pair has a chain, a database and a service of its own.
  for (let pair = 1; pair < ROUNDS; pair++) await withServedCollection(COLLECTION, readFirst);
  return withServedCollection(COLLECTION, async (served) => {
    await readFirst(served);
    return measure(served, comparePairs(pairs));
  });
}

async function measure(served: ServedCollection, firstRead: Comparison): Promise<object> {
  say(`first read: ${JSON.stringify(firstRead)}`);
  const sides = {
    vitrine: async () => ({ perSecond: await sweep(served) }),
    bare: async () => ({ perSecond: TOKENS / (await readPlainly(served)) }),
  };
  const sweeps = await compareRounds(ROUNDS, sides, { isCold: isQuick });
  say(`sweeps: ${JSON.stringify(sweeps)}`);
  const updates: Record<string, object> = {};
  for (const rate of RATES) {
    updates[`updates_${rate}_per_second`] = await measureUpdates(served, rate);
    say(`${rate} updates/s: ${JSON.stringify(updates[`updates_${rate}_per_second`])}`);
  }
  const single = await measureSingles(served);
  // Last: tokens whose document stayed the same after an event are rechecked half a minute later.
  const still = await sweepStill(served);
  say(`nothing new: ${still} tokens/s`);
  return {
    tokens: TOKENS,
    concurrency: CONCURRENCY,
    // A host gets no more of the process's fetches.
    concurrency_of_one_host: Math.floor((CONCURRENCY * 3) / 4),
    first_read: { ...firstRead, bar: { ratio: 0.6 } },
    sweep_changed: { ...sweeps, bar: { ratio: 0.6 } },
    sweep_unchanged: { vitrine_per_second: still, bar: { per_second: 3_000 } },
    ...updates,
    single_with_wait: { ...single, bar: { p50_ms: 40 } },
  };
}

/** Seconds that the plain script takes for all tokens, its start excluded. */
async function readPlainly({ url, chain, contract }: ServedCollection): Promise<number> {
  // As long as a sweep is waited for: what the side before has left PostgreSQL to do is over.
  await sleep(REST_MS);
  const args = [url, chain.rpcUrl, contract.address, String(TOKENS), String(CONCURRENCY)];
  return Number(await runScript("plain-script.ts", ...args));
}

const emitAll = ({ chain, contract }: ServedCollection): Promise<unknown> =>
  chain.write(contract, "emitBatchMetadataUpdate", [0n, 2n ** 256n - 1n]);

/**
 * Tokens per second, from the event's row in the chain index, which the plain script doesn't wait for either, until each
 * of them was fetched after it.
 */
async function sweep(served: ServedCollection): Promise<number> {
  const client = new pg.Client({ connectionString: served.url });
  await client.connect();
  try {
    await rest(client);
    const events = await updatesTable(client);
    const { rows: last } = await client.query<{ id: string | null; now: string }>(
      `select max(id) as id, now()::text as now from ${events}`,
    );
    const sending = emitAll(served);
    // Awaited below; until then, a failure has an owner.
    sending.catch(() => undefined);
    const isIndexed = `select from ${events} where id > $1 limit 1`;
    await until(client, isIndexed, [last[0]?.id ?? ""], POLL_INDEXED_MS, (rows) => rows.length > 0);
    const startedAt = performance.now();
    // The sweep and the queue first: to read every token twenty times a second would take a part of what is measured.
    const isLeft = `
      (select from vitrine.sweep where finished_at is null limit 1)
      union all (select from vitrine.refresh where lease is not null order by host limit 1)
      union all (select from vitrine.token where last_fetch_at < $1 limit 1) limit 1`;
    await until(client, isLeft, [last[0]?.now], POLL_SWEEP_MS, (rows) => rows.length === 0);
    const seconds = (performance.now() - startedAt) / 1000;
    await sending;
    return TOKENS / seconds;
  } finally {
    await client.end();
  }
}

/** Waits until each token may be fetched again: five seconds after its last fetch at the latest. */
async function rest(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ ms: number }>(
    `select greatest(0, 1000 * extract(epoch from max(last_fetch_at) + interval '5 seconds' - now()))::float8 as ms
       from vitrine.token`,
  );
  await sleep(Math.max(REST_MS, rows[0]?.ms ?? 0));
}

async function until(
  client: pg.Client,
  sql: string,
  values: readonly unknown[],
  everyMs: number,
  passes: (rows: readonly unknown[]) => boolean,
): Promise<void> {
  for (const deadline = Date.now() + DEADLINE_MS; ; await sleep(everyMs)) {
    const { rows } = await client.query(sql, [...values]);
    if (passes(rows)) return;
    if (Date.now() > deadline) throw new Error(`it never came to pass: ${sql}`);
  }
}

/** The chain index's table of metadata updates. */
async function updatesTable(client: pg.Client): Promise<string> {
  const { rows } = await client.query<{ table_schema: string }>(
    "select table_schema from information_schema.tables where table_name = 'metadata_update'",
  );
  return `"${rows[0]?.table_schema}".metadata_update`;
}

/** The same where every document is as the service read it last: the last sweep of changed ones was the service's. */
async function sweepStill(served: ServedCollection): Promise<number> {
  await fetch(`${served.originUrl}/still`, { method: "POST" });
  try {
    const before = await countVersions(served);
    const rates: number[] = [];
    for (let nth = 0; nth < STILL_SWEEPS; nth++) rates.push(await sweep(served));
    const changed = (await countVersions(served)) - before;
    // A fetch that timed out is made again, and may then find a new document.
    if (changed > TOKENS / 100) throw new Error(`${changed} documents changed in sweeps of unchanged ones`);
    return Math.round(median(rates));
  } finally {
    await fetch(`${served.originUrl}/new`, { method: "POST" });
  }
}

async function countVersions({ url }: ServedCollection): Promise<number> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ count: number }>(
      "select count(*)::int as count from vitrine.version",
    );
    return rows[0]?.count ?? 0;
  } finally {
    await client.end();
  }
}

/**
 * Milliseconds from the commit of an event's row, by Ponder, to that of the transaction that serves its new document. By
 * PostgreSQL's own record of commits: to look for both all the time takes processor time, and finds them late.
 */
async function measureUpdates(served: ServedCollection, rate: number): Promise<object> {
  const client = new pg.Client({ connectionString: served.url });
  await client.connect();
  try {
    await rest(client);
    const latencies = await sendUpdates(client, served, rate);
    const at = (share: number): number => Math.round(latencies[Math.floor(latencies.length * share)] ?? 0);
    return { updates: latencies.length, p50_ms: at(0.5), p99_ms: at(0.99), bar: UPDATES_BAR };
  } finally {
    await client.end();
  }
}

async function sendUpdates(client: pg.Client, served: ServedCollection, rate: number): Promise<number[]> {
  const events = await updatesTable(client);
  const { rows: last } = await client.query<{ event: string | null; version: string | null }>(
    `select (select max(id) from ${events}) as event, (select max(id) from vitrine.version) as version`,
  );
  const before = [last[0]?.event ?? "", last[0]?.version ?? "0"];
  const bursts = encodeUpdates(served, rate);
  for (const calls of bursts) await served.chain.write(served.contract, "multicall", [calls]);
  const updates = rate * UPDATE_SECONDS;
  const latencies = `
    select distinct on (e.id) extract(epoch from v.at - e.at)::float8 * 1000 as ms
      from (select id, from_token_id, pg_xact_commit_timestamp(xmin) as at from ${events}
             where id > $1 and source = 'MetadataUpdate') e
      join (select id, token_id, pg_xact_commit_timestamp(xmin) as at from vitrine.version
             where id > $2 and outcome = 'updated') v on v.token_id = e.from_token_id and v.at > e.at
     order by e.id, v.id`;
  for (const deadline = Date.now() + DEADLINE_MS; ; await sleep(POLL_SWEEP_MS)) {
    const { rows } = await client.query<{ ms: number }>(latencies, before);
    if (rows.length >= updates) return rows.map(({ ms }) => ms).sort((a, b) => a - b);
    if (Date.now() > deadline) throw new Error(`${rows.length} of ${updates} updates were seen`);
  }
}

/**
 * So many events in one block per second, each second for other tokens, so that none waits for its next fetch. Encoded
 * beforehand: during a burst it would take a tenth of a core.
 */
const encodeUpdates = ({ contract }: ServedCollection, rate: number): Hex[][] =>
  Array.from({ length: UPDATE_SECONDS }, (_, second) =>
    Array.from({ length: rate }, (_, index) =>
      encodeFunctionData({
        abi: contract.abi,
        functionName: "emitMetadataUpdate",
        args: [BigInt(((second * rate + index) % TOKENS) + 1)],
      }),
    ),
  );

/** A partner's request for one token with `wait`, one after another, on an otherwise idle service. */
async function measureSingles({ baseUrl, collection, createKeys }: ServedCollection): Promise<object> {
  const [key = ""] = await createKeys(1, ["market-partner"]);
  const took: number[] = [];
  for (let nth = 0; nth < SINGLES; nth++) {
    await sleep(100);
    const startedAt = performance.now();
    const answer = await fetch(
      `${baseUrl}/market-partner/collections/${collection}/refresh_metadata?wait=10`,
      {
        method: "POST",
        headers: { "x-api-key": key, "content-type": "application/json" },
        body: JSON.stringify({ token_ids: [String(TOKENS - nth)] }),
      },
    );
    const text = await answer.text();
    took.push(performance.now() - startedAt);
    if (!text.includes('"updated"')) throw new Error(`a single refresh answered ${text.slice(0, 300)}`);
  }
  took.sort((a, b) => a - b);
  return { p50_ms: Math.round(median(took)), p90_ms: Math.round(took[Math.floor(took.length * 0.9)] ?? 0) };
}
