/** Loads a collection's search index and brings it up to date. */

import type { Database } from "../../db/database.ts";
import { createYield } from "../../jobs/yield-to-event-loop.ts";
import type { CollectionRef } from "../../metadata/traits/trait-type-store.ts";
import { type CollectionIndex, createCollectionIndex, type TokenRow } from "../index/collection-index.ts";
import { type ChangeSet, findChanges, readTokens, readTokensAfter, readTypes, readValues } from "./store.ts";

// The rows of one page are applied without yielding.
const PAGE_ROWS = 1_000;

export interface Source {
  readonly database: Database;
  /** Ponder's table, qualified and quoted. */
  readonly checkpointTable: string;
  readonly collection: CollectionRef;
}

/** A search index and the change set it was last updated with. */
export interface Loaded {
  readonly index: CollectionIndex;
  readonly changes: ChangeSet;
}

export const changeSet = (
  { database, checkpointTable, collection }: Source,
  since: string | undefined,
): Promise<ChangeSet> => findChanges(database, checkpointTable, collection, since);

/** Loads all tokens of the collection. Changes made meanwhile may be missing until the next update. */
export async function loadIndex(source: Source): Promise<Loaded> {
  const { database, collection } = source;
  const index = createCollectionIndex();
  const yieldToEventLoop = createYield();
  const changes = await changeSet(source, undefined);
  await putTypes(source, index, changes);
  for (let after: string | undefined = "-1"; after !== undefined; ) {
    const rows: readonly TokenRow[] = await readTokensAfter(database, collection, after, PAGE_ROWS);
    await addValues(source, index, rows);
    for (const row of rows) index.append(row);
    after = rows.at(-1)?.tokenId;
    await yieldToEventLoop();
  }
  await index.finish(yieldToEventLoop);
  return { index, changes };
}

/** Applies a change set. After a failure half-way, the next change set since the same snapshot covers it again. */
export async function putChanges(source: Source, index: CollectionIndex, changes: ChangeSet): Promise<void> {
  const { database, collection } = source;
  const yieldToEventLoop = createYield();
  await putTypes(source, index, changes);
  for (let from = 0; from < changes.changed.length; from += PAGE_ROWS) {
    const tokenIds = changes.changed.slice(from, from + PAGE_ROWS);
    const rows = await readTokens(database, collection, tokenIds);
    await addValues(source, index, rows);
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

async function addValues(source: Source, index: CollectionIndex, rows: readonly TokenRow[]): Promise<void> {
  const { table } = index;
  const unknown = [...new Set(rows.flatMap(({ traits }) => traits))].filter((id) => !table.hasValue(id));
  for (let from = 0; from < unknown.length; from += PAGE_ROWS) {
    const values = await readValues(source.database, unknown.slice(from, from + PAGE_ROWS));
    await addTypes(
      source,
      index,
      values.map(({ typeId }) => typeId),
    );
    for (const value of values) table.addValue(value);
  }
}
