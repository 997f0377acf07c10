/** Answers the searches of one collection from its search index and the chain state. */

import { randomUUID } from "node:crypto";
import type { CollectionRef } from "../../domain/token-ref.ts";
import { createExclusively, runExclusive, runSteps } from "../async/yield-to-event-loop.ts";
import type { ChainTables } from "../chain/index/tables.ts";
import type { Database } from "../db/database.ts";
import type { Logger } from "../logging/logger.ts";
import type { Trait } from "../metadata/document/traits.ts";
import { valueText } from "../metadata/rules.ts";
import { alwaysAwaited, type IsAwaited, requireAwaited } from "./awaited.ts";
import { areEqualBits, type Bits } from "./columns/bits.ts";
import type { TraitType } from "./columns/trait-table.ts";
import type { CollectionIndex } from "./index/collection-index.ts";
import { completeSteps } from "./index/complete-values.ts";
import { findNamed } from "./index/find-named.ts";
import { pageOf } from "./index/page.ts";
import type { Rarity, TokenRarity } from "./index/rarity.ts";
import { answerFrom, prepare, runWhileSame, SHORT_PAUSES } from "./prepared.ts";
import type {
  CompletedValues,
  CountedFacets,
  FoundToken,
  NameQuery,
  TokenFilter,
  TokenPage,
  TokenQuery,
  ValuePrefix,
} from "./query.ts";
import { createRarityCache } from "./rarity-cache.ts";
import { type Answers, createResultCache, type FacetsKind, type Listed } from "./result-cache.ts";
import { type ChainFilter, createChainFacts } from "./sync/chain-facts.ts";
import { createLiveIndex } from "./sync/live-index.ts";
import { createDocuments } from "./sync/load-documents.ts";
import { readTypes } from "./sync/store.ts";

/** The count of each value, the number of listed tokens, and the highest value per number trait. */
export interface TraitCounts {
  readonly counts: readonly { readonly traitType: string; readonly value: string; readonly count: number }[];
  readonly total: number;
  readonly highest: ReadonlyMap<string, number>;
  /** The rarity of those asked for that are ranked, by token id. */
  readonly rarity: ReadonlyMap<string, TokenRarity>;
  readonly stamp: CountsStamp["stamp"];
}

/** As long as it is the same, a collection's counts and ranks are too. Null if that isn't known. */
export interface CountsStamp {
  readonly stamp: string | null;
}

/** The tokens whose rarity is asked for, and the shown traits to count: if none are given, those that the tokens have. */
export interface TraitQuestion {
  readonly traits?: readonly Trait[] | undefined;
  readonly tokenIds: readonly string[];
}

/** The answers about one collection, from its search index or from PostgreSQL. */
export interface CollectionAnswers {
  /** Throws INVALID_REQUEST for a cursor of another order. */
  page(query: TokenQuery): Promise<TokenPage>;
  facets(filter: TokenFilter): Promise<CountedFacets>;
  panel(filter: TokenFilter): Promise<CountedFacets>;
  countTraits(question: TraitQuestion): Promise<TraitCounts>;
  /** The current stamp of `countTraits`. */
  countsStamp(): Promise<CountsStamp>;
  shownTypes(names: readonly string[]): Promise<ReadonlySet<string>>;
  completeValues(asked: ValuePrefix): Promise<CompletedValues>;
  findNamed(asked: NameQuery): Promise<readonly FoundToken[]>;
}

export interface CollectionSearch extends CollectionAnswers {
  /**
   * The same answers, for as long as somebody waits for them: once nobody does, they reject with `Abandoned` at the latest
   * when their turn comes. The search index is brought up to date first.
   */
  whileAwaited(isAwaited: IsAwaited): CollectionAnswers;
  /** In bytes; 0 before the search index is loaded. */
  readonly memory: number;
  /** Brings the search index up to date, so that the next search finds it so. */
  warm(): Promise<void>;
}

