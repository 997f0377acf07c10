/** The current chain state of a collection's tokens, from Ponder's tables. */

import { ready } from "../../chain/index/index-trust.ts";
import { hasOwnLock, hasOwnUnlock, isDefaultLocked } from "../../chain/index/lock-sql.ts";
import type { ChainTables } from "../../chain/index/tables.ts";
import { rangedTokens, tokenState } from "../../chain/index/token-state.ts";
import type { Queryable } from "../../db/database.ts";
import { EMPTY_RIGHTS, standsFor } from "../../delegation/rules.ts";
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

/** Whose tokens are asked for. */
export interface Holders {
  /** Lower-case addresses. */
  readonly owners: readonly string[];
  /** Whether those count that others delegated to them, too. */
  readonly includeDelegated: boolean;
}

/**
 * The tokens of some wallets: ERC-721 tokens that they own, including those in ranges, and ERC-1155 tokens with a
 * balance. Those delegated to them, if asked for, are the ones that trade checks accept: delegations without limits on
 * rights, of a wallet, the collection or a token, as long as who delegated still holds it. Then `isReady` is whether the
 * chain index is complete: before, it has revoked delegations and lacks some new ones.
 */
export async function readOwned(
  db: Queryable,
  tables: ChainTables,
  { chainId, collection }: CollectionRef,
  { owners, includeDelegated }: Holders,
): Promise<{ readonly isReady: boolean; readonly ids: string }> {
  const granted = `select d.* from ${tables.delegation} d
    where d.chain_id = $1 and d."to" = any($3::text[]) and ${standsFor(`'${EMPTY_RIGHTS}'`)}`;
  const holders = includeDelegated
    ? `array(select unnest($3::text[]) union select g."from" from (${granted}) g
              where g.type = 'ALL' or g.type = 'CONTRACT' and g.contract = $2)`
    : "$3::text[]";
  const held = `select token_id from ${tables.tokenState}
      where chain_id = $1 and collection_address = $2 and owner = any(${holders})
      union
     select token_id from (${rangedTokens(tables, { chainId: "$1", collection: "$2", among: `r.owner = any(${holders})` })}) ranged
      union
     select token_id from ${tables.tokenBalance}
      where chain_id = $1 and collection_address = $2 and holder = any(${holders}) and balance > 0`;
  const token = { chainId: "$1", collection: "$2", tokenId: "g.token_id" };
  const single = `select g.token_id from (${granted}) g
      where g.contract = $2
        and (g.type = 'ERC721' and exists (
               select from ${tokenState(tables, token)} s where s.standard = 'erc721' and s.owner = g."from")
          or g.type = 'ERC1155' and exists (
               select from ${tables.tokenBalance} b
                where (b.chain_id, b.collection_address, b.token_id, b.holder) = ($1, $2, g.token_id, g."from")
                  and b.balance > 0))`;
  const rows = includeDelegated ? `${held} union ${single}` : held;
  const [row] = await db.query<{ isReady: boolean; ids: string }>(
    `select ${includeDelegated ? ready(tables) : "true"} as "isReady", (${idsOf(rows)}) as ids`,
    [chainId, collection, owners],
  );
  return row ?? { isReady: true, ids: "" };
}
