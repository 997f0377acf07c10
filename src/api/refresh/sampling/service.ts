/** Samples each collection once per RESAMPLE_HOURS, by one of all the processes that share the database. */

import type { Registry } from "prom-client";
import type { IndexHeads } from "../../chain/index/index-heads.ts";
import { createSamplingMetrics } from "./metrics.ts";
import { createRounds, type RoundDeps } from "./rounds.ts";
import { addSampled, claimRound, findOpenRounds, findUnsampled } from "./store.ts";

const POLL_MS_MAX = 10_000;
const POLL_MS_MIN = 250;
// A round is noticed to be due, and a collection to have its first document, within this share of the time between rounds.
const NOTICE_SHARE = 1 / 36;
// A collection may begin its round so much later than it is due, to be out of others' way.
const SPACING_MS_MAX = 60_000;
const SECONDS_PER_HOUR = 3_600;

export interface SamplingDeps extends Omit<RoundDeps, "seconds" | "metrics"> {
  readonly heads: IndexHeads;
  /** Those of the configuration. */
  readonly collections: readonly { readonly chainId: number; readonly address: string }[];
  /** From one round of a collection to the next; 0 turns sampling off. */
  readonly hours: number;
  /** False where this process leaves the queue to others. */
  readonly isOn: boolean;
  /** None are kept without it. */
  readonly registry?: Registry | undefined;
}

export interface Sampling {
  /** Looks once: rounds whose documents have come are gone on with, and what is due is begun. Never rejects. */
  look(): Promise<void>;
  /** Cuts a look short. */
  end(): void;
  /** How long to rest between two looks; undefined where sampling is off in this process. */
  readonly pollMs: number | undefined;
}

/**
 * A collection's first round comes `hours` after its first document was found, and the next ones as long after each other;
 * the rows of the database remember it over restarts. Rounds begin at most twice as often as they fall due, so that
 * collections that are due together are spread. Chains whose index is not ready are left out.
 */
export function createSampling(deps: SamplingDeps): Sampling {
  const { database, metadata, heads, hours, isOn, logger, registry } = deps;
  const collections = deps.collections.map(({ chainId, address }) => ({ chainId, collection: address }));
  if (hours === 0 || !isOn || collections.length === 0)
    return { look: async () => undefined, end: () => undefined, pollMs: undefined };

  const seconds = hours * SECONDS_PER_HOUR;
  const noticeMs = seconds * 1000 * NOTICE_SHARE;
  const spacingMs = Math.min((seconds * 1000) / 2 / collections.length, noticeMs, SPACING_MS_MAX);
  const pollMs = Math.max(Math.min(spacingMs, POLL_MS_MAX), POLL_MS_MIN);
  const rounds = createRounds({
    ...deps,
    seconds,
    ...(registry && { metrics: createSamplingMetrics(registry) }),
  });
  let isStopped = false;
  let logStopped = (): void => undefined;
  const stopped = new Promise<undefined>((resolve) => {
    logStopped = () => resolve(undefined);
  });
  // A node that is away keeps each collection of its chain waiting for as long as it may take to answer.
  const awayUntil = new Map<number, number>();
  let checkedForNewAt = 0;
  let nextRoundAt = 0;

  async function addNew(): Promise<void> {
    if (Date.now() - checkedForNewAt < noticeMs) return;
    checkedForNewAt = Date.now();
    const unsampled = await findUnsampled(database, collections, seconds);
    const served = unsampled.length > 0 ? await metadata.samples.findServed(database, unsampled) : [];
    if (served.length > 0) await addSampled(database, served, seconds);
  }

  async function settleOpen(): Promise<void> {
    for (const open of await findOpenRounds(database, collections)) {
      if (isStopped) return;
      await rounds.settle(open);
    }
  }

  /** Begins what is due; false when nothing is. */
  async function beginNext(): Promise<boolean> {
    const blocks = new Map(
      (await heads.read()).flatMap((head) => (head.ready ? [[head.chainId, head.block]] : [])),
    );
    const ready = collections.filter(
      ({ chainId }) => blocks.has(chainId) && (awayUntil.get(chainId) ?? 0) <= Date.now(),
    );
    const round = await claimRound(database, ready);
    const block = round && blocks.get(round.chainId);
    if (!round || block === undefined) return false;
    const end = await rounds.begin(round, block, stopped);
    if (end === "node_away") awayUntil.set(round.chainId, Date.now() + rounds.postponedSeconds * 1000);
    return true;
  }

  return {
    async look() {
      try {
        await addNew();
        await settleOpen();
        while (!isStopped && Date.now() >= nextRoundAt && (await beginNext())) {
          nextRoundAt = Math.max(nextRoundAt, Date.now() - pollMs) + spacingMs;
        }
      } catch (error) {
        if (!isStopped)
          logger.warn({ msg: "Could not sample collections", reason: (error as Error).message });
      }
    },
    end() {
      isStopped = true;
      logStopped();
    },
    pollMs,
  };
}

/** Looks at once, and again after a rest. */
export function startSampling(deps: SamplingDeps): { stop(): Promise<void> } {
  const { look, end, pollMs } = createSampling(deps);
  let isStopped = false;
  let timer: NodeJS.Timeout | undefined;
  let polling = Promise.resolve();
  const sampleOnce = (): void => {
    polling = look().then(() => {
      if (!isStopped) timer = setTimeout(sampleOnce, pollMs);
    });
  };
  if (pollMs !== undefined) sampleOnce();

  return {
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      end();
      await polling;
    },
  };
}
