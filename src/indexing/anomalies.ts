/** What a collection's logs said and the index could not take in full, counted per kind. */

import type { Context } from "ponder:registry";
import { indexAnomaly } from "ponder:schema";
import { type ChainEvent, collectionKey } from "./event-row.ts";

export type AnomalyKind = (typeof indexAnomaly.$inferInsert)["kind"];

const COUNT_MAX = 2 ** 31 - 1;

/**
 * Counts an anomaly of the event's collection. `detail` is kept of the first of each kind, with its block, transaction
 * and log; of later ones, the count and the last block. Never throws for what a log holds.
 */
export async function recordAnomaly(
  event: ChainEvent,
  context: Context,
  kind: AnomalyKind,
  detail: string,
): Promise<void> {
  const { number, timestamp } = event.block;
  await context.db
    .insert(indexAnomaly)
    .values({
      ...collectionKey(event, context),
      kind,
      count: 1,
      firstBlock: number,
      lastBlock: number,
      detail,
      blockTimestamp: timestamp,
      transactionHash: event.transaction.hash,
      logIndex: event.log.logIndex,
    })
    .onConflictDoUpdate((row) => ({ count: Math.min(row.count + 1, COUNT_MAX), lastBlock: number }));
}
