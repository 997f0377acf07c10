/** Answers kept in this process for a while, by key. */

import { LRUCache } from "lru-cache";

export interface PromiseCacheOptions {
  /** Keys; of more, the least recently used goes. */
  readonly max: number;
  /** For how long an answer is kept, from when it was asked for. Without it, until `clear`. */
  readonly ttlMs?: number;
  /** In milliseconds; a monotonic clock by default. */
  readonly now?: (() => number) | undefined;
}

/**
 * Callers who ask for a key while its answer is on the way share it. A rejection reaches them and is not kept: the next
 * caller tries again. Answers that arrive after `clear` still reach their callers, and no later one. That rules
 * out `fetch` of lru-cache, which counts from when the answer arrives and rejects waiting callers on `clear`.
 */
export function createPromiseCache<Key extends string, Value>({ max, ttlMs, now }: PromiseCacheOptions) {
  const answers = new LRUCache<Key, Promise<Value>>({
    max,
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
    clear: (): void => answers.clear(),
  };
}

/** A promise cache of one answer, that of `read`. */
export function cached<Value>(
  read: () => Promise<Value>,
  options: Omit<PromiseCacheOptions, "max"> = {},
): { read(): Promise<Value>; clear(): void } {
  const { get, clear } = createPromiseCache<"", Value>({ max: 1, ...options });
  return { read: () => get("", read), clear };
}
