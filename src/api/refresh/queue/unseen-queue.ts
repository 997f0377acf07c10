/**
 * Limits how many tokens without an indexed transfer callers without a key may have in the queue: addresses are cheap,
 * and each may have its share read. The queue is counted once a second. Between counts each process adds what it
 * accepts, so the limit may be exceeded by what other processes accept within a second.
 */

import { singleFlight } from "../../async/promise-cache.ts";
import type { Queryable } from "../../db/database.ts";

/** A process reads this many in less than a minute from responsive hosts, so mints do not wait long behind them. */
export const UNSEEN_MAX = 20_000;
const COUNTED_FOR_MS = 1_000;

/** The capacity of the queue for one request. */
export interface UnseenCapacity {
  /** The maximum number of waiting tokens. */
  readonly max: number;
  /** Whether any capacity is left. */
  isLeft(): Promise<boolean>;
  /** Reserves capacity for `tokens` more, all or none. */
  take(tokens: number): Promise<boolean>;
  /** Must be called once the reserved tokens are in the queue, or will never be. */
  close(): void;
}

export interface UnseenQueue {
  open(): UnseenCapacity;
}

export function createUnseenQueue(
  db: Queryable,
  max = UNSEEN_MAX,
  now: () => number = () => performance.now(),
): UnseenQueue {
  let waiting = 0;
  let countedAt = Number.NEGATIVE_INFINITY;
  /** Reserved by requests that are not committed yet. */
  let taken = 0;
  /** Reserved by requests that ended since the last count began, which may have missed them. */
  let ended = 0;

  const count = singleFlight(async (): Promise<void> => {
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
  });

  async function left(): Promise<number> {
    if (now() - countedAt >= COUNTED_FOR_MS) await count();
    return max - waiting - taken - ended;
  }

  return {
    open() {
      let mine = 0;
      return {
        max,
        isLeft: async () => (await left()) > 0,
        async take(tokens) {
          // Must be synchronous between reading and reserving the capacity.
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
