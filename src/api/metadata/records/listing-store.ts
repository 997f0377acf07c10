/**
 * SQL for known and listed tokens. A token is listed if a transfer of it is indexed and it is not burned. A token known
 * only from a contract or a document is unseen: stored, but shown to nobody.
 *
 * Two services, each with its own chain index, may share these rows while one of them is still building. So a token
 * stays seen until a complete, caught-up chain index lacks it: after a reorg, or at the daily purge.
 */

import type { Standard } from "../../../config.ts";
import { type CollectionRef, UINT256_MAX } from "../../../domain/token-ref.ts";
import { blockOf, SETTLED } from "../../chain/index/checkpoint.ts";
import { caughtUp, isWhole, ready } from "../../chain/index/index-trust.ts";
import { knownByTransfer, tokenColumns } from "../../chain/index/known-by-transfer.ts";
import type { ChainTables } from "../../chain/index/tables.ts";
import type { Queryable } from "../../db/database.ts";
import { lookUp } from "../../db/look-up.ts";

/** Token ids from `from` to `to`, decimal and inclusive. */
export interface TokenRange extends CollectionRef {
  readonly from: string;
  readonly to: string;
}

// A global order, so that two transactions never deadlock.
const inOrder = (tokens: ReadonlyMap<string, number>): (readonly [string, number])[] =>
  [...tokens].sort(([a], [b]) => (a < b ? -1 : 1));

/**
 * Makes tokens of one collection known and seen, each with the block of its transfer; tokens already seen stay
 * unchanged. Returns those that were unseen until now and have served metadata: their traits must still be learned.
 */
