/** Spreads collections over search threads. */

import { collectionKey } from "../../../domain/token-ref.ts";
import type { Logger } from "../../http/logger.ts";
import type { ThreadStart } from "./messages.ts";
import type { SearchHost } from "./questions.ts";
import { createSearchThread, type SearchThread } from "./thread.ts";

export interface ThreadOptions extends ThreadStart {
  readonly count: number;
  /** The heap that each thread may use. Columns are outside of it. */
  readonly heapMb: number;
  readonly logger: Logger;
}

export interface SearchThreads extends SearchHost {
  readonly threads: readonly SearchThread[];
}

/** A collection stays with its thread until it is dropped; a new one goes to the thread with the fewest. */
export function createSearchThreads({ count, heapMb, logger, ...start }: ThreadOptions): SearchThreads {
  const threads = Array.from({ length: count }, () => createSearchThread(start, heapMb, logger));
  const homes = new Map<string, SearchThread>();

  function homeOf(key: string): SearchThread {
    const known = homes.get(key);
    if (known) return known;
    const counts = new Map(threads.map((thread) => [thread, 0]));
    for (const thread of homes.values()) counts.set(thread, (counts.get(thread) ?? 0) + 1);
    const [home] = [...counts].reduce((least, each) => (each[1] < least[1] ? each : least));
    homes.set(key, home);
    return home;
  }

  return {
    threads,
    ask: (question) => homeOf(collectionKey(question.collection)).ask(question),
    drop(collection) {
      const key = collectionKey(collection);
      homes.get(key)?.drop(collection);
      homes.delete(key);
    },
    async close() {
      await Promise.all(threads.map((thread) => thread.close()));
    },
  };
}
