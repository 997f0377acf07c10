/** The client: a method for each main job, and `request` and `list` for every other route. */

import type { components } from "./api.ts";
import { type EventOptions, type EventStream, openEvents } from "./events.ts";
import {
  type ExportedOwner,
  type ExportedToken,
  exportOwners,
  exportTokens,
  type OwnerExportOptions,
  type TokenExportOptions,
} from "./exports.ts";
import { informationOf } from "./information.ts";
import { listsOf } from "./lists.ts";
import type { Answer, Method, PathWith, RequestFields } from "./operations.ts";
import { type Page, type Paged, paged, readPage } from "./pages.ts";
import {
  type CollectionRefreshReceipt,
  type RefreshAccepted,
  type RefreshOptions,
  type RefreshReceipt,
  readReceipt,
  refreshAndWait,
  requestRefresh,
  type WaitOptions,
  waitForReceipt,
} from "./refresh.ts";
import {
  type CallOptions,
  type ChainOption,
  createSender,
  readBody,
  type VitrineOptions,
} from "./request.ts";
import { searchQuery, type TokenConditions, type TraitConditions } from "./search.ts";
import { type TokenId, tokenIdText } from "./token-id.ts";
import { webhooksOf } from "./webhooks.ts";

type Schemas = components["schemas"];
export type Token = Schemas["Token"];
export type Collection = Schemas["Collection"];
export type TradeCheck = Schemas["TradeCheck"];
export type Delegation = Schemas["Delegation"];

export interface TraitValueOptions extends ChainOption {
  /** The start of the values; all without it. */
  readonly prefix?: string;
  /** 1 to 100; 20 by default. */
  readonly limit?: number;
}

export interface SearchOptions extends CallOptions {
  /** Only on this chain. */
  readonly chainId?: number;
  /** Of collections, and of tokens: 1 to 100; 20 by default. */
  readonly limit?: number;
}

export interface TradeCheckOptions extends ChainOption {
  readonly action: Schemas["TradeCheckRequest"]["action"];
  /** 1 to 100 tokens. */
  readonly items: readonly { readonly collection: string; readonly tokenId: TokenId }[];
  /** Who is about to do it: an owner of each token, or a delegate of one. */
  readonly wallet?: string;
  /** `chain` also simulates each transfer. */
  readonly verify?: "chain";
}

/** The item of a list: of `items`, which health has only with a `cause`, `versions` or `keys`, or of the array itself. */
type ItemOf<Body> = Body extends
  | readonly (infer Item)[]
  | { readonly items?: readonly (infer Item)[] }
  | { readonly versions: readonly (infer Item)[] }
  | { readonly keys: readonly (infer Item)[] }
  ? Item
  : never;

/** What a call takes after the path: nothing, where the route needs nothing. */
type FieldsOf<M extends Method, P extends PathWith<M>> =
  Record<never, never> extends RequestFields<M, P>
    ? [fields?: RequestFields<M, P> & CallOptions]
    : [fields: RequestFields<M, P> & CallOptions];

// Posts that change nothing. Not the check of a document: it may outlast a time limit, and each repeats all its fetches.
const READING_POSTS = new Set([
  "/market/trade_checks",
  "/market/collections/{collection_address}/tokens/batch",
]);

export type Vitrine = ReturnType<typeof createVitrine>;

