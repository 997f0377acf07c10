/** Waits for asynchronous results without guessing how long they take. */

import { setTimeout as sleep } from "node:timers/promises";

const WITHIN_MS = 30_000;
const FIRST_PAUSE_MS = 20;
// What takes seconds is asked for less often, or the questions of four files would take the time of what they wait for.
const PAUSE_MAX_MS = 100;
// An answer of thousands of rows would hide every other failure of a run.
const SHOWN_CHARACTERS = 2_000;

/** Asks until the answer passes; throws with the last answer if it never does. */
export async function eventually<Answer>(
  ask: () => Answer | Promise<Answer>,
  passes: (answer: Answer) => boolean,
  withinMs = WITHIN_MS,
): Promise<Answer> {
  // Some tests stand still in `Date`.
  const start = performance.now();
  for (;;) {
    const answer = await ask();
    if (passes(answer)) return answer;
    const waited = performance.now() - start;
    if (waited > withinMs) throw new Error(`it never came to pass in ${withinMs} ms; last: ${shown(answer)}`);
    await sleep(Math.min(Math.max(FIRST_PAUSE_MS, waited / 20), PAUSE_MAX_MS));
  }
}

function shown(answer: unknown): string {
  const text = JSON.stringify(answer) ?? String(answer);
  if (text.length <= SHOWN_CHARACTERS) return text;
  const half = SHOWN_CHARACTERS / 2;
  return `${text.slice(0, half)} … (${text.length} characters) … ${text.slice(-half)}`;
}
