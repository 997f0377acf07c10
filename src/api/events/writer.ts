/**
 * Writes the stream by set difference: the index and the metadata against what was published. Every process tries, and
 * one at a time has the turn, so ids have no gaps and nothing is published twice.
 */

import type { ChainTables } from "../chain/index/tables.ts";
import type { Database, Queryable } from "../db/database.ts";
import { takeTurn } from "../db/turn.ts";
import {
  appendDue,
  appendLocks,
  appendReverted,
  noteProgress,
  readDifference,
  readFeed,
  startFeed,
} from "./feed-store.ts";

const BATCH_ROWS = 4_000;

export interface EventWriterDeps {
  readonly database: Database;
  readonly tables: ChainTables;
  /** Addresses by chain; a chain without any has no locks to publish. */
  readonly collections: ReadonlyMap<number, readonly string[]>;
}

export interface EventWriter {
  /** Publishes one batch of what waits of metadata. True if more is waiting. */
  writeDue(): Promise<boolean>;
  /**
   * Publishes one batch of locks of each chain: to compare them costs the same whether or not any changed, and they change
   * with the chain index only. True if more is waiting.
   */
  writeLocks(): Promise<boolean>;
}

export function createEventWriter({ database, tables, collections }: EventWriterDeps): EventWriter {
  return {
    writeDue: () => database.transaction(publishDue),
    async writeLocks() {
      let isMore = false;
      for (const [chainId, addresses] of collections) {
        const isChainMore = await database.transaction((tx) => publishLocks(tx, chainId, addresses));
        isMore = isChainMore || isMore;
      }
      return isMore;
    },
  };

  async function publishLocks(
    tx: Queryable,
    chainId: number,
    addresses: readonly string[],
  ): Promise<boolean> {
    if (!(await takeTurn(tx, `events chain ${chainId}`))) return false;
    let feed = await readFeed(tx, tables, chainId);
    if (!feed) {
      await startFeed(tx, tables, chainId);
      feed = await readFeed(tx, tables, chainId);
    }
    // Two indexes of one chain, as while a new one is built, would revert each other's newest events.
    if (!feed || (feed.schema !== tables.schema && !feed.isOver)) return false;

    const difference = await readDifference(tx, tables, {
      chainId,
      handled: feed.handled,
      collections: addresses,
      limit: BATCH_ROWS,
    });
    if (!difference) return false;
    const { gone, fresh, latest, settled, last } = difference;
    await appendReverted(tx, gone, latest);
    await appendLocks(tx, chainId, fresh, settled);
    const handled = last !== null && last < settled ? last : settled;
    await noteProgress(tx, tables, { chainId, handled, latest });
    return last !== null;
  }
}

async function publishDue(tx: Queryable): Promise<boolean> {
  if (!(await takeTurn(tx, "events metadata"))) return false;
  return (await appendDue(tx, BATCH_ROWS)) === BATCH_ROWS;
}
