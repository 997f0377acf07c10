/**
 * Sweeps of ranges and whole collections: listed tokens are enqueued in batches, with a cursor, at the lowest priority.
 * The tokens of a minted range become known here, several thousand at a time.
 */

import type { Database, Queryable } from "../../db/database.ts";
import { createFaultIsolation } from "../../jobs/fault-isolation.ts";
import { isFaulty } from "../../jobs/hosts.ts";
import type { Logger } from "../../logging/logger.ts";
import type { MetadataService } from "../../metadata/service.ts";
import { enqueue } from "../queue/queue.ts";
import { foldReceipt } from "../receipts/progress-store.ts";
import { addReceiptTokens } from "../receipts/receipts.ts";
import { type EnqueueMedia, showServed } from "./seen-tokens.ts";
import {
  countUp,
  lockOpen,
  moveOn,
  type OpenSweep,
  oldestOfEach,
  oldestToHide,
  oldestToList,
} from "./sweep-store.ts";

// A sweep of a million tokens keeps this many waiting in the queue, so that it never delays other work.
const QUEUED_MAX = 500;
// Besides those that wait for a paused host, which may be one of several: these delay nobody.
const PAUSED_MAX = 5_000;
// Enqueued in groups: one token at a time costs more than its fetch.
const CAPACITY_MIN = 100;
// How many tokens one step counts.
const COUNTED_MAX = 5_000;
// Then chain triggers get their turn.
const STEPS_MAX = 100;

/** `waiting` while the queue has no capacity for an open one, and soon will. */
export type SweepProgress = "moved" | "waiting" | "idle";

/** How many more tokens of a sweep were counted: `last` if none is left. */
type Counted = "nothing" | "some" | "last";

export interface SweepDeps {
  readonly database: Database;
  readonly metadata: MetadataService;
  readonly media: EnqueueMedia;
  readonly logger: Logger;
}

