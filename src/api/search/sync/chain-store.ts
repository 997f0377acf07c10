/** The current chain state of a collection's tokens, from Ponder's tables. */

import { hasOwnLock, hasOwnUnlock, isDefaultLocked } from "../../chain/index/lock-sql.ts";
import type { ChainTables } from "../../chain/index/tables.ts";
import { rangedTokens } from "../../chain/index/token-state.ts";
import type { Queryable } from "../../db/database.ts";
import type { CollectionRef } from "../../metadata/traits/trait-type-store.ts";

// One ordered text, which is cheap to compare with the previous one. Partial indexes support it
// (chain/index/serving-indexes.ts).
const idsOf = (rows: string): string =>
  `select coalesce(string_agg(token_id::text, ',' order by token_id), '') as ids from (${rows}) t`;

async function readIds(db: Queryable, rows: string, parameters: readonly unknown[]): Promise<string> {
  const [row] = await db.query<{ ids: string }>(idsOf(rows), parameters);
  return row?.ids ?? "";
}

/** The ids of burned tokens, ascending, comma-separated. */
export const readBurned = (db: Queryable, tables: ChainTables, { chainId, collection }: CollectionRef) =>
  readIds(
    db,
    `select token_id from ${tables.tokenState} where chain_id = $1 and collection_address = $2 and burned`,
    [chainId, collection],
  );

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
  const own = `select s.token_id from ${tables.tokenState} s where s.chain_id = $1 and s.collection_address = $2`;
  // PostgreSQL evaluates only the branch it takes.
  const [row] = await db.query<LockedTokens>(
    `select case when by_default then 'unlocked' else 'locked' end as are,
            case when by_default
              then (${idsOf(`${own} and ${hasOwnUnlock("s")} and not (${hasOwnLock(tables, "s")})`)})
              else (${idsOf(`${own} and ${hasOwnLock(tables, "s")}`)}) end as ids
       from (select ${isDefaultLocked(tables, "$1", "$2")} as by_default) d`,
    [chainId, collection],
  );
  return row ?? { are: "locked", ids: "" };
}

/** A wallet's tokens: ERC-721 tokens it owns, including those in ranges, and ERC-1155 tokens with a balance. */
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
