/** Not waiting for ever for somebody else's answer. */

import { setTimeout as sleep } from "node:timers/promises";

/**
 * The answer, or undefined when it takes longer than `ms`. A failure is undefined too, or with `rethrow` the caller's. The
 * answer itself goes on; what becomes of it later is nobody's concern.
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
