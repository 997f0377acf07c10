/** Explicit refresh requests: what is queued, and the receipt. */

import { randomUUID } from "node:crypto";
import type { CollectionConfig } from "../../config.ts";
import type { AskExistence } from "../metadata/existence.ts";
import type { MetadataService } from "../metadata/service.ts";
import type { Database } from "../store/database.ts";
import { type Trigger, want } from "./queue.ts";
import { addReceipt, findReceipt, type ReceiptOwner } from "./receipts.ts";
import { createJudge, fetchedOf, type RequestedToken, viewVerdict } from "./verdicts.ts";
import { createReceiptWaits } from "./waits.ts";

export interface RefreshDeps {
  readonly database: Database;
  readonly metadata: MetadataService;
  readonly askExistence: AskExistence;
}

interface Caller {
  readonly trigger: Trigger;
  /** Who may read the receipt; without one, none is kept. */
  readonly receiptFor?: ReceiptOwner;
  readonly anonymous?: boolean;
}

export function createRefresh(deps: RefreshDeps) {
  const { database, metadata } = deps;
  const judge = createJudge(deps);

  return {
    /**
     * Accepts a refresh of distinct tokens. Queue rows and receipt are written in one transaction, so an accepted
     * request survives a crash. The receipt is undefined when there is nothing to tell but that no such token is known:
     * then nothing is written.
     */
    async request(
      collection: CollectionConfig,
      tokenIds: readonly string[],
      caller: Caller,
    ): Promise<{ readonly receiptId: string | undefined; readonly tokens: readonly RequestedToken[] }> {
      const { anonymous = false, trigger, receiptFor } = caller;
      const verdicts = await judge(collection, tokenIds, { anonymous });
      const tokens = [...verdicts].map(([tokenId, verdict]) => viewVerdict(tokenId, verdict));
      const queued = fetchedOf(verdicts, () => true);
      const isAnyBurned = [...verdicts.values()].some(({ kind }) => kind === "burned");
      const receipt = receiptFor && (queued.size > 0 || isAnyBurned) ? randomUUID() : undefined;
      if (queued.size === 0 && !receipt) return { receiptId: undefined, tokens };

      const { chainId, address } = collection;
      await database.transaction(async (tx) => {
        const wanted = { chainId, collection: address, tokens: queued, trigger, anonymous };
        const marks = queued.size > 0 ? await want(tx, wanted) : undefined;
        const vouched = fetchedOf(verdicts, ({ isVouched }) => isVouched);
        // After the queue rows, in the order of a worker that records a fetch.
        if (vouched.size > 0) await metadata.addUnseenTokens(tx, chainId, address, vouched);
        if (!receipt || !receiptFor) return;
        await addReceipt(tx, {
          id: receipt,
          owner: receiptFor,
          chainId,
          collection: address,
          tokens: tokens.map((token) => ({
            tokenId: token.token_id,
            mark: marks?.get(token.token_id),
            ended: token,
          })),
        });
      });
      return { receiptId: receipt, tokens };
    },

    findReceipt: (id: string, owner: ReceiptOwner) => findReceipt(database, id, owner),

    waits: createReceiptWaits(database),
  };
}

export type RefreshService = ReturnType<typeof createRefresh>;
