/** SQL for sweeps in progress. `new-sweeps.ts` adds them, and `../collections/collection-store.ts` ends those with a receipt. */

import type { Queryable } from "../../db/database.ts";
import type { NewSweep } from "./new-sweeps.ts";

export interface OpenSweep extends Required<Omit<NewSweep, "receiptId">> {
  readonly id: string;
  readonly receiptId: string | null;
  /** Every known token up to here has been enqueued, or left out. */
  readonly cursor: string | null;
  readonly passed: number;
  /** Every known token up to here has been counted; in a minted range, every token is known up to here. */
  readonly counted: string | null;
}

type SweepOfCollection = { readonly id: string; readonly chainId: string; readonly collection: string };

// A range whose mint was reverted, and of which not all that is gone is hidden.
const IS_HIDING = "minted and block = 0 and counted is distinct from to_token_id";

/** The oldest open sweep of each collection, but for those that hide tokens: others don't wait for them. */
export const oldestOfEach = (db: Queryable): Promise<SweepOfCollection[]> =>
  oldestWhere(db, `finished_at is null and not (${IS_HIDING})`);

/** The oldest sweep of each collection that lists tokens of a minted range, and is not through. */
export const oldestToList = (db: Queryable): Promise<SweepOfCollection[]> =>
  oldestWhere(db, "finished_at is null and minted and block > 0 and counted is distinct from to_token_id");

/** The oldest one that hides tokens: it has its turn to be fetched once it is through. */
export const oldestToHide = (db: Queryable): Promise<SweepOfCollection[]> =>
  oldestWhere(db, `finished_at is null and ${IS_HIDING}`);

/**
 * By one step down the index of `condition` per collection: each may have many. Not prepared: a plan that was made while there
 * were few would go on reading all of them.
 */
function oldestWhere(db: Queryable, condition: string): Promise<SweepOfCollection[]> {
  return db.query(
    `with recursive oldest as (
       (select chain_id, collection, id from vitrine.sweep where ${condition}
         order by chain_id, collection, id limit 1)
       union all
       select n.* from oldest o cross join lateral (
         select chain_id, collection, id from vitrine.sweep
          where ${condition} and (chain_id, collection) > (o.chain_id, o.collection)
          order by chain_id, collection, id limit 1) n)
     select id, chain_id as "chainId", collection from oldest`,
    [],
  );
}

/** The sweep, locked, unless it has ended or another process works on it. */
export async function lockOpen(tx: Queryable, id: string): Promise<OpenSweep | undefined> {
  const [row] = await tx.query<
    Omit<OpenSweep, "chainId" | "block" | "passed"> & { chainId: string; block: string; passed: string }
  >(
    `select id, chain_id as "chainId", collection, from_token_id as "from", to_token_id as "to", block,
            skip_read as "skipRead", minted, accept, receipt_id as "receiptId", by_sample as "isBySample",
            by_chain as "isByChain", cursor, passed, counted
       from vitrine.sweep where id = $1 and finished_at is null for update skip locked`,
    [id],
  );
  if (!row) return undefined;
  return {
    ...row,
    chainId: Number(row.chainId),
    block: Number(row.block),
    passed: Number(row.passed),
  };
}

/** Adds to the counted tokens of a sweep, now that every known one up to the id `counted` has been counted. */
export async function countUp(
  tx: Queryable,
  id: string,
  tokens: number,
  counted: string | undefined,
): Promise<void> {
  await tx.query("update vitrine.sweep set known = known + $2, counted = $3::numeric where id = $1", [
    id,
    tokens,
    counted,
  ]);
}

/** Notes that a sweep has passed further tokens, and enqueued `asked` of them. */
export async function moveOn(
  tx: Queryable,
  id: string,
  step: {
    /** The last token passed; null if there was none. */
    readonly cursor: string | null;
    readonly asked: number;
    readonly passed: number;
    /** No token is left to enqueue. */
    readonly isFinished: boolean;
  },
): Promise<void> {
  await tx.query(
    `update vitrine.sweep set cursor = coalesce($2::numeric, cursor), asked = asked + $3, passed = passed + $4,
            finished_at = case when $5 then now() end where id = $1`,
    [id, step.cursor, step.asked, step.passed, step.isFinished],
  );
}

/** How many sweeps with a receipt the collection has that have not ended, counted up to `max`. */
export async function countUnended(
  db: Queryable,
  chainId: number,
  collection: string,
  max: number,
): Promise<number> {
  const rows = await db.query(
    `select from vitrine.sweep where chain_id = $1 and collection = $2 and receipt_id is not null and ended_at is null
      limit $3`,
    [chainId, collection, max],
  );
  return rows.length;
}

/** Whether a sweep of the collection still has tokens to enqueue, or some in the queue. */
export async function isBeingSwept(db: Queryable, chainId: number, collection: string): Promise<boolean> {
  const [row] = await db.query<{ isSwept: boolean }>(
    `select exists (select from vitrine.sweep where finished_at is null and chain_id = $1 and collection = $2)
         or exists (select from vitrine.refresh
                     where chain_id = $1 and collection = $2 and wanted > done and lease is null and trigger = 'sweep')
         or exists (select from vitrine.refresh
                     where chain_id = $1 and collection = $2 and lease is not null and trigger = 'sweep') as "isSwept"`,
    [chainId, collection],
  );
  return row?.isSwept ?? false;
}
