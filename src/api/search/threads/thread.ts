/** One search thread as the service sees it: questions by number, and a new thread when one dies. */

import type { Worker } from "node:worker_threads";
import type { CollectionRef } from "../../../domain/token-ref.ts";
import { ApiError } from "../../http/errors.ts";
import { startThread } from "../../jobs/thread.ts";
import { fromFault } from "../../jobs/thread-fault.ts";
import type { Logger } from "../../logging/logger.ts";
import { type FromThread, type ThreadStart, type ToThread, threadClock } from "./messages.ts";
import type { Answered, Kind, OnSize, SearchHost } from "./questions.ts";
import { createWatchdog } from "./watchdog.ts";

const SCRIPT = new URL("./search-thread.ts", import.meta.url);
// A load of ten million tokens takes longer: its callers come again.
const ANSWER_MS = 20_000;
const DRAIN_MS = 5_000;
const PAUSE_MIN_MS = 100;
const PAUSE_MAX_MS = 5_000;

/** The client may ask again in this many seconds: the thread is back, or has loaded more. */
const RETRY_SECONDS = 2;

export interface SearchThread extends SearchHost {
  /** The running thread, for tests and tools. */
  readonly worker: Worker | undefined;
}

export interface ThreadDeps {
  /** The heap that the thread may use. Columns are outside of it. */
  readonly heapMb: number;
  readonly logger: Logger;
  readonly onSize: OnSize;
  /** The thread's search indexes are gone. */
  readonly onLoss: () => void;
  /** A question failed after its asker had been answered that it took too long. */
  readonly onLateFailure?: (collection: CollectionRef) => void;
  /** How long a question waits for its answer; 20 seconds by default. */
  readonly answerMs?: number;
  /** See `createWatchdog`. */
  readonly pingMs?: number;
  /** What the thread runs; search-thread.ts by default. */
  readonly script?: URL;
}

interface Waiting {
  answer(answer: Answered[Kind]): void;
  fail(error: Error): void;
}

/**
 * Starts with the first question. A thread that dies takes its questions along, which are answered with UNAVAILABLE, as
 * are those until its replacement runs.
 */
export function createSearchThread(start: ThreadStart, deps: ThreadDeps): SearchThread {
  const {
    heapMb,
    logger,
    onSize,
    onLoss,
    onLateFailure,
    answerMs = ANSWER_MS,
    pingMs,
    script = SCRIPT,
  } = deps;
  const waiting = new Map<number, Waiting>();
  let ids = 0;
  let worker: Worker | undefined;
  let starting: Promise<Worker> | undefined;
  let pauseMs = PAUSE_MIN_MS;
  let isDown = false;
  let isClosed = false;
  let isSilent = false;
  const watchdog = createWatchdog({
    ...(pingMs !== undefined && { pingMs }),
    ping: () => post({ type: "ping" }),
    end() {
      isSilent = true;
      worker?.terminate().catch(() => undefined);
    },
  });

  async function run(): Promise<Worker> {
    const next = await startThread(script, {
      workerData: start,
      name: "search",
      resourceLimits: { maxOldGenerationSizeMb: heapMb },
    });
    worker = next;
    let cause = "it ended";
    next.on("message", (message: FromThread) => take(message));
    next.on("error", (error: unknown) => {
      cause = (error as Error).message;
    });
    next.once("exit", () => lose(next, isSilent ? "it answered nothing any more" : cause));
    if (waiting.size === 0) next.unref();
    return next;
  }

  function take(message: FromThread): void {
    watchdog.heard();
    if (message.type === "ready") {
      isDown = false;
      pauseMs = PAUSE_MIN_MS;
    } else if (message.type === "size") onSize(message.collection, message.bytes);
    else if (message.type === "log") logger[message.level](message.entry);
    else if (message.type === "answer") waiting.get(message.id)?.answer(message.answer);
    else if (message.type === "failure") {
      const asker = waiting.get(message.id);
      if (asker) asker.fail(fromFault(message.fault));
      else onLateFailure?.(message.collection);
    }
  }

  function lose(lost: Worker, cause: string): void {
    if (worker !== lost) return;
    worker = undefined;
    isSilent = false;
    watchdog.stop();
    restart(cause);
  }

  /** Fails the questions in hand, and starts another thread after a pause. */
  function restart(cause: string): void {
    starting = undefined;
    isDown = true;
    onLoss();
    for (const { fail } of [...waiting.values()]) fail(away(cause));
    if (isClosed) return;
    logger.warn({ msg: "Lost a search thread; starting another", cause });
    setTimeout(begin, pauseMs).unref();
    pauseMs = Math.min(2 * pauseMs, PAUSE_MAX_MS);
  }

  function begin(): void {
    if (isClosed || starting) return;
    starting = run();
    starting.catch((error: Error) => restart(error.message));
  }

  function post(message: ToThread): void {
    // A thread that could not start has failed its questions already.
    starting?.then(
      (running) => running.postMessage(message),
      () => undefined,
    );
  }

  return {
    get worker() {
      return worker;
    },
    ask: <K extends Kind>(question: { readonly kind: K }) =>
      new Promise<Answered[K]>((resolve, reject) => {
        if (isDown || isClosed) return reject(away(new NotAsked("the search thread is being started")));
        begin();
        const id = ++ids;
        const deadline = threadClock() + answerMs;
        const timer = setTimeout(() => {
          watchdog.suspect();
          fail(away("it took too long"));
        }, answerMs);
        const end = (): void => {
          clearTimeout(timer);
          waiting.delete(id);
          if (waiting.size === 0) worker?.unref();
        };
        const fail = (error: Error): void => {
          end();
          reject(error);
        };
        waiting.set(id, {
          answer(answer) {
            end();
            resolve(answer as Answered[K]);
          },
          fail,
        });
        worker?.ref();
        post({ type: "ask", id, question: question as never, deadline });
      }),
    drop: (collection) => post({ type: "drop", collection }),
    async close() {
      isClosed = true;
      watchdog.stop();
      const until = performance.now() + DRAIN_MS;
      while (waiting.size > 0 && performance.now() < until)
        await new Promise((resolve) => setTimeout(resolve, 20));
      await worker?.terminate();
    },
  };
}

/** The cause of an answer UNAVAILABLE to a question that no thread has had. */
export class NotAsked extends Error {}

const away = (reason: string | NotAsked): ApiError =>
  new ApiError("UNAVAILABLE", [], {
    cause: typeof reason === "string" ? new Error(`the search thread is away: ${reason}`) : reason,
    retryAfterSeconds: RETRY_SECONDS,
  });
