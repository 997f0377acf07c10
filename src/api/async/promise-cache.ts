/** Callers share answers: one that is on its way, or one that is cached in this process for a while. */

import { LRUCache } from "lru-cache";

export interface PromiseCacheOptions {
  /** The maximum number of keys; the least recently used is evicted. */
  readonly max: number;
  /** How long an answer is cached, counted from its request. Without it, until `clear`. */
  readonly ttlMs?: number;
  /** In milliseconds; a monotonic clock by default. */
  readonly now?: (() => number) | undefined;
}

/**
 * Callers that request a key while its answer is pending share it. A rejection reaches them and is not cached: the next
 * caller tries again. Answers that arrive after `clear` still reach their callers, but no later one. This rules out
 * `fetch` of lru-cache, which counts from the answer's arrival and rejects waiting callers on `clear`.
 */
export function createPromiseCache<Key extends string, Value>({ max, ttlMs, now }: PromiseCacheOptions) {
  const answers = new LRUCache<Key, Promise<Value>>({
    // A `max` of its own would be allocated at once.
    maxSize: max,
    sizeCalculation: () => 1,
    // lru-cache keeps an entry at the very end of its time.
    ...(ttlMs !== undefined && { ttl: ttlMs - 1, ttlResolution: 0 }),
    ...(now && { perf: { now } }),
  });
  return {
    get(key: Key, load: () => Promise<Value>): Promise<Value> {
      const known = answers.get(key);
      if (known) return known;
      const answer = load();
      answers.set(key, answer);
      answer.catch(() => {
        if (answers.peek(key) === answer) answers.delete(key);
      });
      return answer;
    },
    /** An answer that is on its way still reaches its callers, but no later one. */
    delete: (key: Key): void => void answers.delete(key),
    clear: (): void => answers.clear(),
  };
}

/** Callers share the run that is under way; after it, the next caller starts another. */
export function singleFlight<Answer>(run: () => Promise<Answer>): () => Promise<Answer> {
  let running: Promise<Answer> | undefined;
  return () => {
    running ??= run().finally(() => {
      running = undefined;
    });
    return running;
  };
}

/** A promise cache with a single entry, the answer of `read`. */
export function cached<Value>(
  read: () => Promise<Value>,
  options: Omit<PromiseCacheOptions, "max"> = {},
): { read(): Promise<Value>; clear(): void } {
  const { get, clear } = createPromiseCache<"", Value>({ max: 1, ...options });
  return { read: () => get("", read), clear };
}