export function createCollectionSearch(deps: {
  readonly database: Database;
  readonly tables: ChainTables;
  readonly collection: CollectionRef;
  readonly logger: Logger;
}): CollectionSearch {
  const { database, tables, collection, logger } = deps;
  const live = createLiveIndex({ database, tables, collection }, logger);
  const facts = createChainFacts({ database, tables, collection });
  const results = createResultCache();
  const ranks = createRarityCache();
  const stampOf = createStamps();
  // Apart from the rest, which goes on between its slices.
  const countOneByOne = createExclusively();

  const documents = createDocuments({ database, tables, collection });

  async function read(filter: ChainFilter, isAwaited: IsAwaited) {
    const { index, checkpoint } = await live.current();
    requireAwaited(isAwaited);
    const slotsIn = await facts.read(checkpoint, filter);
    // Call it in the same turn of the event loop as the search: the search index may change before that.
    const answers = () => results.at(index, slotsIn(index));
    const rarity = () => ranks.current(index, answers().listed());
    return { index, answers, rarity };
  }

  async function count(filter: TokenFilter, kind: FacetsKind, isAwaited: IsAwaited): Promise<CountedFacets> {
    const { index, answers } = await read(filter, isAwaited);
    const known = answers().knownFacets(filter, kind);
    if (known) return known;
    const counted = await countOneByOne(async () => {
      requireAwaited(isAwaited);
      await prepare(index);
      return answers().facetsInSlices(filter, kind, isAwaited);
    });
    return counted ?? answerFrom(index, () => answers().facets(filter, kind), isAwaited);
  }

  async function complete(
    asked: ValuePrefix,
    index: CollectionIndex,
    answers: () => Answers,
    isAwaited: IsAwaited,
  ): Promise<CompletedValues> {
    const stepsOf = (listed: Listed) => completeSteps(index, asked, listed);
    const first = await answerFrom(index, () => stepsOf(answers().listed()).next(), isAwaited);
    // Of few values, without waiting for those who count many.
    if (first.done) return first.value;
    const counted = await countOneByOne(async () => {
      requireAwaited(isAwaited);
      await prepare(index);
      const { counts, ...listed } = answers().listed();
      // Between steps, answers of other chain state overwrite these counts.
      const copied = { ...listed, counts: counts.slice() };
      return runWhileSame(index, () => stepsOf(copied), isAwaited, SHORT_PAUSES);
    });
    return counted ?? answerFrom(index, () => runSteps(stepsOf(answers().listed())), isAwaited);
  }

  const whileAwaited = (isAwaited: IsAwaited): CollectionAnswers => ({
    async page(query) {
      const { filter, sort } = query;
      const { index, answers, rarity } = await read(filter, isAwaited);
      const ranked = sort.by === "rarity" ? await rarity() : undefined;
      if (query.group) await documents.complete(index);
      return answerFrom(
        index,
        () => {
          const page = pageOf(index, query, answers().matches(filter).slots, ranked);
          return ranked ? { ...page, rarity: rarityOf(index, ranked, page.tokenIds) } : page;
        },
        isAwaited,
        sort,
      );
    },

    facets: (filter) => count(filter, "facets", isAwaited),

    panel: (filter) => count(filter, "panel", isAwaited),

    async countTraits({ traits, tokenIds }) {
      const { index, answers, rarity } = await read({}, isAwaited);
      const ranked = tokenIds.length > 0 ? await rarity() : undefined;
      const listed = answers().listed();
      return {
        ...countThese(index, listed, traits ?? traitsOf(index, tokenIds)),
        rarity: rarityOf(index, ranked, tokenIds),
        stamp: tokenIds.length > 0 ? stampOf(index, listed, ranked) : null,
      };
    },

    async countsStamp() {
      const { index, answers, rarity } = await read({}, isAwaited);
      const ranked = await rarity();
      return { stamp: stampOf(index, answers().listed(), ranked) };
    },

    async completeValues(asked) {
      const { index, answers } = await read({}, isAwaited);
      const completed = await complete(asked, index, answers, isAwaited);
      const type = completed.total === 0 ? index.table.find(asked.name) : undefined;
      // The search index doesn't learn that a type was deleted, which no token has had for days by then.
      if (!type || (await readTypes(database, [type.id])).some(({ key }) => key === type.key))
        return completed;
      return { ...completed, display_type: null };
    },

    async findNamed(asked) {
      const { index, answers } = await read({}, isAwaited);
      return runExclusive(() => {
        requireAwaited(isAwaited);
        return findNamed(index, asked, answers().listed());
      });
    },

    async shownTypes(names) {
      const { index, answers } = await read({}, isAwaited);
      return runExclusive(() => {
        requireAwaited(isAwaited);
        const counts = index.table.sumByType(answers().listed().counts);
        return new Set(names.filter((name) => (counts[index.table.find(name)?.at ?? -1] ?? 0) > 0));
      });
    },
  });

  return {
    ...whileAwaited(alwaysAwaited),
    whileAwaited,

    get memory() {
      return live.memory + ranks.memory + results.memory;
    },

    async warm() {
      await (await read({}, alwaysAwaited)).rarity();
    },
  };
}

