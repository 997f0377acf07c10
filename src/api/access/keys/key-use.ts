/**
 * When each key was last used, and when each app first succeeded. Collected in memory and written in batches, so that a
 * request costs no query: a key's row is written at most once a minute, an app's once. Times are right to the minute.
 */

import type { Queryable } from "../../db/database.ts";
import type { CallerApp } from "../../http/router.ts";

const KEY_EVERY_MS = 60_000;

export interface KeyUse {
  /** Counts a request with a valid key. */
  used(app: Pick<CallerApp, "keyId">): void;
  /** Counts a request that a gateway API answered well. */
  succeeded(app: CallerApp): void;
  /** Writes what is due. Rejects if it can't be written; it is then due at the next call. */
  flush(): Promise<void>;
}

/** By id: processes that lock the same rows in different orders could wait for each other. */
const inOrder = (uses: readonly [string, number][]) => uses.toSorted(([a], [b]) => (a < b ? -1 : 1));

export function createKeyUse(database: Queryable, now: () => number = Date.now): KeyUse {
  const used = new Map<string, number>();
  // By a clock that never steps.
  const writtenAt = new Map<string, number>();
  let succeeded = new Map<string, number>();
  // By id: as many as there are apps.
  const knownSuccesses = new Set<string>();

  const isDue = ([id]: [string, number]): boolean =>
    performance.now() - (writtenAt.get(id) ?? Number.NEGATIVE_INFINITY) >= KEY_EVERY_MS;

  async function writeKeys(): Promise<void> {
    const due = inOrder([...used].filter(isDue));
    if (due.length === 0) return;
    await database.query(
      // Another process may have written the row within the minute.
      `update vitrine.api_key k set last_used_at = to_timestamp(u.at / 1000)
         from unnest($1::uuid[], $2::float8[]) as u (id, at)
        where k.id = u.id
          and (k.last_used_at is null or k.last_used_at < to_timestamp(u.at / 1000) - interval '1 minute'
               -- Of a clock that has stepped back since.
               or k.last_used_at > now() + interval '1 minute')`,
      [due.map(([id]) => id), due.map(([, at]) => at)],
    );
    const written = performance.now();
    for (const [id, at] of due) {
      writtenAt.set(id, written);
      if (used.get(id) === at) used.delete(id);
    }
  }

  async function writeSuccesses(): Promise<void> {
    if (succeeded.size === 0) return;
    const first = new Map(inOrder([...succeeded]));
    succeeded = new Map();
    try {
      await database.query(
        `update vitrine.app a set first_success_at = to_timestamp(s.at / 1000)
           from unnest($1::uuid[], $2::float8[]) as s (id, at) where a.id = s.id and a.first_success_at is null`,
        [[...first.keys()], [...first.values()]],
      );
    } catch (error) {
      for (const [id, at] of first) succeeded.set(id, at);
      throw error;
    }
  }

  return {
    used({ keyId }) {
      used.set(keyId, now());
    },
    succeeded({ id }) {
      if (knownSuccesses.has(id)) return;
      knownSuccesses.add(id);
      succeeded.set(id, now());
    },
    async flush() {
      await writeKeys();
      await writeSuccesses();
    },
  };
}
