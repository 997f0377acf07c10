/** Adds sweeps, as few as the ranges that are announced allow. */

import type { Queryable } from "../../db/database.ts";
import { RANGES_MAX } from "./trigger-batches.ts";

// One that has not started, and that nobody waits for by itself.
const REPLACEABLE = `chain_id = $1 and collection = $2 and finished_at is null and cursor is null and counted is null
   and not minted and not accept and receipt_id is null and app_id is null`;

export interface NewSweep {
  readonly chainId: number;
  readonly collection: string;
  /** Decimal ids, both included. */
  readonly from: string;
  readonly to: string;
  readonly block: number;
  /** Set for a trigger that may have been answered already: tokens read at its block or later are left out. */
  readonly skipRead: boolean;
  /** The range was minted, or its mint was reverted and `block` is 0. */
  readonly minted?: boolean;
  /** Serves the result even if it is less complete than what was served before. */
  readonly accept?: boolean;
  /** The receipt that shows the outcome of its tokens. */
  readonly receiptId?: string;
  /** Started by a change without an event: its tokens need no recheck. */
  readonly isBySample?: boolean;
  /** Started by an event of the chain: its tokens are rechecked though it has a receipt. */
  readonly isByChain?: boolean;
}

export type SweepWithReceipt = NewSweep & { readonly receiptId: string };

/**
 * Adds a sweep. If a sweep that covers it has not started, that one replaces it: a contract that announces its whole
 * collection again and again costs one sweep after the running one. Returns the receipt's id, if there is one; that of
 * the replacing sweep takes precedence. Past `RANGES_MAX` of a collection that have not started, one sweep replaces them
 * all.
 */
export async function addSweep(db: Queryable, sweep: NewSweep): Promise<string | undefined> {
  const { chainId, collection, from, to, block, skipRead, minted = false, accept = false } = sweep;
  const { receiptId = null, isBySample = false, isByChain = false } = sweep;
  const [row] = await db.query<{ receiptId: string | null; isTooMany: boolean }>(
    `with covering as (
       update vitrine.sweep s
          set block = case when $5 = 0 or s.block = 0 then 0 else greatest(s.block, $5) end,
              skip_read = s.skip_read and $6,
              accept = s.accept or $7,
              receipt_id = coalesce(s.receipt_id, $8::uuid),
              by_sample = s.by_sample and $9,
              by_chain = s.by_chain or $11
        where s.id = (select id from vitrine.sweep
                       where chain_id = $1 and collection = $2 and finished_at is null and cursor is null and not $10
                         -- Its app may cancel it.
                         and app_id is null
                         and from_token_id <= $3::numeric and to_token_id >= $4::numeric
                         -- Block 0 would make one that adds the tokens of a mint one that hides them, and the other way round.
                         and (not minted or (block > 0 and $5 > 0))
                       order by id limit 1 for update)
       returning s.receipt_id
     ), added as (
       insert into vitrine.sweep (chain_id, collection, from_token_id, to_token_id, block, skip_read, accept, receipt_id,
                                  by_sample, minted, by_chain)
       select $1, $2, $3, $4, $5, $6, $7, $8::uuid, $9, $10, $11 where not exists (select from covering)
       returning receipt_id
     )
     select receipt_id as "receiptId", false as "isTooMany" from covering
     union all
     -- Those before it.
     select receipt_id, (select count(*) from vitrine.sweep where ${REPLACEABLE}) >= $12 from added`,
    [
      ...[chainId, collection, from, to, block, skipRead, accept, receiptId, isBySample, minted, isByChain],
      RANGES_MAX,
    ],
  );
  if (row?.isTooMany) await replaceByOne(db, chainId, collection);
  return row?.receiptId ?? undefined;
}

/** What lies between them is read again, too. */
async function replaceByOne(db: Queryable, chainId: number, collection: string): Promise<void> {
  await db.query(
    `with replaced as (
       delete from vitrine.sweep where id = any(array(
         -- One that is locked starts now.
         select id from vitrine.sweep where ${REPLACEABLE} for update skip locked))
       returning *)
     insert into vitrine.sweep (chain_id, collection, from_token_id, to_token_id, block, skip_read, by_sample, by_chain)
     select $1, $2, min(from_token_id), max(to_token_id), case when min(block) = 0 then 0 else max(block) end,
            bool_and(skip_read), bool_and(by_sample), bool_or(by_chain)
       from replaced having count(*) > 0`,
    [chainId, collection],
  );
}

/** Ends the open sweep of a minted range whose mint was reverted before all of its tokens were known. */
export async function endMintSweep(
  db: Queryable,
  { chainId, collection, from, to }: Pick<NewSweep, "chainId" | "collection" | "from" | "to">,
): Promise<void> {
  await db.query(
    `update vitrine.sweep set finished_at = now()
      where chain_id = $1 and collection = $2 and from_token_id = $3 and to_token_id = $4
        and minted and block > 0 and finished_at is null`,
    [chainId, collection, from, to],
  );
}