export function createSweeps({ database, metadata, media, logger }: SweepDeps) {
  const isolation = createFaultIsolation("advance a sweep", logger);
  return {
    /**
     * Advances the oldest open sweep of each collection as far as the queue has capacity, and then the next ones.
     * Counting takes one step per call, since triggers wait meanwhile. A minted range becomes known before its turn has
     * come to be fetched, and one whose mint was reverted is hidden. A sweep that fails keeps no other collection from its
     * turn.
     */
    async advance(): Promise<SweepProgress> {
      let steps = 0;
      let moved = await listMinted();
      let waiting = false;
      let more = true;
      // A page of burned tokens takes long, and triggers wait meanwhile.
      const passed = new Set<string>();
      while (more && steps < STEPS_MAX) {
        const open = await oldestOfEach(database);
        more = false;
        waiting = false;
        for (const { id, chainId, collection } of open.filter((each) => !passed.has(each.id))) {
          steps++;
          const step = await isolation.run({ chain_id: chainId, collection, sweep: id }, async () => {
            const { free, isPaused } = await capacityFor(database, chainId, collection);
            return { isPaused, ...(await database.transaction((tx) => advanceOne(tx, id, free))) };
          });
          if (!step) continue;
          waiting ||= !step.isPaused;
          if (step.hasPassed) passed.add(id);
          more ||= step.hasAsked;
          moved ||= step.hasAsked || step.hasPassed || step.counted === "some";
        }
      }
      return moved ? "moved" : waiting ? "waiting" : "idle";
    },
  };

  /**
   * One step for each collection whose oldest sweep isn't the one that makes a range known, and one for each that hides a
   * range; true if any was made, since another may follow.
   */
  async function listMinted(): Promise<boolean> {
    const toList = await oldestToList(database);
    const toHide = await oldestToHide(database);
    const turns = new Set(toList.length === 0 ? [] : (await oldestOfEach(database)).map(({ id }) => id));
    const others = toList.filter(({ id }) => !turns.has(id));
    let isMade = false;
    for (const { id, chainId, collection } of [...others, ...toHide]) {
      const step = await isolation.run({ chain_id: chainId, collection, sweep: id }, () =>
        database.transaction((tx) => advanceOne(tx, id, 0)),
      );
      isMade ||= step !== undefined && step.counted !== "nothing";
    }
    return isMade;
  }

  async function advanceOne(
    tx: Queryable,
    id: string,
    free: number,
  ): Promise<{ readonly hasAsked: boolean; readonly hasPassed: boolean; readonly counted: Counted }> {
    const sweep = await lockOpen(tx, id);
    if (!sweep) return { hasAsked: false, hasPassed: false, counted: "nothing" };
    const counting = sweep.minted ? undefined : await countOn(tx, metadata, sweep);
    const hasCapacity = free >= CAPACITY_MIN;
    if (counting !== undefined) {
      const hasPassed = hasCapacity && (await enqueueTokens(tx, sweep, free)) === "passed";
      return { hasAsked: hasCapacity && !hasPassed, hasPassed, counted: counting };
    }
    const last = sweep.counted;
    const end =
      hasCapacity && last !== null
        ? await enqueueTokens(tx, { ...sweep, to: last }, free, last === sweep.to)
        : "nothing";
    // After the queue rows, in the order of a worker that records a fetch.
    return {
      hasAsked: end === "asked",
      hasPassed: end === "passed",
      counted: await (sweep.block > 0 ? addOn : hideOn)(tx, sweep),
    };
  }

  /** Makes more tokens of a minted range known. */
  async function addOn(
    tx: Queryable,
    { id, chainId, collection, from, to, block, counted }: OpenSweep,
  ): Promise<Counted> {
    if (counted === to) return "nothing";
    const first = counted === null ? BigInt(from) : BigInt(counted) + 1n;
    const last = [first + BigInt(COUNTED_MAX) - 1n, BigInt(to)].reduce((a, b) => (a < b ? a : b));
    const tokens = new Map<string, number>();
    for (let tokenId = first; tokenId <= last; tokenId++) tokens.set(String(tokenId), block);
    const seen = await metadata.addKnownTokens(tx, chainId, collection, tokens);
    await showServed(tx, { metadata, media }, chainId, new Map([[collection, seen]]));
    await countUp(tx, id, tokens.size, String(last));
    return String(last) === to ? "last" : "some";
  }

  /** Hides more tokens of a range whose mint was reverted; nothing while the index can't say which. */
  async function hideOn(tx: Queryable, sweep: OpenSweep): Promise<Counted> {
    const { id, chainId, collection, to, counted } = sweep;
    if (counted === to || !(await metadata.mayKnowUntransferred(tx, chainId))) return "nothing";
    const tokenIds = await metadata.knownInRange(tx, sweep, counted, COUNTED_MAX);
    const gone = await metadata.findUntransferred(tx, chainId, collection, tokenIds);
    // The index may have stopped while a token's row was locked.
    if (!(await metadata.hideReverted(tx, { chainId, collection, tokenIds: gone }))) return "nothing";
    const isAll = tokenIds.length < COUNTED_MAX;
    await countUp(tx, id, tokenIds.length - gone.length, isAll ? to : tokenIds.at(-1));
    return isAll ? "last" : "some";
  }

  /**
   * `passed`: it passed a page of tokens that are burned but for a few, and takes one such step per call. `isWhole` unless
   * more tokens of the sweep will become known.
   */
  async function enqueueTokens(
    tx: Queryable,
    sweep: OpenSweep,
    free: number,
    isWhole = true,
  ): Promise<"asked" | "passed" | "nothing"> {
    const { id, chainId, collection, receiptId, accept, isBySample, isByChain } = sweep;
    const rechecks = isByChain || (receiptId === null && !isBySample);
    const { tokenIds, end } = await metadata.listedInRange(tx, sweep, sweep.cursor, free);
    const isFinished = isWhole && end === null;
    const passed = end ?? tokenIds.at(-1);
    const unread = async (ids: readonly string[]): Promise<ReadonlyMap<string, number>> => {
      const all = new Map(ids.map((tokenId) => [tokenId, sweep.block]));
      return sweep.skipRead ? metadata.notReadSince(tx, chainId, collection, all) : all;
    };
    const tokens = await unread(tokenIds);
    // Counted nowhere: none of them is read unless a reorg removes its burn.
    const burned = await unread(await burnedBetween(tx, sweep, isFinished ? sweep.to : passed));
    if (receiptId !== null) await foldReceipt(tx, receiptId);
    const marks =
      tokens.size + burned.size > 0
        ? await enqueue(tx, {
            chainId,
            collection,
            tokens: new Map([...tokens, ...burned]),
            trigger: "sweep",
            accept,
            rechecks,
          })
        : undefined;
    if (receiptId !== null) {
      const entries = [...tokens.keys()].map((tokenId) => ({ tokenId, mark: marks?.get(tokenId) }));
      await addReceiptTokens(tx, { id: receiptId, chainId, collection, tokens: entries }, sweep.passed);
    }
    await moveOn(tx, id, {
      cursor: passed ?? null,
      asked: tokens.size,
      passed: tokenIds.length,
      isFinished,
    });
    if (end !== null && tokenIds.length < free) return "passed";
    return tokenIds.length > 0 ? "asked" : "nothing";
  }

  /** Tokens that a sweep skips though a reorg may remove their burns: up to `to`, and those of one step at most. */
  async function burnedBetween(
    tx: Queryable,
    sweep: OpenSweep,
    to: string | undefined,
  ): Promise<readonly string[]> {
    if (to === undefined) return [];
    return metadata.burnedLatelyInRange(tx, { ...sweep, to }, sweep.cursor, COUNTED_MAX);
  }
}

/** Counts more of the tokens of a sweep, which must be locked. */
export async function countOn(
  tx: Queryable,
  metadata: Pick<MetadataService, "listedInRange">,
  sweep: Pick<OpenSweep, "id" | "chainId" | "collection" | "from" | "to" | "counted">,
): Promise<Counted> {
  if (sweep.counted === sweep.to) return "nothing";
  const { tokenIds, end } = await metadata.listedInRange(tx, sweep, sweep.counted, COUNTED_MAX);
  await countUp(tx, sweep.id, tokenIds.length, end ?? sweep.to);
  return end === null ? "last" : "some";
}

/** How many more tokens of the collection's sweeps may wait in the queue. `isPaused`: paused hosts are why there are none. */
async function capacityFor(
  database: Database,
  chainId: string,
  collection: string,
): Promise<{ readonly free: number; readonly isPaused: boolean }> {
  const [row] = await database.query<{ due: number; paused: number }>(
    `select count(*) filter (where not "isPaused")::int as due, count(*) filter (where "isPaused")::int as paused
       from (select ${isFaulty("r.host")} as "isPaused" from vitrine.refresh r
              where chain_id = $1 and collection = $2 and wanted > done and lease is null and trigger = 'sweep') r`,
    [chainId, collection],
    "capacity for sweep",
  );
  const { due = 0, paused = 0 } = row ?? {};
  const whilePaused = PAUSED_MAX - paused;
  return { free: Math.min(QUEUED_MAX - due, whilePaused), isPaused: whilePaused < CAPACITY_MIN };
}

export type Sweeps = ReturnType<typeof createSweeps>;
