/**
 * Turns chain triggers into queue work by set difference: the rows of the chain index without those already handled. A
 * trigger that a reorg removed is found the same way, so a reorg may cost an extra refresh and never loses one.
 */

import { headMark, ready } from "../../chain/index/index-trust.ts";
import type { ChainTables } from "../../chain/index/tables.ts";
import type { Database, Queryable } from "../../db/database.ts";
import type { MetadataService } from "../../metadata/service.ts";
import { type EnqueueRequest, enqueueTogether } from "../queue/queue.ts";
import { addChainSweep } from "./chain-sweeps.ts";
import { type EnqueueMedia, showServed } from "./seen-tokens.ts";
import { addSweep, endMintSweep } from "./sweeps.ts";
import { type Batch, group, isAsked, newestUnasked, type TriggerRow, triggerOf } from "./trigger-batches.ts";

const BATCH_ROWS = 4_000;
// An index that catches up passes a block far sooner.
const STANDING_MS = 5_000;

export interface ChainTriggerDeps {
  readonly database: Database;
  readonly tables: ChainTables;
  readonly metadata: MetadataService;
  readonly media: EnqueueMedia;
  readonly now?: () => number;
}

export interface Handled {
  /** Another batch is waiting. */
  readonly isMore: boolean;
  /** The chain index is still being built. */
  readonly isBackfill: boolean;
}

/** Checkpoints, which grow as text. */
interface Progress {
  readonly handled: string;
  readonly settled: string;
  readonly latest: string;
  /** The highest that any process has seen. */
  readonly mark: string;
  /** See `handledUpTo`. */
  readonly wasCompared: boolean;
}

/** SQL: a column of the chain's cursor, if there is one. `$1` is the index's schema, `$2` the chain. */
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

