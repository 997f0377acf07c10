/** One collection's answers, from its index and what the chain says. */

import type { ChainTables } from "../chain/tables.ts";
import type { Logger } from "../contract/logger.ts";
import type { CollectionRef } from "../metadata/trait-type-store.ts";
import { type Trait, valueText } from "../metadata/traits.ts";
import type { Database } from "../store/database.ts";
import { createBreathe, inTurnOfItsOwn } from "./breathe.ts";
import { createChainFacts } from "./chain-facts.ts";
import type { CollectionIndex } from "./collection-index.ts";
import { countFacets } from "./facets.ts";
import { createLiveIndex } from "./live-index.ts";
import { type ChainSlots, listedSlots, matchingSlots } from "./match.ts";
import { pageOf } from "./page.ts";
import type { Facets, TokenFilter, TokenPage, TokenQuery, TokenSort } from "./query.ts";
import { countValues, countWithMetadata } from "./value-counts.ts";

// Each may hold some thousand values.
const FACETS_KEPT_MAX = 32;

/** How often each value occurs, out of how many tokens with metadata, and the highest value per number trait. */
export interface TraitCounts {
  readonly counts: readonly { readonly traitType: string; readonly value: string; readonly count: number }[];
  readonly total: number;
  readonly highest: ReadonlyMap<string, number>;
}

export function createCollectionSearch(deps: {
  readonly database: Database;
  readonly tables: ChainTables;
  readonly collection: CollectionRef;
  readonly logger: Logger;
}) {
  const { database, tables, collection, logger } = deps;
  const live = createLiveIndex({ database, checkpointTable: tables.checkpoint, collection }, logger);
  const facts = createChainFacts({ database, tables, collection });
  /** Of one moment: the index as it was, and the chain's checkpoint. */
  let kept = {
    index: undefined as CollectionIndex | undefined,
    stamp: "",
    facets: new Map<string, Facets>(),
  };

  async function read(filter: Pick<TokenFilter, "owner" | "locked">) {
    const { index, checkpoint } = await live.current();
    const slotsIn = await facts.read(checkpoint, filter);
    return { index, slotsIn, checkpoint };
  }

  function facetsKept(index: CollectionIndex, checkpoint: string | null): Map<string, Facets> {
    const stamp = `${index.version} ${checkpoint}`;
    const isSame = kept.index === index && kept.stamp === stamp && checkpoint !== null;
    if (!isSame || kept.facets.size >= FACETS_KEPT_MAX) kept = { index, stamp, facets: new Map() };
    return kept.facets;
  }

  return {
    /** Brings the index up to date, so that the next answer need not. */
    async warm(): Promise<void> {
      await live.current();
    },

    async page(query: TokenQuery): Promise<TokenPage> {
      const { index, slotsIn } = await read(query.filter);
      return answerFrom(
        index,
        () => pageOf(index, query, matchingSlots(index, query.filter, slotsIn(index))),
        query.sort,
      );
    },

    async facets(filter: TokenFilter): Promise<Facets> {
      const { index, slotsIn, checkpoint } = await read(filter);
      return answerFrom(index, () => {
        const all = facetsKept(index, checkpoint);
        const name = JSON.stringify(filter);
        const facets = all.get(name) ?? countFacets(index, matchingSlots(index, filter, slotsIn(index)));
        all.set(name, facets);
        return facets;
      });
    },

    async countTraits(traits: readonly Trait[]): Promise<TraitCounts> {
      const { index, slotsIn } = await read({});
      return countThese(index, slotsIn(index), traits);
    },

    async shownTypes(names: readonly string[]): Promise<ReadonlySet<string>> {
      const { index, slotsIn } = await read({});
      return inTurnOfItsOwn(() => {
        const counts = index.table.sumByType(countValues(index, listedSlots(index, slotsIn(index))));
        return new Set(names.filter((name) => (counts[index.table.find(name)?.at ?? -1] ?? 0) > 0));
      });
    },
  };
}

/** Sees to it that all is in order that the answer needs; that may change until its turn comes. */
async function answerFrom<Answer>(
  index: CollectionIndex,
  answer: () => Answer,
  sort?: TokenSort,
): Promise<Answer> {
  const { orders } = index.table;
  const type = sort?.by === "trait" ? index.table.find(sort.name) : undefined;
  const descending = sort?.by === "trait" && sort.descending;
  const isPrepared = (): boolean => orders.isPrepared && (!type || index.traitOrders.has(type, descending));
  for (;;) {
    while (!isPrepared()) {
      if (!orders.isPrepared) await orders.prepare(createBreathe());
      else if (type) await index.prepareTraitOrder(type, descending, createBreathe());
    }
    const answered = await inTurnOfItsOwn(() => (isPrepared() ? { answer: answer() } : undefined));
    if (answered) return answered.answer;
  }
}

export type CollectionSearch = ReturnType<typeof createCollectionSearch>;

function countThese(index: CollectionIndex, chain: ChainSlots, traits: readonly Trait[]): TraitCounts {
  const { table } = index;
  const slots = listedSlots(index, chain);
  const held = countValues(index, slots);
  const counts = new Map<string, TraitCounts["counts"][number]>();
  const highest = new Map<string, number>();
  for (const { trait_type, display_type, value } of traits) {
    const type = table.find(trait_type);
    if (!type || type.displayType !== display_type) continue;
    const text = valueText(value);
    const count = table.equalTo(type, text).reduce((sum, each) => sum + (held[each] as number), 0);
    if (count > 0)
      counts.set(JSON.stringify([trait_type, text]), { traitType: trait_type, value: text, count });
    if (display_type === "number" && type.highest !== null) highest.set(trait_type, type.highest);
  }
  return { counts: [...counts.values()], total: countWithMetadata(index, slots), highest };
}
