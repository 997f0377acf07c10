/** The shown values of each trait type in order, maintained as values arrive. */

import type { YieldToEventLoop } from "../../async/yield-to-event-loop.ts";
import { createOrder, type Order } from "./order.ts";
import type { TraitType } from "./trait-table.ts";

export interface ValueOrders {
  /** Whether the type's values are sorted. */
  has(type: TraitType): boolean;
  /** Ascending, equal values by text; throws if they are not sorted yet. Valid until a value is added. */
  of(type: TraitType): Uint32Array<ArrayBuffer>;
  /** Whether the values of all types are sorted. */
  readonly isPrepared: boolean;
  prepare(yieldToEventLoop: YieldToEventLoop): Promise<void>;
  /** Call it for each value added to a type. */
  added(type: TraitType, value: number): void;
  /** Call it for a new type, and when one shows different values. */
  toPrepare(type: TraitType): void;
}

export interface ValueOrdersDeps {
  isShown(value: number): boolean;
  /** A total order of the type's values. */
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
      // If the shown values changed meanwhile, the type still needs preparing.
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
    toPrepare(type) {
      orders.delete(type);
      unprepared.add(type);
    },
  };
}
