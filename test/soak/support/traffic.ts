/** Requests of many kinds, each at its own rate, which slow answers don't reduce, and their results. */

import { setMaxListeners } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { createRandom, type Random } from "../../support/random.ts";

// Per kind: hanging requests must not pile up without end.
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

/** Results of one kind. */
export interface Tally {
  readonly name: string;
  /** Milliseconds from the first byte sent to the last one read, without requests that `pause` delayed. */
  readonly times: number[];
  count: number;
  readonly labels: Record<string, number>;
  /** Requests that were due while too many of the kind were running. */
  skipped: number;
}

export interface Traffic {
  readonly tallies: readonly Tally[];
  /** At most 20 sentences. */
  readonly faults: readonly string[];
  /** Stalls the service with `act`, which the times must not include. */
  pause<Result>(act: () => Promise<Result>): Promise<Result>;
  /** Stops sending, and waits for running requests. */
  stop(): Promise<void>;
}

/** Starts sending at once; the same seed sends the same requests, as far as they don't depend on answers. */
export function startTraffic(kinds: readonly Kind[], seed: number): Traffic {
  const tallies = kinds.map(({ name }): Tally => ({ name, times: [], count: 0, labels: {}, skipped: 0 }));
  const faults: string[] = [];
  const stopping = new AbortController();
  setMaxListeners(kinds.length, stopping.signal);
  const pauses: Pause[] = [];

  async function sendOne(kind: Kind, tally: Tally, random: Random): Promise<void> {
    const startedAt = performance.now();
    const { label, fault } = await kind.send(random).catch(
      // A fault of these tests, reported as one.
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
