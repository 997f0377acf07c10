/** Requests of many kinds, each at a rate of its own that no answer slows down, and what became of them. */

import { setMaxListeners } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { createRandom, type Random } from "../../fuzz/support/random.ts";

// Of one kind: what hangs must not let requests pile up without end.
const AT_ONCE_MAX = 100;
const FAULTS_MAX = 20;

interface Pause {
  readonly from: number;
  to: number;
}

export interface Outcome {
  /** A status, or a word for a client that doesn't wait for one. */
  readonly label: string;
  /** What is wrong with the answer, if anything is. */
  readonly fault?: string | undefined;
}

export interface Kind {
  readonly name: string;
  readonly perSecond: number;
  send(random: Random): Promise<Outcome>;
}

/** Of one kind. */
export interface Tally {
  readonly name: string;
  /** From the first byte sent to the last one read, in milliseconds; of none that `pause` got in the way of. */
  readonly times: number[];
  count: number;
  readonly labels: Record<string, number>;
  /** Those that were due while too many of the kind were under way. */
  skipped: number;
}

export interface Traffic {
  readonly tallies: readonly Tally[];
  /** Sentences, at most 20. */
  readonly faults: readonly string[];
  /** Makes the service stand still by `act`, which is none of what the times are about. */
  pause<Result>(act: () => Promise<Result>): Promise<Result>;
  /** Sends no more, and waits for what is under way. */
  stop(): Promise<void>;
}

/** Starts to send at once; the same seed sends the same requests, as far as they don't depend on answers. */
export function startTraffic(kinds: readonly Kind[], seed: number): Traffic {
  const tallies = kinds.map(({ name }): Tally => ({ name, times: [], count: 0, labels: {}, skipped: 0 }));
  const faults: string[] = [];
  const stopping = new AbortController();
  setMaxListeners(kinds.length, stopping.signal);
  const pauses: Pause[] = [];

  async function sendOne(kind: Kind, tally: Tally, random: Random): Promise<void> {
    const startedAt = performance.now();
    const { label, fault } = await kind.send(random).catch(
      // A fault of these tests, and told as one.
      (error: Error): Outcome => ({ label: "error", fault: error.stack ?? error.message }),
    );
    const endedAt = performance.now();
    if (!pauses.some(({ from, to }) => startedAt < to && endedAt > from))
      tally.times.push(endedAt - startedAt);
    tally.count++;
    tally.labels[label] = (tally.labels[label] ?? 0) + 1;
    if (fault && faults.length < FAULTS_MAX) faults.push(`${kind.name}: ${fault}`);
  }

  async function run(kind: Kind, index: number): Promise<void> {
    const tally = tallies[index] as Tally;
    const everyMs = 1_000 / kind.perSecond;
    const random = createRandom(seed, index);
    const underWay = new Set<Promise<void>>();
    let dueAt = performance.now() + random.next() * everyMs;
    for (let sent = 0; ; sent++) {
      await sleep(Math.max(0, dueAt - performance.now()), undefined, { signal: stopping.signal }).catch(
        () => undefined,
      );
      if (stopping.signal.aborted) break;
      dueAt += everyMs;
      if (underWay.size >= AT_ONCE_MAX) {
        tally.skipped++;
        continue;
      }
      const work = sendOne(kind, tally, createRandom(seed ^ index, sent)).finally(() =>
        underWay.delete(work),
      );
      underWay.add(work);
    }
    await Promise.all(underWay);
  }
  const running = Promise.all(kinds.map(run));

  return {
    tallies,
    faults,
    async pause(act) {
      const pause = { from: performance.now(), to: Number.POSITIVE_INFINITY };
      pauses.push(pause);
      try {
        return await act();
      } finally {
        pause.to = performance.now();
      }
    },
    async stop() {
      stopping.abort();
      await running;
    },
  };
}
