/** The sort orders of pages: how slots compare, and which of them come after a cursor. */

import type { Order } from "../columns/order.ts";
import type { TraitType } from "../columns/trait-table.ts";
import { type Position, type SortKey, wrongKind } from "../cursor.ts";
import type { TokenSort } from "../query.ts";
import type { CollectionIndex } from "./collection-index.ts";
import { compareNewest } from "./compare-newest.ts";
import { isSameScore, type Rarity } from "./rarity.ts";

export interface SortOrder {
  /** A total order: distinct slots never compare as equal. */
  compare(a: number, b: number): number;
  readonly order: Order;
  keyOf(slot: number): SortKey;
  /**
   * Whether slots come after the position. Throws INVALID_REQUEST for a key of the wrong type, as after a change of a
   * trait's display type.
   */
  after(position: Position): (slot: number) => boolean;
}

/** A trait's order must be prepared. Without `rarity`, no token is rarer than another. */
export function sortOrderOf(index: CollectionIndex, sort: TokenSort, rarity?: Rarity): SortOrder {
  switch (sort.by) {
    case "id":
      return rankById(index, sort.descending);
    case "name":
      return rankByName(index, sort.descending);
    case "latest":
      return rankByNewest(index, index.since, index.orders.latest);
    case "updated":
      return rankByNewest(index, index.served, index.orders.updated);
    case "rarity":
      rarity?.settle();
      return rarity ? rankByRarity(index, rarity) : rankUnranked(index);
    case "trait": {
      const type = index.table.find(sort.name);
      return type ? rankByTrait(index, type, sort.descending) : rankById(index, false);
    }
  }
}

function rankById({ ids, orders }: CollectionIndex, descending: boolean): SortOrder {
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

function rankByName({ ids, names, orders }: CollectionIndex, descending: boolean): SortOrder {
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

function rankByNewest({ ids }: CollectionIndex, column: Float64Array, order: Order): SortOrder {
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

function rankByRarity(index: CollectionIndex, { scores, order }: Rarity): SortOrder {
  const byScore = rankByNewest(index, scores, order);
  return {
    ...byScore,
    after({ key, tokenId }) {
      const isAfter = byScore.after({ key, tokenId });
      if (typeof key !== "number") return isAfter;
      // The process that wrote the cursor has summed in another order.
      return (slot) =>
        isSameScore(scores[slot] as number, key) ? index.ids.compareText(slot, tokenId) > 0 : isAfter(slot);
    },
  };
}

/** By id, like tokens without a score. */
const rankUnranked = (index: CollectionIndex): SortOrder => {
  const byId = rankById(index, false);
  return { ...byId, after: ({ tokenId }) => byId.after({ key: null, tokenId }) };
};

function rankByTrait(
  { ids, table, traitOrders }: CollectionIndex,
  type: TraitType,
  descending: boolean,
): SortOrder {
  const order = traitOrders.find(type, descending);
  if (!order) throw new Error(`there is no order of trait type ${type.id} yet`);
  const { compare, sortedBy } = traitOrders.comparison(type, descending);
  const isNumeric = type.displayType === "number" || type.displayType === "date";
  const direction = descending ? -1 : 1;
  return {
    order,
    compare,
    keyOf(slot) {
      const value = sortedBy(slot);
      if (value === undefined) return null;
      return isNumeric ? table.numberOf(value) : table.folded.textOf(value);
    },
    after({ key, tokenId }) {
      if (key === null) return (slot) => sortedBy(slot) === undefined && ids.compareText(slot, tokenId) > 0;
      if (typeof key !== (isNumeric ? "number" : "string")) throw wrongKind();
      const number = Number(key);
      const bytes = Buffer.from(String(key));
      return (slot) => {
        const value = sortedBy(slot);
        if (value === undefined) return true;
        const place = isNumeric ? table.numberOf(value) - number : table.folded.compareBytes(value, bytes);
        return (direction * place || ids.compareText(slot, tokenId)) > 0;
      };
    },
  };
}
