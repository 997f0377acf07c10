/** One process that decodes: what it has been handed, which file is under way, and how long that may take. */

import { type ChildProcess, fork } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { Decoded, DecodeJob, DecoderMessage } from "./image-worker.ts";

const START_LIMIT_MS = 30_000;
/** The pipe on which the process tells the id of each file that it starts, by a line. */
const STARTS_FD = 3;
// For glibc, which else gives memory back after every image and has it cleared anew for the next one. What is larger than
// a common picture takes is still given back.
const KEPT_MEMORY = {
  MALLOC_ARENA_MAX: "1",
  MALLOC_MMAP_THRESHOLD_: String(4 * 1_048_576),
  MALLOC_TRIM_THRESHOLD_: String(64 * 1_048_576),
};

export interface Work {
  readonly job: DecodeJob;
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
  /** What it was handed and has not answered, the file under way included, in order. */
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
  const child = forkWorker(processorLimitMs);
  const held: Work[] = [];
  let isReady = false;
  let current: Work | undefined;
  let stopped: { readonly work: Work | undefined; readonly limit: string | undefined } | undefined;
  let timer: NodeJS.Timeout | undefined;

  function killIn(ms: number, limit: string | undefined): void {
    clearTimeout(timer);
    timer = setTimeout(() => stop(limit), ms);
  }

  function stop(limit: string | undefined): void {
    stopped = { work: current, limit };
    child.kill("SIGKILL");
  }

  function begin(work: Work): void {
    current = work;
    killIn(timeLimitMs, `${timeLimitMs} ms`);
  }

  function rest(): void {
    current = undefined;
    killIn(idleMs, undefined);
    // A process that only waits keeps nobody from ending.
    timer?.unref();
  }

  function settle(id: number, decoded: Decoded): void {
    const index = held.findIndex(({ job }) => job.id === id);
    const [work] = held.splice(index, index < 0 ? 0 : 1);
    if (work && work === current) {
      const [next] = held;
      if (next) begin(next);
      else rest();
    }
    work?.done(decoded);
  }

  child.on("message", (message: DecoderMessage) => {
    if (message.kind === "spent")
      return current?.job.id === message.id ? stop(`${processorLimitMs} ms of processor time`) : undefined;
    if (message.kind === "ready") {
      isReady = true;
      rest();
    } else settle(message.id, message.decoded);
    onFree();
  });

  const starts = child.stdio[STARTS_FD] as Readable;
  // The end of the process tells the rest.
  starts.on("error", () => {});
  createInterface({ input: starts }).on("line", (id) => {
    // Only onwards: a process that has been taken over is given no more time by saying so again.
    const work = held.slice(current ? held.indexOf(current) + 1 : 0).find(({ job }) => String(job.id) === id);
    if (work) begin(work);
  });

  let hasEnded = false;
  const end = (cause: string): void => {
    if (hasEnded) return;
    hasEnded = true;
    clearTimeout(timer);
    const suspect = stopped ? stopped.work : current;
    // One whose answer came through in the end has done nothing wrong.
    const blamed = suspect && held.includes(suspect) ? suspect : undefined;
    const others = held.filter((work) => work !== blamed);
    onEnd({ cause, wasReady: isReady, blamed, limit: stopped?.limit, others });
  };
  child.once("error", (error) => end(error.message));
  // Not at its exit: what it has said before may still be on the way.
  child.once("close", (code, signal) => end(signal ?? `exit code ${code}`));
  killIn(START_LIMIT_MS, undefined);

  return {
    pid: child.pid,
    get isReady() {
      return isReady;
    },
    held,
    hand(work) {
      held.push(work);
      // Whatever ends it from now on may well be this file.
      if (held.length === 1) begin(work);
      child.send(work.job, (error) => {
        // The end of the process tells the rest.
        if (error) child.kill("SIGKILL");
      });
    },
    kill: () =>
      new Promise((ended) => {
        child.once("close", () => ended());
        child.kill("SIGKILL");
      }),
  };
}

function forkWorker(processorLimitMs: number): ChildProcess {
  const script = join(dirname(fileURLToPath(import.meta.url)), "image-worker.ts");
  const tsx = pathToFileURL(createRequire(import.meta.url).resolve("tsx")).href;
  return fork(script, [String(processorLimitMs), String(STARTS_FD)], {
    execArgv: ["--import", tsx],
    serialization: "advanced",
    stdio: ["ignore", "ignore", "ignore", "pipe", "ipc"],
    // What strangers' files may take over gets none of the operator's secrets.
    env: { PATH: process.env.PATH, TMPDIR: process.env.TMPDIR, LC_ALL: "C", ...KEPT_MEMORY },
  });
}
