/** Counts of a collection's tokens that callers keep, and whether they still hold. */

import type { CollectionConfig } from "../../../config.ts";
import type { Search } from "../../search/service.ts";
import { createDistribution, type Distribution } from "./token-view.ts";

/** Ranks of large collections are computed now and then, without a change that would show. */
const CONFIRMED_MAX_MS = 5_000;

/** What was counted; the same stamp stands for the same counts. */
export interface Stamped {
  readonly stamp: string | null;
}

/** The counts of some tokens' traits. */
export interface Counted extends Stamped {
  readonly distribution: Distribution;
}

/** The stamp whose counts hold as of a checkpoint. */
interface Valid {
  readonly stamp: string;
  readonly checkpoint: string;
  readonly at: number;
}

export interface CountsCache {
  /** Tokens came, went or were read: no counts hold any more. */
  discard(): void;
  /** Whether the counts hold as of what was last confirmed. */
  holds(counted: Stamped | undefined): boolean;
  /** Counts the traits of these tokens as of now. They hold as of `checkpoint` if it was read before. */
  count(tokenIds: readonly string[], checkpoint: string | null): Promise<Counted>;
  /** Finds out, once for all who ask at the same time, which counts hold as of the checkpoint. */
  confirm(checkpoint: string): Promise<void>;
}

export function createCountsCache(
  search: Pick<Search, "countTraits" | "countsStamp">,
  collection: CollectionConfig,
): CountsCache {
  let generation = 0;
  let turns = 0;
  let answered = 0;
  let valid: Valid | undefined;
  let confirming: { readonly checkpoint: string; readonly done: Promise<void> } | undefined;

  /**
   * Notes the answer to a question, unless it was discarded meanwhile or a later question was answered already. Without a
   * stamp, as where PostgreSQL has counted, nothing is known to hold.
   */
  function startTurn(checkpoint: string | null): (stamp: string | null) => void {
    const [turn, asked, at] = [++turns, generation, performance.now()];
    return (stamp) => {
      if (checkpoint === null || asked !== generation || turn < answered) return;
      answered = turn;
      valid = stamp === null ? undefined : { stamp, checkpoint, at };
    };
  }

  async function ask(checkpoint: string): Promise<void> {
    const note = startTurn(checkpoint);
    note((await search.countsStamp(collection)).stamp);
  }

  return {
    discard() {
      generation++;
      valid = undefined;
    },
    holds: (counted) => valid !== undefined && counted?.stamp === valid.stamp,
    async count(tokenIds, checkpoint) {
      const note = startTurn(checkpoint);
      const counts = await search.countTraits(collection, undefined, tokenIds);
      note(counts.stamp);
      return { stamp: counts.stamp, distribution: createDistribution(counts) };
    },
    async confirm(checkpoint) {
      if (valid?.checkpoint === checkpoint && performance.now() - valid.at < CONFIRMED_MAX_MS) return;
      if (confirming?.checkpoint !== checkpoint) {
        const done = ask(checkpoint).finally(() => {
          if (confirming?.done === done) confirming = undefined;
        });
        confirming = { checkpoint, done };
      }
      await confirming.done;
    },
  };
}
