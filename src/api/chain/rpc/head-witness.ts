/**
 * Whether the chain still has the block that the index is at. The index learns of a reorg a second or two after its node
 * has it; until then it may show an unlock that the chain has taken back.
 */

import { setTimeout as sleep } from "node:timers/promises";
import { isBlock, numberOf, type RpcBlock } from "./delivered-blocks.ts";
import type { Endpoints } from "./endpoints.ts";

// A check waits no longer for a node than this.
const ANSWER_MS = 1_000;
// A node that is away for a moment doesn't close trading: as long as this after it has last confirmed the very block.
const GRACE_MS = 3_000;
// Behind one address there may be several nodes, of which one has yet to see the block that another has told.
const UNSEEN_RETRY_MS = 150;

/** The block of an index's head, as it stood in the statement that read the rows. */
export interface IndexedBlock {
  readonly block: number;
  /** Of the blocks of this number that Ponder has been given. The index is at one of them. */
  readonly hashes: readonly string[];
}

export interface HeadWitness {
  /**
   * True when the node has this very block, by an answer that was asked for at most `maxAgeMs` ago; with 0, after the
   * call. While no endpoint answers within a second: true for 3 s after one has last confirmed it. False where Ponder
   * was given several blocks of that number, until the index is past it. Never rejects.
   */
  confirm(chainId: number, indexed: IndexedBlock, maxAgeMs: number): Promise<boolean>;
}

/** The hash of the node's block of a number; null where it has none, undefined when nobody answers. */
export type HashAt = (chainId: number, block: number) => Promise<string | null | undefined>;

/**
 * Asks the endpoints of each chain, which must be of this process's configuration. Where none has the block it asks again
 * for as long as a check waits anyway.
 */
export function hashAtEndpoints(endpoints: ReadonlyMap<number, Pick<Endpoints, "ask">>): HashAt {
  return async (chainId, block) => {
    const params = [`0x${block.toString(16)}`, false];
    const accepts = (result: unknown): boolean => isBlock(result) && numberOf(result) === block;
    const deadline = Date.now() + ANSWER_MS;
    try {
      for (;;) {
        const waitMs = Math.max(1, deadline - Date.now());
        const answer = await endpoints
          .get(chainId)
          ?.ask({ method: "eth_getBlockByNumber", params }, { accepts, waitMs });
        if (!answer || (answer.kind === "unknown" && answer.refused)) return undefined;
        if (answer.kind === "answer") return (answer.result as RpcBlock).hash;
        if (Date.now() + UNSEEN_RETRY_MS >= deadline) return null;
        await sleep(UNSEEN_RETRY_MS);
      }
    } catch {
      return undefined;
    }
  };
}

interface Asked {
  readonly block: number;
  /** Counts the calls of its chain. */
  readonly turn: number;
  readonly at: number;
  readonly answer: Promise<string | null | undefined>;
}

/** One call at a time and chain; checks that come meanwhile share the next one. */
export function createHeadWitness(hashAt: HashAt, now: () => number = Date.now): HeadWitness {
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
