/** One decoder process: its files, which of them it is decoding, and its time limits. */

import { type ChildProcess, spawn } from "node:child_process";
import type { Readable } from "node:stream";
import { programArguments } from "../../jobs/program.ts";
import { type Decoded, type DecoderEvent, EVENTS_FD, type Job, readEvents } from "./decoder-messages.ts";
import type { RenderedImage } from "./render-image.ts";
import { openScratchFile, type ScratchFile } from "./scratch-file.ts";

/**
 * One whose answer is in transit, one being decoded, and one queued: a process that must wait for its next file is idle
 * for an eighth of the time.
 */
export const ASSIGNED_MAX = 3;
const START_LIMIT_MS = 30_000;
const PIPES_KEPT_MS = 1_000;
const ROGUE = "it spoke out of turn";
// For glibc, which would otherwise return memory after every image and have it cleared again for the next one. Blocks
// larger than a common picture needs are still returned.
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
  /** Takes so long that no other file may wait behind it. */
  readonly mayTakeLong: boolean;
  /** How many processes the file has cost. */
  losses: number;
}

export interface DecoderProcess {
  readonly pid: number | undefined;
  readonly isReady: boolean;
  /** The unanswered files, in order; the first is being decoded. */
  readonly assigned: readonly Work[];
  /** Queues one more file. Only for a process that is ready. */
  hand(work: Work): void;
  /** Resolves when the process has exited. */
  kill(): Promise<void>;
}

/** A file's time limit. */
export interface Limit {
  readonly text: string;
  /** A busy machine may be the cause. */
  readonly isOpen: boolean;
}

/** How a process ended, and the work it left. */
export interface DecoderEnd {
  /** A signal, an exit code, or why it could not be started. */
  readonly cause: string;
  readonly wasReady: boolean;
  /** It sent an answer for a file it did not have, or something unreadable. */
  readonly isRogue: boolean;
  /** The file that was being decoded and caused the end. */
  readonly blamed: Work | undefined;
  /** The limit that this file exceeded, if that ended the process. */
  readonly limit: Limit | undefined;
  /** The picture of this file, if the end came while its variants were made. */
  readonly picture: Promise<RenderedImage> | undefined;
  /** The process's other files. */
  readonly others: readonly Work[];
}

export interface ProcessOptions {
  /** Per file, from its start. */
  readonly timeLimitMs: number;
  /** Per file. */
  readonly processorLimitMs: number;
  /** Without work, after which the process ends. */
  readonly idleMs: number;
  /** The script that the process runs. */
  readonly program: string;
  /** The process can take another file. */
  readonly onFree: () => void;
  /** Called once, after all answers. */
  readonly onEnd: (end: DecoderEnd) => void;
}

