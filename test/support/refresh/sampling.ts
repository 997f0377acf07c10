/** A collection that is sampled: its contract by hand, its documents on a real host, the queue and the worker as they are. */

import type { IncomingHttpHeaders, ServerResponse } from "node:http";
import { onTestFinished } from "vitest";
import { createGuardedFetch } from "../../../src/api/fetch/guarded-fetch.ts";
import { createMetadata } from "../../../src/api/metadata/service.ts";
import type { ReadUri } from "../../../src/api/metadata/uri/read-uri.ts";
import { createResolve } from "../../../src/api/metadata/uri/resolve.ts";
import { enqueue } from "../../../src/api/refresh/queue/queue.ts";
import { createRounds } from "../../../src/api/refresh/sampling/rounds.ts";
import { addSampled, claimRound, findOpenRounds } from "../../../src/api/refresh/sampling/store.ts";
import { createChainTriggers } from "../../../src/api/refresh/triggers/chain-triggers.ts";
import type { EnqueueMedia } from "../../../src/api/refresh/triggers/seen-tokens.ts";
import { createSweeps } from "../../../src/api/refresh/triggers/sweeps.ts";
import { startRefreshWorker } from "../../../src/api/refresh/worker/worker.ts";
import type { TestDatabase } from "../database/database.ts";
import { eventually } from "../eventually.ts";
import { createMemoryLogger, noteHost } from "../processes/worker.ts";
import { startLocalServer } from "../servers/local-server.ts";
import { CHAIN_ID, COLLECTION, makeDue, readQueue } from "./refresh.ts";

export const HEAD = 10;
export const HOUR = 3_600;
export const collection = { chainId: CHAIN_ID, collection: COLLECTION };
/** A process that is not about to end. */
export const running = new AbortController().signal;

export interface HostRequest {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
}

