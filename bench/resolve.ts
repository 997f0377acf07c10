/** Tokens per second from URI to traits through queue and worker, against a plain loop of fetch and JSON.parse. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { fetch as plainFetch } from "undici";
import { chainTables } from "../src/api/chain/index/tables.ts";
import { createDatabase } from "../src/api/db/database.ts";
import { migrate } from "../src/api/db/migrate.ts";
import { createGuardedFetch } from "../src/api/fetch/guarded-fetch.ts";
import { silentLogger } from "../src/api/http/logger.ts";
import { createNoteHost } from "../src/api/jobs/hosts.ts";
import { createMetadata } from "../src/api/metadata/service.ts";
import { createResolve } from "../src/api/metadata/uri/resolve.ts";
import { joinEmbeddedPostgres, stopEmbeddedPostgres } from "../src/api/postgres/embedded-postgres.ts";
import { chooseProbe } from "../src/api/refresh/queue/hosts.ts";
import { depth, enqueue } from "../src/api/refresh/queue/queue.ts";
import { startRefreshWorker } from "../src/api/refresh/worker/worker.ts";

const TOKENS = 6_000;
const CONCURRENCY = 32;
const ROUNDS = 3;
const CHAIN_ID = 31337;

const say = (text: string): boolean => process.stderr.write(`${text}\n`);

export async function benchResolve() {
  const folder = mkdtempSync(join(tmpdir(), "vitrine-bench-"));
  chmodSync(folder, 0o711);
  const origin = spawn(process.execPath, [
    "--import",
    "tsx",
    fileURLToPath(new URL("./origin.ts", import.meta.url)),
  ]);
  const [port] = await once(origin.stdout, "data");
  const host = `127.0.0.1:${String(port).trim()}`;
  const url = await joinEmbeddedPostgres(folder);
  await migrate(url);
  const database = createDatabase(url, silentLogger);
  const fetch = createGuardedFetch(new Set([host]), "bench");
  const resolve = createResolve({
    readUri: async ({ tokenId }) => ({ kind: "read", uri: `http://${host}/${tokenId}`, standard: "erc721" }),
    fetch,
    fetchFromGateway: fetch,
    gateways: [],
  });
  const tables = chainTables("bench");
  await database.query("create schema bench");
  await database.query(
    `create table ${tables.tokenState} (
       chain_id bigint, collection_address text, token_id numeric(78), standard text, owner text, supply numeric(78),
       burned boolean, burned_block numeric(78), lock_count int, locked_since_block numeric(78),
       primary key (chain_id, collection_address, token_id));
     create table ${tables.tokenRange} (
       chain_id bigint, collection_address text, from_token_id numeric(78), to_token_id numeric(78), owner text,
       primary key (chain_id, collection_address, from_token_id))`,
  );
  const metadata = createMetadata({ resolve, tables });

  const plain = async (tokenId: string): Promise<void> => {
    const response = await plainFetch(`http://${host}/${tokenId}`);
    JSON.parse(await response.text());
  };
  /** The queue and its worker, as in the service; only the contract's answer is scripted. */
  const refresh = async (collection: string, tokenIds: readonly string[]): Promise<void> => {
    const blocks = new Map(tokenIds.map((tokenId) => [tokenId, 1]));
    await metadata.addKnownTokens(database, CHAIN_ID, collection, blocks);
    await enqueue(database, {
      chainId: CHAIN_ID,
      collection,
      tokens: new Map(tokenIds.map((tokenId) => [tokenId, 0])),
      trigger: "rest",
    });
    const worker = startRefreshWorker({
      database,
      tables,
      metadata,
      noteHost: createNoteHost(chooseProbe),
      readBlock: async () => 1,
      chainIds: [CHAIN_ID],
      // One host gets half of it.
      concurrency: 2 * CONCURRENCY,
      logger: silentLogger,
    });
    while ((await depth(database)).waiting > 0) await sleep(100);
    await worker.stop();
  };
  try {
    const seconds: Record<"plain" | "vitrine", number[]> = { plain: [], vitrine: [] };
    for (let round = 0; round < ROUNDS; round++) {
      const collection = `0x${String(round).padStart(40, "0")}`;
      const tokenIds = Array.from({ length: TOKENS }, (_, index) => String(index));
      for (const [side, work] of [
        ["plain", () => inParallel(tokenIds, plain)],
        ["vitrine", () => refresh(collection, tokenIds)],
      ] as const) {
        const took = await time(work);
        seconds[side].push(took);
        say(`${side}, round ${round + 1}: ${Math.round(TOKENS / took)} tokens/s`);
      }
    }
    const [row] = await database.query<{ traits: number }>(
      "select sum(cardinality(traits))::int as traits from vitrine.token",
    );
    if (row?.traits !== TOKENS * ROUNDS * 10) throw new Error(`${row?.traits} traits were stored`);
    const perSecond = (side: "plain" | "vitrine"): number => Math.round(TOKENS / median(seconds[side]));
    return {
      tokens: TOKENS,
      vitrine_tokens_per_second: perSecond("vitrine"),
      plain_tokens_per_second: perSecond("plain"),
      ratio: Number((median(seconds.plain) / median(seconds.vitrine)).toFixed(2)),
      bar: 0.5,
    };
  } finally {
    origin.kill();
    await database.close();
    await stopEmbeddedPostgres(folder);
    rmSync(folder, { recursive: true, force: true });
  }
}

async function inParallel(tokenIds: readonly string[], work: (tokenId: string) => Promise<void>) {
  const left = tokenIds.values();
  const lane = async (): Promise<void> => {
    for (const tokenId of left) await work(tokenId);
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, lane));
}

async function time(work: () => Promise<void>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return (performance.now() - startedAt) / 1000;
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
