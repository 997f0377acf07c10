/** Asks one source after the other, and a second one at the same time once the first is late. */

export interface Hedging<Source, Result> {
  /** `onAnswer` is to be called once an answer begins to arrive. The signal calls the request off. */
  readonly ask: (source: Source, signal: AbortSignal, onAnswer: () => void) => Promise<Result>;
  /** After so many milliseconds without an answer the next source is asked as well. */
  readonly lateAfterMs: (source: Source) => number;
  /** Whether this result ends it; `others` are asked already, or may still be. Otherwise the next source is asked. */
  readonly isEnd: (result: Result, others: readonly Source[]) => boolean;
  /** Asked before a second request is made beside the first; false prevents it. The signal is aborted when all is over. */
  readonly mayHedge?: ((signal: AbortSignal) => Promise<boolean>) | undefined;
  /** Called for a source that was late, and called off without an answer. */
  readonly onLost?: (source: Source) => void;
  readonly signal?: AbortSignal | undefined;
}

// More would only ask those that the others were preferred to.
const AT_ONCE_MAX = 2;

interface Request<Source> {
  readonly source: Source;
  readonly calledOff: AbortController;
  isLate: boolean;
}

/**
 * The first result that ends it, or the last one otherwise; undefined without a source. The requests that are left are
 * called off. At most two run at the same time, each to another source. Rejects only if `ask` does.
 */
export function hedged<Source, Result>(
  sources: readonly Source[],
  { ask, lateAfterMs, isEnd, mayHedge, onLost, signal }: Hedging<Source, Result>,
): Promise<Result | undefined> {
  const waiting = [...sources];
  const running = new Set<Request<Source>>();
  const over = new AbortController();
  let last: Result | undefined;

  return new Promise((resolve, reject) => {
    const isOver = (): boolean => over.signal.aborted;

    function end(result: Result | undefined): void {
      over.abort();
      for (const { source, calledOff, isLate } of running) {
        calledOff.abort();
        if (isLate && !signal?.aborted) onLost?.(source);
      }
      resolve(result);
    }

    async function hedge(late: Request<Source>): Promise<void> {
      late.isLate = true;
      if (waiting.length === 0 || running.size >= AT_ONCE_MAX || signal?.aborted) return;
      const isAllowed = (await mayHedge?.(over.signal)) ?? true;
      if (isAllowed && !isOver() && running.has(late) && running.size < AT_ONCE_MAX) next();
    }

    function next(): void {
      const source = waiting.shift();
      if (source === undefined) {
        if (running.size === 0) end(last);
        return;
      }
      const request = { source, calledOff: new AbortController(), isLate: false };
      running.add(request);
      const late = setTimeout(() => void hedge(request).catch(() => undefined), lateAfterMs(source));
      const onAnswer = (): void => {
        clearTimeout(late);
        request.isLate = false;
      };
      const either = signal ? AbortSignal.any([signal, request.calledOff.signal]) : request.calledOff.signal;
      ask(source, either, onAnswer)
        .finally(() => {
          clearTimeout(late);
          running.delete(request);
        })
        .then((result) => {
          if (isOver()) return;
          last = result;
          const others = [...[...running].map(({ source }) => source), ...waiting];
          if (isEnd(result, others)) return end(result);
          // One that is late already leaves no reason to wait.
          if ([...running].every(({ isLate }) => isLate)) next();
        })
        .catch((error: unknown) => {
          reject(error);
          end(undefined);
        });
    }

    next();
  });
}
