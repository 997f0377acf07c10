/** What Ponder's tables say of a collection's tokens at this moment. */

import type { ChainTables } from "../chain/tables.ts";
import { rangedTokens } from "../chain/token-state.ts";
import type { CollectionRef } from "../metadata/trait-type-store.ts";
import type { Queryable } from "../store/database.ts";

// One text in order, which is told from the one before at a glance. Partial indexes serve it (chain/serving-indexes.ts).
const idsOf = (rows: string): string =>
  `select coalesce(string_agg(token_id::text, ',' order by token_id), '') as ids from (${rows}) t`;

async function readIds(db: Queryable, rows: string, parameters: readonly unknown[]): Promise<string> {
  const [row] = await db.query<{ ids: string }>(idsOf(rows), parameters);
  return row?.ids ?? "";
}

/** The ids of burned tokens in ascending order, separated by commas. */
export const readBurned = (db: Queryable, tables: ChainTables, { chainId, collection }: CollectionRef) =>
  readIds(
    db,
    `select token_id from ${tables.tokenState} where chain_id = $1 and collection_address = $2 and burned`,
    [chainId, collection],
  );

export const readLocked = (db: Queryable, tables: ChainTables, { chainId, collection }: CollectionRef) =>
  readIds(
    db,
    `select token_id from ${tables.tokenState} where chain_id = $1 and collection_address = $2 and lock_count > 0`,
    [chainId, collection],
  );

/** What a wallet holds: ERC-721 tokens that it owns, those of ranges included, and ERC-1155 tokens that it has any of. */
export const readOwned = (
  db: Queryable,
  tables: ChainTables,
  { chainId, collection }: CollectionRef,
  owner: string,
) =>
  readIds(
    db,
    `select token_id from ${tables.tokenState} where chain_id = $1 and collection_address = $2 and owner = $3
      union
     select token_id from (${rangedTokens(tables, { chainId: "$1", collection: "$2", among: "r.owner = $3" })}) ranged
      union
     select token_id from ${tables.tokenBalance}
      where chain_id = $1 and collection_address = $2 and holder = $3 and balance > 0`,
    [chainId, collection, owner],
  );
