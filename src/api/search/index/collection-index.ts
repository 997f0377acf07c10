/**
 * One collection in memory, column by column, for any filter and order: what PostgreSQL has of its tokens, as of the
 * changes that were put in. No input or output. A token keeps its slot until it is forgotten; slots are not used again.
 */

import type { YieldToEventLoop } from "../../jobs/yield-to-event-loop.ts";
import { type Bits, clearBit, emptyBits, hasBit, setBit } from "../columns/bits.ts";
import { grown } from "../columns/ensure-capacity.ts";
import { createOrder, type Order } from "../columns/order.ts";
import { createPostings, type Postings } from "../columns/postings.ts";
import { createTextColumn, type TextColumn } from "../columns/text-column.ts";
import { createTokenIds, type TokenIds } from "../columns/token-ids.ts";
import { createTraitOrders, type TraitOrders } from "../columns/trait-orders.ts";
import { createTraitRows, type TraitRows } from "../columns/trait-rows.ts";
import { createTraitTable, type TraitTable, type TraitType } from "../columns/trait-table.ts";

/** A token as it is searched. */
export interface TokenRow {
  readonly tokenId: string;
  readonly name: string | null;
  readonly description: string | null;
  /** When what is served was fetched, in microseconds. */
  readonly servedAt: number | null;
  readonly sinceBlock: number | null;
  /** Ids of trait values, distinct. */
  readonly traits: readonly number[];
}

/** The orders that are kept: descending ones are not the reverse, since ties and what has no key stay as they are. */
export type SlotOrders = Readonly<
  Record<"id_asc" | "id_desc" | "name_asc" | "name_desc" | "latest" | "updated", Order>
>;

export interface CollectionIndex {
  readonly ids: TokenIds;
  readonly names: TextColumn;
  readonly descriptions: TextColumn;
  readonly table: TraitTable;
  readonly rows: TraitRows;
  readonly postings: Postings;
  readonly orders: SlotOrders;
  readonly traitOrders: Pick<TraitOrders, "comparison" | "has" | "find">;
  /** Blocks and microseconds by slot, NaN for none. */
  readonly since: Float64Array<ArrayBuffer>;
  readonly served: Float64Array<ArrayBuffer>;
  /** Slots of tokens that exist. Words may be missing at the end. */
  readonly present: Bits;
  /** Rises with every change. */
  readonly version: number;
  /** Before `finish` only: a token that is not there yet. */
  append(row: TokenRow): void;
  /** Makes orders and runs, in slices; nothing may change until it is done. Changes go through `change` from then on. */
  finish(yieldToEventLoop: YieldToEventLoop): Promise<void>;
  /** Replaces or adds tokens, and takes others out. None may be named twice. Values must be known. */
  change(rows: readonly TokenRow[], gone: readonly string[]): void;
  changeType(...type: Parameters<TraitTable["changeType"]>): void;
  /** Sees to it that pages can be sorted by the trait. Values must be in order. */
  prepareTraitOrder(type: TraitType, descending: boolean, yieldToEventLoop: YieldToEventLoop): Promise<void>;
  /** Whether so much has changed that `tidy` would make answers faster. */
  readonly needsCompaction: boolean;
  /** Makes runs of values anew, in slices, while tokens may change. One at a time. */
  compact(yieldToEventLoop: YieldToEventLoop): Promise<void>;
  find(tokenId: string): number | undefined;
  /** Whether more of it is garbage than not: then it takes less memory made anew. */
  readonly isWasteful: boolean;
}

// Below this, garbage is no matter.
const WASTE_MIN = 100_000;
const DIRTY_MAX = 10_000;

export function createCollectionIndex(): CollectionIndex {
  const ids = createTokenIds();
  const names = createTextColumn();
  const descriptions = createTextColumn();
  const table = createTraitTable();
  const rows = createTraitRows(table);
  const postings = createPostings(rows, table);
  let since = new Float64Array(0);
  let served = new Float64Array(0);
  let present = emptyBits(0);
  let version = 0;
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
    const values = row.traits.flatMap((id) => table.valueOf(id) ?? []);
    if (rows.set(slot, values)) markTraitsDirty(slot);
  }

  function addSlot(tokenId: string): number {
    const slot = ids.add(tokenId);
    since = grown(since, slot + 1);
    served = grown(served, slot + 1);
    present = grown(present, (slot >>> 5) + 1);
    setBit(present, slot);
    slotsPresent++;
    return slot;
  }

  function remove(slot: number): void {
    clearBit(present, slot);
    slotsPresent--;
    rows.set(slot, []);
    markTraitsDirty(slot);
    names.set(slot, null);
    descriptions.set(slot, null);
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
    append: (row) => put(addSlot(row.tokenId), row),
    async finish(yieldToEventLoop) {
      const slots = new Uint32Array(ids.size);
      for (let slot = 0; slot < slots.length; slot++) slots[slot] = slot;
      await orders.id_asc.build(slots, yieldToEventLoop);
      await orders.id_desc.build(slots.toReversed(), yieldToEventLoop);
      await orders.latest.build(slots.slice(), yieldToEventLoop);
      await orders.updated.build(slots.slice(), yieldToEventLoop);
      const byName = slots.slice();
      await orders.name_asc.build(byName, yieldToEventLoop);
      await orders.name_desc.build(byName.toReversed(), yieldToEventLoop);
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
      if (table.changeType(...type)) version++;
    },
    async prepareTraitOrder(type, descending, yieldToEventLoop) {
      await traitOrders.prepare(type, descending, orders.id_asc.settled().slice(), yieldToEventLoop);
    },
    get needsCompaction() {
      return postings.isStale;
    },
    compact: (yieldToEventLoop) => postings.rebuild(ids.size, yieldToEventLoop),
    find,
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

/** The higher one first, NaN last. */
export function compareNewest(a: number, b: number): number {
  if (a === b) return 0;
  if (Number.isNaN(a)) return Number.isNaN(b) ? 0 : 1;
  return Number.isNaN(b) || a > b ? -1 : 1;
}
