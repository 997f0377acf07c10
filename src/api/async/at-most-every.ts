/**
 * Calls of `run` that come within `ms` of the last one that ran are dropped: for log lines that thousands may cause, and
 * for reading what rarely changes.
 */
export function atMostEvery<Args extends unknown[]>(
  ms: number,
  run: (...args: Args) => void,
): (...args: Args) => void {
  let ranAt = Number.NEGATIVE_INFINITY;
  return (...args) => {
    const now = performance.now();
    if (now - ranAt < ms) return;
    ranAt = now;
    run(...args);
  };
}
