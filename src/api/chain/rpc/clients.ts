/**
 * The serving half's own JSON-RPC clients. Ponder's `publicClients` share the indexer's request queue, so a
 * burst of token reads through them would hold up indexing.
 */

import {
  createPublicClient,
  ExecutionRevertedError,
  type HttpTransport,
  http,
  type PublicClient,
} from "viem";
import type { ChainConfig } from "../../../config.ts";
import { endpointsOf } from "./endpoints.ts";

const TIMEOUT_MS = 10_000;
const BATCH_CALLS_MAX = 100;
const BATCH_WAIT_MS = 5;
// Answers are hex, two characters a byte: enough for a document of 2 MiB inside a data: URI, and for what it is read with.
const ANSWER_BYTES_MAX = 10 * 1024 * 1024;
// A transfer answers next to nothing; a reason for a revert comes twice, as text and as hex.
const SHORT_ANSWER_BYTES_MAX = 256 * 1024;

export type ChainClient = PublicClient & {
  /** The same endpoints, each call in an HTTP request of its own: nothing that others ask for can spoil its answer. */
  readonly alone: PublicClient;
  /** Each endpoint by itself, in the operator's order, asked once and for short answers: for calls that can't wait. */
  readonly endpoints: readonly PublicClient[];
};

export type ChainClients = ReadonlyMap<number, ChainClient>;

/** One client per chain: calls made together travel as one JSON-RPC batch; a failing endpoint yields to the next. */
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

// A contract may answer with URLs to fetch (ERC-3668); ours are fetched through the guard only.
const ours = { cacheTime: 0, ccipRead: false } as const;

function createClient(
  chain: ChainConfig,
  batch: false | { readonly batchSize: number; readonly wait: number },
): PublicClient {
  const endpoints = endpointsOf(chain);
  const options = { timeout: TIMEOUT_MS, retryCount: 1, batch, maxResponseBodySize: ANSWER_BYTES_MAX };
  // An http transport as any other to viem, whose calls go to the endpoints that are known to be well.
  const transport = ((parameters: Parameters<HttpTransport>[0]) => {
    const each = chain.rpcUrls.map((url) => http(url, options)(parameters));
    const request = async (call: unknown): Promise<unknown> => {
      let last: unknown = new Error(`no RPC endpoint serves chain ${chain.id}`);
      for (const place of endpoints.places()) {
        try {
          return await each[place - 1]?.request(call as never);
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

function createEndpoint(url: string): PublicClient {
  const transport = http(url, {
    timeout: TIMEOUT_MS,
    retryCount: 0,
    maxResponseBodySize: SHORT_ANSWER_BYTES_MAX,
  });
  return createPublicClient({ transport, ...ours });
}

/** The contract's answer, which another endpoint would only repeat; told as viem's own fallback tells it. */
const isRevert = (error: unknown): boolean =>
  error instanceof Error && ExecutionRevertedError.nodeMessage.test(error.message);