export function startProcess(options: ProcessOptions): DecoderProcess {
  const { timeLimitMs, processorLimitMs, idleMs, program, onFree, onEnd } = options;
  const scratchFile = openScratchFile();
  const child = spawnWorker(program, scratchFile, processorLimitMs);
  const assigned: Work[] = [];
  const places: (Work | undefined)[] = Array.from({ length: ASSIGNED_MAX });
  // A process may answer once, and only for files that were sent to it.
  const sent = new WeakSet<Work>();
  const answered = new WeakSet<Work>();
  // Those whose variants are being made.
  const pictures = new Map<Work, Promise<RenderedImage>>();
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
    stopped = { work: assigned[0], limit };
    kill();
  }

  function distrust(): void {
    isRogue = true;
    kill();
  }

  function kill(): void {
    child.kill("SIGKILL");
  }

  /** Starts the timer of the first file, which is being decoded. */
  function restartTimer(): void {
    if (assigned.length > 0) killIn(timeLimitMs, { text: `${timeLimitMs} ms`, isOpen: true });
    else {
      killIn(idleMs, undefined);
      // An idle process must not keep the service from exiting.
      timer?.unref();
    }
  }

  function take(event: DecoderEvent): void {
    const work = event.event === "ready" ? undefined : assigned.find(({ id }) => id === event.id);
    const isTrue = event.event === "ready" ? !isReady : work && sent.has(work) && !answered.has(work);
    // The process was taken over: nothing it sends is usable, and it may send forever.
    if (!isTrue) distrust();
    else if (event.event === "ready") {
      isReady = true;
      restartTimer();
      onFree();
    } else if (work) note(work, event);
  }

  function note(work: Work, event: Exclude<DecoderEvent, { event: "ready" }>): void {
    if (event.event === "spent") {
      if (work === assigned[0]) stop({ text: `${processorLimitMs} ms of processor time`, isOpen: false });
      return;
    }
    const place = places.indexOf(work);
    const picture = pictures.get(work);
    if (event.event === "picture") {
      if (picture) {
        distrust();
        return;
      }
      const taken = scratchFile.take(place, event.bytes).then((bytes) => ({ ...event.image, bytes }));
      // Whoever needs the picture reports the error.
      taken.catch(() => {});
      pictures.set(work, taken);
      return;
    }
    answered.add(work);
    if (event.event === "answer") settle(work, () => work.done(event.answer));
    else if (event.event === "failure") settle(work, () => work.failed(new Error(event.message)));
    else if (!picture) distrust();
    else {
      const sizes = event.variants?.map(({ bytes }) => bytes) ?? [];
      Promise.all([picture, scratchFile.takeVariants(place, sizes)]).then(
        ([image, taken]) => {
          const variants =
            event.variants?.map(({ side }, at) => ({ side, bytes: taken[at] ?? Buffer.alloc(0) })) ?? null;
          settle(work, () => work.done({ ...image, variants }));
        },
        (error: Error) => settle(work, () => work.failed(error)),
      );
    }
  }

  /** Ignores a file that has been taken away meanwhile. */
  function settle(work: Work, respond: () => void): void {
    const index = assigned.indexOf(work);
    if (index < 0) return;
    assigned.splice(index, 1);
    places[places.indexOf(work)] = undefined;
    pictures.delete(work);
    if (index === 0) restartTimer();
    respond();
    onFree();
  }

  const { stdin: jobs } = child;
  // A process that failed to start has no pipe; for any other, `close` reports the rest.
  const events = child.stdio?.[EVENTS_FD] as Readable | undefined;
  for (const pipe of [jobs, events]) pipe?.on("error", kill);
  if (events) readEvents(events, take, distrust);

  const end = (cause: string): void => {
    clearTimeout(timer);
    clearTimeout(grace);
    const left = assigned.splice(0);
    const suspect = stopped ? stopped.work : left[0];
    // A file whose answer still came through is not to blame.
    const blamed = suspect && sent.has(suspect) && left.includes(suspect) ? suspect : undefined;
    const others = left.filter((work) => work !== blamed);
    onEnd({
      cause: isRogue ? ROGUE : cause,
      wasReady: isReady,
      isRogue,
      blamed,
      limit: stopped?.limit,
      picture: blamed && !isRogue ? pictures.get(blamed) : undefined,
      others,
    });
  };
  let grace: NodeJS.Timeout | undefined;
  child.once("exit", () => {
    isGone = true;
    // Its child processes may keep the pipes open forever.
    grace = setTimeout(() => {
      jobs?.destroy();
      events?.destroy();
    }, PIPES_KEPT_MS);
  });
  const ended = new Promise<string>((done) => {
    child.once("error", (error) => done(error.message));
    // Not on `exit`: its last messages may still be in transit.
    child.once("close", (code, signal) => done(signal ?? `exit code ${code}`));
  });
  // So may its pictures.
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
    assigned,
    hand(work) {
      const place = places.indexOf(undefined);
      places[place] = work;
      assigned.push(work);
      if (assigned.length === 1) restartTimer();
      const { id, kind, body } = work;
      scratchFile.put(place, body).then(
        () => {
          if (isGone) return;
          sent.add(work);
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
  const args = [...programArguments(program), String(processorLimitMs), String(EVENTS_FD)];
  try {
    return spawn(process.execPath, args, {
      stdio: ["pipe", "ignore", "ignore", "pipe", scratchFile.fd],
      // Hostile files may take over the process, so it gets none of the operator's secrets.
      env: { PATH: process.env.PATH, TMPDIR: process.env.TMPDIR, LC_ALL: "C", ...KEPT_MEMORY },
    });
  } catch (error) {
    void scratchFile.close();
    throw error;
  }
}
