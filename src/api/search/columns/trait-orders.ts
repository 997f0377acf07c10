/** A collection's slots sorted by a trait: ascending by their lowest value, descending by their highest. */

import type { YieldToEventLoop } from "../../async/yield-to-event-loop.ts";
import type { DisplayType } from "../../metadata/document/traits.ts";
import { createOrder, type Order } from "./order.ts";
import type { TokenIds } from "./token-ids.ts";
import type { TraitRows } from "./trait-rows.ts";
import type { TraitTable, TraitType } from "./trait-table.ts";

type Slots = Uint32Array<ArrayBuffer>;

// Each order takes four bytes per token.
const CACHED_MAX = 8;
const STEP = 8_192;

/** Compares slots by a trait. Slots without it come last in both directions; ties are ordered by id. */
export interface TraitComparison {
  compare(a: number, b: number): number;
  /** The value the slot is sorted by, if any. */
  sortedBy(slot: number): number | undefined;
}

export interface TraitOrders {
  comparison(type: TraitType, descending: boolean): TraitComparison;
  has(type: TraitType, descending: boolean): boolean;
  /** Undefined if the order is not prepared or was evicted. */
  find(type: TraitType, descending: boolean): Order | undefined;
  /** Sorts `slots`, given in id order, in slices; they may change meanwhile. */
  prepare(
    type: TraitType,
    descending: boolean,
    slots: Slots,
    yieldToEventLoop: YieldToEventLoop,
  ): Promise<void>;
  /** The memory it takes. */
  readonly memory: number;
  /** Call it for each slot that is added, removed or has other values. */
  markDirty(slot: number): void;
  /** Merges the dirty slots of orders with more than `dirtyMax` of them. */
  settle(dirtyMax: number): void;
}

interface CachedOrder {
  readonly type: TraitType;
  /** The order is invalid once the type has another one. */
  readonly displayType: DisplayType;
  readonly order: Order;
  building: Promise<void>;
  isUsed: boolean;
}

interface Ranks {
  readonly ofValue: Uint32Array;
  /** The rank of slots without the trait. */
  readonly none: number;
}

