/** Search across all collections: collections by name, slug and address, tokens by name and id. */

import type { CollectionConfig } from "../../../config.ts";
import { parseTokenId, type TokenRef } from "../../../domain/token-ref.ts";
import { createYield } from "../../async/yield-to-event-loop.ts";
import { foldedText, foundBy } from "../../search/rules.ts";
import type { FoundTokens, Search } from "../../search/service.ts";
import { type CollectionView, type CollectionViewDeps, viewCollections } from "../collection-view.ts";
import type { Collections } from "../collections.ts";
import type { Catalog } from "../service.ts";
import type { TokenView } from "../tokens/token-view.ts";

export interface Found {
  readonly collections: readonly CollectionView[];
  readonly tokens: readonly TokenView[];
  /** The number of collections whose tokens were left out. */
  readonly unsearched: number;
  /** Whether tokens are missing because the documents of all are too large for one answer. */
  readonly isCut: boolean;
}

export interface AcrossDeps extends CollectionViewDeps {
  readonly collections: Pick<Collections, "all" | "chainIds">;
  readonly catalog: Pick<Catalog, "countFitting" | "listTokens">;
  readonly search: Pick<Search, "findNamed">;
}

export interface AcrossQuery {
  readonly chainId?: number | undefined;
  readonly limit: number;
  /** How many of these tokens may be read; all by default. */
  readonly countReadable?: (tokens: readonly TokenRef[]) => Promise<number>;
}

export function createAcross(deps: AcrossDeps) {
  const { collections, catalog, search } = deps;

  async function findCollections(
    among: readonly CollectionConfig[],
    text: string,
    limit: number,
  ): Promise<CollectionView[]> {
    const views = await viewCollections(deps, among);
    const asked = foldedText(text);
    return views
      .map((view) => ({ view, place: placeOf(view, asked) }))
      .filter(({ place }) => place < foundBy.length)
      .map(({ view, place }) => ranked(view, place, view.name))
      .sort(compareRanked)
      .slice(0, limit)
      .map(({ item }) => item);
  }

  async function findTokens(
    among: readonly CollectionConfig[],
    text: string,
    { limit, countReadable }: Pick<AcrossQuery, "limit" | "countReadable">,
  ) {
    const tokenId = text.replace(/^#/, "");
    const { found, unsearched } = await search.findNamed(among, {
      text,
      tokenId: parseTokenId(tokenId) === undefined ? undefined : tokenId,
      limit,
    });
    const best = await bestOf(found, limit);
    const refs = best.map(({ collection: { chainId, address }, tokenId: id }) => ({
      chainId,
      collection: address,
      tokenId: id,
    }));
    const most = refs.slice(0, await catalog.countFitting(refs));
    const fitting = best.slice(0, (await countReadable?.(most)) ?? most.length);
    const views = new Map<CollectionConfig, Map<string, TokenView>>();
    await Promise.all(
      [...new Set(fitting.map(({ collection }) => collection))].map(async (collection) => {
        const ids = fitting.flatMap((each) => (each.collection === collection ? each.tokenId : []));
        const tokens = await catalog.listTokens(collection, ids);
        views.set(collection, new Map(tokens.map((token) => [token.token_id, token])));
      }),
    );
    // A token may be burned after the search.
    const tokens = fitting.flatMap((each) => views.get(each.collection)?.get(each.tokenId) ?? []);
    return { tokens, unsearched, isCut: fitting.length < best.length };
  }

  return {
    /** The best `limit` of each kind, on one chain or all; fewer tokens if their documents are too large for one answer. */
    async find(text: string, { chainId, ...query }: AcrossQuery): Promise<Found> {
      const chainIds = collections.chainIds(chainId);
      const among = collections.all.filter((each) => chainIds.includes(each.chainId));
      const [found, { tokens, unsearched, isCut }] = await Promise.all([
        findCollections(among, text, query.limit),
        findTokens(among, text, query),
      ]);
      return { collections: found, tokens, unsearched, isCut };
    },
  };
}

export type Across = ReturnType<typeof createAcross>;

/** Folded once: comparisons are many. */
interface Ranked<Item> {
  readonly item: Item;
  readonly place: number;
  readonly key: Buffer;
}

const ranked = <Item>(item: Item, place: number, name: string | null): Ranked<Item> => ({
  item,
  place,
  key: Buffer.from(foldedText(name ?? "")),
});

/** By code point of folded texts. */
const compareRanked = (a: Ranked<unknown>, b: Ranked<unknown>): number =>
  a.place - b.place || Buffer.compare(a.key, b.key);

type FoundToken = FoundTokens["found"][number];

/** The best of all collections, each of whose tokens come in a row, the best first; the earlier of equal ones first. */
async function bestOf(found: readonly FoundToken[], limit: number): Promise<FoundToken[]> {
  const yieldToEventLoop = createYield();
  const rankedAt = (at: number, end: number): Ranked<FoundToken> | undefined => {
    const token = at < end ? found[at] : undefined;
    return token && ranked(token, foundBy.indexOf(token.match), token.name);
  };
  let best: readonly Ranked<FoundToken>[] = [];
  for (let at = 0; at < found.length; ) {
    await yieldToEventLoop();
    const { collection } = found[at] as FoundToken;
    let end = at;
    while (found[end]?.collection === collection) end++;
    const merged: Ranked<FoundToken>[] = [];
    let nth = 0;
    for (let next = rankedAt(at, end); merged.length < limit; ) {
      const known = best[nth];
      if (known && !(next && compareRanked(next, known) < 0)) {
        merged.push(known);
        nth++;
      } else if (next) {
        merged.push(next);
        next = rankedAt(++at, end);
      } else break;
    }
    best = merged;
    at = end;
  }
  return best.map(({ item }) => item);
}

/** The position in `foundBy` of the best way in which a collection matches; its length if none does. */
function placeOf({ name, slug, collection_address }: CollectionView, text: string): number {
  if (collection_address === text) return foundBy.indexOf("id");
  const places = [name, slug].map((each) => {
    const given = foldedText(each ?? "");
    if (given === text) return foundBy.indexOf("name");
    if (given.startsWith(text)) return foundBy.indexOf("start");
    return given.includes(text) ? foundBy.indexOf("part") : foundBy.length;
  });
  return Math.min(...places);
}
