/**
 * SQL for chain triggers: which of the chain index's rows were not handled, which handled ones have gone, and what is
 * remembered of those that may still change. `$1` is always the index's schema, `$2` the chain.
 */

import { SETTLED } from "../../chain/index/checkpoint.ts";
import { hasFollowed, headMark, isWhole, ready } from "../../chain/index/index-trust.ts";
import type { ChainTables } from "../../chain/index/tables.ts";
import { columnsOf } from "../../db/columns.ts";
import type { Queryable } from "../../db/database.ts";
import type { TriggerRow } from "./trigger-batches.ts";

/** How many triggers are read at once. */
export const BATCH_ROWS = 4_000;

/** Checkpoints, which grow as text. */
export interface Progress {
  readonly handled: string;
  readonly settled: string;
  readonly latest: string;
  /** The highest that any process has seen; longer than a checkpoint since a restart. */
  readonly mark: string;
  /** Ponder's backfill is complete, and no reorg has undone rows that the next block will do again. */
  readonly isWhole: boolean;
  /** The index has had a block of the chain since Ponder last undid rows. */
  readonly hasFollowed: boolean;
  /** See `handledUpTo`. */
  readonly wasCompared: boolean;
}

/** SQL: a column of the chain's cursor, if there is one. */
const cursor = (column: string, otherwise: string): string =>
  `coalesce((select ${column} from vitrine.cause_cursor where schema = $1 and chain_id = $2), ${otherwise})`;

/**
 * SQL: the newest handled trigger, `last`, and in `since` the id above which triggers may be unhandled. The index adds in
 * the order of ids, and a reorg removes all that comes after a block. So if all were compared before, and the newest one is
 * still in its block (`intact`), everything up to it is as it was: only what is above can be new (`short`). Otherwise
 * everything that may still change is compared.
 */
const handledUpTo = (tables: ChainTables): string => `
  last as materialized (
    select c.id, c.block_hash from vitrine.cause c where c.schema = $1 and c.chain_id = $2 order by c.id desc limit 1),
  state as materialized (
    select i.intact, i.intact and ${cursor("compared", "false")} as short
      from (select not exists (
        select from last where (select m.block_hash from ${tables.metadataUpdate} m where m.id = last.id)
                               is distinct from last.block_hash) as intact) i),
  since as materialized (
    select case when s.short then coalesce((select id from last), ${cursor("handled", "''")})
                else ${cursor("handled", "''")} end as id, s.intact, s.short from state s)`;

/**
 * SQL: the first ids, at least `most` if there are as many, of the triggers for which `where` holds and that were not
 * handled; for a statement with `handledUpTo`. A set difference, since few triggers may still change in quiet times: with
 * statistics of such a time, a join with the handled ones would compare each with each. PostgreSQL before 18 sorts all that
 * it subtracts from; no more than the handled ones can be among the first.
 */
const unhandledIn = (tables: ChainTables, where: string, most: number): string => {
  // None is above the newest one; without saying so, PostgreSQL would expect a third of them there, and read all.
  const handled = `from vitrine.cause c where c.schema = $1 and c.chain_id = $2 and not (select short from since)
                    and c.id > (select id from since)`;
  return `select id from (select m.id from ${tables.metadataUpdate} m
                           where m.chain_id = $2 and m.id > (select id from since) and ${where}
                           order by m.id limit ${most} + (select count(*) ${handled})) m
          except select c.id ${handled}`;
};

/** Makes the next pass compare everything that may still change. */
export async function forgetCompared(tx: Queryable, tables: ChainTables, chainId: number): Promise<void> {
  await tx.query("update vitrine.cause_cursor set compared = false where schema = $1 and chain_id = $2", [
    tables.schema,
    chainId,
  ]);
}

/** Up to where everything was handled before, and up to where rows can't change any more. */
export async function readProgress(tx: Queryable, tables: ChainTables, chainId: number): Promise<Progress> {
  const [row] = await tx.query<Progress>(
    `select ${cursor("handled", "''")} as handled, ${cursor("compared", "false")} as "wasCompared",
            ${SETTLED} as settled, latest_checkpoint as latest,
            coalesce(${headMark("$1", "$2")}, '') as mark, ${ready(tables)} and ${isWhole(tables)} as "isWhole",
            ${hasFollowed(tables)} as "hasFollowed"
       from ${tables.checkpoint} c where chain_id = $2`,
    [tables.schema, chainId],
  );
  const none = { isWhole: false, hasFollowed: false, wasCompared: false };
  return row ?? { handled: "", settled: "", latest: "", mark: "", ...none };
}

/**
 * Deletes and returns stored triggers up to the id `upTo` whose row is gone, or is in another block now. A block's rows go
 * together, so that one of them is looked for per block. If all were compared before, none is gone while the newest one
 * is there. None is either while a reorg has undone rows, of whichever chain, that the next block will do again; none can
 * begin before the transaction ends, which has read the table.
 */
