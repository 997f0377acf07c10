/** Explicit refresh requests: what is queued, and the receipt. */

import { randomUUID } from "node:crypto";
import type { CollectionConfig } from "../../config.ts";
import type { Database } from "../db/database.ts";
import { type AmountLimiter, type Cure, rateLimited } from "../http/limits/rate-limit.ts";
import type { Logger } from "../logging/logger.ts";
import type { MetadataService } from "../metadata/service.ts";
import type { AskExistence } from "../metadata/uri/existence.ts";
import type { Trigger } from "./queue/queue.ts";
import type { UnseenCapacity, UnseenQueue } from "./queue/unseen-queue.ts";
import { findNextReads } from "./receipts/next-reads.ts";
import { findReceipt, type Receipt, type ReceiptOwner } from "./receipts/receipts.ts";
import { createReceiptWaits } from "./receipts/waits.ts";
import { type AcceptedTokens, createTokenRequests } from "./request-tokens.ts";

export interface RefreshDeps {
  readonly database: Database;
  readonly metadata: MetadataService;
  readonly askExistence: AskExistence;
  /** Of token ids, by client address. */
  readonly tokenLimiter: AmountLimiter;
  readonly unseenQueue: UnseenQueue;
  readonly logger: Logger;
}

interface Caller {
  readonly trigger: Trigger;
  /** Who may read the receipt; without one, none is kept. */
  readonly receiptFor?: ReceiptOwner;
  /** The address of a caller without a key, whose requests are limited and rank below events. */
  readonly client?: string | undefined;
  /** What ends that limit, for the refusal. */
  readonly cure?: Cure | undefined;
  /** The id of the request that asks. */
  readonly requestId?: string | undefined;
}

export function createRefresh(deps: RefreshDeps) {
  const { database, tokenLimiter, unseenQueue } = deps;
  const requestTokens = createTokenRequests(deps);

  async function takeIds(client: string, count: number, cure?: Cure): Promise<void> {
    const { isAllowed, resetSeconds } = await tokenLimiter.take(client, count);
    if (!isAllowed) throw rateLimited(tokenLimiter.limit, "client", resetSeconds, cure);
  }

  const accept = (
    collection: CollectionConfig,
    tokenIds: readonly string[],
    { client, trigger, receiptFor, requestId }: Caller,
    capacity?: UnseenCapacity,
  ): Promise<AcceptedTokens> => {
    const receipt = receiptFor && { id: randomUUID(), owner: receiptFor };
    const anonymous = client !== undefined;
    return requestTokens(collection, tokenIds, { anonymous, trigger, receipt, requestId, capacity });
  };

  return {
    /**
     * Accepts a refresh of distinct tokens. Queue rows and receipt are written in one transaction, so an accepted
     * request survives a crash. The receipt is undefined, and nothing is written, if no such token is known. A `client`
     * is limited: if fewer ids are left of its limit, this throws RATE_LIMITED with nothing queued; and tokens without
     * an indexed transfer are accepted only as far as the queue has capacity.
     */
    async request(
      collection: CollectionConfig,
      tokenIds: readonly string[],
      caller: Caller,
    ): Promise<AcceptedTokens> {
      const { client, cure } = caller;
      if (client === undefined) return accept(collection, tokenIds, caller);
      await takeIds(client, tokenIds.length, cure);
      const capacity = unseenQueue.open();
      try {
        return await accept(collection, tokenIds, caller, capacity);
      } finally {
        capacity.close();
      }
    },

    findReceipt: (id: string, owner: ReceiptOwner) => findReceipt(database, id, owner),

    /** The owner's receipt, if it is one of this collection. */
    async findReceiptOf(
      { chainId, address }: CollectionConfig,
      id: string,
      owner: ReceiptOwner,
    ): Promise<Receipt | undefined> {
      const receipt = await findReceipt(database, id, owner);
      const isHere = receipt?.chain_id === chainId && receipt.collection_address === address;
      return isHere ? receipt : undefined;
    },

    /** For a receipt that `findReceipt` found: when each of its queued tokens is read at the earliest. */
    findNextReads: (id: string) => findNextReads(database, id),

    waits: createReceiptWaits(database),
  };
}

export type RefreshService = ReturnType<typeof createRefresh>;
