/** Requests listed tokens for anybody: one transaction writes the queue rows, the newly vouched tokens and the receipt. */

import type { CollectionConfig } from "../../config.ts";
import type { Database, Queryable } from "../db/database.ts";
import type { Logger } from "../logging/logger.ts";
import type { MetadataService } from "../metadata/service.ts";
import { enqueue, type Trigger } from "./queue/queue.ts";
import type { UnseenCapacity } from "./queue/unseen-queue.ts";
import { addReceipt, type ReceiptOwner } from "./receipts/receipts.ts";
import { inSendSpan, logRequested } from "./refresh-spans.ts";
import { createJudge, fetchedOf, type RequestedToken, type VerdictDeps, viewVerdict } from "./verdicts.ts";

export interface TokenRequestDeps extends VerdictDeps {
  readonly database: Database;
  readonly metadata: Pick<MetadataService, "findKnown" | "addUnseenTokens">;
  readonly logger: Logger;
}

export interface TokenRequest {
  readonly trigger: Trigger;
  /** The receipt to keep; none without it. */
  readonly receipt?:
    | {
        readonly id: string;
        readonly owner: ReceiptOwner;
        /** Keeps it even if no token is known. */
        readonly isUnconditional?: boolean;
      }
    | undefined;
  readonly anonymous?: boolean | undefined;
  /** The queue's capacity for tokens without an indexed transfer; unlimited without it. */
  readonly capacity?: UnseenCapacity | undefined;
  /** Serves the result even if it is less complete than before. */
  readonly accept?: boolean;
  /** Writes in the same transaction. */
  readonly note?: (tx: Queryable) => Promise<void>;
  /** The id of the request that asks. */
  readonly requestId?: string | undefined;
}

export interface AcceptedTokens {
  /** Undefined if no receipt was kept. */
  readonly receiptId: string | undefined;
  /** The immediate result of each token, in the order of the request. */
  readonly tokens: readonly RequestedToken[];
}

export function createTokenRequests(deps: TokenRequestDeps) {
  const { database, metadata, logger } = deps;
  const judge = createJudge(deps);

  /**
   * Queues those of these distinct tokens that can be fetched. All of it is written in one transaction, so an accepted
   * request survives a crash. Nothing is written, and no receipt kept, if none is fetched or burned, unless the receipt
   * is unconditional.
   */
  return async (
    collection: CollectionConfig,
    tokenIds: readonly string[],
    { anonymous = false, accept = false, trigger, receipt, capacity, note, requestId }: TokenRequest,
  ): Promise<AcceptedTokens> => {
    const { chainId, address } = collection;
    const verdicts = await judge(collection, tokenIds, { anonymous, capacity });
    const tokens = [...verdicts].map(([tokenId, verdict]) => viewVerdict(tokenId, verdict));
    const queued = fetchedOf(verdicts, () => true);
    const vouched = fetchedOf(verdicts, ({ isVouched }) => isVouched);
    const isAnyBurned = [...verdicts.values()].some(({ kind }) => kind === "burned");
    const kept = receipt?.isUnconditional || queued.size > 0 || isAnyBurned ? receipt : undefined;
    if (queued.size === 0 && !kept) return { receiptId: undefined, tokens };

    await inSendSpan(requestId, (asker) =>
      database.transaction(async (tx) => {
        const unseen = anonymous ? [...vouched.keys()] : [];
        const request = { chainId, collection: address, tokens: queued, trigger, anonymous, unseen, accept };
        const marks = queued.size > 0 ? await enqueue(tx, request) : undefined;
        // After the queue rows, in the order of a worker that records a fetch.
        if (vouched.size > 0) await metadata.addUnseenTokens(tx, chainId, address, vouched);
        if (kept) {
          const { id, owner } = kept;
          const entries = tokens.map((token) => ({
            tokenId: token.token_id,
            mark: marks?.get(token.token_id),
            ended: token,
          }));
          await addReceipt(tx, { id, owner, ...asker, chainId, collection: address, tokens: entries });
        }
        await note?.(tx);
      }),
    );
    logRequested(logger, { requestId, refreshId: kept?.id, trigger, collection, queued: queued.size });
    return { receiptId: kept?.id, tokens };
  };
}
