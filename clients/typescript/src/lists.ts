/** Lists: many tokens at once, owners, a wallet's tokens, and activity. */

import type { components } from "./api.ts";
import type { Page, Paged } from "./pages.ts";
import { paged, readPage } from "./pages.ts";
import { type CallOptions, type ChainOption, readBody, type Sender } from "./request.ts";
import { type TokenId, tokenIdText } from "./token-id.ts";

type Schemas = components["schemas"];
export type TokenBatch = Schemas["TokenBatch"];
export type CollectionOwner = Schemas["OwnerPage"]["items"][number];
export type WalletToken = Schemas["WalletTokenPage"]["items"][number];
export type Activity = Schemas["Activity"];
export type ActivityType = Activity["type"];

interface ListOptions extends CallOptions {
  /** For a collection: needed where several chains have it. For a wallet: only this chain. */
  readonly chainId?: number;
  /** Entries per page, 1 to 100; 100 by default. */
  readonly pageSize?: number;
}
export interface OwnerOptions extends ListOptions {
  /** The owners at the end of this block, which must be indexed; without it, the current ones. */
  readonly atBlock?: number;
}
export interface WalletTokenOptions extends ListOptions {
  /** Only in this collection: its address or slug. */
  readonly collection?: string;
  /** Also the tokens that the wallet may use by delegation. */
  readonly includeDelegated?: boolean;
}
export interface ActivityOptions extends ListOptions {
  /** Without it, all. A wallet's activity has no `metadata`. */
  readonly types?: readonly ActivityType[];
}

const PAGE_SIZE = 100;
const COLLECTION = "/market/collections/{collection_address}";
const WALLET = "/market/wallets/{address}";

const common = ({ chainId, pageSize = PAGE_SIZE }: ListOptions) => ({
  ...(chainId !== undefined && { chain_id: chainId }),
  limit: pageSize,
});
const typed = ({ types, ...options }: ActivityOptions) => ({
  ...common(options),
  ...(types && { type: types.join(",") }),
});

export function listsOf(sender: Sender) {
  const list = <Item>(
    route: string,
    path: Record<string, unknown>,
    query: Record<string, unknown>,
    { signal }: CallOptions,
  ): Paged<Item> =>
    paged((cursor) =>
      sender.send(
        route,
        { method: "GET", path, query: { ...query, ...(cursor !== undefined && { cursor }) }, signal },
        (response) => readPage(response) as Promise<Page<Item>>,
      ),
    );

  return {
    /** 1 to 100 tokens of a collection, in the order of the ids, and the ids without a token. */
    tokensById: (
      collection: string,
      tokenIds: readonly TokenId[],
      { chainId, signal }: ChainOption = {},
    ): Promise<TokenBatch> =>
      sender.send(
        `${COLLECTION}/tokens/batch`,
        {
          method: "POST",
          path: { collection_address: collection },
          query: { ...(chainId !== undefined && { chain_id: chainId }) },
          body: { token_ids: tokenIds.map(tokenIdText) },
          signal,
          isIdempotent: true,
        },
        readBody<TokenBatch>,
      ),

    /** The owners of a collection, largest first, now or at a block. */
    owners: (collection: string, options: OwnerOptions = {}): Paged<CollectionOwner> =>
      list(
        `${COLLECTION}/owners`,
        { collection_address: collection },
        { ...common(options), ...(options.atBlock !== undefined && { at_block: options.atBlock }) },
        options,
      ),

    /** A wallet's tokens in all collections, then, if asked for, those that it may use by delegation. */
    walletTokens: (wallet: string, options: WalletTokenOptions = {}): Paged<WalletToken> =>
      list(
        `${WALLET}/tokens`,
        { address: wallet },
        {
          ...common(options),
          ...(options.collection !== undefined && { collection_address: options.collection }),
          ...(options.includeDelegated !== undefined && {
            include_delegated: String(options.includeDelegated),
          }),
        },
        options,
      ),

    /** What happened to a token, newest first. */
    tokenActivity: (collection: string, tokenId: TokenId, options: ActivityOptions = {}): Paged<Activity> =>
      list(
        `${COLLECTION}/tokens/{token_id}/activity`,
        { collection_address: collection, token_id: tokenIdText(tokenId) },
        typed(options),
        options,
      ),

    /** What happened in a collection, newest first. */
    collectionActivity: (collection: string, options: ActivityOptions = {}): Paged<Activity> =>
      list(`${COLLECTION}/activity`, { collection_address: collection }, typed(options), options),

    /** What a wallet sent and received, and locks of its tokens, newest first. */
    walletActivity: (wallet: string, options: ActivityOptions = {}): Paged<Activity> =>
      list(`${WALLET}/activity`, { address: wallet }, typed(options), options),
  };
}
