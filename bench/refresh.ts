/**
 * Refresh through the whole service, with a chain, its events and a metadata host as processes, beside a plain script
 * that stores the same rows: the first read of a collection, sweeps, updates as they happen, and a single request.
 */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import pg from "pg";
import { encodeFunctionData } from "viem";
import { byPace, compareRounds, isQuick, median, say } from "./rounds.ts";
import { CONCURRENCY, type ServedCollection, withServedCollection } from "./served-collection.ts";

const TOKENS = Number(process.env.BENCH_TOKENS ?? byPace(20_000, 1_000));
const ROUNDS = byPace(3, 1);
const STILL_SWEEPS = byPace(3, 1);
const RATES = byPace([100, 400], [400]);
const UPDATE_SECONDS = byPace(15, 2);
const SINGLES = byPace(50, 10);
const POLL_MS = 10;
// By then, what the plain script has left PostgreSQL to do is over.
const REST_MS = byPace(5_000, 0);
const POLL_SWEEP_MS = 50;
const DEADLINE_MS = 180_000;
const SCRIPT = fileURLToPath(new URL("./plain-script.ts", import.meta.url));

export const benchRefresh = (): Promise<object> =>
  withServedCollection({ tokens: TOKENS }, async (served) => {
    const firstRead = await compareFirstRead(served);
    say(`first read: ${JSON.stringify(firstRead)}`);
    const sides = {
      vitrine: async () => ({ perSecond: await sweep(served) }),
      bare: async () => ({ perSecond: TOKENS / (await runScript(served)) }),
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
      first_read: { ...firstRead, bar: 0.6 },
      sweep_changed: { ...sweeps, bar: 0.6 },
      sweep_unchanged: { vitrine_per_second: still, bar: 3_000 },
      ...updates,
      updates_bar: { p50_ms: 100, p99_ms: 250 },
      single_with_wait: { ...single, bar: { p50_ms: 40 } },
    };
  });

async function compareFirstRead(served: ServedCollection) {
  const script = TOKENS / (await runScript(served));
  const vitrine = TOKENS / served.firstReadSeconds;
  return {
    ratio: Number((vitrine / script).toFixed(2)),
    vitrine_per_second: Math.round(vitrine),
    bare_per_second: Math.round(script),
  };
}

/** Seconds that the plain script takes for all tokens, its start excluded. */
async function runScript({ url, chain, contract }: ServedCollection): Promise<number> {
  const args = [url, chain.rpcUrl, contract.address, String(TOKENS), String(CONCURRENCY)];
  const script = spawn(process.execPath, ["--import", "tsx", SCRIPT, ...args], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  script.stdout.on("data", (data) => {
    output += data;
  });
  const [code] = await once(script, "close");
  if (code !== 0) throw new Error(`the plain script ended with ${code}`);
  return Number(output);
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
    await until(client, isIndexed, [last[0]?.id ?? ""], POLL_MS, (rows) => rows.length > 0);
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

/** The same where every document is as it was. */
async function sweepStill(served: ServedCollection): Promise<number> {
  await fetch(`${served.originUrl}/still`, { method: "POST" });
  try {
    // Once for the documents as they are from now on.
    await sweep(served);
    const rates: number[] = [];
    for (let nth = 0; nth < STILL_SWEEPS; nth++) rates.push(await sweep(served));
    return Math.round(median(rates));
  } finally {
    await fetch(`${served.originUrl}/new`, { method: "POST" });
  }
}

/** Milliseconds between an event's row in the chain index and its new document becoming readable. */
async function measureUpdates(served: ServedCollection, rate: number): Promise<object> {
  const client = new pg.Client({ connectionString: served.url });
  await client.connect();
  try {
    await rest(client);
    const latencies = await watchUpdates(client, served, rate);
    const at = (share: number): number => Math.round(latencies[Math.floor(latencies.length * share)] ?? 0);
    return { updates: latencies.length, p50_ms: at(0.5), p99_ms: at(0.99) };
  } finally {
    await client.end();
  }
}

async function watchUpdates(client: pg.Client, served: ServedCollection, rate: number): Promise<number[]> {
  const events = await updatesTable(client);
  const { rows: last } = await client.query<{ id: string | null }>(`select max(id) as id from ${events}`);
  const { rows: known } = await client.query<{ id: string }>(
    "select coalesce(max(id), 0) as id from vitrine.version",
  );
  const newest = Number(known[0]?.id);
  const seenVersions = new Set<string>();
  const waiting = new Map<string, number>();
  const latencies: number[] = [];
  let lastEvent = last[0]?.id ?? "";
  let seen = 0;

  async function poll(): Promise<void> {
    const { rows } = await client.query<{ id: string; tokenId: string }>(
      `select id, from_token_id::text as "tokenId" from ${events}
        where source = 'MetadataUpdate' and id > $1 order by id`,
      [lastEvent],
    );
    const now = performance.now();
    for (const { id, tokenId } of rows) {
      lastEvent = id;
      waiting.set(tokenId, now);
      seen++;
    }
    // By index: to read every token a hundred times a second would take a third of a core. A version is added by the
    // transaction that serves it.
    const { rows: recent } = await client.query<{ id: string; tokenId: string }>(
      `select id, token_id::text as "tokenId" from vitrine.version
        where fetched_at > now() - interval '2 seconds' and id > $1 and outcome = 'updated'`,
      [newest],
    );
    const visibleAt = performance.now();
    for (const { id, tokenId } of recent) {
      if (seenVersions.has(id)) continue;
      seenVersions.add(id);
      const since = waiting.get(tokenId);
      // If the document is seen before its event's row, the delay is below one poll.
      latencies.push(since === undefined ? 0 : visibleAt - since);
      waiting.delete(tokenId);
    }
  }

  const updates = rate * UPDATE_SECONDS;
  const deadline = Date.now() + DEADLINE_MS;
  const sending = sendUpdates(served, rate);
  while ((seen < updates || latencies.length < updates) && Date.now() < deadline) {
    await poll();
    await sleep(POLL_MS);
  }
  await sending;
  if (latencies.length < updates) throw new Error(`${latencies.length} of ${updates} updates were seen`);
  return latencies.sort((a, b) => a - b);
}

/** So many events in one block per second, each second for other tokens, so that none waits for its next fetch. */
async function sendUpdates({ chain, contract }: ServedCollection, rate: number): Promise<void> {
  for (let second = 0; second < UPDATE_SECONDS; second++) {
    const calls = Array.from({ length: rate }, (_, index) =>
      encodeFunctionData({
        abi: contract.abi,
        functionName: "emitMetadataUpdate",
        args: [BigInt(((second * rate + index) % TOKENS) + 1)],
      }),
    );
    await chain.write(contract, "multicall", [calls]);
  }
}

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
