/** Refreshes of whole collections for apps: one at a time per collection, with counts, and cancellable. */

import { setTimeout as sleep } from "node:timers/promises";
import type { CollectionConfig } from "../../../config.ts";
import type { Database } from "../../db/database.ts";
import { ApiError } from "../../http/errors.ts";
import { type Logger, silentLogger } from "../../logging/logger.ts";
import { type ProgressGroup, readProgress } from "../receipts/progress-store.ts";
import { requestSweep } from "../request-sweep.ts";
import {
  addAppSweep,
  type CollectionRefresh,
  cancelSweep,
  countFetching,
  findCollectionRefresh,
  findRunning,
  type RunningRefresh,
  withdrawQueued,
} from "./collection-store.ts";

// The running one may end between the two statements.
const TRIES_MAX = 3;
// A cancelled one ends at once, or with the fetches that are under way.
const CANCELLED_WAIT_MS = 3_000;
const CANCELLED_POLL_MS = 100;

export interface CollectionReceipt extends CollectionRefresh {
  readonly refreshId: string;
  readonly fetching: number;
  /** Of the tokens that have ended. */
  readonly groups: readonly ProgressGroup[];
}

export function createCollectionRequests(database: Database, logger: Logger = silentLogger) {
  return {
    /**
     * Sweeps all listed tokens of a collection at the lowest priority, and returns the receipt's id. Throws
     * REFRESH_RUNNING while an app's refresh of the collection has not ended; `details` has its id, if it is this app's. The
     * end of a cancelled one is waited for, for three seconds at most.
     */
    async request(collection: CollectionConfig, appId: string, requestId?: string): Promise<string> {
      for (let tries = 1; tries <= TRIES_MAX; tries++) {
        const id = await requestSweep({ database, logger }, collection, {
          owner: { appId },
          requestId,
          add: (tx, sweep) => addAppSweep(tx, { ...sweep, appId }),
        });
        if (id !== undefined) return id;
        const place = { chainId: collection.chainId, collection: collection.address };
        const running = await untilCancelledEnds(() => findRunning(database, place));
        if (!running) continue;
        throw new ApiError("REFRESH_RUNNING", [
          running.appId === appId
            ? { path: "refresh_id", message: running.receiptId }
            : {
                path: "collection_address",
                message: "another app is refreshing it; try again once it is done",
              },
        ]);
      }
      throw new ApiError("UNAVAILABLE");
    },

    /** The id of the app's refresh of the collection that has not ended. */
    async findRunning({ chainId, address }: CollectionConfig, appId: string): Promise<string | undefined> {
      const running = await findRunning(database, { chainId, collection: address });
      return running?.appId === appId ? running.receiptId : undefined;
    },

    /**
     * Stops a refresh: nothing more is fetched for it, and what is being fetched now is recorded. One that has ended
     * stays as it is. False if the app has no such refresh of a collection.
     */
    async cancel(refreshId: string, appId: string): Promise<boolean> {
      if (!(await findCollectionRefresh(database, refreshId, appId))) return false;
      await database.transaction(async (tx) => {
        if (await cancelSweep(tx, refreshId, appId)) await withdrawQueued(tx, refreshId);
      });
      return true;
    },

    /** What became of a refresh so far; undefined for another app's, and for one of listed tokens. */
    async findReceipt(refreshId: string, appId: string): Promise<CollectionReceipt | undefined> {
      const found = await findCollectionRefresh(database, refreshId, appId);
      if (!found) return undefined;
      const [progress, fetching] = await Promise.all([
        readProgress(database, refreshId),
        countFetching(database, refreshId),
      ]);
      const groups = progress?.groups.filter(({ status }) => status !== "waiting") ?? [];
      return { ...found, refreshId, fetching, groups };
    },
  };
}

/** What runs, once that is no cancelled refresh, or the time is over. */
async function untilCancelledEnds(
  find: () => Promise<RunningRefresh | undefined>,
): Promise<RunningRefresh | undefined> {
  const giveUpAt = performance.now() + CANCELLED_WAIT_MS;
  for (;;) {
    const running = await find();
    if (!running?.isCancelled || performance.now() > giveUpAt) return running;
    await sleep(CANCELLED_POLL_MS);
  }
}

export type CollectionRequests = ReturnType<typeof createCollectionRequests>;
