/** Refreshes requested by the operator, of any number of tokens or a whole collection, and their progress. */

import { randomUUID } from "node:crypto";
import type { CollectionConfig } from "../../config.ts";
import type { Database, Queryable } from "../db/database.ts";
import { type Logger, silentLogger } from "../logging/logger.ts";
import type { MetadataService } from "../metadata/service.ts";
import type { AskExistence } from "../metadata/uri/existence.ts";
import { type QueueOverview, readHosts, readOpenSweeps, readQueueState } from "./queue/overview-store.ts";
import { type ReceiptProgress, readProgress } from "./receipts/progress-store.ts";
import { requestSweep } from "./request-sweep.ts";
import { createTokenRequests } from "./request-tokens.ts";
import { addSweep } from "./triggers/new-sweeps.ts";

/** Writes in the transaction of the request, so that no request lacks its audit row. */
export type Note = (tx: Queryable, refreshId: string) => Promise<void>;

export function createOperatorRequests(deps: {
  readonly database: Database;
  readonly metadata: MetadataService;
  readonly askExistence: AskExistence;
  readonly logger?: Logger;
}) {
  const { database, logger = silentLogger } = deps;
  const askForTokens = createTokenRequests({ ...deps, logger });

  return {
    /**
     * Queues distinct tokens and returns the receipt's id. The receipt says immediately why the other tokens are not
     * fetched. `accept` serves the result even if it is less complete than before.
     */
    async requestTokens(
      collection: CollectionConfig,
      tokenIds: readonly string[],
      accept: boolean,
      note: Note,
      requestId?: string,
    ): Promise<string> {
      const id = randomUUID();
      await askForTokens(collection, tokenIds, {
        trigger: "operator",
        receipt: { id, owner: "operator", isUnconditional: true },
        accept,
        note: (tx) => note(tx, id),
        requestId,
      });
      return id;
    },

    /**
     * Sweeps all known tokens of a collection at the lowest priority, and returns the receipt's id. Joins another
     * request that has not started yet.
     */
    requestCollection(
      collection: CollectionConfig,
      accept: boolean,
      note: Note,
      requestId?: string,
    ): Promise<string> {
      return requestSweep({ database, logger }, collection, {
        owner: "operator",
        requestId,
        add: async (tx, sweep) => (await addSweep(tx, { ...sweep, accept })) ?? sweep.receiptId,
        note,
      });
    },

    /** The progress of any caller's refresh; undefined for one that is unknown or too old. */
    progress: (id: string): Promise<ReceiptProgress | undefined> => readProgress(database, id),

    /** The current queue, in bounded lists. */
    async overview(): Promise<QueueOverview> {
      const [queue, hosts, sweeps] = await Promise.all([
        readQueueState(database).catch(() => undefined),
        readHosts(database),
        readOpenSweeps(database),
      ]);
      return { queue, hosts, sweeps };
    },
  };
}

export type OperatorRequests = ReturnType<typeof createOperatorRequests>;