/** Everything is stopped at the end of the test. */
export async function startSampledCollection(test: TestDatabase) {
  const { database, tables } = test;
  const requests: HostRequest[] = [];
  /** What the host says to a path; a test replaces it. */
  const host = {
    nameAt: (path: string): string => `Hero at ${path}`,
    etagOf: (_path: string): string | undefined => undefined,
    answer: undefined as ((response: ServerResponse, path: string) => void) | undefined,
  };
  const server = await startLocalServer((request, response) => {
    const { headers } = request;
    // Like a gateway that gives no blocks.
    const url = (request.url ?? "").replace(/[?&]format=car&dag-scope=entity$/, "");
    requests.push({ path: url, headers });
    if (host.answer) return host.answer(response, url);
    const etag = host.etagOf(url);
    if (etag !== undefined) response.setHeader("etag", etag);
    if (etag !== undefined && headers["if-none-match"] === etag) return response.writeHead(304).end();
    response.end(JSON.stringify({ name: host.nameAt(url), image: `${server.url}/picture.png` }));
  });

  const reads: string[] = [];
  const contract = {
    uriOf: (tokenId: string): string => `${server.url}/a/${tokenId}`,
    answer: undefined as ((tokenId: string) => Awaited<ReturnType<ReadUri>>) | undefined,
  };
  const readUri: ReadUri = async ({ tokenId }) => {
    reads.push(tokenId);
    return contract.answer?.(tokenId) ?? { kind: "read", uri: contract.uriOf(tokenId), standard: "erc721" };
  };

  const fetch = createGuardedFetch(new Set([server.host]), "Vitrine tests");
  const gateways = [`${server.url}/gateway`];
  const resolve = createResolve({
    readUri,
    fetch,
    fetchFromGateway: fetch,
    gateways,
    extraSchemes: new Set(["data"]),
  });
  const metadata = createMetadata({ resolve, tables });
  const { logger, entries } = createMemoryLogger();
  const asked: string[] = [];
  const media: EnqueueMedia = {
    enqueue: async (_tx, documents) => void asked.push(...documents.map(({ image }) => String(image))),
    fateOf: () => ({ status: "none" }),
    readFiles: async () => new Map(),
  };
  const worker = startRefreshWorker({
    database,
    tables,
    metadata,
    media,
    noteHost,
    readBlock: async (_chainId, minBlock) => Math.max(HEAD, minBlock),
    chainIds: [CHAIN_ID],
    concurrency: 16,
    logger,
  });
  const sweeps = createSweeps({ database, metadata, media, logger });
  const triggers = createChainTriggers({ database, tables, metadata, media, logger });
  const rounds = createRounds({ database, tables, metadata, readUri, seconds: 6 * HOUR, logger });
  onTestFinished(async () => {
    await worker.stop();
    await server.close();
  });

  /** Until nothing waits but for a paused host, and every sweep is over. */
  const rest = async (): Promise<void> => {
    await eventually(
      async () => {
        const progress = await sweeps.advance();
        await makeDue(database);
        worker.wake();
        const paused = await database.query("select from vitrine.host where paused_until > now()");
        const rows = (await readQueue(database)).filter(({ requested, done }) => requested > done);
        return { progress, waits: paused.length > 0 ? rows.filter(({ lease }) => lease) : rows };
      },
      ({ progress, waits }) => progress === "idle" && waits.length === 0,
    );
  };

  return {
    host,
    contract,
    requests,
    reads,
    url: server.url,
    log: entries,
    /** The pictures that were asked for. */
    pictures: asked,
    metadata,
    rounds,
    readUri,
    rest,
    handleTriggers: () => triggers.handleBatch(),

    /** Tokens as known and read, with a row for their collection. */
    async fill(tokenIds: readonly string[]): Promise<void> {
      const known = new Map(tokenIds.map((tokenId) => [tokenId, 1]));
      await metadata.addKnownTokens(database, CHAIN_ID, COLLECTION, known);
      await enqueue(database, { ...collection, tokens: known, trigger: "operator" });
      await rest();
      await addSampled(database, [collection], 0);
      requests.length = 0;
      reads.length = 0;
      asked.length = 0;
    },

    /** One whole round, its sweep included; what happened in it. */
    async round() {
      await database.query("update vitrine.sampling set next_at = now() where asked_at is null");
      const sweepsBefore = await countSweeps();
      const [requestsBefore, readsBefore] = [requests.length, reads.length];
      const due = await claimRound(database, [collection]);
      const begun = due && (await rounds.begin(due, HEAD, running));
      const uris = reads.slice(readsBefore);
      for (let tries = 0; tries < 3 && (await findOpenRounds(database, [collection])).length > 0; tries++) {
        await eventually(
          async () => {
            await makeDue(database);
            worker.wake();
            return (await readQueue(database)).filter(({ requested, done }) => requested > done);
          },
          (waiting) => waiting.length === 0,
        );
        await rounds.settle(collection);
      }
      const documents = requests.slice(requestsBefore).map(({ path }) => path);
      const isSwept = (await countSweeps()) > sweepsBefore;
      await rest();
      return { begun, uris, documents, isSwept };
    },

    /** The names that are served, by token id. */
    async served(): Promise<Record<string, string>> {
      const rows = await database.query<{ id: string; name: string }>(
        "select token_id::text as id, name from vitrine.token where served_version is not null order by token_id",
      );
      return Object.fromEntries(rows.map(({ id, name }) => [id, name]));
    },
    versions: (tokenId?: string) =>
      database.query<{ trigger: string; outcome: string; confirmations: number }>(
        `select v.trigger, v.outcome, v.confirmations + coalesce(t.confirmations, 0) as confirmations
           from vitrine.version v left join vitrine.token t on t.served_version = v.id
          where $1::numeric is null or v.token_id = $1 order by v.id`,
        [tokenId ?? null],
      ),
    /** Lets time pass for what rounds remember. */
    async passHours(hours: number): Promise<void> {
      await database.query(
        `update vitrine.sampling
            set next_at = next_at - $1 * interval '1 hour',
                leased_until = leased_until - $1 * interval '1 hour',
                swept_for_uris_at = swept_for_uris_at - $1 * interval '1 hour',
                swept_for_documents_at = swept_for_documents_at - $1 * interval '1 hour'`,
        [hours],
      );
    },
    /** Seconds until the next round. */
    async dueIn(): Promise<number> {
      const [row] = await database.query<{ seconds: number }>(
        "select round(extract(epoch from next_at - now()))::int as seconds from vitrine.sampling",
      );
      return row?.seconds ?? Number.NaN;
    },
  };

  async function countSweeps(): Promise<number> {
    const [row] = await database.query<{ count: number }>("select count(*)::int as count from vitrine.sweep");
    return row?.count ?? 0;
  }
}

export const ids = (count: number, from = 1): string[] =>
  Array.from({ length: count }, (_, index) => String(from + index));
