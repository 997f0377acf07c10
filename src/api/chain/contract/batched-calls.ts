/** Batches concurrent contract calls for the same block into few requests to the node. */

import type { Hex } from "viem";
import type { ChainClient, ChainClients } from "../rpc/clients.ts";
import { type CallAnswer, callContract, isThere } from "./contract-call.ts";
import { type Call, callThroughMulticall, hasMulticall } from "./multicall.ts";

/** Never rejects. Each call gets the result it would get alone, whatever the other calls of its request do. */
export type CallTogether = (contract: string, data: Hex, block: number) => Promise<CallAnswer>;

const WAIT_MS = 5;
// At 250,000 gas per URI, half of what a call may use on nodes with default settings (geth's --rpc.gascap: 50 million).
const CALLS_MAX = 100;
// Each of these may take up to the node's time limit.
const ALONE_AT_ONCE = 8;

interface Waiter extends Call {
  /** Only the first result counts. */
  readonly settle: (answer: CallAnswer) => void;
}

const SILENCE: CallAnswer = { kind: "unavailable", because: "silence" };
const isSilence = (answer: CallAnswer): boolean =>
  answer.kind === "unavailable" && answer.because === "silence";

/** Whether the call must be retried alone, because another call of its batch may be at fault. */
const isOpen = (answer: CallAnswer): boolean => answer.kind === "unavailable" && answer.because !== "node";

/**
 * Calls for one block within 5 ms share one eth_call on chains with Multicall3, and one JSON-RPC batch elsewhere. A
 * deployless multicall would work on every chain, but returns its result as contract code, which is limited to 24 KiB
 * (EIP-170) on nodes that enforce it.
 */
function createCallsTogether(client: ChainClient): CallTogether {
  const waiting = new Map<number, Waiter[]>();
  let multicall: Promise<boolean | undefined> | undefined;

  /** Cached for the life of this process; if the node gave no answer, asks again next time. */
  async function isMulticallThere(block: number): Promise<boolean> {
    multicall ??= hasMulticall(client, block);
    const answer = await multicall;
    if (answer === undefined) multicall = undefined;
    return answer ?? false;
  }

  const askAlone = ({ contract, data }: Call, block: number): Promise<CallAnswer> =>
    callContract(client.alone, contract, data, block);

  async function askTogether(calls: readonly Call[], block: number): Promise<readonly CallAnswer[]> {
    if (await isMulticallThere(block)) return callThroughMulticall(client, calls, block);
    return Promise.all(calls.map(({ contract, data }) => callContract(client, contract, data, block)));
  }

  /** Settles each call as soon as its result is known. */
  async function ask(waiters: readonly Waiter[], block: number): Promise<void> {
    const [only] = waiters;
    if (only && waiters.length === 1) return only.settle(await askAlone(only, block));
    const answers = await askTogether(waiters, block);
    // An unreachable node would make each single call wait as long as the whole batch.
    const isAway = answers.some(isSilence) && !(await isThere(client.alone));
    const open: Waiter[] = [];
    for (const [index, waiter] of waiters.entries()) {
      const answer = answers[index] ?? SILENCE;
      if (isOpen(answer) && !(isAway && isSilence(answer))) open.push(waiter);
      else waiter.settle(answer);
    }
    const askNext = async (): Promise<void> => {
      for (let next = open.shift(); next; next = open.shift()) next.settle(await askAlone(next, block));
    };
    await Promise.all(Array.from({ length: ALONE_AT_ONCE }, askNext));
  }

  function flush(block: number): void {
    const all = waiting.get(block) ?? [];
    waiting.delete(block);
    for (let start = 0; start < all.length; start += CALLS_MAX) {
      const some = all.slice(start, start + CALLS_MAX);
      ask(some, block).catch(() => {
        for (const { settle } of some) settle(SILENCE);
      });
    }
  }

  return (contract, data, block) =>
    new Promise((settle) => {
      const waiter = { contract, data, settle };
      const others = waiting.get(block);
      if (others) {
        others.push(waiter);
        return;
      }
      waiting.set(block, [waiter]);
      setTimeout(flush, WAIT_MS, block);
    });
}

/** By chain id. */
export type ChainCalls = ReadonlyMap<number, CallTogether>;

/** Shared by all callers, so that concurrent calls are batched. */
export const createChainCalls = (clients: ChainClients): ChainCalls =>
  new Map([...clients].map(([chainId, client]) => [chainId, createCallsTogether(client)]));
