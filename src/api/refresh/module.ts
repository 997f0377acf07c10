/** Refreshes: accepts requests for them, and provides the daily jobs. */

import type { ChainCalls } from "../chain/contract/batched-calls.ts";
import type { LatestBlock } from "../chain/contract/read-block.ts";
import type { Database } from "../db/database.ts";
import type { AmountLimiter } from "../http/limits/rate-limit.ts";
import type { DailyJob } from "../jobs/daily.ts";
import { type Logger, silentLogger } from "../logging/logger.ts";
import type { OnImageProbed } from "../media/probes/worker.ts";
import { createExistence } from "../metadata/module.ts";
import type { MetadataService } from "../metadata/service.ts";
import type { ReadUri } from "../metadata/uri/read-uri.ts";
import { type CollectionRequests, createCollectionRequests } from "./collections/collection-requests.ts";
import { createOperatorRequests, type OperatorRequests } from "./operator-requests.ts";
import { recheckLateImage } from "./queue/late-images.ts";
import { createUnseenQueue } from "./queue/unseen-queue.ts";
import { settleImages } from "./receipts/receipt-images.ts";
import { forgetOldReceipts, forgetOldSweeps } from "./receipts/retention.ts";
import { createRefresh, type RefreshService } from "./service.ts";
import { type PurgeDeps, purgeNeverTransferred } from "./triggers/purge.ts";

export { collectionRefreshRoutes, viewCollectionReceipt } from "./collections/collection-routes.ts";
export { startRefreshJobs } from "./jobs.ts";
export { createRefreshMetrics } from "./metrics.ts";
export { chooseProbe } from "./queue/hosts.ts";
export { endLongTokenLeases, endLongTokenWaits } from "./queue/long-waits.ts";
export { depth, HOST_TOKENS_MAX } from "./queue/overview-store.ts";
export { findQueued, REFRESH_CHANNEL } from "./queue/queue.ts";
export { RECEIPT_CHANNEL } from "./receipts/receipts.ts";
export { refreshRoutes } from "./routes.ts";

export interface RefreshModule {
  readonly refresh: RefreshService;
  readonly operatorRequests: OperatorRequests;
  readonly collectionRequests: CollectionRequests;
}

export function createRefreshModule(deps: {
  readonly database: Database;
  readonly metadata: MetadataService;
  readonly calls: ChainCalls;
  readonly readUri: ReadUri;
  readonly latestBlock: LatestBlock;
  /** Of token ids, by the address of callers without a key. */
  readonly tokenLimiter: AmountLimiter;
  /** Overrides UNSEEN_MAX. */
  readonly unseenMax?: number;
  /** Gets a line for each request. */
  readonly logger?: Logger;
}): RefreshModule {
  const { database, metadata, tokenLimiter, logger = silentLogger } = deps;
  const askExistence = createExistence({
    ...deps,
    readContract: (chainId, collection) => metadata.readContract(database, chainId, collection),
  });
  return {
    refresh: createRefresh({
      database,
      metadata,
      askExistence,
      tokenLimiter,
      unseenQueue: createUnseenQueue(database, deps.unseenMax),
      logger,
    }),
    operatorRequests: createOperatorRequests({ database, metadata, askExistence, logger }),
    collectionRequests: createCollectionRequests(database, logger),
  };
}

/** What follows from a probe of an image, in its transaction. */
export const onImageProbed: OnImageProbed = async (tx, probed) => {
  await settleImages(tx, probed);
  await recheckLateImage(tx, probed);
};

/** The daily jobs. */
export const refreshJobs = (deps: PurgeDeps): readonly DailyJob[] => [
  forgetOldReceipts,
  forgetOldSweeps,
  ...purgeNeverTransferred(deps),
];