export async function takeGone(
  tx: Queryable,
  tables: ChainTables,
  chainId: number,
  upTo: string,
): Promise<TriggerRow[]> {
  const isGone = (id: string, hash: string): string =>
    `(select m.block_hash from ${tables.metadataUpdate} m where m.id = ${id}) is distinct from ${hash}`;
  const blocks = await tx.query<{ hash: string }>(
    `with ${handledUpTo(tables)}
     select k.block_hash as hash
       from (select block_hash, min(id) as id from vitrine.cause
              where schema = $1 and chain_id = $2 and id <= $3
                and not (select short from since) group by block_hash) k
      where ${isWhole(tables)} and ${isGone("k.id", "k.block_hash")}`,
    [tables.schema, chainId, upTo],
  );
  if (blocks.length === 0) return [];
  return tx.query<TriggerRow>(
    `delete from vitrine.cause c
      where c.schema = $1 and c.chain_id = $2 and c.id <= $3 and c.block_hash = any($4::text[])
        and ${isGone("c.id", "c.block_hash")}
     returning c.id, c.collection, c.source, c.from_token_id as "from", c.to_token_id as "to", c.scope, c.block,
               c.block_hash as "blockHash", false as "isOld"`,
    [tables.schema, chainId, upTo, blocks.map(({ hash }) => hash)],
  );
}

/**
 * The first new triggers, up to `BATCH_ROWS`, in the order of the chain. They are `isInOrder` unless the newest handled one
 * has gone: some may then be before it.
 *
 * Old is what another index handled as settled, or in this very block. A read at a higher block proves nothing by
 * itself: it may have been on a fork that was lost unnoticed.
 */
export async function readNew(
  tx: Queryable,
  tables: ChainTables,
  chainId: number,
): Promise<(TriggerRow & { readonly isInOrder: boolean })[]> {
  return tx.query(
    `with ${handledUpTo(tables)}, others as materialized (
       select schema, handled from vitrine.cause_cursor where schema <> $1 and chain_id = $2)
     select m.id, m.collection_address as collection, m.source, m.from_token_id as "from", m.to_token_id as "to",
            m.scope, m.block_number as block, m.block_hash as "blockHash",
            coalesce((select max(handled) from others) >= m.id, false)
            or ((select count(*) from others) > 0
                and exists (select from vitrine.cause o
                             where o.schema <> $1 and o.chain_id = $2 and o.id = m.id and o.block_hash = m.block_hash))
              as "isOld",
            (select intact from since) as "isInOrder"
       from ${tables.metadataUpdate} m
      where m.id = any(array(${unhandledIn(tables, "true", BATCH_ROWS)} order by id limit ${BATCH_ROWS}))
      order by m.id`,
    [tables.schema, chainId],
  );
}

/** Stores only what may still change: the cursor covers the rest. */
export async function remember(
  tx: Queryable,
  tables: ChainTables,
  chainId: number,
  triggers: readonly TriggerRow[],
): Promise<void> {
  await tx.query(
    `insert into vitrine.cause (schema, chain_id, id, block_hash, collection, from_token_id, to_token_id, scope, block, source)
     select $1, $2, * from unnest($3::text[], $4::text[], $5::text[], $6::numeric[], $7::numeric[], $8::text[], $9::bigint[],
                                  $10::text[])`,
    [
      tables.schema,
      chainId,
      ...columnsOf(triggers, "id", "blockHash", "collection", "from", "to", "scope", "block", "source"),
    ],
  );
}

/** Moves the cursor past settled and handled rows, which keeps the difference small. */
export async function moveCursor(
  tx: Queryable,
  tables: ChainTables,
  chainId: number,
  handled: string,
  isCompared: boolean,
): Promise<void> {
  await tx.query(
    `insert into vitrine.cause_cursor as c (schema, chain_id, handled, compared) values ($1, $2, $3, $4)
     on conflict (schema, chain_id) do update set handled = greatest(c.handled, excluded.handled),
       compared = excluded.compared`,
    [tables.schema, chainId, handled, isCompared],
  );
}

/** Deletes stored triggers up to the id `settled`, once all were compared: a reorg can't reach them any more. */
export async function forget(
  tx: Queryable,
  tables: ChainTables,
  chainId: number,
  settled: string,
): Promise<void> {
  await tx.query("delete from vitrine.cause where schema = $1 and chain_id = $2 and id <= $3", [
    tables.schema,
    chainId,
    settled,
  ]);
}

/** Whether the index has triggers of the collection that were not handled yet. */
export async function hasNewTriggers(
  db: Queryable,
  tables: ChainTables,
  chainId: number,
  collection: string,
): Promise<boolean> {
  const [row] = await db.query<{ isNew: boolean }>(
    `with ${handledUpTo(tables)}
     select exists (${unhandledIn(tables, "m.collection_address = $3", 1)}) as "isNew"`,
    [tables.schema, chainId, collection],
  );
  return row?.isNew ?? false;
}
