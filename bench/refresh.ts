/**
 * Refresh through the whole service, with a chain, its events and a metadata host as processes: tokens per second of a
 * collection-wide event, and the delay from an indexed event to its visible document, at 100 updates per second.
 */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import pg from "pg";
import { encodeFunctionData } from "viem";
import { type Chain, type Contract, startChain } from "../demo/chain.ts";
import { freePort, startService } from "../demo/service.ts";
import { joinEmbeddedPostgres, stopEmbeddedPostgres } from "../src/api/postgres/embedded-postgres.ts";

const TOKENS = 3_000;
const MINTED_TOGETHER = 300;
const UPDATES_PER_SECOND = 100;
const SECONDS = 30;
const POLL_MS = 10;
const DEADLINE_MS = 120_000;
const SCHEMA = "vitrine_bench";

const say = (text: string): boolean => process.stderr.write(`${text}\n`);

export async function benchRefresh() {
  const folder = mkdtempSync(join(tmpdir(), "vitrine-bench-"));
  chmodSync(folder, 0o711);
  const origin = spawn(process.execPath, [
    "--import",
    "tsx",
    fileURLToPath(new URL("./origin.ts", import.meta.url)),
  ]);
  const [port] = await once(origin.stdout, "data");
  const host = `127.0.0.1:${String(port).trim()}`;
  const chain = await startChain();
  const url = await joinEmbeddedPostgres(folder);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const heroes = await chain.deploy("VitrineHeroes", [`http://${host}/`]);
    for (let from = 1; from <= TOKENS; from += MINTED_TOGETHER) {
      await chain.write(heroes, "mintRange", [
        chain.account(0).address,
        BigInt(from),
        BigInt(MINTED_TOGETHER),
      ]);
    }
    await chain.mineEvery(1);
    const collectionsFile = join(folder, "collections.json");
    writeFileSync(
      collectionsFile,
      JSON.stringify([{ chainId: chain.chainId, address: heroes.address, startBlock: 0 }]),
    );
    const service = await startService({
      port: await freePort(),
      env: {
        DATABASE_URL: url,
        DATABASE_SCHEMA: SCHEMA,
        VITRINE_DATA: folder,
        COLLECTIONS_FILE: collectionsFile,
        [`PONDER_RPC_URL_${chain.chainId}`]: chain.rpcUrl,
        [`DELEGATE_REGISTRY_${chain.chainId}`]: "off",
        ALLOW_PRIVATE_HOSTS: host,
        REFRESH_CONCURRENCY: "64",
      },
      logFile: join(folder, "service.log"),
    });
    try {
      await settle(client, 1);
      say(`${TOKENS} tokens are served`);
      await chain.write(heroes, "emitBatchMetadataUpdate", [0n, 2n ** 256n - 1n]);
      const startedAt = performance.now();
      await settle(client, 2);
      const tokensPerSecond = Math.round(TOKENS / ((performance.now() - startedAt) / 1000));
      say(`all of them anew: ${tokensPerSecond} tokens/s`);

      const latencies = await measureLatencies(chain, heroes, client);
      return {
        sweep_tokens_per_second: tokensPerSecond,
        updates: latencies.length,
        updates_per_second: UPDATES_PER_SECOND,
        visible_p50_ms: percentile(latencies, 50),
        visible_p99_ms: percentile(latencies, 99),
        bar_p50_ms: 300,
        bar_p99_ms: 1_000,
      };
    } finally {
      await service.stop();
    }
  } finally {
    origin.kill();
    await client.end();
    await stopEmbeddedPostgres(folder);
    await chain.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Waits until every token has so many versions. */
async function settle(client: pg.Client, versions: number): Promise<void> {
  const deadline = Date.now() + DEADLINE_MS;
  for (;;) {
    const { rows } = await client.query<{ ready: number }>(
      "select count(*)::int as ready from vitrine.token where versions >= $1",
      [versions],
    );
    if (rows[0]?.ready === TOKENS) return;
    if (Date.now() > deadline) throw new Error(`${rows[0]?.ready} of ${TOKENS} tokens after two minutes`);
    await sleep(100);
  }
}

/** Milliseconds between an event's row and its new document becoming readable. */
async function measureLatencies(chain: Chain, heroes: Contract, client: pg.Client): Promise<number[]> {
  const updates = UPDATES_PER_SECOND * SECONDS;
  const versions = new Map<string, number>();
  const waiting = new Map<string, number>();
  const latencies: number[] = [];
  let lastEvent = "";
  let seen = 0;

  async function poll(): Promise<void> {
    const events = await client.query<{ id: string; tokenId: string }>(
      `select id, from_token_id::text as "tokenId" from ${SCHEMA}.metadata_update
        where source = 'MetadataUpdate' and id > $1 order by id`,
      [lastEvent],
    );
    const now = performance.now();
    for (const { id, tokenId } of events.rows) {
      lastEvent = id;
      waiting.set(tokenId, now);
      seen++;
    }
    const tokens = await client.query<{ tokenId: string; versions: number }>(
      `select token_id::text as "tokenId", versions from vitrine.token
        where last_fetch_at > now() - interval '5 seconds'`,
    );
    const visibleAt = performance.now();
    for (const { tokenId, versions: count } of tokens.rows) {
      const before = versions.get(tokenId) ?? 2;
      if (count <= before) continue;
      versions.set(tokenId, count);
      const since = waiting.get(tokenId);
      // If the document is seen before its event's row, the delay is below one poll.
      latencies.push(since === undefined ? 0 : visibleAt - since);
      waiting.delete(tokenId);
    }
  }

  const deadline = Date.now() + DEADLINE_MS;
  const sending = sendUpdates(chain, heroes);
  while ((seen < updates || latencies.length < updates) && Date.now() < deadline) {
    await poll();
    await sleep(POLL_MS);
  }
  await sending;
  if (latencies.length < updates) throw new Error(`${latencies.length} of ${updates} updates were seen`);
  return latencies.sort((a, b) => a - b);
}

/** A hundred events per second, each second for other tokens, so that none waits for its next allowed fetch. */
async function sendUpdates(chain: Chain, heroes: Contract): Promise<void> {
  for (let second = 0; second < SECONDS; second++) {
    const calls = Array.from({ length: UPDATES_PER_SECOND }, (_, index) =>
      encodeFunctionData({
        abi: heroes.abi,
        functionName: "emitMetadataUpdate",
        args: [BigInt(((second * UPDATES_PER_SECOND + index) % TOKENS) + 1)],
      }),
    );
    await chain.write(heroes, "multicall", [calls]);
  }
}

const percentile = (sorted: readonly number[], percent: number): number =>
  Math.round(sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * percent) / 100))] ?? 0);
