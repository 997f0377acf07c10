/** Those who accept requests, put together. */

import type { ChainCalls } from "../chain/calls-together.ts";
import type { LatestBlock } from "../chain/read-block.ts";
import { createExistence } from "../metadata/existence.ts";
import type { ReadUri } from "../metadata/read-uri.ts";
import type { MetadataService } from "../metadata/service.ts";
import type { DailyJob } from "../store/daily.ts";
import type { Database } from "../store/database.ts";
import { createOperatorRequests, type OperatorRequests } from "./operator-requests.ts";
import { forgetUntoldTokens, type PurgeDeps } from "./purge.ts";
import { forgetOldReceipts, forgetOldSweeps } from "./retention.ts";
import { createRefresh, type RefreshService } from "./service.ts";

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
}): RefreshRoom {
  const { database, metadata } = deps;
  const askExistence = createExistence({
    ...deps,
    readContract: (chainId, collection) => metadata.readContract(database, chainId, collection),
  });
  return {
    refresh: createRefresh({ database, metadata, askExistence }),
    operatorRequests: createOperatorRequests({ database, metadata, askExistence }),
  };
}

/** What is due once a day. */
export const refreshJobs = (deps: PurgeDeps): readonly DailyJob[] => [
  forgetOldReceipts,
  forgetOldSweeps,
  ...forgetUntoldTokens(deps),
];
