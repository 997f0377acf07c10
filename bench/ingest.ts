/** The queue and its worker, as in the service, over a metadata host and tables of their own; only the contract's answers are scripted. */

import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { chainTables } from "../src/api/chain/index/tables.ts";
import { createDatabase, type Database } from "../src/api/db/database.ts";
import { migrate } from "../src/api/db/migrate.ts";
import { createGuardedFetch } from "../src/api/fetch/guarded-fetch.ts";
import { createNoteHost } from "../src/api/jobs/hosts.ts";
import { silentLogger } from "../src/api/logging/logger.ts";
import { createMetadata } from "../src/api/metadata/service.ts";
import { createResolve, type Resolve } from "../src/api/metadata/uri/resolve.ts";
import { stopEmbeddedPostgres } from "../src/api/postgres/embedded-postgres.ts";
import { chooseProbe } from "../src/api/refresh/queue/hosts.ts";
import { depth } from "../src/api/refresh/queue/overview-store.ts";
import { enqueue } from "../src/api/refresh/queue/queue.ts";
import { startRefreshWorker } from "../src/api/refresh/worker/worker.ts";
import { CHAIN_ID, createChainTables } from "./catalog-data.ts";
import { joinPostgres } from "./postgres.ts";
import { startScript } from "./script.ts";

const ENQUEUED_TOGETHER = 5_000;

export interface Ingest {
  readonly database: Database;
  /** From a contract's URI to a normalised document; records nothing. */
  readonly resolve: Resolve;
  /** Any path is a document. */
  readonly originUrl: string;
  /** Enqueues the tokens, known or not, and resolves once all of them were read. Returns the seconds from the worker's start. */
  refresh(collection: string, tokenIds: readonly string[]): Promise<number>;
}

/** Nothing outlives `use`. `concurrency` is that of all hosts together. */
export async function withIngest<Result>(
  concurrency: number,
  use: (ingest: Ingest) => Promise<Result>,
): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), "vitrine-bench-"));
  chmodSync(folder, 0o711);
  const origin = await startScript("origin.ts");
  const host = `127.0.0.1:${origin.line}`;
  const url = await joinPostgres(folder);
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
  const metadata = createMetadata({ resolve, tables });

  async function enqueueAll(collection: string, tokenIds: readonly string[]): Promise<void> {
    for (let first = 0; first < tokenIds.length; first += ENQUEUED_TOGETHER) {
      const some = tokenIds.slice(first, first + ENQUEUED_TOGETHER);
      await metadata.addKnownTokens(
        database,
        CHAIN_ID,
        collection,
        new Map(some.map((tokenId) => [tokenId, 1])),
      );
      const tokens = new Map(some.map((tokenId) => [tokenId, 0]));
      await enqueue(database, { chainId: CHAIN_ID, collection, tokens, trigger: "rest" });
    }
  }

  try {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await createChainTables(client, tables, url);
    await client.end();
    return await use({
      database,
      resolve,
      originUrl: `http://${host}`,
      async refresh(collection, tokenIds) {
        await enqueueAll(collection, tokenIds);
        const startedAt = performance.now();
        const worker = startRefreshWorker({
          database,
          tables,
          metadata,
          noteHost: createNoteHost(chooseProbe),
          readBlock: async () => 1,
          chainIds: [CHAIN_ID],
          concurrency,
          logger: silentLogger,
        });
        while ((await depth(database)).waiting > 0) await sleep(50);
        const seconds = (performance.now() - startedAt) / 1000;
        await worker.stop();
        return seconds;
      },
    });
  } finally {
    origin.stop();
    await database.close();
    await stopEmbeddedPostgres(folder);
    rmSync(folder, { recursive: true, force: true });
  }
}
