/**
 * A token's locks, as SQL for every reader. Ponder's rows record the events; their meaning depends on the collection's
 * default and on `locks` in collections.json. `s` is the alias of a row of token_state, which may be missing.
 */

import { escapeLiteral } from "pg";
import {
  type LockStandardName,
  lockStandards,
  switches,
  switchWithDefault,
} from "../../../domain/lock-standards.ts";
import type { ChainTables } from "./tables.ts";

// Standards are named like their columns.
const isOn = (name: string, s: string): string => `coalesce(${s}.${name}, false)`;
const switchCount = (s: string): string => `(${switches.map((name) => `${isOn(name, s)}::int`).join(" + ")})`;
const flagCount = (s: string): string => `${isOn("erc721x_flag", s)}::int + ${switchCount(s)}`;

/** SQL: the operator configured boolean locks for the row's collection; undefined if for none at all. */
function readsBoolean({ booleanLocks }: ChainTables, s: string): string | undefined {
  if (booleanLocks.length === 0) return undefined;
  const listed = booleanLocks.map(({ chainId, address }) => `(${chainId}, ${escapeLiteral(address)})`);
  return `(${s}.chain_id, ${s}.collection_address) in (${listed.join(", ")})`;
}

/** SQL: one of two values, by the collection's kind of lock. */
function byReading(tables: ChainTables, s: string, values: { count: string; boolean: string }): string {
  const isBoolean = readsBoolean(tables, s);
  return isBoolean === undefined
    ? values.count
    : `case when ${isBoolean} then ${values.boolean} else ${values.count} end`;
}

/** SQL: the collection's default locks the row's token, which has no event of its own to override it. */
const isLockedByDefault = ({ lockDefault }: ChainTables, s: string): string => `
  (${s}.${switchWithDefault} is null and exists (
     select from ${lockDefault} d
      where (d.chain_id, d.collection_address) = (${s}.chain_id, ${s}.collection_address)
        and d.standard = '${switchWithDefault}' and d.locked))`;

const ownCount = (tables: ChainTables, s: string): string =>
  byReading(tables, s, { count: `${s}.lock_count`, boolean: flagCount(s) });

/** SQL: the number of the token's locks: the ERC-721x count, plus one per other standard that locks it. */
export const lockCount = (tables: ChainTables, s: string): string =>
  `(coalesce(${ownCount(tables, s)}, 0) + ${isLockedByDefault(tables, s)}::int)`;

/** SQL: the number of the token's locks by one standard; 1 or 0 except for the ERC-721x count. */
export function lockCountOf(tables: ChainTables, s: string, name: LockStandardName): string {
  if (name === "erc721x") {
    return byReading(tables, s, {
      count: `${s}.lock_count - ${switchCount(s)}`,
      boolean: `${isOn("erc721x_flag", s)}::int`,
    });
  }
  if (name === switchWithDefault) return `(${isOn(name, s)} or ${isLockedByDefault(tables, s)})::int`;
  return `${isOn(name, s)}::int`;
}

/** SQL: the names of the standards that lock the token, in table order. */
export const holdingStandards = (tables: ChainTables, s: string): string => `
  array_remove(array[${lockStandards.map(({ name }) => `case when ${lockCountOf(tables, s, name)} > 0 then '${name}' end`).join(", ")}], null)`;

/** SQL: the block in which the count of the token's own events last left zero; null while it is zero. */
export const ownLockSince = (tables: ChainTables, s: string): string =>
  byReading(tables, s, { count: `${s}.locked_since_block`, boolean: `${s}.flag_locked_since_block` });

/**
 * SQL: the block since which the token is locked; null while unlocked. A default locks a token from its mint on, and
 * counts from its own block.
 */
export const lockSince = (tables: ChainTables, s: string): string => `
  least(${ownLockSince(tables, s)},
        case when ${isLockedByDefault(tables, s)} then
          (select greatest(d.locked_since_block, ${s}.minted_block) from ${tables.lockDefault} d
            where (d.chain_id, d.collection_address) = (${s}.chain_id, ${s}.collection_address)
              and d.standard = '${switchWithDefault}') end)`;

/** SQL: the collection's default is locked. */
export const isDefaultLocked = (
  { lockDefault }: ChainTables,
  chainId: string,
  collection: string,
): string => `
  exists (select from ${lockDefault}
           where chain_id = ${chainId} and collection_address = ${collection}
             and standard = '${switchWithDefault}' and locked)`;

/** SQL: the row's own events lock the token, whatever the collection's default. */
export const hasOwnLock = (tables: ChainTables, s: string): string => {
  const isBoolean = readsBoolean(tables, s);
  // A lock by the flag always has one by the count, so a database index on the count serves both.
  return isBoolean === undefined
    ? `${s}.lock_count > 0`
    : `${s}.lock_count > 0 and (not ${isBoolean} or ${flagCount(s)} > 0)`;
};

/** SQL: the token's last event of the standard with a default unlocked it. */
export const hasOwnUnlock = (s?: string): string =>
  `not ${s === undefined ? "" : `${s}.`}${switchWithDefault}`;

/** SQL: the collection of row `l` has had a default; most never have, and none of their events need be searched for it. */
const hasDefault = ({ lockDefault }: ChainTables, l: string): string => `
  exists (select from ${lockDefault} h
           where (h.chain_id, h.collection_address) = (${l}.chain_id, ${l}.collection_address))`;

/**
 * SQL: the token's lock count after row `l` of lock_event, with the default of that time. For a default itself, 1 or 0.
 */
export const lockCountAfter = (tables: ChainTables, l: string): string => `
  (${byReading(tables, l, { count: `${l}.count_after`, boolean: `${l}.flag_count_after` })}
   + (${l}.follows_default and ${hasDefault(tables, l)} and coalesce(
        (select d.direction = 'lock' from ${tables.lockEvent} d
          where d.chain_id = ${l}.chain_id and d.collection_address = ${l}.collection_address
            and d.token_id is null and d.id < ${l}.id
          order by d.id desc limit 1), false))::int)`;

/** SQL: row `l` of lock_event is an unlock without a preceding lock. Boolean locks have none: events may repeat. */
export const isSurplus = (tables: ChainTables, l: string): string =>
  byReading(tables, l, { count: `${l}.anomaly`, boolean: "false" });

/** Whether the last of TokenLocked and TokenUnlocked decides in this collection. */
export const keepsBoolean = ({ booleanLocks }: ChainTables, chainId: number, collection: string): boolean =>
  booleanLocks.some((each) => each.chainId === chainId && each.address === collection);
