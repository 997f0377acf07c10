/** Requests a whole collection for anybody: one transaction writes the sweep and its receipt. */

import { randomUUID } from "node:crypto";
import type { CollectionConfig } from "../../config.ts";
import { UINT256_MAX } from "../../domain/token-ref.ts";
import type { Database, Queryable } from "../db/database.ts";
import type { Logger } from "../logging/logger.ts";
import { addReceipt, type ReceiptOwner } from "./receipts/receipts.ts";
import { inSendSpan, logRequested } from "./refresh-spans.ts";
import type { SweepWithReceipt } from "./triggers/new-sweeps.ts";

// Zero would void the blocks that waiting events have named; every token is read above block 1 anyway.
const ANY_BLOCK = 1;

/**
 * Writes a sweep of all known tokens of a collection, and returns the id of its receipt. `add` adds the sweep, and says
 * which receipt shows its outcome: another one's if it joined that, and undefined if nothing was added. `note` writes in
 * the same transaction. Returns undefined, with nothing noted or logged, if nothing was added.
 */
export async function requestSweep<ReceiptId extends string | undefined>(
  { database, logger }: { readonly database: Database; readonly logger: Logger },
  collection: CollectionConfig,
  {
    owner,
    requestId,
    add,
    note,
  }: {
    readonly owner: ReceiptOwner;
    /** The id of the request that asks. */
    readonly requestId: string | undefined;
    readonly add: (tx: Queryable, sweep: SweepWithReceipt) => Promise<ReceiptId>;
    readonly note?: (tx: Queryable, receiptId: string) => Promise<void>;
  },
): Promise<ReceiptId> {
  const place = { chainId: collection.chainId, collection: collection.address };
  const refreshId = await inSendSpan(requestId, (asker) =>
    database.transaction(async (tx) => {
      const id = randomUUID();
      const range = { from: "0", to: UINT256_MAX.toString(), block: ANY_BLOCK, skipRead: false };
      const receiptId = await add(tx, { ...place, ...range, receiptId: id });
      if (receiptId === id) await addReceipt(tx, { ...place, id, owner, ...asker, tokens: [] });
      if (receiptId !== undefined) await note?.(tx, receiptId);
      return receiptId;
    }),
  );
  if (refreshId !== undefined)
    logRequested(logger, { requestId, refreshId, trigger: "sweep", collection, queued: null });
  return refreshId;
}