export async function addKnownTokens(
  db: Queryable,
  chainId: number,
  collection: string,
  tokens: ReadonlyMap<string, number>,
): Promise<string[]> {
  const ordered = inOrder(tokens);
  const rows = await db.query<{ tokenId: string; served: string | null }>(
    `insert into vitrine.token as t (chain_id, collection, token_id, since_block)
     select $1, $2, * from unnest($3::numeric[], $4::bigint[])
     on conflict (chain_id, collection, token_id) do update
        set unseen = false, since_block = excluded.since_block, known_since = now(), changed = pg_current_xact_id()
      where t.unseen
     returning t.token_id as "tokenId", t.served_version as served`,
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
  const isKnown = knownByTransfer(tables, { chainId: "$1", collection: "$2", tokenId: "k.id" });
  await db.query(
    `insert into vitrine.token (chain_id, collection, token_id, since_block, unseen)
     select $1, $2, k.id, k.block, not ${isKnown} from unnest($3::numeric[], $4::bigint[]) as k(id, block)
     on conflict do nothing`,
    [chainId, collection, ordered.map(([tokenId]) => tokenId), ordered.map(([, block]) => block)],
  );
}

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

/** Locks the tokens' rows for the transaction. */
async function lockTokens(
  tx: Queryable,
  { chainId, collection }: CollectionRef,
  tokenIds: readonly string[],
): Promise<void> {
  await tx.query(
    `select from vitrine.token where chain_id = $1 and collection = $2 and token_id = any($3::numeric[])
      order by token_id::text collate "C" for update`,
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
    lockTokens(tx, { chainId, collection }, tokenIds),
    tx.query<{ may: boolean }>(
      `with trust as materialized (select $5 or ${isAbsenceCertain(tables, "$1", "$4")} as may),
       hidden as (
         update vitrine.token t
            set unseen = true, traits = '{}', good_block = null, known_since = now(), changed = pg_current_xact_id()
          where t.chain_id = $1 and t.collection = $2 and t.token_id = any($3::numeric[]) and not t.unseen
            and (select may from trust) and not ${knownByTransfer(tables, tokenColumns("t"))})
       select may from trust`,
      [chainId, collection, tokenIds, tables.schema, isCertain],
    ),
  ]);
  return row?.may ?? false;
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
  const isKnown = knownByTransfer(tables, { chainId: "$1", collection: "$2", tokenId: "k.id" });
  const stateKey = "chain_id = $1 and collection_address = $2 and token_id = k.id";
  const tokenKey = "chain_id = $1 and collection = $2 and token_id = k.id";
  const rows = await db.query<{ tokenId: string; burnedBlock: string | null }>(
    `select k.id as "tokenId", case when s.burned then s.burned_block end as "burnedBlock"
       from unnest($3::numeric[]) as k(id)
       left join ${lookUp("burned, burned_block", tables.tokenState, stateKey)} s on true
       left join ${lookUp("unseen", "vitrine.token", tokenKey)} t on true
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

/** Known tokens from `from` to `to` and above `after`, ascending, at most `limit`; includes burned and unseen ones. */
export const knownInRange = (db: Queryable, range: TokenRange, after: string | null, limit: number) =>
  inRange(db, range, after, limit, "true");

/** The same for listed tokens. */
export const listedInRange = (
  db: Queryable,
  { tokenState }: ChainTables,
  range: TokenRange,
  after: string | null,
  limit: number,
) =>
  inRange(
    db,
    range,
    after,
    limit,
    `not t.unseen and not exists (
       select from ${tokenState} s
        where (s.chain_id, s.collection_address, s.token_id) = (t.chain_id, t.collection, t.token_id) and s.burned)`,
  );

/** All known tokens of a collection, ascending, up to `limit` at a time. */
export async function* knownPages(
  db: Queryable,
  collection: CollectionRef,
  limit: number,
): AsyncGenerator<readonly string[], void> {
  const range = { ...collection, from: "0", to: UINT256_MAX.toString() };
  for (let after: string | null = null; ; ) {
    const ids: readonly string[] = await knownInRange(db, range, after, limit);
    if (ids.length > 0) yield ids;
    if (ids.length < limit) return;
    after = ids.at(-1) ?? null;
  }
}

async function inRange(
  db: Queryable,
  { chainId, collection, from, to }: TokenRange,
  after: string | null,
  limit: number,
  condition: string,
): Promise<string[]> {
  const rows = await db.query<{ tokenId: string }>(
    `select t.token_id as "tokenId" from vitrine.token t
      where t.chain_id = $1 and t.collection = $2 and t.token_id between $3 and $4
        and ($5::numeric is null or t.token_id > $5) and ${condition}
      order by t.token_id limit $6`,
    [chainId, collection, from, to, after, limit],
  );
  return rows.map((row) => row.tokenId);
}

/**
 * Tokens from `from` to `to` and above `after`, ascending, at most `limit`, that would be listed without a burn which a reorg
 * may still remove.
 */
export async function burnedLatelyInRange(
  db: Queryable,
  { tokenState, checkpoint }: ChainTables,
  { chainId, collection, from, to }: TokenRange,
  after: string | null,
  limit: number,
): Promise<string[]> {
  const rows = await db.query<{ tokenId: string }>(
    `select s.token_id as "tokenId" from ${tokenState} s
       join ${checkpoint} c on c.chain_id = s.chain_id
       join vitrine.token t on (t.chain_id, t.collection, t.token_id) = (s.chain_id, s.collection_address, s.token_id)
      where s.chain_id = $1 and s.collection_address = $2 and s.token_id between $3 and $4
        and ($5::numeric is null or s.token_id > $5) and s.burned and not t.unseen
        and s.burned_block > ${blockOf(SETTLED)}
      order by s.token_id limit $6`,
    [chainId, collection, from, to, after, limit],
  );
  return rows.map((row) => row.tokenId);
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
    `select t.token_id as "tokenId" from unnest($3::numeric[]) asked(id)
       cross join ${lookUp("*", "vitrine.token", "chain_id = $1 and collection = $2 and token_id = asked.id")} t
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
    lockTokens(tx, { chainId, collection }, tokenIds),
    tx.query<{ tokenId: string; traits: readonly number[] }>(
      `with gone as (
         delete from vitrine.token t
          where t.chain_id = $1 and t.collection = $2 and t.token_id = any($3::numeric[]) and ${isNeverTransferred(tables, "$4")}
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
