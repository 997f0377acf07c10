/** The current chain state of a collection's tokens, from Ponder's tables. */

import type { CollectionRef } from "../../../domain/token-ref.ts";
import { isChainCurrent } from "../../chain/index/index-trust.ts";
import { hasOwnLock, hasOwnUnlock, isDefaultLocked } from "../../chain/index/lock-sql.ts";
import type { ChainTables } from "../../chain/index/tables.ts";
import { rangedTokens, tokenState } from "../../chain/index/token-state.ts";
import type { Queryable } from "../../db/database.ts";
import { EMPTY_RIGHTS, standsFor } from "../../delegation/rules.ts";
import { ApiError } from "../../http/errors.ts";

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

/** Whose tokens are asked for. */
export interface Holders {
  /** SQL: an array of lower-case addresses. */
  readonly owners: string;
  /** Whether those count that others delegated to them, too. */
  readonly includeDelegated: boolean;
}

/**
 * SQL: the ids of some wallets' tokens: ERC-721 tokens that they own, including those in ranges, and ERC-1155 tokens with
 * a balance. Those delegated to them are the ones that trade checks accept: delegations without limits on rights, of a
 * wallet, the collection or a token, as long as who delegated it holds it.
 */
export function heldRows(
  tables: ChainTables,
  key: CollectionKey,
  { owners, includeDelegated }: Holders,
): string {
  const granted = `select d.* from ${tables.delegation} d
    where d.chain_id = ${key.chainId} and d."to" = any(${owners}) and ${standsFor(`'${EMPTY_RIGHTS}'`)}`;
  if (!includeDelegated) return ownedRows(tables, key, owners);
  const token = { ...key, tokenId: "g.token_id" };
  return `${ownedRows(
    tables,
    key,
    `array(select unnest(${owners}) union select g."from" from (${granted}) g
            where g.type = 'ALL' or g.type = 'CONTRACT' and g.contract = ${key.collection})`,
  )}
   union
  select g.token_id from (${granted}) g
   where g.contract = ${key.collection}
     and (g.type = 'ERC721' and exists (
            select from ${tokenState(tables, token)} s where s.standard = 'erc721' and s.owner = g."from")
       or g.type = 'ERC1155' and exists (
            select from ${tables.tokenBalance} b
             where b.chain_id = ${key.chainId} and b.collection_address = ${key.collection}
               and b.token_id = g.token_id and b.holder = g."from" and b.balance > 0))`;
}

// Owner by owner: of thousands, "= any" would be compared with each token of the collection, one after another. The key is
// columns of a row, see keysOf.
const ownedRows = (tables: ChainTables, key: CollectionKey, owners: string): string => {
  const each = `(select ${key.chainId} as chain_id, ${key.collection} as collection, owner from unnest(${owners}) owner offset 0) o`;
  const holds = (holder: string): string =>
    `(chain_id, collection_address, ${holder}) = (o.chain_id, o.collection, o.owner)`;
  return `
  select s.token_id from ${each}
   cross join lateral (select token_id from ${tables.tokenState} where ${holds("owner")} offset 0) s
   union
  select token_id from (${rangedTokens(tables, { ...key, among: `r.owner = any(${owners})` })}) ranged
   union
  select b.token_id from ${each}
   cross join lateral (select token_id from ${tables.tokenBalance} where ${holds("holder")} and balance > 0 offset 0) b`;
};

const KEY: CollectionKey = { chainId: "$1::bigint", collection: "$2::text" };

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

/**
 * Reads the ids of the tokens that the owners hold, or may use, in the same format. Throws UNAVAILABLE where delegations
 * count and the chain index is not current: then it has revoked delegations and lacks some new ones.
 */
export async function readHeld(
  db: Queryable,
  tables: ChainTables,
  { chainId, collection }: CollectionRef,
  { owners, includeDelegated }: Omit<Holders, "owners"> & { readonly owners: readonly string[] },
): Promise<string> {
  const rows = heldRows(tables, KEY, { owners: "$3::text[]", includeDelegated });
  const [trusted, schema] = includeDelegated
    ? [isChainCurrent(tables, "$1", "$4"), [tables.schema]]
    : ["true", []];
  const [row] = await db.query<{ isTrusted: boolean; ids: string }>(
    `select ${trusted} as "isTrusted", (${idsOf(rows)}) as ids`,
    [chainId, collection, owners, ...schema],
  );
  if (row?.isTrusted === false) throw new ApiError("UNAVAILABLE");
  return row?.ids ?? "";
}
