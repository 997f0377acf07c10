/** The pages' dependencies and paths. */

import type { Context } from "hono";
import type { CollectionConfig } from "../../config.ts";
import { parseTokenId } from "../../domain/token-ref.ts";
import type { RateLimits } from "../access/limits/rate-limits.ts";
import type { Collections } from "../catalog/collections.ts";
import type { CatalogModule } from "../catalog/module.ts";
import type { IndexHeads } from "../chain/index/index-heads.ts";
import type { ChainTables } from "../chain/index/tables.ts";
import type { Database } from "../db/database.ts";
import { ApiError } from "../http/errors.ts";
import { collectionNameField } from "../http/fields.ts";
import type { Logger } from "../logging/logger.ts";
import type { RefreshService } from "../refresh/service.ts";
import type { Search } from "../search/service.ts";
import type { PageVariables, To } from "../ui/site.ts";

export interface PagesDeps {
  readonly database: Database;
  readonly tables: ChainTables;
  readonly collections: Collections;
  readonly catalogModule: CatalogModule;
  readonly search: Pick<Search, "page" | "panel">;
  readonly refresh: Pick<RefreshService, "request" | "findReceiptOf">;
  readonly rateLimits: Pick<RateLimits, "anonymousGraphql" | "clientAddress">;
  readonly heads: IndexHeads;
  readonly baseUrl: string;
  /** Where pictures are served: `baseUrl`, or a CDN. */
  readonly mediaBaseUrl: string;
  readonly logger: Logger;
}

export interface PagesEnv {
  Variables: PageVariables & { requestId: string };
}

export type PagesContext = Context<PagesEnv>;

/** The dependencies, and values derived from them once. */
export interface Site extends PagesDeps {
  readonly to: To;
}

/** Any object that names a collection as the API does. */
type Named = { readonly chain_id: number; readonly collection_address: string };

export const collectionPath = ({ chain_id, collection_address }: Named): string =>
  `/collections/${chain_id}/${collection_address}`;

export const tokenPath = (token: Named & { readonly token_id: string }): string =>
  `${collectionPath(token)}/${token.token_id}`;

export const walletPath = (address: string): string => `/wallets/${address}`;

export const namesOf = ({ chainId, address }: Pick<CollectionConfig, "chainId" | "address">): Named => ({
  chain_id: chainId,
  collection_address: address,
});

/** The collection of the path, by address or slug; throws COLLECTION_NOT_FOUND for an unconfigured or invalid one. */
export async function collectionOf({ collections }: Site, c: PagesContext): Promise<CollectionConfig> {
  const chainId = c.req.param("chain") ?? "";
  const name = collectionNameField.safeParse(c.req.param("address") ?? "").data;
  const isServed = collections.all.some((each) => String(each.chainId) === chainId);
  if (name === undefined || !isServed) throw new ApiError("COLLECTION_NOT_FOUND");
  return collections.findNamed(name, Number(chainId));
}

/** The token id of the path; throws TOKEN_NOT_FOUND for an invalid one. */
export function tokenIdOf(c: PagesContext): string {
  const tokenId = c.req.param("token") ?? "";
  if (parseTokenId(tokenId) === undefined) throw new ApiError("TOKEN_NOT_FOUND");
  return tokenId;
}

const MEDIA = "/media/";

/**
 * The path of a cached picture, which works under any name of this service, or its address at the CDN; undefined for
 * any other URL.
 */
export function picturePath({ baseUrl, mediaBaseUrl, to }: Site, url: string | null): string | undefined {
  if (!url?.startsWith(`${mediaBaseUrl}${MEDIA}`)) return undefined;
  return mediaBaseUrl === baseUrl ? to(url.slice(baseUrl.length)) : url;
}

/** Whether a chain's index has caught up; false before it has started. */
export async function isIndexReady({ heads }: Site, chainId: number): Promise<boolean> {
  return (await heads.read()).some((head) => head.chainId === chainId && head.ready);
}

/** Whether those of all collections have. */
export async function isEveryIndexReady({ heads, collections }: Site): Promise<boolean> {
  const ready = new Set((await heads.read()).flatMap(({ chainId, ready }) => (ready ? [chainId] : [])));
  return collections.all.every(({ chainId }) => ready.has(chainId));
}
