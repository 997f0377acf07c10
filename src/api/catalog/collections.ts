/** Resolves a request to a configured collection. */

import type { CollectionConfig, IndexConfig } from "../../config.ts";
import { collectionKey, parseAddress } from "../../domain/token-ref.ts";
import { checkAll } from "../http/all-problems.ts";
import { ApiError } from "../http/errors.ts";
import type { NamedCollection } from "../http/fields.ts";

interface Slugged {
  readonly chainId: number;
  readonly address: string;
  readonly slug: string;
}

/** Makers may give their collection a slug, too. Returns those with one of these. */
type FindSlugs = (slugs: readonly string[]) => Promise<readonly Slugged[]>;

/** The first block that is indexed of a chain, for all of its collections: the lowest start block. */
export const firstBlockOf = (collections: readonly CollectionConfig[], chainId: number): number =>
  Math.min(...collections.filter((each) => each.chainId === chainId).map((each) => each.startBlock));

export function createCollections(
  { chains, collections }: Pick<IndexConfig, "chains" | "collections">,
  findSlugs: FindSlugs = async () => [],
) {
  const known = new Set(chains.map((chain) => chain.id));
  /** Throws INVALID_REQUEST for a chain without an RPC endpoint. */
  function requireKnown(chainId: number | undefined): void {
    if (chainId === undefined || known.has(chainId)) return;
    const message = `chain ${chainId} is not served here; known chains are ${[...known].join(", ")}`;
    throw new ApiError("INVALID_REQUEST", [{ path: "chain_id", message }]);
  }
  function find(address: string, chainId?: number): CollectionConfig {
    requireKnown(chainId);
    const found = collections.find(
      (each) => each.address === address && (chainId === undefined || each.chainId === chainId),
    );
    if (!found) throw new ApiError("COLLECTION_NOT_FOUND");
    return found;
  }

  const isAddress = (name: string): boolean => parseAddress(name) === name;

  function findSlugged(name: string, slugged: readonly Slugged[], chainId?: number): CollectionConfig {
    const makers = new Set(slugged.filter(({ slug }) => slug === name).map(collectionKey));
    const byChain = new Map<number, CollectionConfig>();
    for (const each of collections) {
      if (chainId !== undefined && each.chainId !== chainId) continue;
      if (each.slug === name) byChain.set(each.chainId, each);
      else if (makers.has(collectionKey(each)) && !byChain.has(each.chainId)) byChain.set(each.chainId, each);
    }
    const [first, second] = byChain.values();
    if (!first) throw new ApiError("COLLECTION_NOT_FOUND");
    if (!second) return first;
    const message = `must name one of several chains with the slug "${name}": ${[...byChain.keys()].join(", ")}`;
    throw new ApiError("INVALID_REQUEST", [{ path: "chain_id", message }]);
  }

  /**
   * The same for each lower-case address or slug, in their order. On one chain, a slug of collections.json comes before a
   * maker's. Throws INVALID_REQUEST, naming the chains, for a slug that is used on several and no `chainId`.
   */
  async function findAllNamed(names: readonly string[], chainId?: number): Promise<CollectionConfig[]> {
    requireKnown(chainId);
    const slugged = await slugsOf(names);
    return names.map((name) => findAmong(name, slugged, chainId));
  }

  async function findNamed(name: string, chainId?: number): Promise<CollectionConfig> {
    requireKnown(chainId);
    return findAmong(name, await slugsOf([name]), chainId);
  }

  async function slugsOf(names: readonly string[]): Promise<readonly Slugged[]> {
    const slugs = [...new Set(names)].filter((name) => !isAddress(name));
    return slugs.length > 0 ? findSlugs(slugs) : [];
  }

  function findAmong(name: string, slugged: readonly Slugged[], chainId?: number): CollectionConfig {
    requireKnown(chainId);
    return isAddress(name) ? find(name, chainId) : findSlugged(name, slugged, chainId);
  }

  /**
   * The same for a collection that a request names in one text, at `path` of its body or query, which refusals name.
   */
  async function findRef({ name, chainId }: NamedCollection, path: string): Promise<CollectionConfig> {
    const slugged = await slugsOf([name]);
    return at(path, () => findAmong(name, slugged, chainId));
  }

  return {
    all: collections,

    /** The chain that a request names, or all; throws INVALID_REQUEST for one without an RPC endpoint. */
    chainIds(chainId?: number): readonly number[] {
      requireKnown(chainId);
      return chainId === undefined ? [...known] : [chainId];
    },

    /**
     * The collection with this address or slug, or all collections; only those of `chainId` if it is given. Throws as
     * `findNamed` does.
     */
    async among(name: string | undefined, chainId?: number): Promise<readonly CollectionConfig[]> {
      if (name !== undefined) return [await findNamed(name, chainId)];
      const chainIds = this.chainIds(chainId);
      return collections.filter((each) => chainIds.includes(each.chainId));
    },

    /** The chain index's first block: one for all collections of a chain (ponder.config.ts). */
    firstBlock: (chainId: number): number => firstBlockOf(collections, chainId),

    /**
     * Finds a collection by lower-case address: on `chainId` if given, otherwise on the first chain that has it. Throws
     * INVALID_REQUEST for a chain without an RPC endpoint and COLLECTION_NOT_FOUND for an unconfigured address.
     */
    find,

    findAllNamed,

    /** The same for one name. */
    findNamed,

    findRef,

    /**
     * The same for a body's `collections`; each is returned once. A refusal names all that it concerns. What is undefined
     * has been refused already.
     */
    async findRefs(refs: readonly (NamedCollection | undefined)[]): Promise<CollectionConfig[]> {
      const slugged = await slugsOf(refs.flatMap((ref) => ref?.name ?? []));
      const found = new Set<CollectionConfig>();
      const checks = refs.map((ref, index) => () => {
        if (ref) found.add(at(`collections[${index}]`, () => findAmong(ref.name, slugged, ref.chainId)));
      });
      await checkAll(checks);
      return [...found];
    },
  };
}

export type Collections = ReturnType<typeof createCollections>;

/** Runs `find`; its refusal names `path`, whatever it named. */
function at<Found>(path: string, find: () => Found): Found {
  try {
    return find();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const [message = "is not a collection served here"] = error.details.map((detail) => detail.message);
    throw new ApiError(error.code, [{ path, message }]);
  }
}
