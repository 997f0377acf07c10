/** Holdings and transfers from the chain index: collection figures, balances and token history. */

import type { Standard } from "../../config.ts";
import type { ContractRef, TokenRef } from "../../domain/token-ref.ts";
import { createConcurrencyLimit } from "../async/concurrency.ts";
import { type Anomaly, readAnomalies } from "../chain/index/anomalies.ts";
import type { ChainTables } from "../chain/index/tables.ts";
import { mintRange } from "../chain/index/token-state.ts";
import { ZERO_ADDRESS } from "../chain/index/transfer-kind.ts";
import { columnsOf } from "../db/columns.ts";
import { planName, type Queryable } from "../db/database.ts";

export interface CollectionFigures {
  readonly standard: Standard;
  /** Existing tokens. */
  readonly items: number;
  /** Wallets with at least one token. */
  readonly owners: number;
}

export interface Transfer {
  readonly tokenId: string;
  readonly from: string;
  readonly to: string;
  readonly quantity: string;
  readonly timestamp: number;
  readonly transactionHash: string;
}

export interface TransferPage {
  readonly total: number;
  readonly transfers: readonly Transfer[];
}

export interface Holder {
  readonly holder: string;
  /** Above zero, in decimal digits. */
  readonly balance: string;
}

// What reads all holders or movements of tokens may take seconds of a connection; other reads need the rest.
const LONG_READS_AT_ONCE = 3;
const limited = createConcurrencyLimit(LONG_READS_AT_ONCE);

export const createHoldings = ({ database, tables }: { database: Queryable; tables: ChainTables }) => ({
  /** Figures per collection, in the given order; null for a collection without transfers. */
  async figures(collections: readonly ContractRef[]): Promise<(CollectionFigures | null)[]> {
    const text = `
      select k.place::int, s.standard, s.items, s.owners
        from unnest($1::bigint[], $2::text[]) with ordinality as k(chain_id, address, place)
        join ${tables.collectionState} s on s.chain_id = k.chain_id and s.collection_address = k.address`;
    const rows = await database.query<CollectionFigures & { place: number }>(
      text,
      columnsOf(collections, "chainId", "address"),
      planName(text),
    );
    const byPlace = new Map(
      rows.map(({ place, standard, items, owners }) => [place, { standard, items, owners }]),
    );
    return collections.map((_, index) => byPlace.get(index + 1) ?? null);
  },

  /** Per collection, in the given order: logs the chain index could not apply in full. */
  anomalies: (collections: readonly ContractRef[]): Promise<Anomaly[][]> =>
    readAnomalies(database, tables, collections),

  /** Those of the collections of which a wallet has tokens, in the given order. */
  async heldBy<Collection extends ContractRef>(
    collections: readonly Collection[],
    holder: string,
  ): Promise<Collection[]> {
    const text = `
      select k.place::int - 1 as nth
        from unnest($1::bigint[], $2::text[]) with ordinality as k(chain_id, address, place)
        join ${tables.collectionHolder} h on h.chain_id = k.chain_id and h.collection_address = k.address
       where h.holder = $3 and h.tokens > 0`;
    const rows = await database.query<{ nth: number }>(
      text,
      [...columnsOf(collections, "chainId", "address"), holder],
      planName(text),
    );
    const held = new Set(rows.map(({ nth }) => nth));
    return collections.filter((_, nth) => held.has(nth));
  },

  /** A wallet's balance of each of these ERC-1155 tokens, by token id; "0" if it has none. */
  async balances(
    { chainId, address }: ContractRef,
    tokenIds: readonly string[],
    owner: string,
  ): Promise<ReadonlyMap<string, string>> {
    const rows = await database.query<{ tokenId: string; balance: string }>(
      `select token_id as "tokenId", balance from ${tables.tokenBalance}
        where chain_id = $1 and collection_address = $2 and token_id = any($3::numeric[]) and holder = $4`,
      [chainId, address, tokenIds, owner],
    );
    const balances = new Map(rows.map((row) => [row.tokenId, row.balance]));
    return new Map(tokenIds.map((tokenId) => [tokenId, balances.get(tokenId) ?? "0"]));
  },

  /** The number of wallets with a balance of each of these ERC-1155 tokens, by token id. */
  async owners(
    { chainId, address }: ContractRef,
    tokenIds: readonly string[],
  ): Promise<ReadonlyMap<string, number>> {
    const text = `
      select token_id as "tokenId", count(*)::int as owners from ${tables.tokenBalance}
       where chain_id = $1 and collection_address = $2 and token_id = any($3::numeric[]) and balance > 0
       group by token_id`;
    const rows = await limited(() =>
      database.query<{ tokenId: string; owners: number }>(text, [chainId, address, tokenIds], planName(text)),
    );
    const counted = new Map(rows.map((row) => [row.tokenId, row.owners]));
    return new Map(tokenIds.map((tokenId) => [tokenId, counted.get(tokenId) ?? 0]));
  },

  /** The wallets with the highest balances of an ERC-1155 token, at most `limit`, highest first. */
  topHolders({ chainId, collection, tokenId }: TokenRef, limit: number): Promise<readonly Holder[]> {
    const text = `
      select holder, balance::text from ${tables.tokenBalance}
       where chain_id = $1 and collection_address = $2 and token_id = $3 and balance > 0
       order by token_balance.balance desc, holder limit $4`;
    return limited(() => database.query<Holder>(text, [chainId, collection, tokenId, limit], planName(text)));
  },

  /** One page of each token's movements, newest first, and their total; by token id. */
  async transfers(
    { chainId, address }: ContractRef,
    tokenIds: readonly string[],
    page: { readonly offset: number; readonly limit: number },
  ): Promise<ReadonlyMap<string, TransferPage>> {
    const token = { chainId: "$1", collection: "$2", tokenId: "k.id" };
    // The mint of a range is one row for all of its tokens; look it up by the range. The others are sorted by token, as only
    // the database index by token is: where most collections are small, a kept plan would use the one by collection.
    const ofToken = `from (
        (select t.id, t."from", t."to", t.quantity, t.block_timestamp, t.transaction_hash
           from ${tables.tokenTransfer} t
          where t.chain_id = $1 and t.collection_address = $2 and t.token_id between k.id and k.id
            and t.last_token_id is null
          order by t.token_id)
         union all
        select r.transfer_id, '${ZERO_ADDRESS}', r.owner, 1, r.block_timestamp, r.transaction_hash
          from ${mintRange(tables, token)} r) t`;
    const text = `
      select k.id as "tokenId", (select count(*)::int ${ofToken}) as total,
             (select coalesce(json_agg(json_build_object(
                 'tokenId', k.id::text, 'from', p."from", 'to', p."to", 'quantity', p.quantity::text,
                 'timestamp', p.block_timestamp, 'transactionHash', p.transaction_hash) order by p.id desc), '[]')
                from (select t.* ${ofToken} order by t.id desc offset $4 limit $5) p) as transfers
        from unnest($3::numeric[]) as k(id)`;
    const rows = await limited(() =>
      database.query<TransferPage & { tokenId: string }>(
        text,
        [chainId, address, tokenIds, page.offset, page.limit],
        planName(text),
      ),
    );
    return new Map(rows.map(({ tokenId, total, transfers }) => [tokenId, { total, transfers }]));
  },
});

export type Holdings = ReturnType<typeof createHoldings>;
