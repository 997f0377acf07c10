/** Limits how long to wait for an answer. */

/**
 * The answer, or undefined if it takes longer than `ms` milliseconds or the signal is aborted first. A failure before
 * that is undefined too, or thrown with `rethrow`; a later one is ignored. The work behind the answer isn't cancelled.
 */
export async function withTimeout<Answer>(
  ms: number,
  answer: Promise<Answer>,
  { rethrow = false, signal }: { readonly rethrow?: boolean; readonly signal?: AbortSignal } = {},
): Promise<Answer | undefined> {
  let giveUp = (): void => undefined;
  const nothing = new Promise<undefined>((resolve) => {
    giveUp = () => resolve(undefined);
  });
  // Not the abortable timer of node:timers/promises: ending one creates an error with its stack, at every call.
  const timer = setTimeout(giveUp, ms);
  signal?.addEventListener("abort", giveUp);
  if (signal?.aborted) giveUp();
  try {
    return await Promise.race([rethrow ? answer : answer.catch(() => undefined), nothing]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", giveUp);
  }
}

const timeoutError = (): Error => new DOMException("The time is over", "TimeoutError");

/**
 * Runs `work` under a signal that, until the work has ended, aborts with `outer`, or with `reason` after `ms`
 * milliseconds, by default a `TimeoutError`. Rejects only if `work` does.
 */
export async function withDeadline<Answer>(
  ms: number,
  outer: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<Answer>,
  reason: () => Error = timeoutError,
): Promise<Answer> {
  const ending = new AbortController();
  // Not AbortSignal.timeout: some Node 22 collect one that only AbortSignal.any refers to, and it never aborts.
  const timer = setTimeout(() => ending.abort(reason()), ms);
  const callOff = (): void => ending.abort(outer?.reason);
  outer?.addEventListener("abort", callOff);
  if (outer?.aborted) callOff();
  try {
    return await work(ending.signal);
  } finally {
    clearTimeout(timer);
    outer?.removeEventListener("abort", callOff);
  }
}

/** The answer, or a rejection with the signal's reason as soon as it aborts. The work behind the answer isn't cancelled. */
export async function untilAborted<Answer>(signal: AbortSignal, answer: Promise<Answer>): Promise<Answer> {
  let giveUp = (): void => undefined;
  const aborted = new Promise<never>((_, reject) => {
    giveUp = () => reject(signal.reason);
  });
  signal.addEventListener("abort", giveUp);
  if (signal.aborted) giveUp();
  try {
    return await Promise.race([answer, aborted]);
  } finally {
    signal.removeEventListener("abort", giveUp);
  }
}
