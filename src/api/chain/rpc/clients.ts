/**
 * The API's own JSON-RPC clients. Ponder's `publicClients` share the indexer's request queue, so a burst of token reads
 * through them would delay indexing.
 */

import {
  createPublicClient,
  ExecutionRevertedError,
  type HttpTransport,
  http,
  type PublicClient,
} from "viem";
import type { ChainConfig } from "../../../config.ts";
import { parseUrl } from "../../text/parse-url.ts";
import { inSpan, SpanKind } from "../../tracing/spans.ts";
import { endpointsOf } from "./endpoints.ts";

const TIMEOUT_MS = 10_000;
const BATCH_CALLS_MAX = 100;
const BATCH_WAIT_MS = 5;
// Responses are hex, two characters per byte: enough for a 2 MiB document in a data: URI and the batch it is read with.
const ANSWER_BYTES_MAX = 10 * 1024 * 1024;
// A transfer returns almost nothing; a revert reason appears twice, as text and as hex.
const SHORT_ANSWER_BYTES_MAX = 256 * 1024;

export type ChainClient = PublicClient & {
  /** The same endpoints without batching: no other call can affect the result. */
  readonly alone: PublicClient;
  /** One client per endpoint, in the operator's order: no retries, short responses, for calls that can't wait. */
  readonly endpoints: readonly PublicClient[];
};

export type ChainClients = ReadonlyMap<number, ChainClient>;

/** One client per chain: batches concurrent calls as JSON-RPC batches, and fails over to the next endpoint. */
export function createChainClients(chains: readonly ChainConfig[]): ChainClients {
  return new Map(
    chains.map((chain) => {
      const batch = { batchSize: BATCH_CALLS_MAX, wait: BATCH_WAIT_MS };
      const alone = createClient(chain, false);
      const endpoints = chain.rpcUrls.map(createEndpoint);
      return [chain.id, Object.assign(createClient(chain, batch), { alone, endpoints })];
    }),
  );
}

// A contract may return URLs to fetch (ERC-3668); we fetch only through the guard.
const ours = { cacheTime: 0, ccipRead: false } as const;

function createClient(
  chain: ChainConfig,
  batch: false | { readonly batchSize: number; readonly wait: number },
): PublicClient {
  const endpoints = endpointsOf(chain);
  const options = { timeout: TIMEOUT_MS, retryCount: 1, batch, maxResponseBodySize: ANSWER_BYTES_MAX };
  // To viem an http transport like any other; it prefers endpoints known to be healthy.
  const transport = ((parameters: Parameters<HttpTransport>[0]) => {
    const each = chain.rpcUrls.map((url) => http(url, options)(parameters));
    const request = async (call: unknown): Promise<unknown> => {
      let last: unknown = new Error(`no RPC endpoint serves chain ${chain.id}`);
      for (const place of endpoints.places()) {
        try {
          return await inCallSpan(chain.rpcUrls[place - 1], call, async () =>
            each[place - 1]?.request(call as never),
          );
        } catch (error) {
          if (isRevert(error)) throw error;
          endpoints.suspect(place);
          last = error;
        }
      }
      throw last;
    };
    return { ...each[0], request };
  }) as unknown as HttpTransport;
  return createPublicClient({ transport, ...ours });
}

/** Named by the host: an endpoint's path or query is often a key. */
const inCallSpan = (url: string | undefined, call: unknown, work: () => Promise<unknown>): Promise<unknown> =>
  inSpan(
    (call as { method: string }).method,
    () => ({
      kind: SpanKind.CLIENT,
      attributes: {
        "rpc.system": "jsonrpc",
        "rpc.method": (call as { method: string }).method,
        "server.address": parseUrl(url ?? "")?.hostname ?? "",
      },
    }),
    work,
  );

function createEndpoint(url: string): PublicClient {
  const transport = http(url, {
    timeout: TIMEOUT_MS,
    retryCount: 0,
    maxResponseBodySize: SHORT_ANSWER_BYTES_MAX,
  });
  return createPublicClient({ transport, ...ours });
}

/** The contract's answer, which another endpoint would only repeat; the same test as in viem's own fallback. */
const isRevert = (error: unknown): boolean =>
  error instanceof Error && ExecutionRevertedError.nodeMessage.test(error.message);
