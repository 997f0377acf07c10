/** How long work that nobody waits for rests between its steps. */

const REST = 4;
const REST_MAX_MS = 10_000;

/** Milliseconds of rest after a step of `tookMs`: the work takes a fifth of the time, unless a step is very long. */
export const backgroundRest = (tookMs: number): number => Math.min(REST * tookMs, REST_MAX_MS);
