/** The current chain state of a collection's tokens, from Ponder's tables. */

import { hasOwnLock, hasOwnUnlock, isDefaultLocked } from "../../chain/index/lock-sql.ts";
import type { ChainTables } from "../../chain/index/tables.ts";
import { rangedTokens } from "../../chain/index/token-state.ts";
import type { Queryable } from "../../db/database.ts";
import type { CollectionRef } from "../../metadata/traits/trait-type-store.ts";

/** SQL expressions for a collection's key. */
export interface CollectionKey {
  readonly chainId: string;
  readonly collection: string;
}

// Partial indexes support these (chain/index/serving-indexes.ts).
const stateRows = ({ tokenState }: ChainTables, { chainId, collection }: CollectionKey): string =>
  `select s.token_id from ${tokenState} s where s.chain_id = ${chainId} and s.collection_address = ${collection}`;

/** SQL: the ids (`token_id`) of burned tokens. */
export const burnedRows = (tables: ChainTables, key: CollectionKey): string =>
  `${stateRows(tables, key)} and s.burned`;

/** SQL: the ids of tokens that their own events lock. */
export const ownLockRows = (tables: ChainTables, key: CollectionKey): string =>
  `${stateRows(tables, key)} and ${hasOwnLock(tables, "s")}`;

/** SQL: the ids of tokens that are not locked where the collection locks by default. */
export const ownUnlockRows = (tables: ChainTables, key: CollectionKey): string =>
  `${stateRows(tables, key)} and ${hasOwnUnlock("s")} and not (${hasOwnLock(tables, "s")})`;

/** SQL: the ids of a wallet's tokens: ERC-721 tokens it owns, including those in ranges, and ERC-1155 tokens with a balance. */
export const ownedRows = (tables: ChainTables, key: CollectionKey, owner: string): string => `
  ${stateRows(tables, key)} and s.owner = ${owner}
   union
  select token_id from (${rangedTokens(tables, { ...key, among: `r.owner = ${owner}` })}) ranged
   union
  select token_id from ${tables.tokenBalance}
   where chain_id = ${key.chainId} and collection_address = ${key.collection} and holder = ${owner} and balance > 0`;

const KEY: CollectionKey = { chainId: "$1", collection: "$2" };

// One ordered text, which is cheap to compare with the previous one.
const idsOf = (rows: string): string =>
  `select coalesce(string_agg(token_id::text, ',' order by token_id), '') as ids from (${rows}) t`;

async function readIds(db: Queryable, rows: string, parameters: readonly unknown[]): Promise<string> {
  const [row] = await db.query<{ ids: string }>(idsOf(rows), parameters);
  return row?.ids ?? "";
}

/** The ids of burned tokens, ascending, comma-separated. */
export const readBurned = (db: Queryable, tables: ChainTables, { chainId, collection }: CollectionRef) =>
  readIds(db, burnedRows(tables, KEY), [chainId, collection]);

/** The locked tokens, or the unlocked ones if the collection locks by default and almost all are locked. */
export interface LockedTokens {
  readonly are: "locked" | "unlocked";
  /** In the format of `readBurned`. */
  readonly ids: string;
}

export async function readLocked(
  db: Queryable,
  tables: ChainTables,
  { chainId, collection }: CollectionRef,
): Promise<LockedTokens> {
  // PostgreSQL evaluates only the branch it takes.
  const [row] = await db.query<LockedTokens>(
    `select case when by_default then 'unlocked' else 'locked' end as are,
            case when by_default
              then (${idsOf(ownUnlockRows(tables, KEY))})
              else (${idsOf(ownLockRows(tables, KEY))}) end as ids
       from (select ${isDefaultLocked(tables, KEY.chainId, KEY.collection)} as by_default) d`,
    [chainId, collection],
  );
  return row ?? { are: "locked", ids: "" };
}

/** The ids of a wallet's tokens, in the same format. */
export const readOwned = (
  db: Queryable,
  tables: ChainTables,
  { chainId, collection }: CollectionRef,
  owner: string,
) => readIds(db, ownedRows(tables, KEY, "$3"), [chainId, collection, owner]);
