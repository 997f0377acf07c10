/** Searches that wait for the orders of values that they need, and go on in steps while nothing changes. */

import {
  createPoliteYield,
  createYield,
  type PoliteYieldOptions,
  runExclusive,
  runStepsInSlices,
  type Steps,
} from "../async/yield-to-event-loop.ts";
import { type IsAwaited, requireAwaited } from "./awaited.ts";
import type { CollectionIndex } from "./index/collection-index.ts";
import type { TokenSort } from "./query.ts";

// A token's own counts wait for several slices, and must not wait for the facets of a million tokens.
const SLICE_MS = 1;
/** For what a visitor waits for: pages are limited by address. */
export const SHORT_PAUSES: PoliteYieldOptions = { pausesMaxMs: 10 };

/** Resolves once the orders that the search needs are there. */
export async function prepare(index: CollectionIndex, sort?: TokenSort): Promise<void> {
  const { orders } = index.table;
  const type = sort?.by === "trait" ? index.table.find(sort.name) : undefined;
  const descending = sort?.by === "trait" && sort.descending;
  while (!isPrepared(index, sort)) {
    if (!orders.isPrepared) await orders.prepare(createYield());
    else if (type) await index.prepareTraitOrder(type, descending, createYield());
  }
}

function isPrepared({ table, traitOrders }: CollectionIndex, sort?: TokenSort): boolean {
  if (!table.orders.isPrepared) return false;
  const type = sort?.by === "trait" ? table.find(sort.name) : undefined;
  return !type || traitOrders.has(type, sort?.by === "trait" && sort.descending);
}

/** Prepares the orders the search needs, and retries if they change before its turn comes. */
export async function answerFrom<Answer>(
  index: CollectionIndex,
  answer: () => Answer,
  isAwaited: IsAwaited,
  sort?: TokenSort,
): Promise<Answer> {
  for (;;) {
    requireAwaited(isAwaited);
    await prepare(index, sort);
    const answered = await runExclusive(() => {
      requireAwaited(isAwaited);
      return isPrepared(index, sort) ? { answer: answer() } : undefined;
    });
    if (answered) return answered.answer;
  }
}

/** Undefined if the search index changes between the steps, or nobody waits for the result any more. */
export function runWhileSame<Result>(
  index: CollectionIndex,
  stepsOf: () => Steps<Result>,
  isAwaited: IsAwaited,
  options: PoliteYieldOptions = {},
): Promise<Result | undefined> {
  const { version, table } = index;
  const { size } = table;
  // Before what comes with the first step.
  const politeYield = createPoliteYield(SLICE_MS, options);
  // New values come before the tokens that have them.
  const isSame = (): boolean => index.version === version && table.size === size && table.orders.isPrepared;
  return runStepsInSlices(stepsOf(), politeYield, () => isSame() && isAwaited());
}
