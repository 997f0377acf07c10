/** Who owns how much of a collection, now and at a block of the past, from the chain index. */

import type { Standard } from "../../../config.ts";
import { blockOf } from "../../chain/index/checkpoint.ts";
import { collectionOf } from "../../chain/index/serving-indexes.ts";
import type { ChainTables } from "../../chain/index/tables.ts";
import { inChainOrder, ZERO_ADDRESS } from "../../chain/index/transfer-kind.ts";
import { planName, type Queryable } from "../../db/database.ts";

export interface Owner {
  readonly owner: string;
  /** ERC-721: the number of tokens; ERC-1155: the sum of the balances. */
  readonly quantity: string;
}

export interface OwnersQuery {
  readonly chainId: number;
  readonly address: string;
  /** Only owners after this one: with less, or as much and a higher address. */
  readonly after: Owner | undefined;
  readonly limit: number;
}

/** Several pages of the same owners. */
export interface PagesQuery extends Omit<OwnersQuery, "after"> {
  /** Each page holds the owners after one of these. */
  readonly afters: readonly OwnersQuery["after"][];
}

export interface OwnersAnswer {
  readonly owners: readonly Owner[];
  readonly total: number;
}

/** The collection's standard by its transfers, and the newest indexed block; null before the first. */
export async function readHead(
  db: Queryable,
  tables: ChainTables,
  { chainId, address }: Pick<OwnersQuery, "chainId" | "address">,
): Promise<{ readonly block: number | null; readonly standard: Standard | null }> {
  const [row] = await db.query<{ block: string | null; standard: Standard | null }>(
    `select (select ${blockOf("c.latest_checkpoint")} from ${tables.checkpoint} c where c.chain_id = $1) as block,
            (select s.standard from ${tables.collectionState} s
              where s.chain_id = $1 and s.collection_address = $2) as standard`,
    [chainId, address],
  );
  return { block: row?.block == null ? null : Number(row.block), standard: row?.standard ?? null };
}

const inCollection = "chain_id = $1 and collection_address = $2";

/** SQL: the pages after each of $3, $4 of `holdings`, a query of (owner, quantity), and the number of its rows. */
const paged = (holdings: string): string => `
  with holdings as materialized (${holdings})
  select p.page::int as page, (select count(*)::int from holdings) as total, h.owner, h.quantity::text as quantity
    from unnest($3::numeric[], $4::text[]) with ordinality p(quantity, owner, page)
    left join lateral (
      select * from holdings h
       where p.quantity is null or h.quantity < p.quantity or (h.quantity = p.quantity and h.owner > p.owner)
       order by h.quantity desc, h.owner limit $5) h on true`;

interface Row {
  readonly total: number;
  readonly owner: string | null;
  readonly quantity: string | null;
}

const answerOf = (rows: readonly Row[]): OwnersAnswer => ({
  total: rows[0]?.total ?? 0,
  owners: rows.flatMap(({ owner, quantity }) =>
    owner === null || quantity === null ? [] : { owner, quantity },
  ),
});

/** The answer of each of `afters`, in their order. */
async function readPages(
  db: Queryable,
  holdings: string,
  { chainId, address, afters, limit }: PagesQuery,
  block?: number,
): Promise<OwnersAnswer[]> {
  const rows = await db.query<Row & { readonly page: number }>(paged(holdings), [
    chainId,
    address,
    afters.map((after) => after?.quantity ?? null),
    afters.map((after) => after?.owner ?? null),
    limit,
    ...(block === undefined ? [] : [block]),
  ]);
  return afters.map((_, nth) => answerOf(rows.filter(({ page }) => page === nth + 1)));
}

/** ERC-721: counted with each transfer, so a page reads its own rows by an index. */
export async function readTokenOwners(
  db: Queryable,
  tables: ChainTables,
  { chainId, address, after, limit }: OwnersQuery,
): Promise<OwnersAnswer> {
  const text = `
    select coalesce((select s.owners from ${tables.collectionState} s where ${inCollection}), 0) as total,
           h.holder as owner, h.tokens::text as quantity
      from (select) one
      left join lateral (
        select holder, tokens from ${tables.collectionHolder}
         where chain_id = $1 and ${collectionOf()} = $2 and tokens > 0
           and (-tokens, holder) > (-coalesce($3::bigint, 2147483648), coalesce($4::text, ''))
         order by -tokens, holder limit $5) h on true`;
  const parameters = [chainId, address, after?.quantity ?? null, after?.owner ?? null, limit];
  return answerOf(await db.query<Row>(text, parameters, planName(text)));
}

