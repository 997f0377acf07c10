/**
 * SQL for known and listed tokens. A token is listed if a transfer of it is indexed and it is not burned. A token known
 * only from a contract or a document is unseen: stored, but shown to nobody.
 */

import type { Standard } from "../../../config.ts";
import type { CollectionRef } from "../../../domain/token-ref.ts";
import { firstTransferBlock, knownByTransfer, tokenColumns } from "../../chain/index/known-by-transfer.ts";
import type { ChainTables } from "../../chain/index/tables.ts";
import type { Queryable } from "../../db/database.ts";
import { keysOf, lookUp } from "../../db/look-up.ts";

// A global order, so that two transactions never deadlock.
const inOrder = (tokens: ReadonlyMap<string, number>): (readonly [string, number])[] =>
  [...tokens].sort(([a], [b]) => (a < b ? -1 : 1));

/**
 * Makes tokens of one collection known and seen, each with the block of its transfer. Tokens already seen change only if
 * they were known by a later one, as those that were read before this one was handled, or by one that a reorg has undone.
 * Returns those with served metadata that were unseen until now: their traits must still be learned.
 */
export async function addKnownTokens(
  db: Queryable,
  tables: ChainTables,
  chainId: number,
  collection: string,
  tokens: ReadonlyMap<string, number>,
): Promise<string[]> {
  const ordered = inOrder(tokens);
  const first = firstTransferBlock(tables, tokenColumns("t"));
  const rows = await db.query<{ tokenId: string; served: string | null }>(
    `insert into vitrine.token as t (chain_id, collection, token_id, since_block)
     select $1, $2, * from unnest($3::numeric[], $4::bigint[])
     on conflict (chain_id, collection, token_id) do update
        set unseen = false, changed = pg_current_xact_id(),
            since_block = case when t.unseen or t.since_block > excluded.since_block then excluded.since_block else ${first} end,
            known_since = case when t.unseen then now() else t.known_since end
      where t.unseen or t.since_block > excluded.since_block
         or (t.since_block < excluded.since_block and t.since_block < ${first})
     returning t.token_id as "tokenId", case when t.known_since = now() then t.served_version end as served`,
    [chainId, collection, ordered.map(([tokenId]) => tokenId), ordered.map(([, block]) => block)],
  );
  return rows.flatMap(({ tokenId, served }) => (served === null ? [] : tokenId));
}

/**
 * Makes tokens of one collection known from a contract or a document, each with the block of the read. They are unseen
 * unless a transfer is indexed; tokens already known stay unchanged.
 */
export async function addUnseenTokens(
  db: Queryable,
  tables: ChainTables,
  chainId: number,
  collection: string,
  tokens: ReadonlyMap<string, number>,
): Promise<void> {
  const ordered = inOrder(tokens);
  const isKnown = knownByTransfer(tables, tokenColumns("k"));
  await db.query(
    `insert into vitrine.token (chain_id, collection, token_id, since_block, unseen)
     select k.chain_id, k.collection, k.token_id, k.block, not ${isKnown}
       from ${keysOf("$3", { block: "$4::bigint[]" })} k
     on conflict do nothing`,
    [chainId, collection, ordered.map(([tokenId]) => tokenId), ordered.map(([, block]) => block)],
  );
}

/** A token with a transfer. */
export interface KnownToken {
  /** Null unless burned. */
  readonly burnedBlock: number | null;
}

/** The tokens among these with a transfer in this chain index or, while it is building, in the previous one. */
export async function findKnown(
  db: Queryable,
  tables: ChainTables,
  chainId: number,
  collection: string,
  tokenIds: readonly string[],
): Promise<ReadonlyMap<string, KnownToken>> {
  const isKnown = knownByTransfer(tables, tokenColumns("k"));
  const key = "(k.chain_id, k.collection, k.token_id)";
  const rows = await db.query<{ tokenId: string; burnedBlock: string | null }>(
    `select k.token_id as "tokenId", case when s.burned then s.burned_block end as "burnedBlock"
       from ${keysOf("$3")} k
       left join ${lookUp("burned, burned_block", tables.tokenState, `(chain_id, collection_address, token_id) = ${key}`)} s on true
       left join ${lookUp("unseen", "vitrine.token", `(chain_id, collection, token_id) = ${key}`)} t on true
      where ${isKnown} or t.unseen = false`,
    [chainId, collection, tokenIds],
  );
  return new Map(
    rows.map(({ tokenId, burnedBlock }) => [
      tokenId,
      { burnedBlock: burnedBlock === null ? null : Number(burnedBlock) },
    ]),
  );
}

/** Up to `limit` unseen tokens with a transfer in this chain index, each with the block to know it by. */
export async function findSeenSince(
  db: Queryable,
  tables: ChainTables,
  { chainId, collection }: CollectionRef,
  limit: number,
): Promise<ReadonlyMap<string, number>> {
  const rows = await db.query<{ tokenId: string; block: string }>(
    `select t.token_id as "tokenId", coalesce(t.since_block, 0) as block from vitrine.token t
      where t.chain_id = $1 and t.collection = $2 and t.unseen and ${knownByTransfer(tables, tokenColumns("t"))} limit $3`,
    [chainId, collection, limit],
  );
  return new Map(rows.map(({ tokenId, block }) => [tokenId, Number(block)]));
}

// More than one, because each may have been burned since the chain index's head.
const SAMPLES_MAX = 3;

/** A contract's standard, null before its first transfer, and a few tokens that have holders. */
export async function readContract(
  db: Queryable,
  { collectionState, tokenState }: ChainTables,
  chainId: number,
  collection: string,
): Promise<{ readonly standard: Standard | null; readonly owned: readonly string[] }> {
  const [row] = await db.query<{ standard: Standard | null; owned: string[] }>(
    `select (select standard from ${collectionState} where chain_id = $1 and collection_address = $2) as standard,
            array(select token_id::text from ${tokenState}
                   where chain_id = $1 and collection_address = $2 and supply > 0 and not burned limit ${SAMPLES_MAX}) as owned`,
    [chainId, collection],
  );
  return row ?? { standard: null, owned: [] };
}
