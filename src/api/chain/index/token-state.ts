/**
 * The state of tokens as SQL, including ranged tokens: one that has not moved since a large mint has no row of its own
 * (ponder.schema.ts, `token_range`). Use this instead of `token_state` for anything but locks. A row with a standard
 * overrides the range that contains it; the range completes a row without one, written by a lock.
 */

import { switches } from "../../../domain/lock-standards.ts";
import type { ChainTables } from "./tables.ts";

/** SQL expressions for a token's key. They must not refer to tables `own_row` or `own_range`. */
export interface TokenKey {
  readonly chainId: string;
  readonly collection: string;
  readonly tokenId: string;
}

/** The key of a row with the columns of Ponder's tables. */
export const tokenOf = (alias: string): TokenKey => ({
  chainId: `${alias}.chain_id`,
  collection: `${alias}.collection_address`,
  tokenId: `${alias}.token_id`,
});

// Ranges of a collection don't overlap, so only the last one that starts at or before the token can contain it.
const rangeOf = ({ tokenRange }: ChainTables, { chainId, collection, tokenId }: TokenKey): string => `
  (select * from (
     select own_range.* from ${tokenRange} own_range
      where own_range.chain_id = ${chainId} and own_range.collection_address = ${collection}
        and own_range.from_token_id <= ${tokenId}
      order by own_range.from_token_id desc limit 1) last_range
    where last_range.to_token_id >= ${tokenId})`;

const rowOf = ({ chainId, collection, tokenId }: TokenKey): string => `
  own_row.chain_id = ${chainId} and own_row.collection_address = ${collection} and own_row.token_id = ${tokenId}`;

// Null means no event, which is also true of a token without a row.
const lockColumns = ["erc721x_flag", ...switches].map((name) => `own_row.${name}`).join(", ");

/**
 * SQL for a lateral join: the token's state with the columns of `token_state`, as one row or none. `lock_count` is 0 if
 * there is no row.
 */
export const tokenState = (tables: ChainTables, token: TokenKey): string => `
  (select (${token.chainId})::bigint as chain_id, (${token.collection})::text as collection_address,
          (${token.tokenId})::numeric as token_id,
          case when own_row.standard is null and own_range.owner is not null then 'erc721' else own_row.standard end as standard,
          case when own_row.standard is null then own_range.owner else own_row.owner end as owner,
          own_row.supply, coalesce(own_row.burned, false) as burned, own_row.burned_block,
          case when own_row.standard is null then own_range.minted_block else own_row.minted_block end as minted_block,
          coalesce(own_row.lock_count, 0) as lock_count, own_row.locked_since_block, own_row.flag_locked_since_block,
          ${lockColumns}
     from (select) nothing
     left join ${tables.tokenState} own_row on ${rowOf(token)}
     left join lateral ${rangeOf(tables, token)} own_range on own_row.standard is null
    where own_row.token_id is not null or own_range.owner is not null)`;

/** SQL for a lateral join: the range that minted the token, whatever happened since; one row or none. */
export const mintRange = rangeOf;

/** SQL: the token is in a minted range. Such a token is known, burned or not. */
export const isInRange = (tables: ChainTables, token: TokenKey): string => `exists ${rangeOf(tables, token)}`;

/**
 * SQL: the token, whose key are columns of a row, is burned. By its key: while statistics expect one row of a new
 * collection, PostgreSQL would read all its burned tokens for each "not exists". In the database index of burned tokens,
 * which is a fraction of the others.
 */
export const isBurned = ({ tokenState: rows }: ChainTables, token: TokenKey): string => `
  coalesce((select true from ${rows} own_row where ${rowOf(token)} and own_row.burned), false)`;

/**
 * SQL: ids (`token_id`) of a collection's ranged tokens without a transfer since, each with its `owner`. `among`
 * restricts the ranges, named `r`.
 */
export const rangedTokens = (
  { tokenRange, tokenState: rows }: ChainTables,
  { chainId, collection, among }: Omit<TokenKey, "tokenId"> & { readonly among: string },
): string => `
  select ranged.token_id, r.owner
    from ${tokenRange} r
   cross join lateral generate_series(r.from_token_id, r.to_token_id) as ranged(token_id)
   where r.chain_id = ${chainId} and r.collection_address = ${collection} and ${among}
     and not exists (select from ${rows} own_row
                      where own_row.chain_id = ${chainId} and own_row.collection_address = ${collection}
                        and own_row.token_id = ranged.token_id and own_row.standard is not null)`;

/**
 * SQL: up to `limit` ids (`token_id`) of a collection's ranged tokens above `after`, ascending, with or without a row
 * of their own. A range may be as small as one token, so it takes as many of the next ranges as hold that many.
 */
export const rangedAfter = (
  { tokenRange }: ChainTables,
  {
    chainId,
    collection,
    after,
    limit,
  }: Omit<TokenKey, "tokenId"> & { readonly after: string; readonly limit: string },
): string => `
  select ranged.token_id
    from (select next.first, next.last, sum(next.last - next.first + 1) over (order by next.first) as tokens
            from (select greatest(own_range.from_token_id, ${after} + 1) as first, own_range.to_token_id as last
                    from ${tokenRange} own_range
                   where own_range.chain_id = ${chainId} and own_range.collection_address = ${collection}
                     and own_range.to_token_id > ${after}
                   order by own_range.from_token_id limit ${limit}) next) r
   cross join lateral generate_series(r.first, least(r.last, r.first + ${limit} - 1)) as ranged(token_id)
   where r.tokens - (r.last - r.first + 1) < ${limit}
   order by ranged.token_id limit ${limit}`;