export function createChainTriggers({ database, tables, metadata, media, now = Date.now }: ChainTriggerDeps) {
  const behind = new Map<number, { readonly latest: string; readonly since: number }>();
  // The chains of which this process has handled a batch.
  const begun = new Set<number>();
  return {
    /** Handles one batch per chain. Processes take turns per chain; one that finds another at work leaves the batch to it. */
    async handleBatch(): Promise<Handled> {
      const chains = await database.query<{ chainId: string; isBackfill: boolean }>(
        `select chain_id as "chainId", not ${ready(tables)} as "isBackfill" from ${tables.checkpoint}`,
      );
      let isMore = false;
      for (const { chainId } of chains) {
        isMore = (await handle(Number(chainId))) || isMore;
      }
      return { isMore, isBackfill: chains.some(({ isBackfill }) => isBackfill) };
    },
  };

  /** Whether another batch of the chain is waiting. */
  async function handle(chainId: number): Promise<boolean> {
    const { isMore, isMine } = await database.transaction((tx) => handleChain(tx, chainId));
    if (isMine) begun.add(chainId);
    return isMore;
  }

  async function handleChain(
    tx: Queryable,
    chainId: number,
  ): Promise<{ readonly isMore: boolean; readonly isMine: boolean }> {
    const [lock] = await tx.query<{ mine: boolean }>(
      "select pg_try_advisory_xact_lock(hashtextextended($1, 0)) as mine",
      [`vitrine triggers ${tables.schema} ${chainId}`],
    );
    if (!lock?.mine) return { isMore: false, isMine: false };
    // The index may have been built again, from an endpoint that answers better.
    if (!begun.has(chainId)) await forgetCompared(tx, chainId);

    const progress = await readProgress(tx, chainId);
    const { handled, settled, wasCompared } = progress;
    const isCurrent = isCaughtUp(chainId, progress);
    const gone = isCurrent ? await takeGone(tx, chainId, handled) : [];
    const fresh = await readNew(tx, chainId);
    await ask(
      tx,
      chainId,
      group(gone, () => "reorg"),
    );
    const seen = await ask(tx, chainId, group(fresh.filter(isAsked), triggerOf));
    await hideReverted(tx, chainId, fresh);
    // In the order of a worker that records fetches: tokens first.
    await showServed(tx, { metadata, media }, chainId, seen);
    // A full batch ends at its last row: later rows were not read.
    const last = fresh.length === BATCH_ROWS ? fresh.at(-1)?.id : undefined;
    // A trigger that was read while the newest one before it was gone may hide that one from now on.
    const isInOrder = fresh.every((row) => row.isInOrder);
    const isCompared = (wasCompared || (isCurrent && last === undefined)) && isInOrder;
    await Promise.all([
      remember(
        tx,
        chainId,
        fresh.filter(({ id }) => id > settled),
      ),
      forget(tx, chainId, last !== undefined && last < settled ? last : settled, isCompared),
    ]);
    return { isMore: last !== undefined, isMine: true };
  }

  async function forgetCompared(tx: Queryable, chainId: number): Promise<void> {
    await tx.query("update vitrine.cause_cursor set compared = false where schema = $1 and chain_id = $2", [
      tables.schema,
      chainId,
    ]);
  }

  /** Up to where everything was handled before, and up to where rows can't change any more. */
  async function readProgress(tx: Queryable, chainId: number): Promise<Progress> {
    const [row] = await tx.query<Progress>(
      `select ${cursor("handled", "''")} as handled, ${cursor("compared", "false")} as "wasCompared",
              least(safe_checkpoint, finalized_checkpoint, latest_checkpoint) as settled, latest_checkpoint as latest,
              coalesce(${headMark("$1", "$2")}, '') as mark
         from ${tables.checkpoint} where chain_id = $2`,
      [tables.schema, chainId],
    );
    return row ?? { handled: "", settled: "", latest: "", mark: "", wasCompared: false };
  }

  /**
   * After a restart Ponder removes the rows of the last blocks and indexes them again; until the index has caught up,
   * missing rows are no reorg. If the index stands still, the chain itself is shorter now.
   */
  function isCaughtUp(chainId: number, { latest, mark }: Progress): boolean {
    if (latest >= mark) return true;
    const before = behind.get(chainId);
    if (before?.latest === latest) return now() - before.since >= STANDING_MS;
    behind.set(chainId, { latest, since: now() });
    return false;
  }

  /**
   * Deletes and returns stored triggers whose row is gone, or is in another block now. A block's rows go together, so
   * that one of them is looked for per block. If all were compared before, none is gone while the newest one is there.
   */
  async function takeGone(tx: Queryable, chainId: number, handled: string): Promise<TriggerRow[]> {
    const isGone = (id: string, hash: string): string =>
      `(select m.block_hash from ${tables.metadataUpdate} m where m.id = ${id}) is distinct from ${hash}`;
    const blocks = await tx.query<{ hash: string }>(
      `with ${handledUpTo(tables)}
       select k.block_hash as hash
         from (select block_hash, min(id) as id from vitrine.cause
                where schema = $1 and chain_id = $2 and id > $3
                  and not (select short from since) group by block_hash) k
        where ${isGone("k.id", "k.block_hash")}`,
      [tables.schema, chainId, handled],
    );
    if (blocks.length === 0) return [];
    return tx.query<TriggerRow>(
      `delete from vitrine.cause c
        where c.schema = $1 and c.chain_id = $2 and c.id > $3 and c.block_hash = any($4::text[])
          and ${isGone("c.id", "c.block_hash")}
       returning c.id, c.collection, c.source, c.from_token_id as "from", c.to_token_id as "to", c.scope, c.block,
                 c.block_hash as "blockHash", false as "isOld"`,
      [tables.schema, chainId, handled, blocks.map(({ hash }) => hash)],
    );
  }

  /**
   * Old is what another index handled as settled, or in this very block. A read at a higher block proves nothing by
   * itself: it may have been on a fork that was lost unnoticed.
   */
  async function readNew(
    tx: Queryable,
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

  /** Returns the tokens whose traits must be learned, by collection: those listed from now on that were read before. */
  async function ask(
    tx: Queryable,
    chainId: number,
    batches: readonly Batch[],
  ): Promise<ReadonlyMap<string, readonly string[]>> {
    const requests: EnqueueRequest[] = [];
    for (const { collection, trigger, isOld, tokens, newest } of batches) {
      // A document read before its token's transfer was indexed is shown from now on, and need not be read again.
      const requested =
        isOld || trigger === "mint"
          ? await metadata.notReadSince(tx, chainId, collection, tokens, !isOld)
          : tokens;
      requests.push({ chainId, collection, tokens: newestUnasked(requested, newest), trigger });
    }
    await enqueueTogether(tx, requests);
    // After the queue rows, in the order of a worker that records a fetch: the opposite order deadlocks.
    const seen = new Map<string, readonly string[]>();
    for (const batch of batches) {
      const { collection, trigger, tokens } = batch;
      if (trigger === "mint") {
        const tokenIds = await metadata.addKnownTokens(tx, chainId, collection, tokens);
        seen.set(collection, [...(seen.get(collection) ?? []), ...tokenIds]);
      }
      if (trigger === "reorg") await metadata.hideReverted(tx, chainId, collection, [...tokens.keys()]);
      await addSweeps(tx, chainId, batch);
    }
    return seen;
  }

  async function addSweeps(tx: Queryable, chainId: number, batch: Batch): Promise<void> {
    const { collection, trigger, isOld, ranges } = batch;
    for (const range of ranges) {
      const from = range.scope === "collection" ? "0" : range.from;
      const minted = range.source === "mint";
      const block = trigger === "reorg" ? 0 : Number(range.block);
      const sweep = { chainId, collection, from, to: range.to, skipRead: isOld, minted, block };
      if (minted && trigger === "reorg") await endMintSweep(tx, sweep);
      // A re-index reads what it finds unread, and announces nothing.
      if (range.scope === "collection" && !isOld) await addChainSweep(tx, sweep);
      else await addSweep(tx, sweep);
    }
  }

  /** Hides ids that turned out not to be tokens; neither a contract nor a host has to be asked. */
  async function hideReverted(tx: Queryable, chainId: number, fresh: readonly TriggerRow[]): Promise<void> {
    for (const { collection, from } of fresh.filter((row) => !isAsked(row))) {
      await metadata.hideReverted(tx, chainId, collection, [from], true);
    }
  }

  /** Stores only what may still change: the cursor covers the rest. */
  async function remember(tx: Queryable, chainId: number, triggers: readonly TriggerRow[]): Promise<void> {
    await tx.query(
      `insert into vitrine.cause (schema, chain_id, id, block_hash, collection, from_token_id, to_token_id, scope, block, source)
       select $1, $2, * from unnest($3::text[], $4::text[], $5::text[], $6::numeric[], $7::numeric[], $8::text[], $9::bigint[],
                                    $10::text[])`,
      [
        tables.schema,
        chainId,
        triggers.map((each) => each.id),
        triggers.map((each) => each.blockHash),
        triggers.map((each) => each.collection),
        triggers.map((each) => each.from),
        triggers.map((each) => each.to),
        triggers.map((each) => each.scope),
        triggers.map((each) => each.block),
        triggers.map((each) => each.source),
      ],
    );
  }

  /** Moves the cursor past settled and handled rows, which keeps the difference small. */
  async function forget(tx: Queryable, chainId: number, handled: string, isCompared: boolean): Promise<void> {
    await tx.query(
      `insert into vitrine.cause_cursor as c (schema, chain_id, handled, compared) values ($1, $2, $3, $4)
       on conflict (schema, chain_id) do update set handled = greatest(c.handled, excluded.handled),
         compared = excluded.compared`,
      [tables.schema, chainId, handled, isCompared],
    );
    await tx.query("delete from vitrine.cause where schema = $1 and chain_id = $2 and id <= $3", [
      tables.schema,
      chainId,
      handled,
    ]);
  }
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

export type ChainTriggers = ReturnType<typeof createChainTriggers>;
