/**
 * SQL that hides and deletes tokens without a transfer.
 *
 * Two services, each with its own chain index, may share these rows while one of them is still building. So a token
 * stays seen until a complete, caught-up chain index lacks it: after a reorg, or at the daily purge.
 */

import type { CollectionRef } from "../../../domain/token-ref.ts";
import { caughtUp, isWhole, ready } from "../../chain/index/index-trust.ts";
import { knownByTransfer, tokenColumns } from "../../chain/index/known-by-transfer.ts";
import type { ChainTables } from "../../chain/index/tables.ts";
import type { Queryable } from "../../db/database.ts";
import { keysOf, lookUp } from "../../db/look-up.ts";

/**
 * SQL: a token that the chain index lacks has no transfer. The chain index is complete, has caught up with everything that
 * was read from it, and is in no reorg.
 */
const isAbsenceCertain = (tables: ChainTables, chainId: string, schema: string): string => `
  exists (select from ${tables.checkpoint} c
           where c.chain_id = ${chainId} and ${ready(tables)} and ${isWhole(tables)} and ${caughtUp(schema)})`;

export interface RevertedTokens extends CollectionRef {
  readonly tokenIds: readonly string[];
  /** The chain index itself reports that it mistook them for tokens. False by default. */
  readonly isCertain?: boolean;
}

const ASKED = "(asked.chain_id, asked.collection, asked.token_id)";
const IS_ASKED = `(t.chain_id, t.collection, t.token_id) = ${ASKED}`;

/** Locks the tokens' rows for the transaction. */
async function lockTokens(
  tx: Queryable,
  { chainId, collection }: CollectionRef,
  tokenIds: readonly string[],
  which: "all" | "seen",
): Promise<void> {
  await tx.query(
    `select from ${keysOf("$3")} asked join vitrine.token t on ${IS_ASKED}
      -- Not "not t.unseen": where most were unseen, PostgreSQL would read all that aren't for each id.
      where case when t.unseen then ${which === "all"} else true end
      order by t.token_id::text collate "C" for update of t`,
    [chainId, collection, tokenIds],
  );
}

/**
 * After a reorg: makes tokens without any remaining transfer unseen; a later mint has them read again, since the blocks
 * that they were read at are void. Does nothing, and returns false, while the chain index is not ready, not caught up or in a
 * reorg, unless it is certain. In the caller's transaction. The chain index is read after the rows are locked: during a wait,
 * another process may already have listed a token of them that was minted anew.
 */
export async function hideReverted(
  tx: Queryable,
  tables: ChainTables,
  { chainId, collection, tokenIds, isCertain = false }: RevertedTokens,
): Promise<boolean> {
  const [, [row]] = await Promise.all([
    lockTokens(tx, { chainId, collection }, tokenIds, "seen"),
    tx.query<{ may: boolean }>(
      `with trust as materialized (select $5 or ${isAbsenceCertain(tables, "$1", "$4")} as may),
       hidden as (
         update vitrine.token t
            set unseen = true, traits = '{}', good_block = null, known_since = now(), changed = pg_current_xact_id()
           from ${keysOf("$3")} asked
          where ${IS_ASKED} and not t.unseen
            and (select may from trust) and not ${knownByTransfer(tables, tokenColumns("t"))})
       select may from trust`,
      [chainId, collection, tokenIds, tables.schema, isCertain],
    ),
  ]);
  return row?.may ?? false;
}

/**
 * SQL: the chain index has no transfer of token `t`, and this is reliable. The chain index is ready, caught up and
 * knows the collection; and the token was known for a while before its head, by the block's time and by ours: a mint
 * may be on its way, and a stalled chain index lacks all newer tokens.
 */
const isNeverTransferred = (tables: ChainTables, schema: string): string => `
  (exists (select from ${tables.checkpoint} c
            where c.chain_id = t.chain_id and ${ready(tables)} and ${isWhole(tables)} and ${caughtUp(schema)}
              and t.known_since < least(now(), to_timestamp(left(c.latest_checkpoint, 10)::bigint)) - interval '10 minutes')
   and exists (select from ${tables.collectionState} k
                where k.chain_id = t.chain_id and k.collection_address = t.collection)
   and not ${knownByTransfer(tables, tokenColumns("t"))})`;

/** Whether a chain's index can reliably say that a token has no transfer. */
export async function mayKnowUntransferred(
  db: Queryable,
  tables: ChainTables,
  chainId: number,
): Promise<boolean> {
  const [row] = await db.query<{ may: boolean }>(`select ${isAbsenceCertain(tables, "$1", "$2")} as may`, [
    chainId,
    tables.schema,
  ]);
  return row?.may ?? false;
}

/** The known tokens among these without a transfer, long enough after they became known. */
export async function findNeverTransferred(
  db: Queryable,
  tables: ChainTables,
  { chainId, collection }: CollectionRef,
  tokenIds: readonly string[],
): Promise<string[]> {
  const rows = await db.query<{ tokenId: string }>(
    `select t.token_id as "tokenId" from ${keysOf("$3")} asked
       cross join ${lookUp("*", "vitrine.token", `(chain_id, collection, token_id) = ${ASKED}`)} t
      where ${isNeverTransferred(tables, "$4")}`,
    [chainId, collection, tokenIds, tables.schema],
  );
  return rows.map(({ tokenId }) => tokenId);
}

/**
 * Deletes the tokens among these that `findNeverTransferred` still finds, once their rows are locked: during a wait, another
 * process may have handled the first transfer of one. Returns them with the ids of their traits.
 */
export async function deleteNeverTransferred(
  tx: Queryable,
  tables: ChainTables,
  { chainId, collection }: CollectionRef,
  tokenIds: readonly string[],
): Promise<{ readonly tokenId: string; readonly traits: readonly number[] }[]> {
  const [, gone] = await Promise.all([
    lockTokens(tx, { chainId, collection }, tokenIds, "all"),
    tx.query<{ tokenId: string; traits: readonly number[] }>(
      `with gone as (
         delete from vitrine.token t using ${keysOf("$3")} asked
          where ${IS_ASKED} and ${isNeverTransferred(tables, "$4")}
         returning t.token_id, t.traits
       ), marked as (
         insert into vitrine.forgotten_token (chain_id, collection, token_id) select $1, $2, token_id from gone
       )
       select token_id as "tokenId", traits from gone`,
      [chainId, collection, tokenIds, tables.schema],
    ),
  ]);
  return gone;
}
