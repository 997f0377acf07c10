/**
 * Bounds how many tokens that no transfer has told of wait because callers without a key asked for them: addresses are
 * cheap, and each may have its share read. The queue is counted once a second, and between two counts each process adds
 * what it accepts: of several, each may exceed the bound by what the others accept in a second.
 */

import type { Queryable } from "../../db/database.ts";

/** A process reads as many in less than a minute from hosts that answer, so that mints do not wait long behind them. */
export const UNSEEN_MAX = 20_000;
const COUNTED_FOR_MS = 1_000;

/** The room that one request has in the queue. */
export interface UnseenCapacity {
  /** How many may wait in all. */
  readonly max: number;
  /** Whether there is any. */
  isLeft(): Promise<boolean>;
  /** Takes room for `tokens` more, all or none. */
  take(tokens: number): Promise<boolean>;
  /** To be called once what was taken is in the queue, or will never be. */
  close(): void;
}

export interface UnseenQueue {
  open(): UnseenCapacity;
}

export function createUnseenQueue(
  db: Queryable,
  max = UNSEEN_MAX,
  now: () => number = Date.now,
): UnseenQueue {
  let waiting = 0;
  let countedAt = Number.NEGATIVE_INFINITY;
  let counting: Promise<void> | undefined;
  /** By requests that are not committed yet. */
  let taken = 0;
  /** By requests that ended since the last count began, which may have missed them. */
  let ended = 0;

  async function count(): Promise<void> {
    const at = now();
    const before = ended;
    const [row] = await db.query<{ waiting: number }>(
      `select count(*)::int as waiting from (
         select from vitrine.refresh where unseen and anonymous and wanted > done limit $1) r`,
      [max],
    );
    waiting = row?.waiting ?? 0;
    ended -= before;
    countedAt = at;
  }

  async function left(): Promise<number> {
    if (now() - countedAt >= COUNTED_FOR_MS) {
      counting ??= count().finally(() => {
        counting = undefined;
      });
      await counting;
    }
    return max - waiting - taken - ended;
  }

  return {
    open() {
      let mine = 0;
      return {
        max,
        isLeft: async () => (await left()) > 0,
        async take(tokens) {
          // Nothing may come between what is left and what is taken of it.
          if ((await left()) < tokens) return false;
          taken += tokens;
          mine += tokens;
          return true;
        },
        close() {
          taken -= mine;
          ended += mine;
          mine = 0;
        },
      };
    },
  };
}
