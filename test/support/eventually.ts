/** Waits for asynchronous results without guessing how long they take. */

import { setTimeout as sleep } from "node:timers/promises";

const WITHIN_MS = 30_000;
const EVERY_MS = 20;

/** Asks until the answer passes; throws with the last answer if it never does. */
export async function eventually<Answer>(
  ask: () => Answer | Promise<Answer>,
  passes: (answer: Answer) => boolean,
  withinMs = WITHIN_MS,
): Promise<Answer> {
  const deadline = Date.now() + withinMs;
  for (;;) {
    const answer = await ask();
    if (passes(answer)) return answer;
    if (Date.now() > deadline) throw new Error(`it never came to pass; last: ${JSON.stringify(answer)}`);
    await sleep(EVERY_MS);
  }
}
