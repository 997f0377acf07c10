/** Lock state as the index has it, and whether it may be trusted, in one SQL statement. */

import type { Standard } from "../../config.ts";
import type { ChainTables } from "../chain/tables.ts";
import type { Queryable } from "../store/database.ts";

export interface ChainState {
  readonly tokenId: string;
  readonly standard: Standard | null;
  readonly owner: string | null;
  readonly supply: string | null;
  readonly burned: boolean;
  readonly lockCount: number;
  readonly lockedSinceBlock: number | null;
  /** The index is ready, young enough, and not behind what any replica has seen of it. */
  readonly fresh: boolean;
}

/** SQL: Ponder's backfill is done. It turns false again at every restart. */
export const ready = (tables: ChainTables): string =>
  `coalesce((select (value->>'is_ready')::int = 1 from ${tables.meta} where key = 'app'), false)`;

/**
 * SQL: the checkpoint row `c` is not below the mark. After a restart Ponder serves rows up to 30 blocks back, first
 * under the old head; `chain_head` is the mark that tells. `schema` is the parameter that holds the index's schema.
 */
export const caughtUp = (schema: string): string =>
  `c.latest_checkpoint >= coalesce(
     (select h.checkpoint from vitrine.chain_head h where h.schema = ${schema} and h.chain_id = c.chain_id), '')`;

/** The freshness of a chain's index. It reads the checkpoint's first ten digits, the block's Unix seconds. */
const freshness = (tables: ChainTables): string => `
  ${ready(tables)}
  and exists (select from ${tables.checkpoint} c
               where c.chain_id = $1
                 and extract(epoch from now()) - left(c.latest_checkpoint, 10)::bigint <= $4
                 and ${caughtUp("$5")})`;

/** The state of those of the tokens that the chain has told of, by token id. */
export async function readChainStates(
  db: Queryable,
  tables: ChainTables,
  query: { chainId: number; collection: string; tokenIds: readonly string[]; maxAgeSeconds: number },
): Promise<ReadonlyMap<string, ChainState>> {
  const rows = await db.query<Omit<ChainState, "lockedSinceBlock"> & { lockedSinceBlock: string | null }>(
    `select token_id as "tokenId", standard, owner, supply, burned, lock_count as "lockCount",
            locked_since_block as "lockedSinceBlock", (${freshness(tables)}) as fresh
       from ${tables.tokenState}
      where chain_id = $1 and collection_address = $2 and token_id = any($3::numeric[])`,
    [query.chainId, query.collection, query.tokenIds, query.maxAgeSeconds, tables.schema],
  );
  return new Map(
    rows.map((row) => [
      row.tokenId,
      { ...row, lockedSinceBlock: row.lockedSinceBlock === null ? null : Number(row.lockedSinceBlock) },
    ]),
  );
}

/**
 * Raises the mark of every chain to its checkpoint; never lowers one. While the index is not ready the mark is put
 * past the checkpoint: a restart takes rows back and leaves the old head beside them, until its first block.
 */
export async function raiseHeads(db: Queryable, tables: ChainTables): Promise<void> {
  await db.query(
    `insert into vitrine.chain_head as h (schema, chain_id, checkpoint)
     select $1, chain_id, latest_checkpoint || case when ${ready(tables)} then '' else '0' end from ${tables.checkpoint}
     on conflict (schema, chain_id) do update set checkpoint = excluded.checkpoint
      where excluded.checkpoint > h.checkpoint`,
    [tables.schema],
  );
}

export interface LockEntry {
  readonly tokenId: string;
  readonly direction: "lock" | "unlock";
  readonly approvedContract: string;
}

/** The lock events since each token was last free, in chain order. */
export function readOpenLocks(
  db: Queryable,
  tables: ChainTables,
  chainId: number,
  collection: string,
  tokenIds: readonly string[],
): Promise<LockEntry[]> {
  return db.query<LockEntry>(
    `select l.token_id as "tokenId", l.direction, l.approved_contract as "approvedContract"
       from ${tables.lockEvent} l join ${tables.tokenState} s
         on (s.chain_id, s.collection_address, s.token_id) = (l.chain_id, l.collection_address, l.token_id)
      where l.chain_id = $1 and l.collection_address = $2 and l.token_id = any($3::numeric[])
        and l.block_number >= s.locked_since_block
      order by l.id`,
    [chainId, collection, tokenIds],
  );
}