/** SQL: (owner, quantity) of ERC-1155. Balances are kept per token, so every read sums those of the collection. */
const balanceOwners = (tables: ChainTables): string => `
  select holder as owner, sum(balance) as quantity from ${tables.tokenBalance}
   where ${inCollection} and balance > 0 group by holder`;

/** SQL: (owner, quantity) of ERC-721 at the end of a block: each token belongs to the receiver of its last transfer until then. */
const tokenOwnersAt = (tables: ChainTables, block: string): string => `
  with moved as materialized (
    select distinct on (token_id) token_id, "to" as owner from ${tables.tokenTransfer}
     where ${inCollection} and last_token_id is null and block_number <= ${block}
     order by token_id, ${inChainOrder("id")} desc),
  left_ranges as (
    select f.from_token_id, count(*) as tokens from moved m
     cross join lateral (
       select r.from_token_id, r.to_token_id from ${tables.tokenRange} r
        where ${inCollection} and r.from_token_id <= m.token_id
        order by r.from_token_id desc limit 1) f
     where m.token_id <= f.to_token_id group by f.from_token_id),
  ranges as (
    select r.owner, r.to_token_id - r.from_token_id + 1 - coalesce(l.tokens, 0) as quantity
      from ${tables.tokenRange} r left join left_ranges l using (from_token_id)
     where ${inCollection} and r.minted_block <= ${block}),
  parts as (
    select owner, count(*)::numeric as quantity from moved where owner <> '${ZERO_ADDRESS}' group by owner
    union all select owner, quantity from ranges where quantity > 0)
  select owner, sum(quantity) as quantity from parts group by owner`;

/** SQL: (owner, quantity) of ERC-1155 at the end of a block: what a wallet received of each token until then, less what it sent. */
const balanceOwnersAt = (tables: ChainTables, block: string): string => `
  with moved as (
    select token_id, "to" as owner, quantity from ${tables.tokenTransfer}
     where ${inCollection} and block_number <= ${block} and "to" <> '${ZERO_ADDRESS}'
    union all
    select token_id, "from", -quantity from ${tables.tokenTransfer}
     where ${inCollection} and block_number <= ${block} and "from" <> '${ZERO_ADDRESS}'),
  balances as (select owner, sum(quantity) as quantity from moved group by owner, token_id)
  select owner, sum(quantity) as quantity from balances where quantity > 0 group by owner`;

export const readBalanceOwners = (db: Queryable, tables: ChainTables, query: PagesQuery) =>
  readPages(db, balanceOwners(tables), query);

type AtBlock = { readonly block: number };

export const readTokenOwnersAt = (db: Queryable, tables: ChainTables, query: PagesQuery & AtBlock) =>
  readPages(db, tokenOwnersAt(tables, "$6"), query, query.block);

export const readBalanceOwnersAt = (db: Queryable, tables: ChainTables, query: PagesQuery & AtBlock) =>
  readPages(db, balanceOwnersAt(tables, "$6"), query, query.block);

/**
 * Copies all owners above the address `after` into a temporary table of the connection, for `readCopiedOwners`: read by
 * pages, every page would sum the collection again. `block`: at its end; the current ones without it.
 */
export async function copyOwners(
  db: Queryable,
  tables: ChainTables,
  query: Pick<OwnersQuery, "chainId" | "address"> & {
    readonly standard: Standard;
    readonly block: number | undefined;
    readonly after: string;
  },
): Promise<void> {
  const { chainId, address, standard, block, after } = query;
  const current =
    standard === "erc1155"
      ? balanceOwners(tables)
      : `select holder as owner, tokens as quantity from ${tables.collectionHolder}
          where ${inCollection} and tokens > 0`;
  const past = standard === "erc1155" ? balanceOwnersAt(tables, "$4") : tokenOwnersAt(tables, "$4");
  await db.query(
    'create temporary table export_owner (owner text collate "C" primary key, quantity numeric)',
  );
  await db.query(
    `insert into export_owner
     select * from (${block === undefined ? current : past}) h where h.owner collate "C" > $3`,
    [chainId, address, after, ...(block === undefined ? [] : [block])],
  );
}

/** Up to `limit` of the copied owners above the address `after`, by address. */
export const readCopiedOwners = (db: Queryable, after: string, limit: number): Promise<Owner[]> =>
  db.query<Owner>(
    `select owner, quantity::text as quantity from export_owner where owner > $1 order by owner limit $2`,
    [after, limit],
    "read copied owners",
  );
