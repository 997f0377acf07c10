/** A bound on how long somebody else's answer is awaited. */

import { setTimeout as sleep } from "node:timers/promises";

/** The answer, or undefined if it fails, takes longer than `ms`, or the signal is aborted first. */
export async function withTimeout<Answer>(
  ms: number,
  answer: Promise<Answer>,
  signal?: AbortSignal,
): Promise<Answer | undefined> {
  const timer = new AbortController();
  const nothing = (): undefined => undefined;
  try {
    return await Promise.race([
      answer.catch(nothing),
      sleep(ms, undefined, { signal: signal ? AbortSignal.any([timer.signal, signal]) : timer.signal }).catch(
        nothing,
      ),
    ]);
  } finally {
    timer.abort();
  }
}
