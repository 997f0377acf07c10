/**
 * Whether the chain still has the block the chain index is at. The chain index learns of a reorg a second or two after
 * its node; until then it may show an unlock that the chain has reverted.
 */

import { setTimeout as sleep } from "node:timers/promises";
import { isBlock, numberOf, type RpcBlock } from "./delivered-blocks.ts";
import type { Endpoints } from "./endpoints.ts";

// The longest that a check waits for a node.
const ANSWER_MS = 1_000;
// A node that has been down for longer is not waited for: who reads a token would wait as long each time.
const KNOWN_DOWN_MS = 5_000;
// A brief outage of the node doesn't stop trading: this long after it last confirmed the same block.
const GRACE_MS = 3_000;
// A load-balanced endpoint may route to a node that lacks the block another one has reported.
const UNSEEN_RETRY_MS = 150;

/** A chain index's head, from the statement that read the rows. */
export interface IndexedBlock {
  readonly block: number;
  /** The blocks of this number that Ponder has received. The chain index is at one of them. */
  readonly hashes: readonly string[];
}

export interface HeadWitness {
  /**
   * True if the node has exactly this block, by a request sent at most `maxAgeMs` ago; with 0, after this call. While
   * no endpoint responds within a second: true for 3 s after the last confirmation. False if Ponder received several
   * blocks of that number, until the chain index is past it. Never rejects.
   */
  confirm(chainId: number, indexed: IndexedBlock, maxAgeMs: number): Promise<boolean>;
}

/** The hash of the node's block at a number; null if it has none, undefined if there is no response. */
export type HashAt = (chainId: number, block: number) => Promise<string | null | undefined>;

/**
 * Queries the endpoints of each chain, which must belong to this process's configuration. If none has the block,
 * retries for as long as a check waits. A node that is known to be down is not waited for.
 */
export function hashAtEndpoints(endpoints: ReadonlyMap<number, Pick<Endpoints, "ask" | "areDown">>): HashAt {
  return async (chainId, block) => {
    if (endpoints.get(chainId)?.areDown(KNOWN_DOWN_MS)) return undefined;
    const params = [`0x${block.toString(16)}`, false];
    const accepts = (result: unknown): boolean => isBlock(result) && numberOf(result) === block;
    const deadline = performance.now() + ANSWER_MS;
    try {
      for (;;) {
        const waitMs = Math.max(1, deadline - performance.now());
        const answer = await endpoints
          .get(chainId)
          ?.ask({ method: "eth_getBlockByNumber", params }, { accepts, waitMs });
        if (!answer || (answer.kind === "unknown" && answer.refused)) return undefined;
        if (answer.kind === "answer") return (answer.result as RpcBlock).hash;
        if (performance.now() + UNSEEN_RETRY_MS >= deadline) return null;
        await sleep(UNSEEN_RETRY_MS);
      }
    } catch {
      return undefined;
    }
  };
}

interface Asked {
  readonly block: number;
  /** Numbers the calls of its chain. */
  readonly turn: number;
  readonly at: number;
  readonly answer: Promise<string | null | undefined>;
}

/** One call at a time per chain; checks that arrive meanwhile share the next one. The clock must never go back. */
export function createHeadWitness(hashAt: HashAt, now: () => number = () => performance.now()): HeadWitness {
  const latest = new Map<number, Asked>();
  const underWay = new Map<number, Promise<unknown>>();
  const confirmed = new Map<number, { readonly hash: string; readonly at: number }>();

  async function ask(chainId: number, block: number, maxAgeMs: number): Promise<Asked> {
    const oldest = now() - maxAgeMs;
    const arrivedAt = latest.get(chainId)?.turn ?? 0;
    for (;;) {
      const last = latest.get(chainId);
      const isYoung = last && (last.turn > arrivedAt || (maxAgeMs > 0 && last.at >= oldest));
      if (isYoung && last.block === block) return last;
      const running = underWay.get(chainId);
      if (!running) break;
      await running;
    }
    const answer = hashAt(chainId, block).catch(() => undefined);
    const asked = { block, turn: (latest.get(chainId)?.turn ?? 0) + 1, at: now(), answer };
    latest.set(chainId, asked);
    underWay.set(
      chainId,
      answer.then(() => underWay.delete(chainId)),
    );
    return asked;
  }

  return {
    async confirm(chainId, { block, hashes }, maxAgeMs) {
      const [hash] = hashes;
      if (hash === undefined || hashes.length > 1) return false;
      const asked = await ask(chainId, block, maxAgeMs);
      const found = await asked.answer;
      if (found === hash) confirmed.set(chainId, { hash, at: asked.at });
      else if (found !== undefined) confirmed.delete(chainId);
      if (found !== undefined) return found === hash;
      const last = confirmed.get(chainId);
      return last?.hash === hash && now() - last.at <= GRACE_MS;
    },
  };
}
