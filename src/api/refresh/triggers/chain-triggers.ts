/**
 * Turns chain triggers into queue work by set difference: the rows of the chain index without those already handled. A
 * trigger that a reorg removed is found the same way, so a reorg may cost an extra refresh and never loses one.
 */

import { ready } from "../../chain/index/index-trust.ts";
import type { ChainTables } from "../../chain/index/tables.ts";
import type { Database, Queryable } from "../../db/database.ts";
import { takeTurn } from "../../db/turn.ts";
import { createFaultIsolation } from "../../jobs/fault-isolation.ts";
import type { Logger } from "../../logging/logger.ts";
import type { MetadataService } from "../../metadata/service.ts";
import { type EnqueueRequest, enqueueTogether } from "../queue/queue.ts";
import { addChainSweep } from "./chain-sweeps.ts";
import { addSweep, endMintSweep } from "./new-sweeps.ts";
import { type EnqueueMedia, showServed } from "./seen-tokens.ts";
import {
  type Batch,
  group,
  namesTokens,
  newestNotEnqueued,
  type TriggerRow,
  triggerOf,
} from "./trigger-batches.ts";
import {
  BATCH_ROWS,
  forget,
  forgetCompared,
  moveCursor,
  type Progress,
  readNew,
  readProgress,
  remember,
  takeGone,
} from "./trigger-store.ts";

// An index that catches up passes a block far sooner.
const STANDING_MS = 5_000;
// Above every id.
const ALL = "9".repeat(75);

export interface ChainTriggerDeps {
  readonly database: Database;
  readonly tables: ChainTables;
  readonly metadata: MetadataService;
  readonly media: EnqueueMedia;
  readonly logger: Logger;
  readonly now?: () => number;
}

export interface Handled {
  /** Another batch is waiting. */
  readonly isMore: boolean;
  /** The chain index is still being built. */
  readonly isBackfill: boolean;
}

