/** The event stream: its writer and its subscribers, woken by the database. */

import type { CollectionConfig } from "../../config.ts";
import type { ChainTables } from "../chain/index/tables.ts";
import type { Database } from "../db/database.ts";
import { listen } from "../db/listener.ts";
import { startPassLoop } from "../jobs/pass-loop.ts";
import type { Logger } from "../logging/logger.ts";
import { EVENT_CHANNEL } from "./feed-store.ts";
import type { EventHub } from "./hub.ts";
import { createEventWriter } from "./writer.ts";

// A reverted block sends no notification.
const POLL_MS = 1_000;
// Notifications come in bursts, and a pass costs the same for one row as for hundreds.
const GATHER_MS = 50;
// However long a pass took, so that events are never late without a limit.
const REST_MAX_MS = 1_000;

export { createEventHub } from "./hub.ts";
export { forgetOldEvents } from "./retention.ts";
export { eventRoutes, requireAcceptsStream } from "./routes.ts";
export { matches, readAfter, readEnds } from "./stream-store.ts";

/** Writes the stream and feeds the hub's subscribers until it is stopped. */
export function startEvents(deps: {
  readonly hub: EventHub;
  readonly database: Database;
  readonly connectionString: string;
  readonly tables: ChainTables;
  readonly collections: readonly CollectionConfig[];
  /** Called when there may be new events, for readers beside the hub. */
  readonly onNews?: () => void;
  readonly logger: Logger;
}): { stop(): Promise<void> } {
  const { hub, database, connectionString, tables, logger } = deps;
  const collections = addressesByChain(deps.collections);
  const writer = createEventWriter({ database, tables, collections });
  const chainChannel = `${tables.schema}_live_query`;
  let hasChainMoved = true;
  let readAt = Number.NEGATIVE_INFINITY;

  /** Milliseconds until the chain index is due to be read. */
  const chainDueIn = (): number => (hasChainMoved ? 0 : Math.max(0, readAt + POLL_MS - performance.now()));

  /** Whether more is waiting. */
  async function write(): Promise<boolean> {
    const isDueMore = await writer.writeDue();
    if (chainDueIn() > 0) return isDueMore;
    // Reset before the index is read: a later change may not be in what is read.
    hasChainMoved = false;
    readAt = performance.now();
    const isMore = await writer.writeLocks();
    hasChainMoved ||= isMore;
    return isMore || isDueMore;
  }

  const writing = startPassLoop({
    task: "write the event stream",
    pollMs: POLL_MS,
    restMs: GATHER_MS,
    logger,
    async pass(signal) {
      for (;;) {
        const startedAt = performance.now();
        if (!signal.aborted && (await write())) continue;
        // The last batch read all rows that may still change, of which a burst leaves many.
        const took = performance.now() - startedAt;
        return { inMs: chainDueIn(), restMs: Math.min(Math.max(took, GATHER_MS), REST_MAX_MS) };
      }
    },
  });
  // A separate connection: the stream is woken often, and must not wake the refresh workers.
  const listener = listen(
    connectionString,
    [EVENT_CHANNEL, chainChannel],
    (channel) => {
      // After a lost connection, anything may have changed.
      if (channel !== EVENT_CHANNEL) hasChainMoved = true;
      writing.wake();
      hub.wake();
      deps.onNews?.();
    },
    logger,
  );
  return {
    async stop() {
      // Subscribers first: they have a second to receive the last message.
      await Promise.all([hub.stop(), writing.stop(), listener.close()]);
    },
  };
}

function addressesByChain(collections: readonly CollectionConfig[]): ReadonlyMap<number, readonly string[]> {
  const byChain = new Map<number, string[]>();
  for (const { chainId, address } of collections)
    byChain.set(chainId, [...(byChain.get(chainId) ?? []), address]);
  return byChain;
}
