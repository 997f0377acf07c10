/** The registry's answers from its indexed events; one statement reads each with whether the index is complete. */

import { ready } from "../../chain/index/index-trust.ts";
import type { ChainTables } from "../../chain/index/tables.ts";
import type { Queryable } from "../../db/database.ts";
import type { DelegationRecord } from "./record.ts";
import { covers, type Scope, standsFor } from "./rights.ts";

/** The registry's own value for everything, which ERC-20 and ERC-1155 checks return under a wider delegation. */
const EVERYTHING = (2n ** 256n - 1n).toString();

/** Where a page ended: the chain position of its last delegation's event. */
export interface Place {
  readonly block: number;
  readonly log: number;
}

export interface PageQuery {
  readonly chainId: number;
  readonly limit: number;
  readonly after: Place | undefined;
}

export type Answer<Value> = { readonly ready: boolean } & Value;
type Page = Answer<{ readonly records: readonly DelegationRecord[]; readonly next: Place | null }>;

export type Direction = "incoming" | "outgoing" | "all";

const directions: Record<Direction, string> = {
  incoming: 'd."to" = $5',
  outgoing: 'd."from" = $5',
  all: '(d."to" = $5 or d."from" = $5)',
};

/** A wallet's active delegations, in the order of their last events. */
export const readOfWallet = (
  db: Queryable,
  tables: ChainTables,
  query: PageQuery & { readonly wallet: string; readonly direction: Direction },
): Promise<Page> =>
  readPage(db, tables, query, `d.enabled and ${directions[query.direction]}`, [query.wallet]);

/** Delegations of any type from one wallet to another; with rights, only those that satisfy them. */
export const readBetween = (
  db: Queryable,
  tables: ChainTables,
  query: PageQuery & { readonly from: string; readonly to: string; readonly rights: string | undefined },
): Promise<Page> => {
  const { from, to, rights } = query;
  const stands = rights === undefined ? "d.enabled" : standsFor("$7");
  const parameters = rights === undefined ? [from, to] : [from, to, rights];
  return readPage(db, tables, query, `d."from" = $5 and d."to" = $6 and ${stands}`, parameters);
};

async function readPage(
  db: Queryable,
  tables: ChainTables,
  { chainId, limit, after }: PageQuery,
  condition: string,
  parameters: readonly unknown[],
): Promise<Page> {
  type Row = Partial<DelegationRecord> & { ready: boolean; block: string; log: number };
  const rows = await db.query<Row>(
    `select ${ready(tables)} as ready, d.type, d."from", d."to", d.contract, d.token_id as "tokenId", d.rights,
            d.amount, d.block_number as block, d.log_index as log
       from (select) one
       left join lateral (
         select * from ${tables.delegation} d
          where d.chain_id = $1 and (d.block_number, d.log_index) > ($2::numeric, $3::int) and ${condition}
          order by d.block_number, d.log_index limit $4) d on true`,
    // One extra row shows whether another page follows.
    [chainId, after?.block ?? -1, after?.log ?? -1, limit + 1, ...parameters],
  );
  const found = rows.filter((row) => row.type !== null);
  const last = found.length > limit ? found[limit - 1] : undefined;
  return {
    ready: rows[0]?.ready ?? false,
    records: found.slice(0, limit).map(({ ready: _ready, block: _block, log: _log, ...record }) => {
      return record as DelegationRecord;
    }),
    next: last ? { block: Number(last.block), log: last.log } : null,
  };
}

export interface CheckQuery {
  readonly chainId: number;
  readonly scope: Scope;
  readonly from: string;
  readonly to: string;
  readonly rights: string;
  readonly contract?: string | undefined;
  readonly tokenId?: string | undefined;
}

/** The result of the contract's checkDelegateFor… functions: whether, and how much if the type has an amount. */
export async function readCheck(
  db: Queryable,
  tables: ChainTables,
  query: CheckQuery,
): Promise<Answer<{ readonly granted: boolean; readonly amount: string }>> {
  const { chainId, scope, from, to, rights, contract, tokenId } = query;
  const [row] = await db.query<Answer<{ granted: boolean; amount: string }>>(
    `select ${ready(tables)} as ready, count(*) > 0 as granted,
            coalesce(max(case when d.type in ('ALL', 'CONTRACT') then ${EVERYTHING} else d.amount end), 0)::text as amount
       from ${tables.delegation} d
      where d.chain_id = $1 and d."from" = $2 and d."to" = $3 and ${standsFor("$4")}
        and ${covers(scope, { contract: "$5", tokenId: "$6" })}`,
    // Only as many parameters as the scope uses.
    [chainId, from, to, rights, ...[contract, tokenId].filter((each) => each !== undefined)],
  );
  return row ?? { ready: false, granted: false, amount: "0" };
}
