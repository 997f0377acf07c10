/** Decodes images and videos in processes of their own: bounded in number, in time, and in what waits for them. */

import type { Decoded, Job } from "./decoder-messages.ts";
import {
  type DecoderEnd,
  type DecoderProcess,
  HELD_MAX,
  startProcess,
  type Work,
} from "./decoder-process.ts";
import { DECODE_PROCESSOR_MS, MEDIA_BYTES_MAX } from "./limits.ts";
import { refuse } from "./reasons.ts";
import { sniff } from "./sniff.ts";

// The indexer goes first, so a file may have to wait for its processor time.
const TIME_LIMIT_MS = 60_000;
const WAITING_MAX = 64;
// A start takes half a second, and a process holds 130 MB.
const IDLE_MS = 60_000;
const TRIES = 2;
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
  /** Told of each process that died or was ended under a file. */
  readonly onLoss?: (cause: string) => void;
}

export function createDecoder(options: DecoderOptions): Decoder {
  const { processes, timeLimitMs = TIME_LIMIT_MS, processorLimitMs = DECODE_PROCESSOR_MS } = options;
  const { idleMs = IDLE_MS, onLoss = () => {} } = options;
  const running = new Set<DecoderProcess>();
  const waiting: Work[] = [];
  let isClosed = false;
  let ids = 0;

  /** Hands out what waits: to processes without work, to new ones, and only then to those that are busy. */
  function dispatch(): void {
    handOut(({ held }) => held.length === 0);
    const starting = [...running].filter(({ isReady }) => !isReady).length;
    if (waiting.length > starting && running.size < processes && !isClosed) start();
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
        onFree: dispatch,
        onEnd(end) {
          running.delete(each);
          settle(end);
          // Another start might fail as well, and as soon.
          if (end.wasReady) dispatch();
        },
      });
      running.add(each);
    } catch (error) {
      failToStart((error as Error).message);
    }
  }

  /** What waits is not to blame, and waits on while there is another process for it. */
  function failToStart(cause: string): void {
    if (![...running].some(({ isReady }) => isReady))
      giveUp(waiting.splice(0), `the decoder can't be started (${cause})`);
  }

  /** What becomes of the work of a process that has ended. */
  function settle({ cause, wasReady, blamed, limit, others }: DecoderEnd): void {
    if (isClosed) {
      giveUp([...others, ...(blamed ? [blamed] : [])], CLOSED);
      return;
    }
    if (!wasReady) {
      failToStart(cause);
      return;
    }
    waiting.unshift(...others);
    if (!blamed) return;
    blamed.losses++;
    onLoss(limit === undefined ? cause : "time limit");
    const code = `${blamed.kind}_undecodable` as const;
    if (limit !== undefined) blamed.done(refuse(code, `decoding took over ${limit}`));
    else if (blamed.losses >= TRIES) blamed.done(refuse(code, `decoding ended the decoder ${TRIES} times`));
    else waiting.unshift(blamed);
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
