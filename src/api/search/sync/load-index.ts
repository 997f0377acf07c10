/** Loads a collection's search index and brings it up to date. */

import type { CollectionRef } from "../../../domain/token-ref.ts";
import { createYield } from "../../async/yield-to-event-loop.ts";
import type { ChainTables } from "../../chain/index/tables.ts";
import type { Database } from "../../db/database.ts";
import { createTokenBatch, type TokenBatch } from "../columns/token-batch.ts";
import { UNKNOWN_VALUE } from "../columns/trait-table.ts";
import { type CollectionIndex, createCollectionIndex } from "../index/collection-index.ts";
import {
  type ChangeSet,
  copyTokens,
  findChanges,
  readIdAfter,
  readTokens,
  readTypes,
  readValues,
} from "./store.ts";

// The rows of one page are applied without yielding.
const PAGE_ROWS = 1_000;
const PAGE_VALUES = 5_000;
// A load reads several ranges of ids at once, so that it never waits for PostgreSQL.
const RANGE_IDS = 10_000;
const RANGES_AT_ONCE = 3;

export interface Source {
  readonly database: Database;
  readonly tables: ChainTables;
  readonly collection: CollectionRef;
}

/** A search index and the change set it was last updated with. */
export interface Loaded {
  readonly index: CollectionIndex;
  readonly changes: ChangeSet;
}

export const changeSet = (
  { database, tables, collection }: Source,
  since: string | undefined,
): Promise<ChangeSet> => findChanges(database, tables, collection, since);

/** Loads all tokens of the collection. Changes made meanwhile may be missing until the next update. */
export async function loadIndex(source: Source): Promise<Loaded> {
  const { database, collection } = source;
  const index = createCollectionIndex();
  const yieldToEventLoop = createYield();
  const changes = await changeSet(source, undefined);
  index.table.noteGiven(changes.given);
  await putTypes(source, index, changes);
  const reading: Promise<TokenBatch>[] = [];
  let after: string | undefined = "-1";
  while (after !== undefined || reading.length > 0) {
    while (after !== undefined && reading.length < RANGES_AT_ONCE) {
      const upTo: string | undefined = await readIdAfter(database, collection, after, RANGE_IDS);
      const range = readRange(source, after, upTo);
      // It may fail while another one is awaited.
      range.catch(() => undefined);
      reading.push(range);
      after = upTo;
    }
    // In order, since sorted ids cost one pass.
    const batch = await (reading.shift() as Promise<TokenBatch>);
    await index.appendBatch(batch, await valuesOf(source, index, batch), yieldToEventLoop);
  }
  await index.finish(yieldToEventLoop);
  return { index, changes };
}

async function readRange(
  { database, collection }: Source,
  after: string,
  upTo: string | undefined,
): Promise<TokenBatch> {
  const batch = createTokenBatch(RANGE_IDS);
  await copyTokens(database, collection, after, upTo, batch.add);
  return batch;
}

/** The values of all rows. Looks each up once, since new ones are rare. */
async function valuesOf(source: Source, index: CollectionIndex, batch: TokenBatch) {
  const { table } = index;
  const values = table.valuesOf(batch.traits());
  if (!values.includes(UNKNOWN_VALUE)) return values;
  await addValues(source, index, batch.traits());
  return table.valuesOf(batch.traits());
}

/** Applies a change set. After a failure half-way, the next change set since the same snapshot covers it again. */
export async function putChanges(source: Source, index: CollectionIndex, changes: ChangeSet): Promise<void> {
  const { database, collection } = source;
  const yieldToEventLoop = createYield();
  index.table.noteGiven(changes.given);
  await putTypes(source, index, changes);
  for (let from = 0; from < changes.changed.length; from += PAGE_ROWS) {
    const tokenIds = changes.changed.slice(from, from + PAGE_ROWS);
    const { rows, given } = await readTokens(database, collection, tokenIds);
    if (given) index.table.noteGiven(given);
    const traits = rows.flatMap((row) => row.traits);
    await addValues(source, index, traits);
    const there = new Set(rows.map(({ tokenId }) => tokenId));
    index.change(
      rows,
      tokenIds.filter((tokenId) => !there.has(tokenId)),
    );
    await yieldToEventLoop();
  }
}

async function putTypes(source: Source, index: CollectionIndex, { types }: ChangeSet): Promise<void> {
  await addTypes(
    source,
    index,
    types.map(([id]) => id),
  );
  for (const type of types) index.changeType(...type);
}

async function addTypes({ database }: Source, { table }: CollectionIndex, ids: Iterable<number>) {
  const unknown = [...new Set(ids)].filter((id) => !table.hasType(id));
  for (let from = 0; from < unknown.length; from += PAGE_ROWS) {
    for (const row of await readTypes(database, unknown.slice(from, from + PAGE_ROWS))) table.addType(row);
  }
}

async function addValues(source: Source, index: CollectionIndex, ids: Iterable<number>): Promise<void> {
  const { table } = index;
  const missing = new Set<number>();
  for (const id of ids) if (!table.hasValue(id)) missing.add(id);
  const unknown = [...missing];
  for (let from = 0; from < unknown.length; from += PAGE_VALUES) {
    const values = await readValues(source.database, unknown.slice(from, from + PAGE_VALUES));
    await addTypes(
      source,
      index,
      values.map(({ typeId }) => typeId),
    );
    for (const value of values) table.addValue(value);
  }
}
