/** A collection's search index in memory beside its model, changed by the same operations. */

import { createYield, runSteps } from "../../../src/api/async/yield-to-event-loop.ts";
import type { DisplayType, Trait } from "../../../src/api/metadata/document/traits.ts";
import { valueText } from "../../../src/api/metadata/document/traits.ts";
import { emptyBits, setBit } from "../../../src/api/search/columns/bits.ts";
import { DOCUMENT_KEY_CHARACTERS } from "../../../src/api/search/columns/document-column.ts";
import { createCollectionIndex, type TokenRow } from "../../../src/api/search/index/collection-index.ts";
import { completeSteps } from "../../../src/api/search/index/complete-values.ts";
import { findNamed } from "../../../src/api/search/index/find-named.ts";
import type { ChainSlots } from "../../../src/api/search/index/match.ts";
import { pageOf } from "../../../src/api/search/index/page.ts";
import type {
  NameQuery,
  TokenFilter,
  TokenQuery,
  TokenSort,
  ValuePrefix,
} from "../../../src/api/search/query.ts";
import { createRarityCache } from "../../../src/api/search/rarity-cache.ts";
import { createResultCache } from "../../../src/api/search/result-cache.ts";
import { packFacets, unpackFacets } from "../../../src/api/search/threads/packed-facets.ts";
import { isHeldBy, type Model, type ModelToken } from "./model.ts";

export type Operation =
  | { readonly kind: "put"; readonly token: ModelToken }
  | { readonly kind: "forget"; readonly tokenId: string }
  | { readonly kind: "approve"; readonly name: string; readonly displayType: DisplayType }
  /** Rebuilds the runs of values; the token is added half-way. */
  | { readonly kind: "rebuild"; readonly token: ModelToken }
  /** Builds the order of a trait; the token is added half-way. */
  | { readonly kind: "prepare"; readonly name: string; readonly token: ModelToken };