/** The listed texts of the tokens' shown traits, each once: most tokens of a batch have the same few. */
function traitsOf({ rows, table, find }: CollectionIndex, tokenIds: readonly string[]): Trait[] {
  const values = new Set<number>();
  for (const tokenId of tokenIds) {
    const slot = find(tokenId);
    if (slot === undefined) continue;
    const start = rows.starts[slot] as number;
    for (const value of rows.pool.subarray(start, start + (rows.lengths[slot] as number)))
      if (table.isShown(value)) values.add(value);
  }
  return [...values].flatMap((value): Trait[] => {
    const { name, displayType } = table.types[table.typeOf(value)] as TraitType;
    const text = table.textOf(value);
    if (name === null || text === undefined) return [];
    return [{ trait_type: name, display_type: displayType, value: text }];
  });
}

function rarityOf(
  index: CollectionIndex,
  ranked: Rarity | undefined,
  tokenIds: readonly string[],
): Map<string, TokenRarity> {
  const found = new Map<string, TokenRarity>();
  for (const tokenId of tokenIds) {
    const slot = index.find(tokenId);
    const rarity = slot === undefined ? undefined : ranked?.of(slot);
    if (rarity) found.set(tokenId, rarity);
  }
  return found;
}

function countThese(
  { table }: CollectionIndex,
  listed: Listed,
  traits: readonly Trait[],
): Omit<TraitCounts, "rarity" | "stamp"> {
  const counts = new Map<string, TraitCounts["counts"][number]>();
  const highest = new Map<string, number>();
  for (const { trait_type, display_type, value } of traits) {
    const type = table.find(trait_type);
    if (!type || type.displayType !== display_type) continue;
    const text = valueText(value);
    const count = table.equalTo(type, text).reduce((sum, each) => sum + (listed.counts[each] ?? 0), 0);
    if (count > 0)
      counts.set(JSON.stringify([trait_type, text]), { traitType: trait_type, value: text, count });
    if (display_type === "number" && type.highest !== null) highest.set(trait_type, type.highest);
  }
  return { counts: [...counts.values()], total: listed.total, highest };
}

/** What counts and ranks depend on: the same, and the stamp is the same. */
function createStamps() {
  let last:
    | {
        index: WeakRef<CollectionIndex>;
        version: number;
        slots: Bits;
        ranked: Rarity | undefined;
        stamp: string;
      }
    | undefined;
  return (index: CollectionIndex, { slots }: Listed, ranked: Rarity | undefined): string => {
    const { version } = index;
    const isSame =
      last?.index.deref() === index &&
      last.version === version &&
      last.ranked === ranked &&
      areEqualBits(last.slots, slots);
    if (!last || !isSame) last = { index: new WeakRef(index), version, slots, ranked, stamp: randomUUID() };
    return last.stamp;
  };
}
