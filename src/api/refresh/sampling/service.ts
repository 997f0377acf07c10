/** Samples each collection once per RESAMPLE_HOURS, in one of the processes that share the database. */

import type { Registry } from "prom-client";
import type { ContractRef } from "../../../domain/token-ref.ts";
import type { IndexHeads } from "../../chain/index/index-heads.ts";
import { type PassLoop, startPassLoop } from "../../jobs/pass-loop.ts";
import { createSamplingMetrics } from "./metrics.ts";
import { createRounds, type RoundDeps } from "./rounds.ts";
import { addSampled, claimRound, findOpenRounds, findUnsampled } from "./store.ts";

const POLL_MS_MAX = 10_000;
const POLL_MS_MIN = 250;
// Due rounds, and collections with their first document, are noticed within this share of the interval between rounds.
const NOTICE_SHARE = 1 / 36;
// A collection may start its round this much later than it is due, to avoid the others.
const SPACING_MS_MAX = 60_000;
const SECONDS_PER_HOUR = 3_600;

export interface SamplingDeps extends Omit<RoundDeps, "seconds" | "metrics"> {
  readonly heads: IndexHeads;
  /** The configured collections. */
  readonly collections: readonly ContractRef[];
  /** The interval between rounds of a collection; 0 turns sampling off. */
  readonly hours: number;
  /** False if this process leaves the queue to others. */
  readonly isOn: boolean;
  /** Nothing is counted without it. */
  readonly registry?: Registry | undefined;
}

export interface Sampling {
  /** Continues rounds whose documents have arrived, and starts due ones. An abort cuts it short. */
  pass(signal: AbortSignal): Promise<void>;
  /** The interval between passes. */
  readonly pollMs: number;
}

/**
 * A collection's first round comes `hours` after its first document was found, and the next ones at the same interval;
 * the database remembers it over restarts. Rounds start at most twice as often as they fall due, which spreads
 * collections that are due together. Chains whose index is not ready are left out. Undefined if sampling is off.
 */
export function createSampling(deps: SamplingDeps): Sampling | undefined {
  const { database, metadata, heads, hours, isOn, registry } = deps;
  const collections = deps.collections.map(({ chainId, address }) => ({ chainId, collection: address }));
  if (hours === 0 || !isOn || collections.length === 0) return undefined;

  const seconds = hours * SECONDS_PER_HOUR;
  const noticeMs = seconds * 1000 * NOTICE_SHARE;
  const spacingMs = Math.min((seconds * 1000) / 2 / collections.length, noticeMs, SPACING_MS_MAX);
  const pollMs = Math.max(Math.min(spacingMs, POLL_MS_MAX), POLL_MS_MIN);
  const rounds = createRounds({
    ...deps,
    seconds,
    ...(registry && { metrics: createSamplingMetrics(registry) }),
  });
  // An unreachable node delays each collection of its chain by the time limit of a call.
  const awayUntil = new Map<number, number>();
  let checkedForNewAt = Number.NEGATIVE_INFINITY;
  let nextRoundAt = 0;

  async function addNew(): Promise<void> {
    if (performance.now() - checkedForNewAt < noticeMs) return;
    checkedForNewAt = performance.now();
    const unsampled = await findUnsampled(database, collections, seconds);
    const served = unsampled.length > 0 ? await metadata.samples.findServed(database, unsampled) : [];
    if (served.length > 0) await addSampled(database, served, seconds);
  }

  async function settleOpen(signal: AbortSignal): Promise<void> {
    for (const open of await findOpenRounds(database, collections)) {
      if (signal.aborted) return;
      await rounds.settle(open);
    }
  }

  /** Starts due rounds; false if none is due. */
  async function beginNext(signal: AbortSignal): Promise<boolean> {
    const blocks = new Map(
      (await heads.read()).flatMap((head) => (head.ready ? [[head.chainId, head.block]] : [])),
    );
    const ready = collections.filter(
      ({ chainId }) => blocks.has(chainId) && (awayUntil.get(chainId) ?? 0) <= performance.now(),
    );
    const round = await claimRound(database, ready);
    const block = round && blocks.get(round.chainId);
    if (!round || block === undefined) return false;
    const end = await rounds.begin(round, block, signal);
    if (end === "node_away") awayUntil.set(round.chainId, performance.now() + rounds.postponedSeconds * 1000);
    return true;
  }

  return {
    async pass(signal) {
      await addNew();
      await settleOpen(signal);
      while (!signal.aborted && performance.now() >= nextRoundAt && (await beginNext(signal))) {
        nextRoundAt = Math.max(nextRoundAt, performance.now() - pollMs) + spacingMs;
      }
    },
    pollMs,
  };
}

export function startSampling(deps: SamplingDeps): Pick<PassLoop, "stop"> {
  const sampling = createSampling(deps);
  if (!sampling) return { stop: async () => undefined };
  return startPassLoop({ task: "sample collections", ...sampling, logger: deps.logger });
}
