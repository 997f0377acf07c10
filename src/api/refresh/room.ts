/** Those who accept requests, put together. */

import type { ChainCalls } from "../chain/calls-together.ts";
import type { LatestBlock } from "../chain/read-block.ts";
import type { AmountLimiter } from "../contract/rate-limit.ts";
import { createExistence } from "../metadata/existence.ts";
import type { ReadUri } from "../metadata/read-uri.ts";
import type { MetadataService } from "../metadata/service.ts";
import type { DailyJob } from "../store/daily.ts";
import type { Database } from "../store/database.ts";
import { createOperatorRequests, type OperatorRequests } from "./operator-requests.ts";
import { forgetUntoldTokens, type PurgeDeps } from "./purge.ts";
import { forgetOldReceipts, forgetOldSweeps } from "./retention.ts";
import { createRefresh, type RefreshService } from "./service.ts";
import { createUnseenQueue } from "./unseen-queue.ts";

export interface RefreshRoom {
  readonly refresh: RefreshService;
  readonly operatorRequests: OperatorRequests;
}

export function createRefreshRoom(deps: {
  readonly database: Database;
  readonly metadata: MetadataService;
  readonly calls: ChainCalls;
  readonly readUri: ReadUri;
  readonly latestBlock: LatestBlock;
  /** Of token ids, by the address of callers without a key. */
  readonly tokenLimiter: AmountLimiter;
  /** In place of UNSEEN_MAX. */
  readonly unseenMax?: number;
}): RefreshRoom {
  const { database, metadata, tokenLimiter } = deps;
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
    }),
    operatorRequests: createOperatorRequests({ database, metadata, askExistence }),
  };
}

/** What is due once a day. */
export const refreshJobs = (deps: PurgeDeps): readonly DailyJob[] => [
  forgetOldReceipts,
  forgetOldSweeps,
  ...forgetUntoldTokens(deps),
];
