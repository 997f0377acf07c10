/** Resolves a request to a configured collection. */

import type { CollectionConfig, IndexConfig } from "../../config.ts";
import { ApiError } from "../http/errors.ts";

export function createCollections({ chains, collections }: Pick<IndexConfig, "chains" | "collections">) {
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
  return {
    all: collections,

    /** The chain that a request names, or all; throws INVALID_REQUEST for one without an RPC endpoint. */
    chainIds(chainId?: number): readonly number[] {
      requireKnown(chainId);
      return chainId === undefined ? [...known] : [chainId];
    },

    /**
     * The collection at the address, or all collections; only those of `chainId` if it is given. Throws as `find` does.
     */
    among(address: string | undefined, chainId?: number): readonly CollectionConfig[] {
      if (address !== undefined) return [this.find(address, chainId)];
      const chainIds = this.chainIds(chainId);
      return collections.filter((each) => chainIds.includes(each.chainId));
    },

    /** The chain index's first block: one for all collections of a chain (ponder.config.ts). */
    firstBlock: (chainId: number): number =>
      Math.min(...collections.filter((each) => each.chainId === chainId).map((each) => each.startBlock)),

    /**
     * Finds a collection by lower-case address: on `chainId` if given, otherwise on the first chain that has it. Throws
     * INVALID_REQUEST for a chain without an RPC endpoint and COLLECTION_NOT_FOUND for an unconfigured address.
     */
    find,

    /** The same by lower-case address or by slug. */
    findNamed(name: string, chainId?: number): CollectionConfig {
      const bySlug = collections.find(({ slug }) => slug === name);
      return find(bySlug?.address ?? name, chainId ?? bySlug?.chainId);
    },
  };
}

export type Collections = ReturnType<typeof createCollections>;