export function createIndexHarness() {
  const index = createCollectionIndex();
  // No token is there yet.
  index.documents.begin();
  index.documents.end();
  const tokens = new Map<string, ModelToken>();
  const types = new Map<string, { displayType: DisplayType; highest: number | null }>();
  const typeIds = new Map<string, number>();
  const valueIds = new Map<string, number>();

  function learn({ trait_type, display_type, value }: Trait): number {
    if (!typeIds.has(trait_type)) {
      typeIds.set(trait_type, 100 + typeIds.size);
      types.set(trait_type, { displayType: display_type, highest: null });
      index.table.addType({
        id: typeIds.get(trait_type) ?? 0,
        key: `=${trait_type}`,
        name: trait_type,
        displayType: display_type,
        highest: null,
      });
    }
    const key = JSON.stringify([trait_type, display_type, valueText(value)]);
    const known = valueIds.get(key);
    if (known !== undefined) return known;
    const id = 1_000 + valueIds.size;
    valueIds.set(key, id);
    index.table.addValue({
      id,
      typeId: typeIds.get(trait_type) ?? 0,
      displayType: display_type,
      text: valueText(value),
      longKey: null,
      number: typeof value === "number" ? value : null,
    });
    return id;
  }

  const rowOf = ({ traits, document, ...token }: ModelToken): TokenRow => ({
    ...token,
    document: document?.slice(0, DOCUMENT_KEY_CHARACTERS) ?? null,
    traits: [...new Set(traits.map(learn))].sort((a, b) => a - b),
  });

  /** The same ones as long as nothing has changed, as the service keeps them: a token's chain state comes with the token. */
  let known = { version: -1, slots: new Map<string, ChainSlots>() };
  function chainSlots(filter: TokenFilter): ChainSlots {
    if (known.version !== index.version)
      known = { version: index.version, slots: new Map([["burned", readSlots(filter)]]) };
    const { burned } = known.slots.get("burned") as ChainSlots;
    const name = JSON.stringify(filter);
    const slots = known.slots.get(name) ?? { ...readSlots(filter), burned };
    known.slots.set(name, slots);
    return slots;
  }

  function readSlots(filter: TokenFilter): ChainSlots {
    const bitsOf = (test: (token: ModelToken) => boolean) => {
      const bits = emptyBits(index.ids.size);
      for (const token of tokens.values()) {
        const slot = test(token) ? index.find(token.tokenId) : undefined;
        if (slot !== undefined) setBit(bits, slot);
      }
      return bits;
    };
    return {
      burned: bitsOf((token) => token.burned ?? false),
      locked: bitsOf((token) => token.locked ?? false),
      owned: bitsOf((token) => isHeldBy(token, filter)),
    };
  }

  function put(token: ModelToken): void {
    tokens.set(token.tokenId, token);
    index.change([rowOf(token)], []);
  }

  const results = createResultCache();
  const answersTo = (filter: TokenFilter) => results.at(index, chainSlots(filter));
  const listedNow = () => answersTo({ criteria: [], ranges: [] }).listed();
  const ranks = createRarityCache();
  const ranked = () => ranks.current(index, listedNow());

  const model: Model = {
    get tokens() {
      return [...tokens.values()];
    },
    types,
  };
  return {
    index,
    model,
    async load(loaded: readonly ModelToken[]) {
      for (const token of loaded) tokens.set(token.tokenId, token);
      const ascending = [...tokens.values()].sort((a, b) => (BigInt(a.tokenId) < BigInt(b.tokenId) ? -1 : 1));
      for (const token of ascending) index.append(rowOf(token));
      await index.finish(createYield());
    },
    async run(operation: Operation): Promise<void> {
      switch (operation.kind) {
        case "put":
          return put(operation.token);
        case "forget":
          tokens.delete(operation.tokenId);
          return index.change([], [operation.tokenId]);
        case "approve": {
          const type = types.get(operation.name);
          if (!type) return;
          type.displayType = operation.displayType;
          return index.changeType(typeIds.get(operation.name) ?? 0, operation.displayType, type.highest);
        }
        case "rebuild": {
          const left = [operation.token];
          return index.compact(async () => {
            for (const token of left.splice(0)) put(token);
          });
        }
        case "prepare": {
          const left = [operation.token];
          const type = index.table.find(operation.name);
          await index.table.orders.prepare(createYield());
          if (!type) return put(operation.token);
          await index.prepareTraitOrder(type, true, async () => {
            for (const token of left.splice(0)) put(token);
          });
          for (const token of left) put(token);
        }
      }
    },
    async page(query: TokenQuery) {
      const type = query.sort.by === "trait" ? index.table.find(query.sort.name) : undefined;
      await index.table.orders.prepare(createYield());
      if (type)
        await index.prepareTraitOrder(
          type,
          query.sort.by === "trait" && query.sort.descending,
          createYield(),
        );
      const rarity = query.sort.by === "rarity" ? await ranked() : undefined;
      return pageOf(index, query, answersTo(query.filter).matches(query.filter).slots, rarity);
    },
    /** The rarity of every token that has one, by id. */
    async rarities() {
      const rarity = await ranked();
      return new Map(
        [...tokens.keys()].flatMap((tokenId) => {
          const slot = index.find(tokenId);
          const found = slot === undefined ? undefined : rarity?.of(slot);
          return found ? [[tokenId, found] as const] : [];
        }),
      );
    },
    named: (query: NameQuery) => findNamed(index, query, listedNow()),
    completed: (prefix: ValuePrefix) => runSteps(completeSteps(index, prefix, listedNow())),
    facets: (filter: TokenFilter) => unpackFacets(packFacets(answersTo(filter).facets(filter, "facets"))),
    panel: (filter: TokenFilter) => unpackFacets(packFacets(answersTo(filter).facets(filter, "panel"))),
  };
}

type Harness = Pick<ReturnType<typeof createIndexHarness>, "page">;

const IDS_MAX = 10_000;

/** The first tokens of all documents, with counts. */
export async function walkStacks(
  search: Harness,
  filter: TokenFilter,
  sort: TokenSort,
  limit: number,
): Promise<(readonly [string, number])[]> {
  const stacks: (readonly [string, number])[] = [];
  let cursor: string | undefined;
  do {
    const query = { filter, sort, limit, group: "document" as const };
    const page = await search.page({ ...query, ...(cursor !== undefined && { cursor }) });
    stacks.push(...page.tokenIds.map((tokenId, nth) => [tokenId, page.counts?.[nth] ?? 0] as const));
    if (stacks.length > IDS_MAX) throw new Error("the pages come to no end");
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  return stacks;
}

/** The ids on all pages, one after another; throws if the pages never end. */
export async function walkPages(search: Harness, filter: TokenFilter, sort: TokenSort, limit: number) {
  const tokenIds: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await search.page({ filter, sort, limit, ...(cursor !== undefined && { cursor }) });
    tokenIds.push(...page.tokenIds);
    if (tokenIds.length > IDS_MAX) throw new Error(`the pages come to no end: ${tokenIds.slice(0, 20)}`);
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  return tokenIds;
}
