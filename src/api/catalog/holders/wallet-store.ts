/** A page of the tokens that a wallet has or may use, from the chain index, in one statement. */

import type { ContractRef } from "../../../domain/token-ref.ts";
import { isChainCurrent, ready } from "../../chain/index/index-trust.ts";
import type { ChainTables } from "../../chain/index/tables.ts";
import { columnsOf } from "../../db/columns.ts";
import { planName, type Queryable } from "../../db/database.ts";
import type { DelegationRecord } from "../../delegation/registry/record.ts";
import { holdingScopes, tokensOfScope } from "./holdings-scopes.ts";

/** Where a holding is in the list: own tokens first, then by chain, collection, holder and token id. */
export interface Place {
  readonly rank: number;
  readonly chainId: number;
  readonly collection: string;
  readonly holder: string;
  readonly tokenId: string;
}

export interface Holding extends Place {
  readonly quantity: string;
  readonly via: DelegationRecord | null;
}

export interface HoldingsQuery {
  readonly collections: readonly ContractRef[];
  readonly wallet: string;
  readonly includeDelegated: boolean;
  readonly after: Place | undefined;
  readonly limit: number;
}

export interface HoldingsAnswer {
  /**
   * False if delegations are asked for and the chain index is not current, on any of the chains: then it has revoked
   * delegations and lacks some new ones.
   */
  readonly isCurrent: boolean;
  readonly total: number;
  readonly holdings: readonly Holding[];
}

const COLUMNS = "s.rank, s.chain_id, s.collection_address, s.holder";

export async function readHoldings(
  db: Queryable,
  tables: ChainTables,
  { collections, wallet, includeDelegated, after, limit }: HoldingsQuery,
): Promise<HoldingsAnswer> {
  // Every scope has at least one token, so a page needs no more scopes than it has entries, and the one it goes on with.
  const text = `
    with ${holdingScopes(tables)},
     next as materialized (
       select s.*, case when (${COLUMNS}) = ($5::int, $6::bigint, $7::text, $8::text) then $9::numeric else -1 end as after
         from scopes s
        where $5::int is null
           or (${COLUMNS}) > ($5::int, $6::bigint, $7::text, $8::text)
           or (${COLUMNS}) = ($5::int, $6::bigint, $7::text, $8::text) and (s.token_id is null or s.token_id > $9)
        order by ${COLUMNS}, s.token_id nulls first limit $10 + 1)
     select not $4 or ${ready(tables)} and not exists (
              select from (select distinct id from unnest($1) u(id)) chain
               where not ${isChainCurrent(tables, "chain.id", "$11")}) as "isCurrent",
            (select coalesce(sum(tokens), 0)::float8 from scopes) as total,
            p.rank, p.chain_id as "chainId", p.collection_address as collection, p.holder,
            p.token_id::text as "tokenId", p.quantity::text as quantity, p.via
       from (select) one
       left join lateral (
         select ${COLUMNS}, held.token_id, held.quantity, s.via
           from next s cross join lateral (${tokensOfScope(tables, "s.after", "$10")}) held
          order by ${COLUMNS}, held.token_id limit $10) p on true
      order by p.rank, p.chain_id, p.collection_address, p.holder, p.token_id`;
  const rows = await db.query<
    Omit<Holding, "chainId"> & { isCurrent: boolean; total: number; chainId: string; tokenId: string | null }
  >(
    text,
    [
      ...columnsOf(collections, "chainId", "address"),
      ...[wallet, includeDelegated],
      ...[after?.rank ?? null, after?.chainId ?? null, after?.collection ?? null, after?.holder ?? null],
      ...[after?.tokenId ?? null, limit, tables.schema],
    ],
    // Also for the order of a range's tokens, which only a plan by key keeps without reading all of them.
    planName(text),
  );
  return {
    isCurrent: rows[0]?.isCurrent ?? false,
    total: rows[0]?.total ?? 0,
    holdings: rows.flatMap(({ isCurrent: _, total: __, chainId, ...row }) =>
      row.tokenId === null ? [] : { ...row, chainId: Number(chainId) },
    ),
  };
}
