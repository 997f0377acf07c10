/** Decodes images and videos in separate processes: bounded in number, in time, and in queued files. */

import { fileURLToPath } from "node:url";
import { DECODE_PROCESSOR_MS, MEDIA_BYTES_MAX } from "../checks/limits.ts";
import { refuse } from "../checks/reasons.ts";
import { sniff } from "../checks/sniff.ts";
import type { Decoded, Job } from "./decoder-messages.ts";
import {
  ASSIGNED_MAX,
  type DecoderEnd,
  type DecoderProcess,
  startProcess,
  type Work,
} from "./decoder-process.ts";

// The indexer has priority, so a file may have to wait for its processor time.
const TIME_LIMIT_MS = 60_000;
const WAITING_MAX = 64;
// A start takes a fifth of a second, twice that from source, and a process takes 130 MB.
const IDLE_MS = 60_000;
const TRIES = 2;
// What prevents a second process, such as too little memory, may last.
const START_PAUSE_MS = 5_000;
const PROGRAM = fileURLToPath(new URL("./image-worker.ts", import.meta.url));
const CLOSED = "the decoder is closed";

export interface Decoder {
  /**
   * The decoded content, or why it is refused. A process that dies on a file is replaced and the file retried once; a
   * file that takes too long, or kills again, is refused. An image whose variants do either is answered without
   * them. Rejects if no process can be started, the disk is full, too many files wait, or the decoder is closed:
   * none is the file's fault. `body` is at most MEDIA_BYTES_MAX.
   */
  decode(kind: Job["kind"], body: Buffer): Promise<Decoded>;
  /** The ids of the ready processes. */
  pids(): readonly number[];
  close(): Promise<void>;
}

export interface DecoderOptions {
  /** Concurrent processes. */
  readonly processes: number;
  readonly timeLimitMs?: number;
  readonly processorLimitMs?: number;
  readonly idleMs?: number;
  /** The script to run instead of our own. */
  readonly program?: string;
  /** Called for each process that died or was killed on a file, or could not be started. */
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

  /** Assigns queued files: to idle processes, to new ones, and only then to busy ones. */
  function dispatch(): void {
    assign(({ assigned }) => assigned.length === 0);
    const starting = [...running].filter(({ isReady }) => !isReady).length;
    // Without any process nobody would call this again: whoever waits for a file hands over no other one meanwhile.
    const isDue = running.size === 0 || performance.now() >= startAgainAt;
    const mayStart = running.size < processes && !isClosed && isDue;
    if (waiting.length > starting && mayStart) start();
    else if (starting === 0)
      assign(
        ({ assigned }) => assigned.length < ASSIGNED_MAX && !assigned.some(({ mayTakeLong }) => mayTakeLong),
      );
  }

  /** Those with the fewest files go first, so that none runs out while another has files queued. */
  function assign(mayTake: (process: DecoderProcess) => boolean): void {
    for (;;) {
      const takers = [...running].filter((each) => each.isReady && mayTake(each));
      const [first] = takers.sort((a, b) => a.assigned.length - b.assigned.length);
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

  /** The queued files are not to blame, and stay for another process if there is one. */
  function failToStart(cause: string): void {
    onLoss(`it can't be started (${cause})`);
    if ([...running].some(({ isReady }) => isReady)) startAgainAt = performance.now() + START_PAUSE_MS;
    else giveUp(waiting.splice(0), `the decoder can't be started (${cause})`);
  }

  /** Decides on the files of a process that has ended. */
  function settle({ cause, wasReady, isRogue, blamed, limit, picture, others }: DecoderEnd): void {
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
    if (picture) {
      // What ended it once may end it again: only a busy machine, or an end of unknown cause, is worth another attempt.
      const variants = limit && !limit.isOpen ? [] : null;
      picture.then((image) => blamed.done({ ...image, variants }), blamed.failed);
      return;
    }
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
