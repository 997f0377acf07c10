/** Logs that the handlers could not apply in full, counted per collection and kind. */

import type { Context } from "ponder:registry";
import { indexAnomaly } from "ponder:schema";
import { countIndexed } from "../domain/token-logs.ts";
import { type ChainEvent, collectionKey } from "./event-row.ts";

export type AnomalyKind = (typeof indexAnomaly.$inferInsert)["kind"];

const COUNT_MAX = 2 ** 31 - 1;

/**
 * Counts an anomaly of the event's collection. Stores `detail`, block, transaction and log index for the first of each
 * kind; later ones only update the count and the last block. Never throws, whatever the log contains.
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

/** Describes a log that can't be decoded. */
export function unreadable(name: string, { log }: ChainEvent): string {
  const bytes = Math.max(0, (log.data.length - 2) / 2);
  return `a ${name} log with ${countIndexed(log)} indexed arguments and ${bytes} bytes of data can't be read`;
}
