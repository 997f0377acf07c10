/** Refreshes requested by the operator, of any number of tokens or a whole collection, and their progress. */

import { randomUUID } from "node:crypto";
import type { CollectionConfig } from "../../config.ts";
import { UINT256_MAX } from "../../domain/token-ref.ts";
import type { Database, Queryable } from "../db/database.ts";
import { type Logger, silentLogger } from "../http/logger.ts";
import type { MetadataService } from "../metadata/service.ts";
import type { AskExistence } from "../metadata/uri/existence.ts";
import { type QueueOverview, readHosts, readOpenSweeps, readQueueState } from "./queue/overview-store.ts";
import { enqueue } from "./queue/queue.ts";
import { type ReceiptProgress, readProgress } from "./receipts/progress-store.ts";
import { addReceipt } from "./receipts/receipts.ts";
import { inSendSpan, logRequested } from "./refresh-spans.ts";
import { addSweep } from "./triggers/new-sweeps.ts";
import { createJudge, fetchedOf, viewVerdict } from "./verdicts.ts";

// Zero would void the blocks that waiting events have named; every token is read above block 1 anyway.
const ANY_BLOCK = 1;

/** Writes in the transaction of the request, so that no request lacks its audit row. */
export type Note = (tx: Queryable, refreshId: string) => Promise<void>;

export function createOperatorRequests(deps: {
  readonly database: Database;
  readonly metadata: MetadataService;
  readonly askExistence: AskExistence;
  readonly logger?: Logger;
}) {
  const { database, metadata, logger = silentLogger } = deps;
  const judge = createJudge(deps);

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
      const { chainId, address } = collection;
      const verdicts = await judge(collection, tokenIds, { anonymous: false });
      const queued = fetchedOf(verdicts, () => true);
      const vouched = fetchedOf(verdicts, ({ isVouched }) => isVouched);
      const id = randomUUID();
      await inSendSpan(requestId, (asker) =>
        database.transaction(async (tx) => {
          const request = {
            chainId,
            collection: address,
            tokens: queued,
            trigger: "operator",
            accept,
          } as const;
          const marks = queued.size > 0 ? await enqueue(tx, request) : undefined;
          if (vouched.size > 0) await metadata.addUnseenTokens(tx, chainId, address, vouched);
          const tokens = [...verdicts].map(([tokenId, verdict]) => ({
            tokenId,
            mark: marks?.get(tokenId),
            ended: viewVerdict(tokenId, verdict),
          }));
          await addReceipt(tx, { id, owner: "operator", ...asker, chainId, collection: address, tokens });
          await note(tx, id);
        }),
      );
      logRequested(logger, {
        requestId,
        refreshId: id,
        trigger: "operator",
        collection,
        queued: queued.size,
      });
      return id;
    },

    /**
     * Sweeps all known tokens of a collection at the lowest priority, and returns the receipt's id. Joins another
     * request that has not started yet.
     */
    async requestCollection(
      collection: CollectionConfig,
      accept: boolean,
      note: Note,
      requestId?: string,
    ): Promise<string> {
      const { chainId, address } = collection;
      const refreshId = await inSendSpan(requestId, (asker) =>
        database.transaction(async (tx) => {
          const id = randomUUID();
          const receiptId = await addSweep(tx, {
            chainId,
            collection: address,
            from: "0",
            to: UINT256_MAX.toString(),
            block: ANY_BLOCK,
            skipRead: false,
            accept,
            receiptId: id,
          });
          if (receiptId === id)
            await addReceipt(tx, {
              id,
              owner: "operator",
              ...asker,
              chainId,
              collection: address,
              tokens: [],
            });
          await note(tx, receiptId ?? id);
          return receiptId ?? id;
        }),
      );
      logRequested(logger, { requestId, refreshId, trigger: "sweep", collection, queued: null });
      return refreshId;
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
