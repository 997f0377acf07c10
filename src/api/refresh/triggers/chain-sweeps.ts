/** Sweeps of whole collections that an event of the chain starts. They have a receipt, so that their end is published. */

import { randomUUID } from "node:crypto";
import type { Queryable } from "../../db/database.ts";
import { addReceipt } from "../receipts/receipts.ts";
import { addSweep, type NewSweep } from "./new-sweeps.ts";
import { countUnended } from "./sweep-store.ts";

// A contract may announce its collection with every block while its host is away: then no sweep ends.
const UNENDED_MAX = 10;

/** Adds a sweep as `addSweep` does. Past ten of a collection that have not ended, it publishes nothing of its own. */
export async function addChainSweep(
  tx: Queryable,
  sweep: Omit<NewSweep, "receiptId" | "isByChain">,
): Promise<void> {
  const { chainId, collection } = sweep;
  const unended = await countUnended(tx, chainId, collection, UNENDED_MAX);
  const id = unended < UNENDED_MAX ? randomUUID() : undefined;
  const receiptId = await addSweep(tx, { ...sweep, isByChain: true, ...(id && { receiptId: id }) });
  if (id && receiptId === id) await addReceipt(tx, { id, owner: "chain", chainId, collection, tokens: [] });
}
