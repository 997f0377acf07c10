/**
 * The chain as Ponder sees it: one endpoint that never falls behind its own chain, responds while any of ours does, and
 * reports at once that a block was reorged out. Ponder 0.17.7 retries every failure for up to 64 s with growing
 * pauses; this transport makes that rare.
 */

import { setTimeout as sleep } from "node:timers/promises";
import type { Transport } from "viem";
import type { ChainConfig } from "../../../config.ts";
import { printable } from "../../../domain/printable.ts";
import { singleFlight } from "../../async/promise-cache.ts";
import { processWide } from "../../process-wide.ts";
import {
  createDeliveredBlocks,
  type DeliveredBlocks,
  hasLogs,
  isBlock,
  numberOf,
  type RpcBlock,
} from "./delivered-blocks.ts";
import { type Call, TOO_LARGE } from "./endpoint.ts";
import { blockNumber } from "./endpoint-probe.ts";
import { type AskOptions, type Endpoints, endpointsOf, type PoolAnswer } from "./endpoints.ts";
import { areUsableLogs, isUsableBlock } from "./usable-answers.ts";

// How long a call waits while no endpoint responds. Then it fails, and Ponder retries, ten times in all.
const AWAY_MS = 60_000;
// The endpoints are asked at the same time; one that takes longer is not waited for.
const COMPARE_MS = 3_000;
// Ponder can continue with the last block.
const POLL_MS = 5_000;
// An existing block may be briefly unknown to every node.
const UNKNOWN_MS = 60_000;
const UNKNOWN_RETRY_MS = 250;
const PARENT_TRIES = 4;
// Recent blocks are requested from the endpoint that reported them.
const RECENT_BLOCKS = 128;
const WORDS_MAX = 80;
const NO_PARENT = `0x${"0".repeat(64)}`;

/** A block that was reorged out. Ponder treats a numbered error containing "revert" as final, and starts over. */
class DroppedBlockError extends Error {
  readonly code = -32_000;
  constructor(number: number, hash: string) {
    super(`Block ${number} (${hash}) has been reverted: the chain has another block in its place.`);
    this.name = "DroppedBlockError";
  }
}

const delivered = processWide("delivered blocks", () => new Map<number, DeliveredBlocks>());

/** The blocks that Ponder has received in this process. */
export function deliveredBlocksOf(chainId: number): DeliveredBlocks {
  const known = delivered.get(chainId) ?? createDeliveredBlocks();
  delivered.set(chainId, known);
  return known;
}

/** For the `rpc` of a chain in ponder.config.ts. */
export function ponderTransport(chain: ChainConfig): Transport {
  const request = createPonderRequest(endpointsOf(chain), deliveredBlocksOf(chain.id));
  const config = { key: "vitrine", name: "Vitrine", type: "vitrine", retryCount: 0, request };
  return (() => ({ config, request })) as unknown as Transport;
}

