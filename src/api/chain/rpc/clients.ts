/**
 * The API's own JSON-RPC clients. Ponder's `publicClients` share the indexer's request queue, so a burst of token reads
 * through them would delay indexing.
 */

import {
  createPublicClient,
  ExecutionRevertedError,
  type HttpTransport,
  type HttpTransportConfig,
  http,
  type PublicClient,
} from "viem";
import type { ChainConfig } from "../../../config.ts";
import { parseUrl } from "../../text/parse-url.ts";
import { inSpan, SpanKind } from "../../tracing/spans.ts";
import type { Call } from "./endpoint.ts";
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
  /** One client per endpoint, best first by the pool: no retries, short responses, for calls that can't wait. */
  endpoints(): readonly PublicClient[];
};

export type ChainClients = ReadonlyMap<number, ChainClient>;

/** One client per chain: batches concurrent calls as JSON-RPC batches, and fails over to the next endpoint. */
export function createChainClients(chains: readonly ChainConfig[]): ChainClients {
  return new Map(
    chains.map((chain) => {
      const batch = { batchSize: BATCH_CALLS_MAX, wait: BATCH_WAIT_MS };
      const alone = createClient(chain, false);
      const each = chain.rpcUrls.map((_, index) => createEndpointClient(chain, index + 1));
      const endpoints = (): PublicClient[] =>
        endpointsOf(chain)
          .places()
          .flatMap((place) => each[place - 1] ?? []);
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
  const pool = endpointsOf(chain);
  const options = { timeout: TIMEOUT_MS, retryCount: 1, batch, maxResponseBodySize: ANSWER_BYTES_MAX };
  // To viem an http transport like any other; it prefers endpoints known to be healthy.
  const transport = ((parameters: Parameters<HttpTransport>[0]) => {
    const each = chain.rpcUrls.map((_, index) => createTransport(chain, index + 1, options, parameters));
    const request: Request = async (call, settings) => {
      let last: unknown = new Error(`no RPC endpoint serves chain ${chain.id}`);
      for (const place of pool.places()) {
        try {
          return await each[place - 1]?.request(call as never, settings);
        } catch (error) {
          if (isRevert(error)) throw error;
          last = error;
        }
      }
      throw last;
    };
    return { ...each[0], request };
  }) as unknown as HttpTransport;
  return createPublicClient({ transport, ...ours });
}

function createEndpointClient(chain: ChainConfig, place: number): PublicClient {
  const options = { timeout: TIMEOUT_MS, retryCount: 0, maxResponseBodySize: SHORT_ANSWER_BYTES_MAX };
  const transport = ((parameters: Parameters<HttpTransport>[0]) =>
    createTransport(chain, place, options, parameters)) as HttpTransport;
  return createPublicClient({ transport, ...ours });
}

type Request = (call: Call, settings?: { readonly signal?: AbortSignal }) => Promise<unknown>;

/** HTTP to one endpoint, by position: a span for each call, which counts with the pool's. */
function createTransport(
  chain: ChainConfig,
  place: number,
  options: HttpTransportConfig,
  parameters: Parameters<HttpTransport>[0],
): ReturnType<HttpTransport> {
  const pool = endpointsOf(chain);
  const url = chain.rpcUrls[place - 1];
  const plain = http(url, options)(parameters);
  const request: Request = async (call, settings) => {
    settings?.signal?.throwIfAborted();
    try {
      return await inCallSpan(url, call, () =>
        pool.counted(place, call, plain.request(call as never, settings), settings?.signal),
      );
    } catch (error) {
      // Whoever waits for less time than the endpoint has proves nothing about it, but a probe does.
      if (!isRevert(error)) pool.suspect(place);
      throw error;
    }
  };
  return { ...plain, request: request as typeof plain.request };
}

/** Named by the host: an endpoint's path or query is often a key. */
const inCallSpan = (url: string | undefined, call: Call, work: () => Promise<unknown>): Promise<unknown> =>
  inSpan(
    call.method,
    () => ({
      kind: SpanKind.CLIENT,
      attributes: {
        "rpc.system": "jsonrpc",
        "rpc.method": call.method,
        "server.address": parseUrl(url ?? "")?.hostname ?? "",
      },
    }),
    work,
  );

/** The contract's answer, which another endpoint would only repeat; the same test as in viem's own fallback. */
const isRevert = (error: unknown): boolean =>
  error instanceof Error && ExecutionRevertedError.nodeMessage.test(error.message);
