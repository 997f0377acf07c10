/**
 * How far the index and the queue are behind, for operators and their probes. Names no metadata host, app or wallet.
 */

import { createRoute, z } from "@hono/zod-openapi";
import { cached } from "../async/promise-cache.ts";
import { withTimeout } from "../async/timeout.ts";
import type { LatestBlock } from "../chain/contract/read-block.ts";
import type { IndexHeads } from "../chain/index/index-heads.ts";
import type { EndpointReport } from "../chain/rpc/endpoints.ts";
import { errorResponses } from "../http/error-responses.ts";
import { jsonAnswer } from "../http/json-content.ts";
import { createRouter } from "../http/router.ts";
import type { QueueDepth } from "../refresh/queue/overview-store.ts";
import type { SearchState } from "../search/service.ts";

// A probe every second asks the node only every other second.
const REMEMBER_MS = 2_000;
const NODE_TIMEOUT_MS = 2_000;
const OUTSIDE_MAX = 100;

const freshnessSchema = z
  .object({
    chains: z.array(
      z.object({
        chain_id: z.number(),
        head: z
          .number()
          .nullable()
          .openapi({ description: "The node's newest block; null while the node is unreachable." }),
        indexed: z.number(),
        lag_seconds: z
          .number()
          .openapi({ description: "Age of the indexed block, if the node has newer ones." }),
        ready: z.boolean(),
        rpc: z
          .array(
            z.object({
              endpoint: z
                .number()
                .openapi({ description: "Its position in PONDER_RPC_URL_<chainId>, from 1." }),
              host: z
                .string()
                .openapi({ description: "The host of its URL, without parts that may be a key." }),
              status: z.enum(["used", "ready", "behind", "down"]).openapi({
                description:
                  "`used` is tried first, `ready` next; `behind` lacks blocks that another endpoint has; `down` is unreachable.",
              }),
              reason: z.string().nullable().openapi({
                description:
                  "What is wrong: timeout, rate_limited, refused, unknown_host, unreachable, http_<status>, chain_<id> of another chain, not_json, empty, no_block, bad_block, bad_logs, rpc_error, too_large, or how many blocks behind.",
              }),
              latest_block: z.number().nullable(),
            }),
          )
          .openapi({ description: "The RPC endpoints of the chain, as seen by this process." }),
      }),
    ),
    queue: z.object({ waiting: z.number(), oldest_seconds: z.number() }),
    search: z
      .object({
        bytes: z.number().openapi({ description: "Memory of the search indexes in this process." }),
        bytes_max: z.number().openapi({ description: "`SEARCH_MEMORY_MB`, in bytes." }),
        from_database: z
          .array(z.object({ chain_id: z.number(), collection_address: z.string(), bytes: z.number() }))
          .openapi({
            description:
              "Collections searched in the last half hour that PostgreSQL answers for, more slowly, because their search index doesn't fit. `bytes` is what it would take, at least. At most 100.",
          }),
      })
      .openapi({ description: "What is searched in memory." }),
  })
  .openapi("Freshness");

export type Freshness = z.infer<typeof freshnessSchema>;

const freshnessRoute = createRoute({
  method: "get",
  path: "/freshness",
  operationId: "getFreshness",
  tags: ["operation"],
  summary: "Head lag and RPC endpoints per chain, the age of the refresh queue and the memory of search",
  responses: {
    200: jsonAnswer("Current state", freshnessSchema),
    ...errorResponses("UNAVAILABLE"),
  },
});

const livezSchema = z.object({ live: z.boolean(), stalled_chains: z.array(z.number()) }).openapi("Liveness");
const liveness = { content: { "application/json": { schema: livezSchema } } };

const livezRoute = createRoute({
  method: "get",
  path: "/livez",
  operationId: "getLiveness",
  tags: ["operation"],
  summary:
    "Whether this process is alive and, for the indexer, whether the chain index of every chain is advancing",
  description:
    "Before the service stops, it answers 404 for `DRAIN_SECONDS`, so that load balancers send requests elsewhere.",
  responses: {
    200: { description: "It is; a replica indexes nothing", ...liveness },
    ...errorResponses("NOT_FOUND"),
    503: { description: "A chain index has stopped while its node advances", ...liveness },
  },
});

export interface HealthDeps {
  readonly heads: IndexHeads;
  readonly latestBlock: LatestBlock;
  readonly reportEndpoints: (chainId: number) => readonly EndpointReport[];
  readonly stalled: ReadonlySet<number>;
  /** False for a replica: it is alive whoever indexes, and no restart of it moves an index. True by default. */
  readonly isIndexer?: boolean | undefined;
  readonly depth: () => Promise<QueueDepth>;
  readonly search: () => SearchState;
  readonly now?: () => number;
}

/** Measures at most every two seconds. */
export const createFreshness = (deps: HealthDeps): (() => Promise<Freshness>) =>
  cached(() => measure(deps), { ttlMs: REMEMBER_MS, now: deps.now }).read;

export function healthRoutes(
  { stalled, isIndexer = true }: Pick<HealthDeps, "stalled" | "isIndexer">,
  freshness: () => Promise<Freshness>,
) {
  return createRouter()
    .openapi(freshnessRoute, async (c) => c.json(await freshness(), 200))
    .openapi(livezRoute, (c) => {
      const live = stalled.size === 0 || !isIndexer;
      return c.json({ live, stalled_chains: [...stalled] }, live ? 200 : 503);
    });
}

async function measure({
  heads,
  latestBlock,
  reportEndpoints,
  depth,
  search,
  now = Date.now,
}: HealthDeps): Promise<Freshness> {
  const [indexed, queue] = await Promise.all([heads.read(), depth()]);
  const chains = await Promise.all(
    indexed.map(async ({ chainId, block, timestamp, ready }) => {
      // A node that fails or is slow must be reported too, and must not delay the answer.
      const head = (await withTimeout(NODE_TIMEOUT_MS, latestBlock(chainId))) ?? null;
      const isBehind = head === null || head > block;
      return {
        chain_id: chainId,
        head,
        indexed: block,
        lag_seconds: isBehind ? Math.max(0, Math.floor(now() / 1000) - timestamp) : 0,
        ready,
        rpc: reportEndpoints(chainId).map(({ latestBlock: latest, ...endpoint }) => ({
          ...endpoint,
          latest_block: latest,
        })),
      };
    }),
  );
  return {
    chains,
    queue: { waiting: queue.waiting, oldest_seconds: Math.round(queue.oldestSeconds) },
    search: reportSearch(search()),
  };
}

const reportSearch = ({ bytes, max, outside }: SearchState): Freshness["search"] => ({
  bytes: Math.round(bytes),
  bytes_max: max,
  from_database: outside.slice(0, OUTSIDE_MAX).map(({ collection: { chainId, collection }, bytes }) => ({
    chain_id: chainId,
    collection_address: collection,
    bytes: Math.round(bytes),
  })),
});
