/** The event stream: its writer and its subscribers, woken by the database. */

import type { CollectionConfig } from "../../config.ts";
import type { ChainTables } from "../chain/index/tables.ts";
import type { Database } from "../db/database.ts";
import { listen } from "../db/listener.ts";
import type { Logger } from "../http/logger.ts";
import { EVENT_CHANNEL } from "./feed-store.ts";
import type { EventHub } from "./hub.ts";
import { createEventWriter } from "./writer.ts";
import { startEventWriter } from "./writer-loop.ts";

export { createEventHub } from "./hub.ts";
export { forgetOldEvents } from "./retention.ts";
export { eventRoutes, requireAcceptsStream } from "./routes.ts";

/** Writes the stream and feeds the hub's subscribers until it is stopped. */
export function startEvents(deps: {
  readonly hub: EventHub;
  readonly database: Database;
  readonly connectionString: string;
  readonly tables: ChainTables;
  readonly collections: readonly CollectionConfig[];
  readonly logger: Logger;
}): { stop(): Promise<void> } {
  const { hub, database, connectionString, tables, logger } = deps;
  const collections = addressesByChain(deps.collections);
  const writer = startEventWriter({ writer: createEventWriter({ database, tables, collections }), logger });
  // A connection of its own: what wakes the stream comes often, and is nothing to those who fetch.
  const listener = listen(
    connectionString,
    [EVENT_CHANNEL, `${tables.schema}_live_query`],
    () => {
      writer.wake();
      hub.wake();
    },
    logger,
  );
  return {
    async stop() {
      // Subscribers first: they have a second to hear of it.
      await Promise.all([hub.stop(), writer.stop(), listener.close()]);
    },
  };
}

function addressesByChain(collections: readonly CollectionConfig[]): ReadonlyMap<number, readonly string[]> {
  const byChain = new Map<number, string[]>();
  for (const { chainId, address } of collections)
    byChain.set(chainId, [...(byChain.get(chainId) ?? []), address]);
  return byChain;
}
