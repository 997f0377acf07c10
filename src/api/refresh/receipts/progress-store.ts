/** The progress of a receipt, in numbers. Finished entries are folded, so that millions are never counted. */

import type { Queryable } from "../../db/database.ts";
import type { TokenStatus } from "./receipts.ts";

/** The tokens with the same outcome, and an example. */
export interface ProgressGroup {
  readonly status: Exclude<TokenStatus, "queued" | "fetching"> | "waiting";
  /** The first word of a failure's reason; empty if there is no failure. */
  readonly code: string;
  readonly tokens: number;
  readonly tokenId: string;
  readonly reason: string | null;
}

export interface SweepProgress {
  readonly asked: number;
  /** The number of tokens to request; `isCounted` is false while counting is in progress. */
  readonly known: number;
  readonly isCounted: boolean;
  readonly isFinished: boolean;
}

export interface ReceiptProgress {
  readonly createdAt: Date;
  readonly chainId: number;
  readonly collection: string;
  readonly groups: readonly ProgressGroup[];
  /** Undefined for a receipt of listed token ids. */
  readonly sweep: SweepProgress | undefined;
}

// Tokens of one group differ in the rest of their reasons.
const code = "case when status = 'failed' then split_part(reason, ':', 1) else '' end";

/** Folds finished entries into numbers. One process at a time, the one that has locked the receipt's sweep. */
export async function foldReceipt(tx: Queryable, receiptId: string): Promise<void> {
  await tx.query(
    `with ended as (
       -- What a probe decides just now is left for the next time: it locks the rows in another order.
       delete from vitrine.receipt_token where (receipt_id, position) in (
         select receipt_id, position from vitrine.receipt_token where receipt_id = $1 and status is not null
            for update skip locked)
       returning status, ${code} as code, token_id, reason
     )
     insert into vitrine.receipt_outcome as o (receipt_id, status, code, tokens, token_id, reason)
     select $1, status, code, count(*), (array_agg(token_id order by token_id))[1],
            (array_agg(reason order by token_id))[1]
       from ended group by status, code
     on conflict (receipt_id, status, code) do update set tokens = o.tokens + excluded.tokens`,
    [receiptId],
  );
}

/** The progress of any caller's receipt. */
export async function readProgress(db: Queryable, id: string): Promise<ReceiptProgress | undefined> {
  const [row] = await db.query<{
    createdAt: Date;
    chainId: string;
    collection: string;
    sweepId: string | null;
    asked: string;
    known: string;
    isCounted: boolean;
    isFinished: boolean;
  }>(
    `select p.created_at as "createdAt", p.chain_id as "chainId", p.collection, s.id as "sweepId", s.asked,
            greatest(s.known, s.passed) as known, s.counted is not distinct from s.to_token_id as "isCounted",
            s.finished_at is not null as "isFinished"
       from vitrine.receipt p left join vitrine.sweep s on s.receipt_id = p.id where p.id = $1`,
    [id],
  );
  if (!row) return undefined;
  const groups = await db.query<Omit<ProgressGroup, "tokens"> & { tokens: string }>(
    `with entry as (
       select 0 as place, coalesce(status, 'waiting') as status, ${code} as code, 1::bigint as tokens, token_id, reason
         from vitrine.receipt_token where receipt_id = $1
       union all
       select 1, status, code, tokens, token_id, reason from vitrine.receipt_outcome where receipt_id = $1
     )
     select status, code, sum(tokens) as tokens,
            (array_agg(token_id order by place desc, token_id))[1] as "tokenId",
            (array_agg(reason order by place desc, token_id))[1] as reason
       from entry group by status, code order by sum(tokens) desc, status, code`,
    [id],
  );
  return {
    createdAt: row.createdAt,
    chainId: Number(row.chainId),
    collection: row.collection,
    groups: groups.map((group) => ({ ...group, tokens: Number(group.tokens) })),
    sweep:
      row.sweepId === null
        ? undefined
        : {
            asked: Number(row.asked),
            known: Number(row.known),
            isCounted: row.isCounted,
            isFinished: row.isFinished,
          },
  };
}
