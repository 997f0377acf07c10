/** Indexed lock state, and whether it can be trusted, in one SQL statement. */

import type { Standard } from "../../config.ts";
import type { LockStandardName } from "../../domain/lock-standards.ts";
import { caughtUp, indexedBlock, isWhole, ready, young } from "../chain/index/index-trust.ts";
import { holdingStandards, lockCount, lockSince } from "../chain/index/lock-sql.ts";
import type { ChainTables } from "../chain/index/tables.ts";
import { tokenOf, tokenState } from "../chain/index/token-state.ts";
import type { IndexedBlock } from "../chain/rpc/head-witness.ts";
import { planName, type Queryable } from "../db/database.ts";
import { isReverted } from "../events/rules.ts";
import { opensAt } from "./checks/opening.ts";

export interface ChainState {
  readonly tokenId: string;
  readonly standard: Standard | null;
  readonly owner: string | null;
  readonly supply: string | null;
  readonly burned: boolean;
  readonly lockCount: number;
  /** The standards that lock it, in table order. */
  readonly lockStandards: readonly LockStandardName[];
  readonly lockedSinceBlock: number | null;
  /** When trade of the collection opens; null once it is open. */
  readonly opensAt: Date | null;
  /** The chain index can be trusted on this token, provided the node confirms its head. */
  readonly fresh: boolean;
  readonly indexed: IndexedBlock | null;
}

/**
 * SQL, for `with`: `heads` has a row per chain among `chainIds` that the chain index has begun: its `latest_checkpoint`,
 * its head as `indexed`, and as `current` whether it is ready, whole, recent and not behind what any replica has read from
 * it. Once per statement, since each of its tokens asks for the same.
 */
export const heads = (
  tables: ChainTables,
  { chainIds, maxAge, schema }: TrustParameters & { readonly chainIds: string },
): string => `
  heads as materialized (
    select c.chain_id, c.latest_checkpoint, ${indexedBlock(schema)} as indexed,
           ${ready(tables)} and ${isWhole(tables)} and ${young(maxAge)} and ${caughtUp(schema)} as current
      from ${tables.checkpoint} c where c.chain_id = any(${chainIds}))`;

/**
 * SQL: the chain index can be trusted on token `t`: its chain's row `c` of `heads` is current, and no reorg is reverting
 * locks of this token that were already served. `t` has chain_id, collection_address and token_id.
 */
export const trusted = (tables: ChainTables): string =>
  `(coalesce(c.current, false) and not ${isReverted(tables)})`;

/** The parameter names of TRADE_MAX_AGE and the chain index's schema. */
interface TrustParameters {
  readonly maxAge: string;
  readonly schema: string;
}

/**
 * SQL, in a statement with `heads` as `c`: the columns of a stored ChainState but its id, of row `s` of the state of
 * token `t`, which may be missing.
 */
export const stateColumns = (tables: ChainTables): string => `
  s.standard, s.owner, s.supply, s.burned, ${lockCount(tables, "s")} as "lockCount",
  ${holdingStandards(tables, "s")} as "lockStandards", ${lockSince(tables, "s")} as "lockedSinceBlock",
  ${opensAt} as "opensAt", ${trusted(tables)} as fresh, c.indexed`;

/** A row of `stateColumns`. */
export interface StoredState extends Omit<ChainState, "lockedSinceBlock"> {
  readonly lockedSinceBlock: string | null;
}

export const toChainState = ({ lockedSinceBlock, ...row }: StoredState): ChainState => ({
  ...row,
  lockedSinceBlock: lockedSinceBlock === null ? null : Number(lockedSinceBlock),
});

/** The state of the tokens among these that the chain index knows, by token id. */
export async function readChainStates(
  db: Queryable,
  tables: ChainTables,
  query: { chainId: number; collection: string; tokenIds: readonly string[]; maxAgeSeconds: number },
): Promise<ReadonlyMap<string, ChainState>> {
  const text = `
    with ${heads(tables, { chainIds: "array[$1::bigint]", maxAge: "$4", schema: "$5" })}
    select t.token_id as "tokenId", ${stateColumns(tables)}
       from (select $1::bigint as chain_id, $2::text as collection_address, id as token_id
               from unnest($3::numeric[]) as named(id)) t
      cross join lateral ${tokenState(tables, tokenOf("t"))} s
       left join heads c on c.chain_id = t.chain_id`;
  const rows = await db.query<StoredState>(
    text,
    [query.chainId, query.collection, query.tokenIds, query.maxAgeSeconds, tables.schema],
    planName(text),
  );
  return new Map(rows.map((row) => [row.tokenId, toChainState(row)]));
}
