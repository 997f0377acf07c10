/** The registry's answers from its indexed events; one statement reads each with whether they can be trusted. */

import { UINT256_MAX } from "../../../domain/token-ref.ts";
import { isCurrent } from "../../chain/index/index-trust.ts";
import type { ChainTables } from "../../chain/index/tables.ts";
import type { Queryable } from "../../db/database.ts";
import type { DelegationRecord } from "./record.ts";
import { covers, type Scope, standsFor } from "./rights.ts";

/** The registry's own value for everything, which ERC-20 and ERC-1155 checks return under a wider delegation. */
const EVERYTHING = UINT256_MAX.toString();

export interface RegistryIndex {
  readonly database: Queryable;
  readonly tables: ChainTables;
}

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

export type Answer<Value> = Trust & Value;
interface Trust {
  /** False while the chain index may lack grants, or hold revoked ones. */
  readonly isCurrent: boolean;
  /** The time of the newest indexed block; null before the first. */
  readonly asOf: Date | null;
}

/**
 * The `with` and the columns of `Trust`, and their parameter, which follows those that a statement has already. Age is not
 * asked for, other than by trade checks: rows of a chain that stands still are its latest, and `asOf` says of when.
 */
function trust({ tables }: RegistryIndex, taken: number) {
  return {
    before: `
      with head as materialized (
        select ${isCurrent(tables, `$${taken + 1}`)} as current,
               to_timestamp(left(c.latest_checkpoint, 10)::bigint) as as_of
          from ${tables.checkpoint} c where c.chain_id = $1)`,
    columns: `coalesce((select current from head), false) as "isCurrent", (select as_of from head) as "asOf"`,
    parameters: [tables.schema],
  };
}

type Page = Answer<{ readonly records: readonly DelegationRecord[]; readonly next: Place | null }>;

export type Direction = "incoming" | "outgoing" | "all";

// Apart from each other, so that each is read in order by a database index of its own (chain/index/serving-indexes.ts).
const directions: Record<Direction, readonly string[]> = {
  incoming: ['lower(d."to") = $5'],
  outgoing: ['lower(d."from") = $5'],
  all: ['lower(d."to") = $5', 'lower(d."from") = $5 and d."to" <> $5'],
};

/** A wallet's active delegations, in the order of their last events. */
export const readOfWallet = (
  index: RegistryIndex,
  query: PageQuery & { readonly wallet: string; readonly direction: Direction },
): Promise<Page> => {
  const conditions = directions[query.direction].map((condition) => `d.enabled and ${condition}`);
  return readPage(index, query, conditions, [query.wallet]);
};

/** Delegations of any type from one wallet to another; with rights, only those that satisfy them. */
export const readBetween = (
  index: RegistryIndex,
  query: PageQuery & { readonly from: string; readonly to: string; readonly rights: string | undefined },
): Promise<Page> => {
  const { from, to, rights } = query;
  const stands = rights === undefined ? "d.enabled" : standsFor("$7");
  const parameters = rights === undefined ? [from, to] : [from, to, rights];
  return readPage(index, query, [`d."from" = $5 and d."to" = $6 and ${stands}`], parameters);
};

/** Those for which one of the conditions holds; none may meet two. */
async function readPage(
  index: RegistryIndex,
  { chainId, limit, after }: PageQuery,
  conditions: readonly string[],
  parameters: readonly unknown[],
): Promise<Page> {
  type Row = Partial<DelegationRecord> & Trust & { block: string; log: number };
  // One extra row shows whether another page follows.
  const asked = [chainId, after?.block ?? -1, after?.log ?? -1, limit + 1, ...parameters];
  const trusted = trust(index, asked.length);
  const inOrder = "order by d.block_number, d.log_index limit $4";
  const found = conditions.map(
    (condition) => `(select * from ${index.tables.delegation} d
          where d.chain_id = $1 and (d.block_number, d.log_index) > ($2::numeric, $3::int) and ${condition} ${inOrder})`,
  );
  const rows = await index.database.query<Row>(
    `${trusted.before}
     select ${trusted.columns}, d.type, d."from", d."to", d.contract, d.token_id as "tokenId", d.rights,
            d.amount, d.block_number as block, d.log_index as log
       from (select) one
       left join lateral (
         select * from (${found.join(" union all ")}) d ${inOrder}) d on true`,
    [...asked, ...trusted.parameters],
  );
  const records = rows.filter((row) => row.type !== null);
  const last = records.length > limit ? records[limit - 1] : undefined;
  return {
    isCurrent: rows[0]?.isCurrent ?? false,
    asOf: rows[0]?.asOf ?? null,
    records: records.slice(0, limit).map(({ isCurrent: _, asOf: __, block: ___, log: ____, ...record }) => {
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
  index: RegistryIndex,
  query: CheckQuery,
): Promise<Answer<{ readonly granted: boolean; readonly amount: string }>> {
  const { chainId, scope, from, to, rights, contract, tokenId } = query;
  // Only as many parameters as the scope uses.
  const asked = [chainId, from, to, rights, ...[contract, tokenId].filter((each) => each !== undefined)];
  const trusted = trust(index, asked.length);
  const [row] = await index.database.query<Answer<{ granted: boolean; amount: string }>>(
    `${trusted.before}
     select ${trusted.columns}, count(*) > 0 as granted,
            coalesce(max(case when d.type in ('ALL', 'CONTRACT') then ${EVERYTHING} else d.amount end), 0)::text as amount
       from ${index.tables.delegation} d
      where d.chain_id = $1 and d."from" = $2 and d."to" = $3 and ${standsFor("$4")}
        and ${covers(scope, { contract: "$5", tokenId: "$6" })}`,
    [...asked, ...trusted.parameters],
  );
  return row ?? { isCurrent: false, asOf: null, granted: false, amount: "0" };
}
