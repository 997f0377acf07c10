/** The tokens of a wallet over all collections, with those that it may use by delegation. */

import { z } from "@hono/zod-openapi";
import type { CollectionConfig } from "../../../config.ts";
import {
  collectionKey,
  parseAddress,
  parseTokenId,
  type TokenRef,
  tokenKey,
} from "../../../domain/token-ref.ts";
import type { ChainTables } from "../../chain/index/tables.ts";
import type { Database } from "../../db/database.ts";
import type { DelegationRecord } from "../../delegation/registry/record.ts";
import { ApiError } from "../../http/errors.ts";
import { pageCursor } from "../../http/page-cursor.ts";
import type { Catalog } from "../service.ts";
import type { TokenView } from "../tokens/token-view.ts";
import { readHoldings } from "./wallet-store.ts";

const address = z.string().refine((text) => parseAddress(text) === text);
const cursors = pageCursor(
  z.strictObject({
    rank: z.union([z.literal(0), z.literal(1)]),
    chainId: z.int().positive(),
    collection: address,
    holder: address,
    tokenId: z.string().refine((text) => parseTokenId(text) !== undefined),
  }),
);

export interface WalletToken {
  readonly token: TokenView;
  readonly quantity: string;
  /** The wallet, or who delegated the token to it. */
  readonly holder: string;
  /** The delegation that lets the wallet use the token; null for its own. */
  readonly via: DelegationRecord | null;
}

export interface WalletTokensPage {
  readonly items: readonly WalletToken[];
  readonly nextCursor: string | null;
  readonly total: number;
}

export interface WalletTokensQuery {
  /** The collections to look in. */
  readonly collections: readonly CollectionConfig[];
  readonly includeDelegated: boolean;
  readonly limit: number;
  readonly cursor?: string | undefined;
  /** How many of these tokens may be read; all by default. */
  readonly countReadable?: (tokens: readonly TokenRef[]) => Promise<number>;
}

export function createWalletTokens({
  database,
  tables,
  catalog,
}: {
  readonly database: Database;
  readonly tables: ChainTables;
  readonly catalog: Pick<Catalog, "countFitting" | "findToken">;
}) {
  return {
    /**
     * A page of a wallet's tokens: its own by chain, collection and token id, then those of others that it may use. Throws
     * INVALID_REQUEST for a cursor of another list, and UNAVAILABLE where delegations count and the chain index is not
     * current.
     */
    async page(
      wallet: string,
      { collections, includeDelegated, limit, cursor, countReadable }: WalletTokensQuery,
    ): Promise<WalletTokensPage> {
      const list = ["wallet tokens", wallet, includeDelegated, collections.map(collectionKey)];
      const { isCurrent, total, holdings } = await readHoldings(database, tables, {
        collections,
        wallet,
        includeDelegated,
        after: cursors.read(list, cursor),
        // One extra row shows whether another page follows.
        limit: limit + 1,
      });
      if (!isCurrent) throw new ApiError("UNAVAILABLE");
      const most = holdings.slice(0, await catalog.countFitting(holdings.slice(0, limit)));
      const shown = most.slice(0, (await countReadable?.(most)) ?? most.length);
      const byKey = new Map(collections.map((collection) => [collectionKey(collection), collection]));
      const tokens = new Map<string, Promise<TokenView | undefined>>();
      for (const holding of shown) {
        const collection = byKey.get(collectionKey(holding));
        const name = tokenKey(holding);
        if (collection && !tokens.has(name)) tokens.set(name, catalog.findToken(collection, holding.tokenId));
      }
      const items = await Promise.all(
        shown.map(async (holding) => ({ ...holding, token: await tokens.get(tokenKey(holding)) })),
      );
      const last = shown.at(-1);
      const place = last && {
        rank: last.rank as 0 | 1,
        chainId: last.chainId,
        collection: last.collection,
        holder: last.holder,
        tokenId: last.tokenId,
      };
      return {
        // A token may disappear in a reorg between the two reads.
        items: items.flatMap(({ token, quantity, holder, via }) =>
          token ? [{ token, quantity, holder, via }] : [],
        ),
        nextCursor: holdings.length > shown.length && place ? cursors.write(list, place) : null,
        total,
      };
    },
  };
}

export type WalletTokens = ReturnType<typeof createWalletTokens>;