export function createTraitOrders(deps: {
  readonly ids: TokenIds;
  readonly table: TraitTable;
  readonly rows: TraitRows;
  isPresent(slot: number): boolean;
}): TraitOrders {
  const { ids, table, rows, isPresent } = deps;
  /** Least recently used first. */
  const cached = new Map<string, CachedOrder>();
  const orderKey = (type: TraitType, descending: boolean): string => `${type.at} ${descending}`;

  function comparison(type: TraitType, descending: boolean): TraitComparison {
    const within = table.compareWithin(type);
    const direction = descending ? -1 : 1;

    function sortedBy(slot: number): number | undefined {
      const { pool, starts, lengths } = rows;
      const start = starts[slot] as number;
      const end = start + (lengths[slot] as number);
      let first: number | undefined;
      for (let at = start; at < end; at++) {
        const value = pool[at] as number;
        if (table.typeOf(value) !== type.at || !table.isShown(value)) continue;
        if (first === undefined || direction * within(value, first) < 0) first = value;
      }
      return first;
    }

    return {
      sortedBy,
      compare(a, b) {
        const one = sortedBy(a);
        const other = sortedBy(b);
        if (one === undefined || other === undefined) {
          return Number(one === undefined) - Number(other === undefined) || ids.compare(a, b);
        }
        return direction * within(one, other) || ids.compare(a, b);
      },
    };
  }

  /** The rank of each value in the order's direction, from 1; equal values share it. Other types' values have 0. */
  function rankValues(type: TraitType, descending: boolean): Ranks {
    const within = table.compareWithin(type);
    const ofValue = new Uint32Array(table.size);
    const ordered = table.orders.of(type);
    let rank = 0;
    let before: number | undefined;
    for (let nth = 0; nth < ordered.length; nth++) {
      const value = ordered[descending ? ordered.length - 1 - nth : nth] as number;
      if (before === undefined || within(before, value) !== 0) rank++;
      ofValue[value] = rank;
      before = value;
    }
    return { ofValue, none: rank + 1 };
  }

  /** Counting sort by rank. */
  async function sortSlots(
    slots: Slots,
    { ofValue, none }: Ranks,
    yieldToEventLoop: YieldToEventLoop,
  ): Promise<Slots> {
    const rankOf = new Uint32Array(slots.length);
    const ends = new Uint32Array(none + 1);
    for (let from = 0; from < slots.length; from += STEP) {
      const { pool, starts, lengths } = rows;
      for (let nth = from; nth < Math.min(from + STEP, slots.length); nth++) {
        const slot = slots[nth] as number;
        const start = starts[slot] as number;
        const end = start + (lengths[slot] as number);
        let first = none;
        for (let at = start; at < end; at++) {
          const rank = ofValue[pool[at] as number] ?? 0;
          if (rank !== 0 && rank < first) first = rank;
        }
        rankOf[nth] = first;
        ends[first] = (ends[first] as number) + 1;
      }
      await yieldToEventLoop();
    }
    let total = 0;
    for (let rank = 1; rank <= none; rank++) {
      const count = ends[rank] as number;
      ends[rank] = total;
      total += count;
    }
    const sorted = new Uint32Array(slots.length);
    for (let from = 0; from < slots.length; from += STEP) {
      for (let nth = from; nth < Math.min(from + STEP, slots.length); nth++) {
        const rank = rankOf[nth] as number;
        const place = ends[rank] as number;
        sorted[place] = slots[nth] as number;
        ends[rank] = place + 1;
      }
      await yieldToEventLoop();
    }
    return sorted;
  }

  /** Keeps orders that nobody has used yet: someone is waiting for them. */
  function makeSpace(): void {
    for (const [name, { isUsed }] of cached) {
      if (cached.size < CACHED_MAX) return;
      if (isUsed) cached.delete(name);
    }
  }

  function findValid(type: TraitType, descending: boolean): CachedOrder | undefined {
    const found = cached.get(orderKey(type, descending));
    return found?.displayType === type.displayType ? found : undefined;
  }

  return {
    comparison,
    has: (type, descending) => findValid(type, descending)?.order.isBuilt ?? false,
    find(type, descending) {
      const found = findValid(type, descending);
      if (!found?.order.isBuilt) return undefined;
      found.isUsed = true;
      const name = orderKey(type, descending);
      cached.delete(name);
      cached.set(name, found);
      return found.order;
    },
    async prepare(type, descending, slots, yieldToEventLoop) {
      const known = findValid(type, descending);
      if (known) return known.building;
      const ranks = rankValues(type, descending);
      makeSpace();
      const order = createOrder(comparison(type, descending).compare, isPresent);
      const { displayType } = type;
      const entry: CachedOrder = { type, displayType, order, building: Promise.resolve(), isUsed: false };
      // Register it before sorting, so that it receives changes from now on.
      const name = orderKey(type, descending);
      cached.set(name, entry);
      entry.building = sortSlots(slots, ranks, yieldToEventLoop)
        .then(order.adopt)
        .catch((error: unknown) => {
          // Otherwise nobody would build it again.
          if (cached.get(name) === entry) cached.delete(name);
          throw error;
        });
      return entry.building;
    },
    get memory() {
      return [...cached.values()].reduce((sum, { order }) => sum + order.memory, 0);
    },
    markDirty(slot) {
      for (const { order } of cached.values()) order.markDirty(slot);
    },
    settle(dirtyMax) {
      for (const [name, { type, displayType, order }] of cached) {
        if (type.displayType !== displayType) cached.delete(name);
        else if (order.isBuilt && order.dirty > dirtyMax) order.settled();
      }
    },
  };
}
