/** A signal that also aborts by itself. */

import { VitrineError } from "./errors.ts";
import { startTimer } from "./timer.ts";

export interface TimeLimit {
  readonly signal: AbortSignal;
  restart(): void;
  end(): void;
}

/**
 * Aborts with the caller's signal, or as a `NETWORK` error when `ms` have passed since it was created or restarted, until
 * it is ended.
 */
export function createTimeLimit(ms: number, message: string, outer: AbortSignal | undefined): TimeLimit {
  const inner = new AbortController();
  // Not AbortSignal.timeout: Node 20 collects one that only AbortSignal.any refers to, and it never aborts.
  const abort = (): void => inner.abort(new VitrineError(message, { code: "NETWORK" }));
  const start = () => startTimer(abort, ms);
  let timer = start();
  return {
    signal: outer ? AbortSignal.any([outer, inner.signal]) : inner.signal,
    restart(): void {
      clearTimeout(timer);
      timer = start();
    },
    end: () => clearTimeout(timer),
  };
}
