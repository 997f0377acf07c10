/** Spreads collections over search threads. */

import { type CollectionRef, collectionKey } from "../../../domain/token-ref.ts";
import type { Logger } from "../../logging/logger.ts";
import type { ThreadStart } from "./messages.ts";
import type { OnSize, SearchHost } from "./questions.ts";
import { createSearchThread, type SearchThread } from "./thread.ts";

export interface ThreadOptions extends ThreadStart {
  readonly count: number;
  readonly heapMb: number;
  readonly logger: Logger;
  /** A size of 0 means that the search index is gone. */
  readonly onSize: OnSize;
  /** As `ThreadDeps` has it. */
  readonly onLateFailure?: (collection: CollectionRef) => void;
}

export interface SearchThreads extends SearchHost {
  readonly threads: readonly SearchThread[];
}

/** A collection stays with its thread until it is dropped; a new one goes to the thread with the fewest. */
export function createSearchThreads({
  count,
  heapMb,
  logger,
  onSize,
  onLateFailure,
  ...start
}: ThreadOptions): SearchThreads {
  const homes = new Map<string, { readonly thread: SearchThread; readonly collection: CollectionRef }>();
  const threads: readonly SearchThread[] = Array.from({ length: count }, (_, nth) =>
    createSearchThread(start, {
      heapMb,
      logger,
      onSize,
      ...(onLateFailure && { onLateFailure }),
      onLoss() {
        for (const { thread, collection } of homes.values())
          if (thread === threads[nth]) onSize(collection, 0);
      },
    }),
  );

  function homeOf(collection: CollectionRef): SearchThread {
    const key = collectionKey(collection);
    const known = homes.get(key);
    if (known) return known.thread;
    const counts = new Map(threads.map((thread) => [thread, 0]));
    for (const { thread } of homes.values()) counts.set(thread, (counts.get(thread) ?? 0) + 1);
    const [home] = [...counts].reduce((least, each) => (each[1] < least[1] ? each : least));
    homes.set(key, { thread: home, collection });
    return home;
  }

  return {
    threads,
    ask: (question) => homeOf(question.collection).ask(question),
    drop(collection) {
      const key = collectionKey(collection);
      homes.get(key)?.thread.drop(collection);
      homes.delete(key);
    },
    async close() {
      await Promise.all(threads.map((thread) => thread.close()));
    },
  };
}
