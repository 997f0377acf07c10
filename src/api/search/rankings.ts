/** The orders that pages come in: how slots compare, and where a page before ended among them. */

import type { Bits } from "./bits.ts";
import { type CollectionIndex, compareNewest } from "./collection-index.ts";
import { type Position, type SortKey, wrongKind } from "./cursor.ts";
import type { Order } from "./order.ts";
import type { TokenSort } from "./query.ts";
import { rankByTrait } from "./trait-ranking.ts";

export interface Ranking {
  /** Tells all slots apart. */
  compare(a: number, b: number): number;
  /** The order that is kept, if one is. */
  readonly order: Order | undefined;
  keyOf(slot: number): SortKey;
  /**
   * Whether slots come after the position. Throws INVALID_REQUEST for a key of another kind, as when a trait's display
   * type has changed.
   */
  after(position: Position): (slot: number) => boolean;
  /**
   * The slots in parts, of which each comes before the next as a whole, from the one that the position is in; slots of
   * a part may be compared once it has come.
   */
  parts?(position: Position | undefined): Iterable<Bits>;
}

/** Of `slots`, which are present ones. A trait's order must be prepared. */
export function rankingOf(index: CollectionIndex, sort: TokenSort, slots: Bits): Ranking {
  switch (sort.by) {
    case "id":
      return rankById(index, sort.descending);
    case "name":
      return rankByName(index, sort.descending);
    case "latest":
      return rankByNewest(index, index.since, index.orders.latest);
    case "updated":
      return rankByNewest(index, index.served, index.orders.updated);
    case "trait": {
      const type = index.table.find(sort.name);
      return type ? rankByTrait(index, type, sort.descending, slots) : rankById(index, false);
    }
  }
}

function rankById({ ids, orders }: CollectionIndex, descending: boolean): Ranking {
  const order = descending ? orders.id_desc : orders.id_asc;
  return {
    order,
    compare: descending ? (a, b) => ids.compare(b, a) : ids.compare,
    keyOf: () => null,
    after({ key, tokenId }) {
      if (key !== null) throw wrongKind();
      return descending
        ? (slot) => ids.compareText(slot, tokenId) < 0
        : (slot) => ids.compareText(slot, tokenId) > 0;
    },
  };
}

function rankByName({ ids, names, orders }: CollectionIndex, descending: boolean): Ranking {
  const direction = descending ? -1 : 1;
  return {
    order: descending ? orders.name_desc : orders.name_asc,
    compare(a, b) {
      const bothNamed = names.has(a) && names.has(b);
      return (bothNamed ? direction : 1) * names.compare(a, b) || ids.compare(a, b);
    },
    keyOf: names.textOf,
    after({ key, tokenId }) {
      if (key === null) return (slot) => !names.has(slot) && ids.compareText(slot, tokenId) > 0;
      if (typeof key !== "string") throw wrongKind();
      const bytes = Buffer.from(key);
      return (slot) => {
        if (!names.has(slot)) return true;
        const place = direction * names.compareBytes(slot, bytes);
        return (place || ids.compareText(slot, tokenId)) > 0;
      };
    },
  };
}

function rankByNewest({ ids }: CollectionIndex, column: Float64Array, order: Order): Ranking {
  return {
    order,
    compare: (a, b) => compareNewest(column[a] as number, column[b] as number) || ids.compare(a, b),
    keyOf: (slot) => (Number.isNaN(column[slot]) ? null : (column[slot] as number)),
    after({ key, tokenId }) {
      if (typeof key === "string") throw wrongKind();
      const number = key ?? Number.NaN;
      return (slot) => (compareNewest(column[slot] as number, number) || ids.compareText(slot, tokenId)) > 0;
    },
  };
}
