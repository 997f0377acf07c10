/** One process that decodes: what it has been handed, which file is under way, and how long that may take. */

import { type ChildProcess, spawn } from "node:child_process";
import { createRequire } from "node:module";
import type { Readable } from "node:stream";
import { pathToFileURL } from "node:url";
import { type Decoded, type DecoderEvent, EVENTS_FD, type Job, readEvents } from "./decoder-messages.ts";
import { openScratchFile, type ScratchFile } from "./scratch-file.ts";

/**
 * One whose answer is on its way, one that is decoded, and one at hand: a process that must wait for its next file
 * stands still for an eighth of the time.
 */
export const HELD_MAX = 3;
const START_LIMIT_MS = 30_000;
const PIPES_KEPT_MS = 1_000;
const ROGUE = "it spoke out of turn";
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

/** How much time a file may take. */
export interface Limit {
  readonly text: string;
  /** It may be the doing of a busy machine. */
  readonly isOpen: boolean;
}

/** What a process leaves behind. */
export interface DecoderEnd {
  /** A signal, an exit code, or why it could not be started. */
  readonly cause: string;
  readonly wasReady: boolean;
  /** It said what it had nothing to say of, or nothing that could be read. */
  readonly isRogue: boolean;
  /** The file that was under way, whose doing it is. */
  readonly blamed: Work | undefined;
  /** The limit that this file went over, if it was ended for that. */
  readonly limit: Limit | undefined;
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
  /** The script that it runs. */
  readonly program: string;
  /** It may take another file. */
  readonly onFree: () => void;
  /** Told once, and after all that it has answered. */
  readonly onEnd: (end: DecoderEnd) => void;
}

export function startProcess(options: ProcessOptions): DecoderProcess {
  const { timeLimitMs, processorLimitMs, idleMs, program, onFree, onEnd } = options;
  const scratchFile = openScratchFile();
  const child = spawnWorker(program, scratchFile, processorLimitMs);
  const held: Work[] = [];
  const places: (Work | undefined)[] = Array.from({ length: HELD_MAX });
  // It can answer for what it has been told of, and once.
  const told = new WeakSet<Work>();
  const answered = new WeakSet<Work>();
  let isReady = false;
  let isGone = false;
  let isRogue = false;
  let stopped: { readonly work: Work | undefined; readonly limit: Limit | undefined } | undefined;
  let timer: NodeJS.Timeout | undefined;

  function killIn(ms: number, limit: Limit | undefined): void {
    clearTimeout(timer);
    timer = setTimeout(() => stop(limit), ms);
  }

  function stop(limit: Limit | undefined): void {
    stopped = { work: held[0], limit };
    kill();
  }

  function distrust(): void {
    isRogue = true;
    kill();
  }

  function kill(): void {
    child.kill("SIGKILL");
  }

  /** The first of what it holds is under way. */
  function attend(): void {
    if (held.length > 0) killIn(timeLimitMs, { text: `${timeLimitMs} ms`, isOpen: true });
    else {
      killIn(idleMs, undefined);
      // A process that only waits keeps nobody from ending.
      timer?.unref();
    }
  }

  function take(event: DecoderEvent): void {
    const work = event.event === "ready" ? undefined : held.find(({ id }) => id === event.id);
    const isTrue = event.event === "ready" ? !isReady : work && told.has(work) && !answered.has(work);
    // It has been taken over: nothing that it says is of use, and it may say it for ever.
    if (!isTrue) distrust();
    else if (event.event === "ready") {
      isReady = true;
      attend();
      onFree();
    } else if (work) note(work, event);
  }

  function note(work: Work, event: Exclude<DecoderEvent, { event: "ready" }>): void {
    if (event.event === "spent") {
      if (work === held[0]) stop({ text: `${processorLimitMs} ms of processor time`, isOpen: false });
      return;
    }
    answered.add(work);
    if (event.event === "answer") settle(work, () => work.done(event.answer));
    else if (event.event === "failure") settle(work, () => work.failed(new Error(event.message)));
    else
      scratchFile.take(places.indexOf(work), event.bytes).then(
        (bytes) => settle(work, () => work.done({ ...event.image, bytes })),
        (error: Error) => settle(work, () => work.failed(error)),
      );
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
  if (events) readEvents(events, take, distrust);

  const end = (cause: string): void => {
    clearTimeout(timer);
    clearTimeout(grace);
    const left = held.splice(0);
    const suspect = stopped ? stopped.work : left[0];
    // One whose answer came through in the end has done nothing wrong.
    const blamed = suspect && told.has(suspect) && left.includes(suspect) ? suspect : undefined;
    const others = left.filter((work) => work !== blamed);
    onEnd({
      cause: isRogue ? ROGUE : cause,
      wasReady: isReady,
      isRogue,
      blamed,
      limit: stopped?.limit,
      others,
    });
  };
  let grace: NodeJS.Timeout | undefined;
  child.once("exit", () => {
    isGone = true;
    // What it has started may hold its pipes open for ever.
    grace = setTimeout(() => {
      jobs?.destroy();
      events?.destroy();
    }, PIPES_KEPT_MS);
  });
  const ended = new Promise<string>((done) => {
    child.once("error", (error) => done(error.message));
    // Not at its exit: what it has said before may still be on the way.
    child.once("close", (code, signal) => done(signal ?? `exit code ${code}`));
  });
  // So may pictures.
  const closed = ended.then((cause) =>
    scratchFile.close().then(
      () => end(cause),
      (error: Error) => end(error.message),
    ),
  );
  killIn(START_LIMIT_MS, undefined);

  return {
    pid: child.pid,
    get isReady() {
      return isReady && !isGone;
    },
    held,
    hand(work) {
      const place = places.indexOf(undefined);
      places[place] = work;
      held.push(work);
      if (held.length === 1) attend();
      const { id, kind, body } = work;
      scratchFile.put(place, body).then(
        () => {
          if (isGone) return;
          told.add(work);
          jobs?.write(`${JSON.stringify({ id, kind, place, bytes: body.length } satisfies Job)}\n`);
        },
        (error: Error) => settle(work, () => work.failed(error)),
      );
    },
    kill() {
      kill();
      return closed;
    },
  };
}

function spawnWorker(program: string, scratchFile: ScratchFile, processorLimitMs: number): ChildProcess {
  const tsx = pathToFileURL(createRequire(import.meta.url).resolve("tsx")).href;
  try {
    return spawn(process.execPath, ["--import", tsx, program, String(processorLimitMs), String(EVENTS_FD)], {
      stdio: ["pipe", "ignore", "ignore", "pipe", scratchFile.fd],
      // What strangers' files may take over gets none of the operator's secrets.
      env: { PATH: process.env.PATH, TMPDIR: process.env.TMPDIR, LC_ALL: "C", ...KEPT_MEMORY },
    });
  } catch (error) {
    void scratchFile.close();
    throw error;
  }
}
