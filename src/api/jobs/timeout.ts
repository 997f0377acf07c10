/** Not waiting for ever for somebody else's answer. */

import { setTimeout as sleep } from "node:timers/promises";

/** The answer, or undefined when it fails or takes longer. */
export async function withTimeout<Answer>(ms: number, answer: Promise<Answer>): Promise<Answer | undefined> {
  const timer = new AbortController();
  const nothing = (): undefined => undefined;
  try {
    return await Promise.race([
      answer.catch(nothing),
      sleep(ms, undefined, { signal: timer.signal }).catch(nothing),
    ]);
  } finally {
    timer.abort();
  }
}