/** Sends nothing before a method is called. Methods reject with a `VitrineError`. */
export function createVitrine(options: VitrineOptions) {
  const sender = createSender(options);

  /** Any route of the API, typed by its method and path. */
  function request<M extends Method, P extends PathWith<M>>(
    method: M,
    path: P,
    ...[fields]: FieldsOf<M, P>
  ): Promise<Answer<M, P>> {
    return sender.send(
      path,
      {
        ...(fields as CallOptions | undefined),
        method: method.toUpperCase(),
        ...(READING_POSTS.has(path) && { isIdempotent: true }),
      },
      readBody<Answer<M, P>>,
    );
  }

  /** Any route that answers in pages, by its path. */
  function list<P extends PathWith<"get">>(
    path: P,
    ...[fields]: FieldsOf<"get", P>
  ): Paged<ItemOf<Answer<"get", P>>> {
    const {
      path: names,
      query,
      signal,
    } = (fields ?? {}) as CallOptions & {
      readonly path?: Record<string, unknown>;
      readonly query?: Record<string, unknown>;
    };
    return paged((cursor) =>
      sender.send(
        path,
        { method: "GET", path: names, query: { ...query, ...(cursor !== undefined && { cursor }) }, signal },
        (response) => readPage(response) as Promise<Page<ItemOf<Answer<"get", P>>>>,
      ),
    );
  }

  return {
    request,
    list,

    /** One token: metadata, traits, lock state, what each page shows. */
    token: (collection: string, tokenId: TokenId, { chainId, signal }: ChainOption = {}): Promise<Token> =>
      request("get", "/market/collections/{collection_address}/tokens/{token_id}", {
        path: { collection_address: collection, token_id: tokenIdText(tokenId) },
        query: { ...(chainId !== undefined && { chain_id: chainId }) },
        signal,
      }),

    /** The tokens that match all conditions. */
    tokens: (
      collection: string,
      conditions: TokenConditions & CallOptions = {},
    ): Paged<Schemas["ListedToken"]> =>
      list("/market/collections/{collection_address}/tokens", {
        path: { collection_address: collection },
        query: searchQuery({ pageSize: 100, ...conditions }),
        signal: conditions.signal,
      }),

    ...listsOf(sender),
    /** Collections by name, slug and address, and tokens by name and id, over all collections: the best first. */
    search: (
      text: string,
      { limit, chainId, signal }: SearchOptions = {},
    ): Promise<Schemas["SearchResults"]> =>
      request("get", "/market/search", {
        query: {
          q: text,
          ...(chainId !== undefined && { chain_id: chainId }),
          ...(limit !== undefined && { limit }),
        },
        signal,
      }),

    /** All tokens of a collection, by address or slug, as of one moment, in one answer that is read as it comes. */
    exportTokens: (collection: string, call: TokenExportOptions = {}): AsyncIterable<ExportedToken> =>
      exportTokens(sender, collection, call),

    /** All owners, likewise. */
    exportOwners: (collection: string, call: OwnerExportOptions = {}): AsyncIterable<ExportedOwner> =>
      exportOwners(sender, collection, call),

    /** How the traits of the matching tokens are distributed. */
    traits: (
      collection: string,
      conditions: TraitConditions & CallOptions = {},
    ): Promise<Schemas["TraitDistribution"]> =>
      request("get", "/market/collections/{collection_address}/traits", {
        path: { collection_address: collection },
        query: searchQuery(conditions),
        signal: conditions.signal,
      }),

    /** The values of a trait that begin with a text, ignoring case, most frequent first. */
    traitValues: (
      collection: string,
      trait: string,
      { prefix, limit, chainId, signal }: TraitValueOptions = {},
    ): Promise<Schemas["TraitValues"]> =>
      request("get", "/market/collections/{collection_address}/traits/{trait}/values", {
        path: { collection_address: collection, trait },
        query: {
          ...(chainId !== undefined && { chain_id: chainId }),
          ...(prefix !== undefined && { prefix }),
          ...(limit !== undefined && { limit }),
        },
        signal,
      }),

    /** Whether tokens may be listed, transferred or traded now; one result per item, in their order. */
    async checkTrades(check: TradeCheckOptions): Promise<readonly TradeCheck[]> {
      const { action, items, wallet, verify, chainId, signal } = check;
      const body = {
        action,
        items: items.map(({ collection, tokenId }) => ({
          collection_address: collection,
          token_id: tokenIdText(tokenId),
        })),
        ...(wallet !== undefined && { wallet }),
        ...(verify !== undefined && { verify }),
      };
      const query = { ...(chainId !== undefined && { chain_id: chainId }) };
      return (await request("post", "/market/trade_checks", { query, body, signal })).items;
    },

    /** Requests a refresh of 1 to 100 tokens, without waiting for it. */
    refresh: (
      collection: string,
      tokenIds: readonly TokenId[],
      call: RefreshOptions = {},
    ): Promise<RefreshAccepted> => requestRefresh(sender, collection, tokenIds, call),

    /**
     * The same, and resolves when every token has its result, or with the last receipt, `done: false`, when `timeoutMs`
     * is over.
     */
    refreshAndWait: (
      collection: string,
      tokenIds: readonly TokenId[],
      call: RefreshOptions & WaitOptions = {},
    ): Promise<RefreshReceipt> => refreshAndWait(sender, collection, tokenIds, call),

    /** The state of a refresh that this app requested. */
    receipt: (refreshId: string, call: CallOptions = {}): Promise<RefreshReceipt> =>
      readReceipt(sender, refreshId, call),

    /** Waits for a refresh that was requested before. */
    waitForReceipt: (refreshId: string, call: WaitOptions = {}): Promise<RefreshReceipt> =>
      waitForReceipt(sender, refreshId, call),

    /** Requests a refresh of every token of a collection that the app holds; one at a time. Returns its id. */
    async refreshCollection(collection: string, { chainId, signal }: ChainOption = {}): Promise<string> {
      const path = { collection_address: collection };
      const query = { ...(chainId !== undefined && { chain_id: chainId }) };
      const route = "/market-partner/collections/{collection_address}/refresh_collection";
      return (await request("post", route, { path, query, signal })).refresh_id;
    },

    /** The state of such a refresh, with counts in place of tokens. */
    collectionReceipt: (refreshId: string, call: CallOptions = {}): Promise<CollectionRefreshReceipt> =>
      request("get", "/market-partner/refreshes/{refresh_id}", {
        path: { refresh_id: refreshId },
        signal: call.signal,
      }) as Promise<CollectionRefreshReceipt>,

    /** Cancels such a refresh: nothing more is fetched for it. */
    async cancelRefresh(refreshId: string, { signal }: CallOptions = {}): Promise<void> {
      await request("delete", "/market-partner/refreshes/{refresh_id}", {
        path: { refresh_id: refreshId },
        signal,
      });
    },

    /** How many tokens of a collection have which problem; with `cause`, also a page of those with that code. */
    health: (
      collection: string,
      { chainId, signal, ...query }: ChainOption & { readonly cause?: string; readonly cursor?: string } = {},
    ): Promise<Schemas["CollectionHealth"]> =>
      request("get", "/market-partner/collections/{collection_address}/health", {
        path: { collection_address: collection },
        query: { ...query, ...(chainId !== undefined && { chain_id: chainId }) },
        signal,
      }) as Promise<Schemas["CollectionHealth"]>,

    ...informationOf(sender),

    /** Events of collections as they happen: see `StreamEvent`. */
    events: (call: EventOptions = {}): EventStream => openEvents(sender, call),

    /** Events posted to URLs of yours. */
    webhooks: webhooksOf(sender),

    /** The delegations to a wallet in the delegation registry, oldest first. Needs no key. */
    delegations: (
      wallet: string,
      {
        direction,
        chainId,
        signal,
      }: ChainOption & { readonly direction?: "incoming" | "outgoing" | "all" } = {},
    ): Paged<Delegation> =>
      list("/registry/v2/{address}", {
        path: { address: wallet },
        query: {
          ...(direction !== undefined && { direction }),
          ...(chainId !== undefined && { chainId }),
        },
        signal,
      }),
  };
}
