/**
 * The search index of one collection: its tokens' rows from PostgreSQL as in-memory columns, for any filter and order,
 * as of the changes applied so far. It does no I/O. A token keeps its slot until it is removed; slots are not reused.
 */

import type { YieldToEventLoop } from "../../async/yield-to-event-loop.ts";
import { type Bits, clearBit, emptyBits, hasBit, setBit } from "../columns/bits.ts";
import { createDocumentColumn, type DocumentColumn } from "../columns/document-column.ts";
import { grown } from "../columns/ensure-capacity.ts";
import { createOrder, type Order } from "../columns/order.ts";
import { createPostings, type Postings } from "../columns/postings.ts";
import { createTextColumn, type TextColumn } from "../columns/text-column.ts";
import type { TokenBatch } from "../columns/token-batch.ts";
import { createTokenIds, type TokenIds } from "../columns/token-ids.ts";
import { createTraitOrders, type TraitOrders } from "../columns/trait-orders.ts";
import { createTraitRows, type TraitRows } from "../columns/trait-rows.ts";
import { createTraitTable, type TraitTable, type TraitType } from "../columns/trait-table.ts";
import { compareNewest } from "./compare-newest.ts";
import { sortNames, sortNewest } from "./initial-orders.ts";

/** A token's searchable fields. */
export interface TokenRow {
  readonly tokenId: string;
  readonly name: string | null;
  readonly description: string | null;
  /** When the served document was fetched, in microseconds. */
  readonly servedAt: number | null;
  readonly sinceBlock: number | null;
  /** The key of the served document (`DOCUMENT_KEY_CHARACTERS`). */
  readonly document: string | null;
  /** Distinct ids of trait values. */
  readonly traits: readonly number[];
}

/** The maintained orders. Descending ones are not plain reversals: ties and missing keys keep their place. */
export type SlotOrders = Readonly<
  Record<"id_asc" | "id_desc" | "name_asc" | "name_desc" | "latest" | "updated", Order>
>;

export interface CollectionIndex {
  readonly ids: TokenIds;
  readonly names: TextColumn;
  readonly descriptions: TextColumn;
  readonly documents: DocumentColumn;
  readonly table: TraitTable;
  readonly rows: TraitRows;
  readonly postings: Postings;
  readonly orders: SlotOrders;
  readonly traitOrders: Pick<TraitOrders, "comparison" | "has" | "find">;
  /** Block numbers and microseconds by slot; NaN if missing. */
  readonly since: Float64Array<ArrayBuffer>;
  readonly served: Float64Array<ArrayBuffer>;
  /** The slots of existing tokens. Trailing words may be missing. */
  readonly present: Bits;
  /** Increases with every change. */
  readonly version: number;
  /** Increases with every change of a token's traits, of shown values, or of which tokens exist. */
  readonly traitsVersion: number;
  /** Adds a new token. Only before `finish`. */
  append(row: TokenRow): void;
  /** The same for tokens read in bulk, with the values of their traits (`TraitTable.valuesOf`), in slices. */
  appendBatch(batch: TokenBatch, values: Uint32Array, yieldToEventLoop: YieldToEventLoop): Promise<void>;
  /** Builds orders and runs in slices; nothing may change until it is done. After that, use `change`. */
  finish(yieldToEventLoop: YieldToEventLoop): Promise<void>;
  /** Upserts tokens and removes others. No token may occur twice, and values must be known. */
  change(rows: readonly TokenRow[], gone: readonly string[]): void;
  changeType(...type: Parameters<TraitTable["changeType"]>): void;
  /** Prepares the order by a trait. The type's values must be sorted. */
  prepareTraitOrder(type: TraitType, descending: boolean, yieldToEventLoop: YieldToEventLoop): Promise<void>;
  /** Whether so much has changed that `compact` would make searches faster. */
  readonly needsCompaction: boolean;
  /** Rebuilds the runs of values in slices while tokens may change. Must not run concurrently. */
  compact(yieldToEventLoop: YieldToEventLoop): Promise<void>;
  find(tokenId: string): number | undefined;
  /** The memory it takes, roughly, in bytes. */
  readonly memory: number;
  /** Whether most of it is garbage, so that a rebuilt search index would take less memory. */
  readonly isWasteful: boolean;
}

