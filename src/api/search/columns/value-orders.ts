/** Each trait type's shown values in order, kept as values come. */

import type { YieldToEventLoop } from "../../jobs/yield-to-event-loop.ts";
import { createOrder, type Order } from "./order.ts";
import type { TraitType } from "./trait-table.ts";

export interface ValueOrders {
  /** Whether the type's values are in order. */
  has(type: TraitType): boolean;
  /** Ascending, alike ones by their texts; throws where they are not in order. Valid until a value comes. */
  of(type: TraitType): Uint32Array<ArrayBuffer>;
  /** Whether the values of all types are in order. */
  readonly isPrepared: boolean;
  prepare(yieldToEventLoop: YieldToEventLoop): Promise<void>;
  /** To be told of each value that a type has got. */
  added(type: TraitType, value: number): void;
  /** To be told when other values of the type are shown. */
  drop(type: TraitType): void;
}

export interface ValueOrdersDeps {
  isShown(value: number): boolean;
  /** Tells all values of the type apart. */
  comparing(type: TraitType): (a: number, b: number) => number;
}

export function createValueOrders({ isShown, comparing }: ValueOrdersDeps): ValueOrders {
  const orders = new Map<TraitType, Order>();
  const unprepared = new Set<TraitType>();
  let preparing: Promise<void> | undefined;

  async function prepareAll(yieldToEventLoop: YieldToEventLoop): Promise<void> {
    for (const type of unprepared) {
      const order = createOrder(comparing(type), isShown);
      orders.set(type, order);
      await order.build(Uint32Array.from(type.values.filter(isShown)), yieldToEventLoop);
      // What is shown may have changed meanwhile: then it is still to be prepared.
      if (orders.get(type) === order) unprepared.delete(type);
    }
  }

  return {
    has: (type) => orders.get(type)?.isBuilt ?? false,
    of(type) {
      const order = orders.get(type);
      if (!order?.isBuilt) throw new Error(`the values of trait type ${type.id} are not in order`);
      return order.settled();
    },
    get isPrepared() {
      return unprepared.size === 0;
    },
    prepare(yieldToEventLoop) {
      preparing ??= prepareAll(yieldToEventLoop).finally(() => {
        preparing = undefined;
      });
      return preparing;
    },
    added(type, value) {
      const order = orders.get(type);
      if (order) order.markDirty(value);
      else unprepared.add(type);
    },
    drop(type) {
      orders.delete(type);
      unprepared.add(type);
    },
  };
}
