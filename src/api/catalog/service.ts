/** The catalog's door: one token put together from chain state, metadata and media. */

import type { CollectionConfig } from "../../config.ts";
import type { Allowlist } from "../media/allowlist.ts";
import { chooseDisplay } from "../media/display.ts";
import type { MetadataService } from "../metadata/service.ts";
import type { Database } from "../store/database.ts";
import type { TradingService } from "../trading/service.ts";
import { reachableUrl } from "./reachable-url.ts";
import { type TokenView, viewToken } from "./token-view.ts";

export interface CatalogDeps {
  readonly database: Database;
  readonly metadata: MetadataService;
  readonly trading: TradingService;
  readonly allowlist: Allowlist;
  readonly isQueued: (chainId: number, collection: string, tokenId: string) => Promise<boolean>;
  readonly gateways: readonly string[];
}

export function createCatalog(deps: CatalogDeps) {
  const { database, metadata, trading, allowlist, isQueued, gateways } = deps;
  return {
    /** The token, or undefined when neither the chain nor the contract has told of it. */
    async findToken(collection: CollectionConfig, tokenId: string): Promise<TokenView | undefined> {
      const { chainId, address } = collection;
      const [onChain, servedOnes, queued, isAllowed] = await Promise.all([
        trading.readTokens(chainId, address, [tokenId]),
        metadata.readServed(database, chainId, address, [tokenId]),
        isQueued(chainId, address, tokenId),
        allowlist.forCollection(chainId, address),
      ]);
      const chain = onChain.get(tokenId);
      const served = servedOnes.get(tokenId);
      if (!chain && !served) return undefined;

      const fields = served?.metadata ?? { image: null, video: null, animation_url: null };
      const imageUrl = fields.image === null ? null : reachableUrl(fields.image, gateways);
      const distribution = await metadata.countTraits(
        database,
        chainId,
        address,
        served?.metadata?.traits ?? [],
      );
      return viewToken({
        collection,
        tokenId,
        chain,
        served,
        isQueued: queued,
        imageUrl,
        display: chooseDisplay(fields, imageUrl, isAllowed),
        distribution,
      });
    },
  };
}

export type Catalog = ReturnType<typeof createCatalog>;