export function createChainTriggers(deps: ChainTriggerDeps) {
  const { database, tables, metadata, media, logger, now = () => performance.now() } = deps;
  const isolation = createFaultIsolation("handle a chain's triggers", logger);
  const behind = new Map<number, { readonly latest: string; readonly since: number }>();
  // The chains of which this process has handled a batch.
  const begun = new Set<number>();
  return {
    /**
     * Handles one batch per chain. Processes take turns per chain; one that finds another at work leaves the batch to it. A
     * chain that fails keeps no other from its turn.
     */
    async handleBatch(): Promise<Handled> {
      const chains = await database.query<{ chainId: string; isBackfill: boolean }>(
        `select chain_id as "chainId", not ${ready(tables)} as "isBackfill" from ${tables.checkpoint}`,
      );
      let isMore = false;
      for (const chain of chains) {
        const chainId = Number(chain.chainId);
        isMore = (await isolation.run({ chain_id: chainId }, () => handle(chainId))) || isMore;
      }
      return { isMore, isBackfill: chains.some(({ isBackfill }) => isBackfill) };
    },
  };

  /** Whether another batch of the chain is waiting. */
  async function handle(chainId: number): Promise<boolean> {
    const { isMore, isMine } = await database.transaction((tx) => handleChain(tx, chainId));
    if (isMine) begun.add(chainId);
    return isMore;
  }

  async function handleChain(
    tx: Queryable,
    chainId: number,
  ): Promise<{ readonly isMore: boolean; readonly isMine: boolean }> {
    if (!(await takeTurn(tx, `triggers ${tables.schema} ${chainId}`)))
      return { isMore: false, isMine: false };
    // The index may have been built again, from an endpoint that answers better.
    if (!begun.has(chainId)) await forgetCompared(tx, tables, chainId);

    const progress = await readProgress(tx, tables, chainId);
    const { settled, wasCompared } = progress;
    const upTo = comparableUpTo(chainId, progress);
    const gone = upTo === undefined ? [] : await takeGone(tx, tables, chainId, upTo);
    const fresh = await readNew(tx, tables, chainId);
    await enqueueBatches(
      tx,
      chainId,
      group(gone, () => "reorg"),
    );
    const seen = await enqueueBatches(tx, chainId, group(fresh.filter(namesTokens), triggerOf));
    await hideReverted(tx, chainId, fresh);
    // In the order of a worker that records fetches: tokens first.
    await showServed(tx, { metadata, media }, chainId, seen);
    // A full batch ends at its last row: later rows were not read.
    const last = fresh.length === BATCH_ROWS ? fresh.at(-1)?.id : undefined;
    // A trigger that was read while the newest one before it was gone may hide that one from now on.
    const isInOrder = fresh.every((row) => row.isInOrder);
    const isCompared = (wasCompared || (upTo === ALL && last === undefined)) && isInOrder;
    const handled = last !== undefined && last < settled ? last : settled;
    await Promise.all([
      remember(
        tx,
        tables,
        chainId,
        fresh.filter(({ id }) => id > settled),
      ),
      moveCursor(tx, tables, chainId, handled, isCompared),
      // While Ponder's backfill runs, rows settle that were not compared since the restart.
      upTo === ALL && forget(tx, tables, chainId, handled),
    ]);
    return { isMore: last !== undefined, isMine: true };
  }

  /**
   * The highest id of handled triggers that were reverted if the index lacks them; undefined while none may be compared.
   * After a restart Ponder removes the rows of the last blocks and indexes them again; until the index has caught up,
   * missing rows are no reorg. If the index stands still, the chain itself is shorter now. But after a restart the node may
   * be away or behind: then only what is missing before its newest block was reverted.
   */
  function comparableUpTo(chainId: number, progress: Progress): string | undefined {
    const { latest, mark, isWhole, hasFollowed } = progress;
    if (!isWhole) return undefined;
    if (latest >= mark) return ALL;
    const before = behind.get(chainId);
    if (before?.latest !== latest) behind.set(chainId, { latest, since: now() });
    if (before?.latest !== latest || now() - before.since < STANDING_MS) return undefined;
    if (mark.length === latest.length) return ALL;
    return hasFollowed ? latest : undefined;
  }

  /** Returns the tokens whose traits must be learned, by collection: those listed from now on that were read before. */
  async function enqueueBatches(
    tx: Queryable,
    chainId: number,
    batches: readonly Batch[],
  ): Promise<ReadonlyMap<string, readonly string[]>> {
    const requests: EnqueueRequest[] = [];
    for (const { collection, trigger, isOld, tokens, newest } of batches) {
      // A document read before its token's transfer was indexed is shown from now on, and need not be read again.
      const requested =
        isOld || trigger === "mint"
          ? await metadata.notReadSince(tx, chainId, collection, tokens, !isOld)
          : tokens;
      requests.push({ chainId, collection, tokens: newestNotEnqueued(requested, newest), trigger });
    }
    await enqueueTogether(tx, requests);
    // After the queue rows, in the order of a worker that records a fetch: the opposite order deadlocks.
    const seen = new Map<string, readonly string[]>();
    for (const batch of batches) {
      const { collection, trigger, tokens } = batch;
      if (trigger === "mint") {
        const tokenIds = await metadata.addKnownTokens(tx, chainId, collection, tokens);
        seen.set(collection, [...(seen.get(collection) ?? []), ...tokenIds]);
      }
      if (trigger === "reorg")
        await metadata.hideReverted(tx, { chainId, collection, tokenIds: [...tokens.keys()] });
      await addSweeps(tx, chainId, batch);
    }
    return seen;
  }

  async function addSweeps(tx: Queryable, chainId: number, batch: Batch): Promise<void> {
    const { collection, trigger, isOld, ranges } = batch;
    for (const range of ranges) {
      const minted = range.source === "mint";
      const block = trigger === "reorg" ? 0 : Number(range.block);
      // A minted range is listed before its turn, so that earlier sweeps may have come past its tokens.
      const skipRead = isOld || (minted && block > 0);
      const sweep = { chainId, collection, from: range.from, to: range.to, skipRead, minted, block };
      if (minted && trigger === "reorg") await endMintSweep(tx, sweep);
      // A re-index reads what it finds unread, and announces nothing.
      if (range.scope === "collection" && !isOld) await addChainSweep(tx, sweep);
      else await addSweep(tx, sweep);
    }
  }

  /** Hides ids that turned out not to be tokens; neither a contract nor a host has to be asked. */
  async function hideReverted(tx: Queryable, chainId: number, fresh: readonly TriggerRow[]): Promise<void> {
    for (const { collection, from } of fresh.filter((row) => !namesTokens(row))) {
      await metadata.hideReverted(tx, { chainId, collection, tokenIds: [from], isCertain: true });
    }
  }
}

export type ChainTriggers = ReturnType<typeof createChainTriggers>;
