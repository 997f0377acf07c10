/** Bounds how long an answer is waited for. */

import { setTimeout as sleep } from "node:timers/promises";

/**
 * The answer, or undefined when it takes longer than `ms` milliseconds. A failure in time is undefined too, or thrown with
 * `rethrow`; a later one is ignored. The work behind the answer isn't cancelled.
 */
export async function withTimeout<Answer>(
  ms: number,
  answer: Promise<Answer>,
  { rethrow = false }: { readonly rethrow?: boolean } = {},
): Promise<Answer | undefined> {
  const timer = new AbortController();
  const nothing = (): undefined => undefined;
  try {
    return await Promise.race([
      rethrow ? answer : answer.catch(nothing),
      sleep(ms, undefined, { signal: timer.signal }).catch(nothing),
    ]);
  } finally {
    timer.abort();
  }
}