export function createPonderRequest(endpoints: Endpoints, blocks: DeliveredBlocks) {
  let head: RpcBlock | undefined;

  const ask = (call: Call, options: Partial<AskOptions> = {}): Promise<PoolAnswer> =>
    endpoints.ask(call, { waitMs: AWAY_MS, ...options });
  /** False also for null, the answer of an endpoint that lacks the block. One that Ponder can't use is a failure. */
  function acceptsBlock(result: unknown, full: boolean, endpoint: number): result is RpcBlock {
    if (!isBlock(result)) return false;
    if (isUsableBlock(result, full)) return true;
    endpoints.reject(endpoint, "bad_block");
    return false;
  }
  function acceptsLogs(
    result: unknown,
    block: RpcBlock | undefined,
    endpoint: number,
  ): result is readonly unknown[] {
    if (!Array.isArray(result)) return false;
    if (areUsableLogs(result, block)) return true;
    endpoints.reject(endpoint, "bad_logs");
    return false;
  }
  /** The chain's current block at this number; undefined if no endpoint has one. */
  async function blockAt(number: number): Promise<RpcBlock | undefined> {
    const params = [toHex(number), false];
    const answer = await ask({ method: "eth_getBlockByNumber", params }, { accepts: isBlock });
    return answer.kind === "answer" ? (answer.result as RpcBlock) : undefined;
  }

  /**
   * The latest block of the best endpoint. While none responds, or all that respond are behind on the same chain,
   * returns the last one again, which Ponder ignores: it would take an older one for a reorg. The first one is the highest
   * of all endpoints': Ponder ends if it is behind what the chain index has finalized.
   */
  async function latest(full: boolean): Promise<RpcBlock> {
    if (!head) await endpoints.compareHeads(COMPARE_MS);
    let leastNumber = head ? 0 : endpoints.height();
    const accepts = (result: unknown, endpoint: number): boolean => {
      if (!isBlock(result)) {
        endpoints.reject(endpoint, "no_block");
        return false;
      }
      if (!acceptsBlock(result, full, endpoint)) return false;
      const number = numberOf(result);
      endpoints.noteHead(endpoint, number);
      if (number < leastNumber) return false;
      return !head || number >= numberOf(head) || blocks.isOfAnotherChain({ number, hash: result.hash });
    };
    const call = { method: "eth_getBlockByNumber", params: ["latest", full] };
    const askLatest = () => ask(call, { accepts, waitMs: head ? POLL_MS : AWAY_MS });
    let answer: PoolAnswer | undefined;
    try {
      answer = await askLatest();
      if (answer.kind !== "answer" && leastNumber > 0) {
        // The highest one has gone since.
        leastNumber = 0;
        answer = await askLatest();
      }
    } catch (error) {
      if (!head) throw error;
    }
    if (answer?.kind !== "answer") {
      if (head) return { ...head };
      throw answer?.refused?.error ?? new Error("no RPC endpoint has a newest block that can be indexed");
    }
    const block = answer.result as RpcBlock;
    if (head && numberOf(block) < numberOf(head)) endpoints.lower(numberOf(block));
    await blocks.note(block);
    if (full) head = { ...block };
    return block;
  }

  /** Retries until an endpoint has the data, or until the block is known to be reorged out. */
  async function askOfBlock(
    call: Call,
    number: number,
    hash: string | undefined,
    options: Partial<AskOptions>,
  ): Promise<unknown> {
    const deadline = performance.now() + UNKNOWN_MS;
    for (;;) {
      const answer = await ask(call, options);
      if (answer.kind === "answer") return answer.result;
      const now = await blockAt(number);
      if (hash && now && now.hash !== hash) throw new DroppedBlockError(number, hash);
      if (performance.now() >= deadline)
        throw answer.refused?.error ?? new Error(`no RPC endpoint knows block ${number}`);
      await sleep(UNKNOWN_RETRY_MS);
    }
  }

  async function byNumber(hex: string, full: boolean): Promise<unknown> {
    const number = blockNumber(hex) ?? 0;
    const isRecent = number > endpoints.height() - RECENT_BLOCKS;
    const accepts = (result: unknown, endpoint: number): boolean =>
      acceptsBlock(result, full, endpoint) && numberOf(result) === number;
    const call = { method: "eth_getBlockByNumber", params: [hex, full] };
    const block = (await askOfBlock(call, number, undefined, { accepts, spread: !isRecent })) as RpcBlock;
    await blocks.note(block);
    return block;
  }

  async function logsOf(call: Call, hash: string): Promise<unknown> {
    const header = blocks.header(hash);
    if (!header) return plain(call);
    const accepts = (result: unknown, endpoint: number): boolean =>
      acceptsLogs(result, header, endpoint) && (result.length > 0 || !hasLogs(header));
    return askOfBlock(call, numberOf(header), hash, { accepts });
  }

  /**
   * A step back in a reorg. Ponder has already dropped the blocks above, and would never revert their rows if this
   * failed. It restores them and starts over only if it finds no common block down to the last final one. So for a
   * block that was reorged out meanwhile, return a parent that leads there.
   */
  async function parent(call: Call, hash: string): Promise<unknown> {
    const known = blocks.header(hash);
    if (known) return { ...known };
    const accepts = (result: unknown, endpoint: number): boolean => acceptsBlock(result, false, endpoint);
    for (let tries = 0; tries < PARENT_TRIES && hash !== NO_PARENT; tries++) {
      const answer = await ask(call, { accepts }).catch(() => undefined);
      if (answer?.kind === "answer") {
        await blocks.note(answer.result as RpcBlock);
        return answer.result;
      }
      await sleep(UNKNOWN_RETRY_MS);
    }
    return { number: "0x0", hash, parentHash: NO_PARENT, timestamp: "0x0", logsBloom: "0x" };
  }

  /**
   * A call with the same result from any endpoint. Nodes return logs only as far as they have seen the range: one that
   * is behind would omit the rest, and Ponder never asks again.
   */
  async function plain(call: Call): Promise<unknown> {
    const isLogs = call.method === "eth_getLogs";
    const seen = isLogs ? blockNumber((call.params?.[0] as { toBlock?: unknown })?.toBlock) : undefined;
    const accepts = (result: unknown, endpoint: number): boolean =>
      !isLogs || acceptsLogs(result, undefined, endpoint);
    const deadline = performance.now() + UNKNOWN_MS;
    for (;;) {
      const answer = await ask(call, { accepts, seen, spread: true });
      if (answer.kind === "answer") return answer.result;
      if (isLogs && answer.refused?.reason === TOO_LARGE) throw tooLarge(call);
      const words = isLogs && answer.refused && wordsOf(answer.refused.error);
      if (words && PRUNED.test(words)) throw pruned(call, words);
      if (answer.refused) throw answer.refused.error;
      if (seen === undefined || performance.now() >= deadline)
        throw new Error(`${call.method} was answered with nothing`);
      await sleep(UNKNOWN_RETRY_MS);
    }
  }

  // Ponder asks every second, even while a request is pending.
  const latestWhole = singleFlight(() => latest(true));

  return async (call: Call): Promise<unknown> => {
    const [first, second] = call.params ?? [];
    if (call.method === "eth_getBlockByNumber" && first === "latest") {
      if (second !== true) return latest(false);
      return { ...(await latestWhole()) };
    }
    if (call.method === "eth_getBlockByNumber" && blockNumber(first) !== undefined)
      return byNumber(first as string, second === true);
    if (call.method === "eth_getBlockByHash" && second === false) return parent(call, first as string);
    const { blockHash } = (first ?? {}) as { blockHash?: string };
    if (call.method === "eth_getLogs" && blockHash) return logsOf(call, blockHash);
    return plain(call);
  };
}

