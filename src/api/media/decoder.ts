/** Decodes images and videos in processes of their own: bounded in number, in time, and in what waits for them. */

import { type ChildProcess, fork } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { Decoded, DecodeJob, DecoderMessage } from "./image-worker.ts";
import { refuse } from "./reasons.ts";

// 500 frames of 500x500 take seven seconds on a core of their own, and the indexer goes first.
const TIME_LIMIT_MS = 60_000;
const START_LIMIT_MS = 30_000;
const WAITING_MAX = 64;
// A start takes half a second, and a process holds 130 MB.
const IDLE_MS = 60_000;
const TRIES = 2;

export interface Decoder {
  /**
   * What the content is, or why it is refused. A process that dies under a file is replaced and the file tried once more;
   * a file that takes too long, or kills again, is refused. Rejects when no process can be started, too much waits, or
   * the decoder is closed: that is no fault of the file.
   */
  decode(kind: DecodeJob["kind"], body: Buffer): Promise<Decoded>;
  /** The ids of the processes that are ready. */
  pids(): readonly number[];
  close(): Promise<void>;
}

export interface DecoderOptions {
  /** Processes at once. */
  readonly processes: number;
  readonly timeLimitMs?: number;
  readonly idleMs?: number;
  /** Told of each process that died or was ended under a file. */
  readonly onLoss?: (cause: string) => void;
}

interface Waiting {
  readonly job: DecodeJob;
  readonly done: (decoded: Decoded) => void;
  readonly failed: (error: Error) => void;
  /** How many processes it has cost. */
  losses: number;
}

interface Process {
  readonly child: ChildProcess;
  isReady: boolean;
  current: Waiting | undefined;
  timer: NodeJS.Timeout | undefined;
  isLate: boolean;
}

export function createDecoder(options: DecoderOptions): Decoder {
  const { processes, timeLimitMs = TIME_LIMIT_MS, idleMs = IDLE_MS, onLoss = () => {} } = options;
  const running = new Set<Process>();
  const waiting: Waiting[] = [];
  let isClosed = false;
  let ids = 0;

  /** Hands out what waits, and starts a process when all are busy. */
  function dispatch(): void {
    for (const each of running) {
      if (!each.isReady || each.current) continue;
      const next = waiting.shift();
      if (!next) return;
      assign(each, next);
    }
    const starting = [...running].filter(({ isReady }) => !isReady).length;
    if (waiting.length > starting && running.size < processes && !isClosed) start();
  }

  function assign(to: Process, work: Waiting): void {
    to.current = work;
    limitTime(to, timeLimitMs);
    to.child.send(work.job, (error) => {
      // The end of the process tells the rest.
      if (error) to.child.kill("SIGKILL");
    });
  }

  function limitTime(of: Process, ms: number): void {
    clearTimeout(of.timer);
    of.timer = setTimeout(() => {
      of.isLate = true;
      of.child.kill("SIGKILL");
    }, ms);
  }

  function rest(each: Process): void {
    clearTimeout(each.timer);
    each.timer = setTimeout(() => each.child.kill("SIGKILL"), idleMs);
    // A process that only waits keeps nobody from ending.
    each.timer.unref();
  }

  function start(): void {
    const each: Process = {
      child: forkWorker(),
      isReady: false,
      current: undefined,
      timer: undefined,
      isLate: false,
    };
    running.add(each);
    limitTime(each, START_LIMIT_MS);
    each.child.on("message", (message: DecoderMessage) => {
      if (message.kind === "ready") each.isReady = true;
      else if (each.current?.job.id === message.id) {
        const { done } = each.current;
        each.current = undefined;
        done(message.decoded);
      }
      rest(each);
      dispatch();
    });
    let hasEnded = false;
    const end = (cause: string): void => {
      if (hasEnded) return;
      hasEnded = true;
      clearTimeout(each.timer);
      running.delete(each);
      settle(each, cause);
      dispatch();
    };
    each.child.once("error", (error) => end(error.message));
    each.child.once("exit", (code, signal) => end(signal ?? `exit code ${code}`));
  }

  /** What becomes of the work of a process that has ended. */
  function settle({ isReady, isLate, current }: Process, cause: string): void {
    if (!isReady) {
      // Nothing was decoded yet, so whatever waits is not to blame.
      for (const each of waiting.splice(0)) each.failed(new Error(`the decoder can't be started (${cause})`));
      return;
    }
    if (!current) return;
    current.losses++;
    onLoss(isLate ? "time limit" : cause);
    const code = `${current.job.kind}_undecodable` as const;
    if (isClosed) current.failed(new Error("the decoder is closed"));
    else if (isLate) current.done(refuse(code, `decoding took over ${timeLimitMs} ms`));
    else if (current.losses >= TRIES) current.done(refuse(code, `decoding ended the decoder ${TRIES} times`));
    else waiting.unshift(current);
  }

  return {
    decode: (kind, body) =>
      new Promise((done, failed) => {
        if (isClosed) return failed(new Error("the decoder is closed"));
        if (waiting.length >= WAITING_MAX) return failed(new Error(`${WAITING_MAX} files wait already`));
        waiting.push({ job: { id: ++ids, kind, body }, done, failed, losses: 0 });
        dispatch();
      }),

    pids: () => [...running].flatMap(({ child, isReady }) => (isReady ? (child.pid ?? []) : [])),

    async close() {
      isClosed = true;
      for (const each of waiting.splice(0)) each.failed(new Error("the decoder is closed"));
      const ends = [...running].map(({ child }) => new Promise((ended) => child.once("exit", ended)));
      for (const { child } of running) child.kill("SIGKILL");
      await Promise.all(ends);
    },
  };
}

function forkWorker(): ChildProcess {
  const script = join(dirname(fileURLToPath(import.meta.url)), "image-worker.ts");
  const tsx = pathToFileURL(createRequire(import.meta.url).resolve("tsx")).href;
  return fork(script, [], {
    execArgv: ["--import", tsx],
    serialization: "advanced",
    stdio: ["ignore", "ignore", "ignore", "ipc"],
    // What strangers' files may take over gets none of the operator's secrets.
    env: { PATH: process.env.PATH, TMPDIR: process.env.TMPDIR, LC_ALL: "C" },
  });
}