// Less garbage than this doesn't matter.
const WASTE_MIN = 100_000;
const DIRTY_MAX = 10_000;
const STEP = 512;

export function createCollectionIndex(): CollectionIndex {
  const ids = createTokenIds();
  const names = createTextColumn();
  const descriptions = createTextColumn();
  const documents = createDocumentColumn();
  const table = createTraitTable();
  const rows = createTraitRows(table);
  const postings = createPostings(rows, table);
  let since = new Float64Array(0);
  let served = new Float64Array(0);
  let present = emptyBits(0);
  let version = 0;
  let traitsVersion = 0;
  let slotsPresent = 0;
  let isFinished = false;

  const isPresent = (slot: number): boolean => hasBit(present, slot);
  const newest = (column: () => Float64Array, a: number, b: number): number =>
    compareNewest(column()[a] as number, column()[b] as number) || ids.compare(a, b);
  const orders: SlotOrders = {
    id_asc: createOrder(ids.compare, isPresent),
    id_desc: createOrder((a, b) => ids.compare(b, a), isPresent),
    name_asc: createOrder((a, b) => names.compare(a, b) || ids.compare(a, b), isPresent),
    name_desc: createOrder((a, b) => {
      const bothNamed = names.has(a) && names.has(b);
      return (bothNamed ? names.compare(b, a) : names.compare(a, b)) || ids.compare(a, b);
    }, isPresent),
    latest: createOrder((a, b) => newest(() => since, a, b), isPresent),
    updated: createOrder((a, b) => newest(() => served, a, b), isPresent),
  };
  const traitOrders = createTraitOrders({ ids, table, rows, isPresent });
  const markDirty = (slot: number, ...dirty: Order[]): void => {
    if (isFinished) for (const order of dirty) order.markDirty(slot);
  };
  const markTraitsDirty = (slot: number): void => {
    traitsVersion++;
    if (!isFinished) return;
    postings.markDirty(slot);
    traitOrders.markDirty(slot);
  };

  function put(slot: number, row: TokenRow): void {
    names.set(slot, row.name) && markDirty(slot, orders.name_asc, orders.name_desc);
    descriptions.set(slot, row.description);
    const block = row.sinceBlock ?? Number.NaN;
    if (!Object.is(since[slot], block)) markDirty(slot, orders.latest);
    since[slot] = block;
    const at = row.servedAt ?? Number.NaN;
    if (!Object.is(served[slot], at)) markDirty(slot, orders.updated);
    served[slot] = at;
    documents.set(slot, row.document);
    const values = row.traits.flatMap((id) => table.valueOf(id) ?? []);
    if (rows.set(slot, values)) markTraitsDirty(slot);
  }

  function addSlot(tokenId: string): number {
    const slot = ids.add(tokenId);
    makePresent(slot);
    return slot;
  }

  function makePresent(slot: number): void {
    since = grown(since, slot + 1);
    served = grown(served, slot + 1);
    present = grown(present, (slot >>> 5) + 1);
    setBit(present, slot);
    slotsPresent++;
  }

  function remove(slot: number): void {
    clearBit(present, slot);
    slotsPresent--;
    rows.set(slot, []);
    markTraitsDirty(slot);
    names.set(slot, null);
    descriptions.set(slot, null);
    documents.set(slot, null);
    markDirty(slot, ...Object.values(orders));
  }

  function find(tokenId: string): number | undefined {
    const slots = orders.id_asc.settled();
    let from = 0;
    let to = slots.length;
    while (from < to) {
      const middle = (from + to) >>> 1;
      const order = ids.compareText(slots[middle] as number, tokenId);
      if (order === 0) return slots[middle];
      if (order < 0) from = middle + 1;
      else to = middle;
    }
    return undefined;
  }

  return {
    ids,
    names,
    descriptions,
    documents,
    table,
    rows,
    postings,
    orders,
    traitOrders,
    get since() {
      return since;
    },
    get served() {
      return served;
    },
    get present() {
      return present;
    },
    get version() {
      return version;
    },
    get traitsVersion() {
      return traitsVersion;
    },
    append: (row) => put(addSlot(row.tokenId), row),
    async appendBatch(batch, values, yieldToEventLoop) {
      const { bytes, size } = batch;
      for (let nth = 0; nth < size; nth++) {
        const id = batch.idOf(nth);
        const slot = typeof id === "number" ? ids.addNumber(id) : ids.add(id);
        makePresent(slot);
        const [name, description] = [batch.namePlace(nth), batch.descriptionPlace(nth)];
        if (name.from !== -1) names.setBytes(slot, bytes, name.from, name.to);
        else names.set(slot, null);
        if (description.from !== -1) descriptions.setBytes(slot, bytes, description.from, description.to);
        else descriptions.set(slot, null);
        since[slot] = batch.sinceOf(nth);
        served[slot] = batch.servedOf(nth);
        rows.append(slot, values, batch.traitsFrom(nth), batch.traitsFrom(nth + 1));
        if (nth % STEP === 0) await yieldToEventLoop();
      }
    },
    async finish(yieldToEventLoop) {
      for (const column of [names, descriptions]) column.endBulk();
      const slots = new Uint32Array(ids.size);
      for (let slot = 0; slot < slots.length; slot++) slots[slot] = slot;
      await orders.id_asc.build(slots, yieldToEventLoop);
      await orders.id_desc.build(slots.toReversed(), yieldToEventLoop);
      const byId = orders.id_asc.settled().slice();
      await sortNewest(byId, since, orders.latest, yieldToEventLoop);
      await sortNewest(byId, served, orders.updated, yieldToEventLoop);
      const byName = { ascending: orders.name_asc, descending: orders.name_desc };
      await sortNames(byId, names, ids.compare, byName, yieldToEventLoop);
      await table.orders.prepare(yieldToEventLoop);
      await postings.rebuild(ids.size, yieldToEventLoop);
      isFinished = true;
    },
    change(changed, gone) {
      version++;
      for (const slot of gone.map(find)) if (slot !== undefined) remove(slot);
      const slots = changed.map(({ tokenId }) => find(tokenId));
      for (const [nth, row] of changed.entries()) {
        const known = slots[nth];
        const slot = known ?? addSlot(row.tokenId);
        if (known === undefined) {
          markDirty(slot, ...Object.values(orders));
          markTraitsDirty(slot);
        }
        put(slot, row);
      }
      for (const order of Object.values(orders)) if (order.dirty > DIRTY_MAX) order.settled();
      traitOrders.settle(DIRTY_MAX);
    },
    changeType(...type) {
      if (!table.changeType(...type)) return;
      version++;
      traitsVersion++;
    },
    async prepareTraitOrder(type, descending, yieldToEventLoop) {
      await traitOrders.prepare(type, descending, orders.id_asc.settled().slice(), yieldToEventLoop);
    },
    get needsCompaction() {
      return postings.isStale;
    },
    compact: (yieldToEventLoop) => postings.rebuild(ids.size, yieldToEventLoop),
    find,
    get memory() {
      const parts = [
        ids,
        names,
        descriptions,
        documents,
        table,
        rows,
        postings,
        traitOrders,
        ...Object.values(orders),
      ];
      const own = since.byteLength + served.byteLength + present.byteLength;
      return parts.reduce((sum, { memory }) => sum + memory, own);
    },
    get isWasteful() {
      const isMostly = (unused: number, all: number): boolean => unused > WASTE_MIN && unused > all / 2;
      return (
        isMostly(ids.size - slotsPresent, ids.size) ||
        isMostly(rows.unused, rows.used) ||
        isMostly(table.unused, table.size) ||
        isMostly(names.unusedBytes, names.bytes) ||
        isMostly(descriptions.unusedBytes, descriptions.bytes)
      );
    },
  };
}
