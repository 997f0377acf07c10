/** Limits how long to wait for an answer. */

import { setTimeout as sleep } from "node:timers/promises";

/**
 * The answer, or undefined if it takes longer than `ms` milliseconds or the signal is aborted first. A failure before
 * that is undefined too, or thrown with `rethrow`; a later one is ignored. The work behind the answer isn't cancelled.
 */
export async function withTimeout<Answer>(
  ms: number,
  answer: Promise<Answer>,
  { rethrow = false, signal }: { readonly rethrow?: boolean; readonly signal?: AbortSignal } = {},
): Promise<Answer | undefined> {
  const timer = new AbortController();
  const nothing = (): undefined => undefined;
  try {
    return await Promise.race([
      rethrow ? answer : answer.catch(nothing),
      sleep(ms, undefined, { signal: signal ? AbortSignal.any([timer.signal, signal]) : timer.signal }).catch(
        nothing,
      ),
    ]);
  } finally {
    timer.abort();
  }
}
