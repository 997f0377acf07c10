/** One process that decodes: what it has been handed, which file is under way, and how long that may take. */

import { type ChildProcess, spawn } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { Readable } from "node:stream";
import { fileURLToPath, pathToFileURL } from "node:url";
import { type Exchange, openExchange } from "./decoder-exchange.ts";
import { type Decoded, type DecoderEvent, EVENTS_FD, type Job, readEvents } from "./decoder-messages.ts";

/**
 * One whose answer is on its way, one that is decoded, and one at hand: a process that must wait for its next file
 * stands still for an eighth of the time.
 */
export const HELD_MAX = 3;
const START_LIMIT_MS = 30_000;
// For glibc, which else gives memory back after every image and has it cleared anew for the next one. What is larger than
// a common picture takes is still given back.
const KEPT_MEMORY = {
  MALLOC_ARENA_MAX: "1",
  MALLOC_MMAP_THRESHOLD_: String(4 * 1_048_576),
  MALLOC_TRIM_THRESHOLD_: String(64 * 1_048_576),
};

export interface Work {
  readonly id: number;
  readonly kind: Job["kind"];
  readonly body: Buffer;
  readonly done: (decoded: Decoded) => void;
  readonly failed: (error: Error) => void;
  /** So long that no other file may wait behind it. */
  readonly mayTakeLong: boolean;
  /** How many processes it has cost. */
  losses: number;
}

export interface DecoderProcess {
  readonly pid: number | undefined;
  readonly isReady: boolean;
  /** What it was handed and has not answered, in order: the first one is under way. */
  readonly held: readonly Work[];
  /** One more file, to be decoded after those that it holds. Only for a process that is ready. */
  hand(work: Work): void;
  /** Resolves when it is gone. */
  kill(): Promise<void>;
}

/** What a process leaves behind. */
export interface DecoderEnd {
  /** A signal, an exit code, or why it could not be started. */
  readonly cause: string;
  readonly wasReady: boolean;
  /** The file that was under way, whose doing it is. */
  readonly blamed: Work | undefined;
  /** The limit that this file went over, if it was ended for that. */
  readonly limit: string | undefined;
  /** What it held besides. */
  readonly others: readonly Work[];
}

export interface ProcessOptions {
  /** Of a file, from its start. */
  readonly timeLimitMs: number;
  /** Of a file too. */
  readonly processorLimitMs: number;
  /** Without work, after which it ends. */
  readonly idleMs: number;
  /** It may take another file. */
  readonly onFree: () => void;
  /** Told once, and after all that it has answered. */
  readonly onEnd: (end: DecoderEnd) => void;
}

export function startProcess(options: ProcessOptions): DecoderProcess {
  const { timeLimitMs, processorLimitMs, idleMs, onFree, onEnd } = options;
  const exchange = openExchange();
  const child = spawnWorker(exchange, processorLimitMs);
  const held: Work[] = [];
  const places: (Work | undefined)[] = Array.from({ length: HELD_MAX });
  let isReady = false;
  let stopped: { readonly work: Work | undefined; readonly limit: string | undefined } | undefined;
  let timer: NodeJS.Timeout | undefined;

  function killIn(ms: number, limit: string | undefined): void {
    clearTimeout(timer);
    timer = setTimeout(() => stop(limit), ms);
  }

  function stop(limit: string | undefined): void {
    stopped = { work: held[0], limit };
    kill();
  }

  function kill(): void {
    child.kill("SIGKILL");
  }

  /** The first of what it holds is under way. */
  function attend(): void {
    if (held.length > 0) killIn(timeLimitMs, `${timeLimitMs} ms`);
    else {
      killIn(idleMs, undefined);
      // A process that only waits keeps nobody from ending.
      timer?.unref();
    }
  }

  function take(event: DecoderEvent): void {
    if (event.event === "ready") {
      isReady = true;
      attend();
      onFree();
      return;
    }
    const work = held.find(({ id }) => id === event.id);
    if (!work) return;
    if (event.event === "spent") spent(work);
    else if (event.event === "answer") settle(work, () => work.done(event.answer));
    else if (event.event === "failure") settle(work, () => work.failed(new Error(event.message)));
    else
      exchange.take(places.indexOf(work), event.bytes).then(
        (bytes) => settle(work, () => work.done({ ...event.image, bytes })),
        (error: Error) => settle(work, () => work.failed(error)),
      );
  }

  function spent(work: Work): void {
    if (work === held[0]) stop(`${processorLimitMs} ms of processor time`);
  }

  /** Nothing for a file that has been taken away meanwhile. */
  function settle(work: Work, tell: () => void): void {
    const index = held.indexOf(work);
    if (index < 0) return;
    held.splice(index, 1);
    places[places.indexOf(work)] = undefined;
    if (index === 0) attend();
    tell();
    onFree();
  }

  const { stdin: jobs } = child;
  // One that could not be started has none, and the end of any other tells the rest.
  const events = child.stdio?.[EVENTS_FD] as Readable | undefined;
  for (const pipe of [jobs, events]) pipe?.on("error", kill);
  if (events) readEvents(events, take, kill);

  const end = (cause: string): void => {
    clearTimeout(timer);
    const left = held.splice(0);
    const suspect = stopped ? stopped.work : left[0];
    // One whose answer came through in the end has done nothing wrong.
    const blamed = suspect && left.includes(suspect) ? suspect : undefined;
    const others = left.filter((work) => work !== blamed);
    onEnd({ cause, wasReady: isReady, blamed, limit: stopped?.limit, others });
  };
  const ended = new Promise<string>((done) => {
    child.once("error", (error) => done(error.message));
    // Not at its exit: what it has said before may still be on the way.
    child.once("close", (code, signal) => done(signal ?? `exit code ${code}`));
  });
  // So may pictures.
  const closed = ended.then((cause) =>
    exchange.close().then(
      () => end(cause),
      (error: Error) => end(error.message),
    ),
  );
  killIn(START_LIMIT_MS, undefined);

  return {
    pid: child.pid,
    get isReady() {
      return isReady;
    },
    held,
    hand(work) {
      const place = places.indexOf(undefined);
      places[place] = work;
      held.push(work);
      if (held.length === 1) attend();
      const { id, kind, body } = work;
      exchange.put(place, body).then(
        () => jobs?.write(`${JSON.stringify({ id, kind, place, bytes: body.length } satisfies Job)}\n`),
        (error: Error) => settle(work, () => work.failed(error)),
      );
    },
    kill() {
      kill();
      return closed;
    },
  };
}

function spawnWorker(exchange: Exchange, processorLimitMs: number): ChildProcess {
  const script = join(dirname(fileURLToPath(import.meta.url)), "image-worker.ts");
  const tsx = pathToFileURL(createRequire(import.meta.url).resolve("tsx")).href;
  try {
    return spawn(process.execPath, ["--import", tsx, script, String(processorLimitMs), String(EVENTS_FD)], {
      stdio: ["pipe", "ignore", "ignore", "pipe", exchange.fd],
      // What strangers' files may take over gets none of the operator's secrets.
      env: { PATH: process.env.PATH, TMPDIR: process.env.TMPDIR, LC_ALL: "C", ...KEPT_MEMORY },
    });
  } catch (error) {
    void exchange.close();
    throw error;
  }
}
