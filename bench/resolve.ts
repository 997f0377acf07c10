/** Tokens per second from URI to traits through queue and worker, against a plain loop of fetch and JSON.parse. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import pg from "pg";
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
import { createChainTables } from "./catalog-data.ts";
import { byPace, compareRounds, secondsFor } from "./rounds.ts";

const TOKENS = byPace(6_000, 2_000);
const CONCURRENCY = 32;
const ROUNDS = byPace(5, 2);
const CHAIN_ID = 31337;

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
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await createChainTables(client, tables, url);
  await client.end();
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
    const tokenIds = Array.from({ length: TOKENS }, (_, index) => String(index));
    const compared = await compareRounds(ROUNDS, {
      vitrine: async (round) => {
        const startedAt = performance.now();
        await refresh(`0x${String(round).padStart(40, "0")}`, tokenIds);
        return { perSecond: (TOKENS * 1000) / (performance.now() - startedAt) };
      },
      bare: async () => ({ perSecond: TOKENS / (await secondsFor(tokenIds, CONCURRENCY, plain)) }),
    });
    const [row] = await database.query<{ traits: number }>(
      "select sum(cardinality(traits))::int as traits from vitrine.token",
    );
    if (row?.traits !== TOKENS * (ROUNDS + 1) * 10) throw new Error(`${row?.traits} traits were stored`);
    return { tokens: TOKENS, ...compared, bar: { ratio: 0.7 } };
  } finally {
    origin.kill();
    await database.close();
    await stopEmbeddedPostgres(folder);
    rmSync(folder, { recursive: true, force: true });
  }
}