const toHex = (number: number): string => `0x${number.toString(16)}`;

// As nodes word it that have deleted old receipts (EIP-4444).
const PRUNED = /\bpruned\b|required historical state unavailable/i;

/** What the node says, without what viem adds. */
const wordsOf = (error: Error & { readonly details?: string }): string => error.details ?? error.message;

/** For the operator. Without a stack, which Ponder would print at each of its tries. */
function pruned(call: Call, words: string): Error {
  const { from, to } = rangeOf(call);
  const error = new Error(
    `an RPC endpoint has deleted the logs of blocks ${from} to ${to} ("${printable(words, WORDS_MAX)}"), and no other gives them now; if none has them, add an archive node, or begin later (startBlock)`,
  );
  return Object.assign(error, { stack: `Error: ${error.message}` });
}

/** Worded so that Ponder derives a range from it (Aurora's message): it then asks for halves. */
function tooLarge(call: Call): Error {
  const { from, to } = rangeOf(call);
  const blocks = Math.max(1, Math.floor((to - from) / 2));
  const details = `the logs of these blocks are larger than 64 MiB; try up to a ${blocks} block range`;
  return Object.assign(new Error(details), { details });
}

function rangeOf({ params = [] }: Call): { readonly from: number; readonly to: number } {
  const { fromBlock, toBlock } = (params[0] ?? {}) as { fromBlock?: string; toBlock?: string };
  return { from: blockNumber(fromBlock) ?? 0, to: blockNumber(toBlock) ?? 0 };
}
