/** A collection's indexed locks for comparison with the contract: rows and block in one statement. */

import {
  type LockStandardName,
  lockStandards,
  type SwitchName,
  switches,
} from "../../../domain/lock-standards.ts";
import type { ContractRef } from "../../../domain/token-ref.ts";
import { blockOf } from "../../chain/index/checkpoint.ts";
import { caughtUp, ready } from "../../chain/index/index-trust.ts";
import { isDefaultLocked, lockCountOf } from "../../chain/index/lock-sql.ts";
import type { ChainTables } from "../../chain/index/tables.ts";
import { rangedAfter, tokenState } from "../../chain/index/token-state.ts";
import type { Queryable } from "../../db/database.ts";
import { newestLockEvents } from "../lock-holders.ts";

export interface IndexedLocks {
  /** The block of the rows. */
  readonly block: number;
  /** The backfill is complete. */
  readonly ready: boolean;
  /** Whether the rows are those of `block`; after a restart, they are older for a while. */
  readonly caughtUp: boolean;
  /** Ascending by token id. */
  readonly tokens: readonly IndexedToken[];
  /** The collection's default locks tokens without an event of their own. */
  readonly isDefaultLocked: boolean;
}

export interface IndexedToken {
  readonly tokenId: string;
  /** The number of locks per standard. */
  readonly locks: Readonly<Record<LockStandardName, number>>;
  /** From the token's own last events; null if there was none. */
  readonly own: Readonly<Record<SwitchName | "erc721x", boolean | null>>;
}

/** Which tokens: a page of ids above `after` (null for the first page), or the given ids. */
export type TokenChoice =
  | { readonly after: string | null; readonly limit: number }
  | { readonly ids: readonly string[] };

interface Row extends Omit<IndexedToken, "tokenId"> {
  readonly block: string;
  readonly ready: boolean;
  readonly caughtUp: boolean;
  readonly isDefaultLocked: boolean;
  readonly tokenId: string | null;
}

const object = (fields: readonly (readonly [name: string, sql: string])[]): string =>
  `jsonb_build_object(${fields.map(([name, sql]) => `'${name}', ${sql}`).join(", ")})`;
const locksByStandard = (tables: ChainTables): string =>
  object(lockStandards.map(({ name }) => [name, lockCountOf(tables, "s", name)]));
const own = object([["erc721x", "s.erc721x_flag"], ...switches.map((name) => [name, `s.${name}`] as const)]);

const idsNamed = "select id as token_id from unnest($4::numeric[]) as named(id)";

const idsAfter = (tables: ChainTables): string => `
  (select token_id from ${tables.tokenState}
    where chain_id = $1 and collection_address = $2 and token_id > $4::numeric order by token_id limit $5)
   union
  (${rangedAfter(tables, { chainId: "$1", collection: "$2", after: "$4::numeric", limit: "$5::int" })})
   order by token_id limit $5`;

/** Undefined until the chain index has a checkpoint for the chain. */
export async function readIndexedLocks(
  db: Queryable,
  tables: ChainTables,
  { chainId, address }: ContractRef,
  choice: TokenChoice,
): Promise<IndexedLocks | undefined> {
  const [chosen, parameters] =
    "ids" in choice ? [idsNamed, [choice.ids]] : [idsAfter(tables), [choice.after ?? "-1", choice.limit]];
  const rows = await db.query<Row>(
    `select ${blockOf("c.latest_checkpoint")} as block, ${ready(tables)} as ready,
            ${caughtUp("$3")} as "caughtUp", ${isDefaultLocked(tables, "$1", "$2")} as "isDefaultLocked",
            s.token_id as "tokenId", ${locksByStandard(tables)} as locks, ${own} as own
       from ${tables.checkpoint} c
       left join lateral (
         select s.* from (${chosen}) chosen
          cross join lateral ${tokenState(tables, { chainId: "$1", collection: "$2", tokenId: "chosen.token_id" })} s
       ) s on true
      where c.chain_id = $1
      order by s.token_id`,
    [chainId, address, tables.schema, ...parameters],
  );
  const [head] = rows;
  if (!head) return undefined;
  return {
    block: Number(head.block),
    ready: head.ready,
    caughtUp: head.caughtUp,
    isDefaultLocked: head.isDefaultLocked,
    tokens: rows.flatMap(({ tokenId, locks, own }) => (tokenId === null ? [] : [{ tokenId, locks, own }])),
  };
}

/** Ids of a few existing tokens, for which a contract supports the most calls. */
export async function readLivingTokens(
  db: Queryable,
  tables: ChainTables,
  { chainId, address }: ContractRef,
  limit: number,
): Promise<string[]> {
  const rows = await db.query<{ tokenId: string }>(
    `select chosen.token_id as "tokenId" from (
       (select token_id from ${tables.tokenState}
         where chain_id = $1 and collection_address = $2 and standard is not null and not burned
         order by token_id limit $3)
       union
       (${rangedAfter(tables, { chainId: "$1", collection: "$2", after: "-1::numeric", limit: "$3::int" })})
     ) chosen
      cross join lateral ${tokenState(tables, { chainId: "$1", collection: "$2", tokenId: "chosen.token_id" })} t
      where not t.burned
      order by chosen.token_id limit $3`,
    [chainId, address, limit],
  );
  return rows.map(({ tokenId }) => tokenId);
}

/** Anomalies in a token's ERC-721x events, of the newest ones if it has very many (lock-holders.ts). */
export interface LockOddities {
  /** Unlocks without a preceding lock. */
  readonly surplusUnlocks: number;
  readonly lastSurplusBlock: number | null;
  /** A tracker that locked twice without an unlock in between, since the token was last unlocked. */
  readonly repeatedBy: string | null;
}

/** By token id; tokens without such events are absent. */
export async function readLockOddities(
  db: Queryable,
  tables: ChainTables,
  { chainId, address }: ContractRef,
  tokenIds: readonly string[],
): Promise<ReadonlyMap<string, LockOddities>> {
  const rows = await db.query<LockOddities & { tokenId: string; lastSurplusBlock: string | null }>(
    `with event as (
       select l.*, l.block_number >= s.locked_since_block as is_open,
              count(*) filter (where l.direction = 'unlock') over (partition by l.token_id order by l.id) as run
         from ${tables.tokenState} s cross join lateral ${newestLockEvents(tables, "s")} l
        where s.chain_id = $1 and s.collection_address = $2 and s.token_id = any($3::numeric[])
          and l.standard = 'erc721x'
     ), per_tracker as (
       select token_id, count(*) filter (where anomaly) as surplus, max(block_number) filter (where anomaly) as last_surplus,
              case when count(*) filter (where direction = 'lock' and is_open) > 1 then approved_contract end as repeated_by
         from event group by token_id, run, approved_contract
     )
     select token_id as "tokenId", sum(surplus)::int as "surplusUnlocks", max(last_surplus) as "lastSurplusBlock",
            max(repeated_by) as "repeatedBy"
       from per_tracker group by token_id`,
    [chainId, address, tokenIds],
  );
  return new Map(
    rows.map(({ tokenId, surplusUnlocks, lastSurplusBlock, repeatedBy }) => [
      tokenId,
      {
        surplusUnlocks,
        lastSurplusBlock: lastSurplusBlock === null ? null : Number(lastSurplusBlock),
        repeatedBy,
      },
    ]),
  );
}
