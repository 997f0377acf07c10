/** Decodes images and videos in processes of their own: bounded in number, in time, and in what waits for them. */

import { fileURLToPath } from "node:url";
import { DECODE_PROCESSOR_MS, MEDIA_BYTES_MAX } from "../checks/limits.ts";
import { refuse } from "../checks/reasons.ts";
import { sniff } from "../checks/sniff.ts";
import type { Decoded, Job } from "./decoder-messages.ts";
import {
  type DecoderEnd,
  type DecoderProcess,
  HELD_MAX,
  startProcess,
  type Work,
} from "./decoder-process.ts";

// The indexer goes first, so a file may have to wait for its processor time.
const TIME_LIMIT_MS = 60_000;
const WAITING_MAX = 64;
// A start takes half a second, and a process holds 130 MB.
const IDLE_MS = 60_000;
const TRIES = 2;
// What keeps a second process from starting, such as too little memory, may last.
const START_PAUSE_MS = 5_000;
const PROGRAM = fileURLToPath(new URL("./image-worker.ts", import.meta.url));
const CLOSED = "the decoder is closed";

export interface Decoder {
  /**
   * What the content is, or why it is refused. A process that dies under a file is replaced and the file tried once more;
   * a file that takes too long, or kills again, is refused. Rejects when no process can be started, the disk is full,
   * too much waits, or the decoder is closed: that is no fault of the file. At most MEDIA_BYTES_MAX.
   */
  decode(kind: Job["kind"], body: Buffer): Promise<Decoded>;
  /** The ids of the processes that are ready. */
  pids(): readonly number[];
  close(): Promise<void>;
}

export interface DecoderOptions {
  /** Processes at once. */
  readonly processes: number;
  readonly timeLimitMs?: number;
  readonly processorLimitMs?: number;
  readonly idleMs?: number;
  /** The script that they run, in place of our own. */
  readonly program?: string;
  /** Told of each process that died or was ended under a file, or could not be started. */
  readonly onLoss?: (cause: string) => void;
}

export function createDecoder(options: DecoderOptions): Decoder {
  const { processes, timeLimitMs = TIME_LIMIT_MS, processorLimitMs = DECODE_PROCESSOR_MS } = options;
  const { idleMs = IDLE_MS, program = PROGRAM, onLoss = () => {} } = options;
  const running = new Set<DecoderProcess>();
  const waiting: Work[] = [];
  let isClosed = false;
  let startAgainAt = 0;
  let ids = 0;

  /** Hands out what waits: to processes without work, to new ones, and only then to those that are busy. */
  function dispatch(): void {
    handOut(({ held }) => held.length === 0);
    const starting = [...running].filter(({ isReady }) => !isReady).length;
    const mayStart = running.size < processes && !isClosed && performance.now() >= startAgainAt;
    if (waiting.length > starting && mayStart) start();
    else if (starting === 0)
      handOut(({ held }) => held.length < HELD_MAX && !held.some(({ mayTakeLong }) => mayTakeLong));
  }

  /** To those that hold least first, so that none runs dry while another has a file at hand. */
  function handOut(mayTake: (process: DecoderProcess) => boolean): void {
    for (;;) {
      const takers = [...running].filter((each) => each.isReady && mayTake(each));
      const [first] = takers.sort((a, b) => a.held.length - b.held.length);
      const next = first && waiting.shift();
      if (!next) return;
      first.hand(next);
    }
  }

  function start(): void {
    try {
      const each = startProcess({
        timeLimitMs,
        processorLimitMs,
        idleMs,
        program,
        onFree: dispatch,
        onEnd(end) {
          running.delete(each);
          settle(end);
          dispatch();
        },
      });
      running.add(each);
    } catch (error) {
      failToStart((error as Error).message);
    }
  }

  /** What waits is not to blame, and is left to another process while there is one. */
  function failToStart(cause: string): void {
    onLoss(`it can't be started (${cause})`);
    if ([...running].some(({ isReady }) => isReady)) startAgainAt = performance.now() + START_PAUSE_MS;
    else giveUp(waiting.splice(0), `the decoder can't be started (${cause})`);
  }

  /** What becomes of the work of a process that has ended. */
  function settle({ cause, wasReady, isRogue, blamed, limit, others }: DecoderEnd): void {
    if (isClosed) {
      giveUp([...others, ...(blamed ? [blamed] : [])], CLOSED);
      return;
    }
    if (!wasReady) {
      failToStart(cause);
      return;
    }
    waiting.unshift(...others);
    if (blamed || isRogue) onLoss(limit === undefined ? cause : "time limit");
    if (!blamed) return;
    blamed.losses++;
    const code = `${blamed.kind}_undecodable` as const;
    if (limit) blamed.done({ ...refuse(code, `decoding took over ${limit.text}`), isOpen: limit.isOpen });
    else if (blamed.losses < TRIES) waiting.unshift(blamed);
    else blamed.done({ ...refuse(code, `decoding ended the decoder ${TRIES} times`), isOpen: true });
  }

  return {
    decode: (kind, body) =>
      new Promise((done, failed) => {
        if (isClosed) return failed(new Error(CLOSED));
        if (body.length > MEDIA_BYTES_MAX) return failed(new Error(`${body.length} bytes are more than fit`));
        if (waiting.length >= WAITING_MAX) return failed(new Error(`${WAITING_MAX} files wait already`));
        const id = ++ids;
        waiting.push({ id, kind, body, done, failed, mayTakeLong: sniff(body) === "GIF", losses: 0 });
        dispatch();
      }),

    pids: () => [...running].flatMap(({ pid, isReady }) => (isReady ? (pid ?? []) : [])),

    async close() {
      isClosed = true;
      giveUp(waiting.splice(0), CLOSED);
      await Promise.all([...running].map((each) => each.kill()));
    },
  };
}

function giveUp(works: readonly Work[], why: string): void {
  for (const { failed } of works) failed(new Error(why));
}
