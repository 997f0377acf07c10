/** A collection's owners, largest first, now or at the end of an indexed block. */

import { z } from "@hono/zod-openapi";
import type { CollectionConfig } from "../../../config.ts";
import { parseAddress } from "../../../domain/token-ref.ts";
import type { ChainTables } from "../../chain/index/tables.ts";
import type { Database } from "../../db/database.ts";
import { ApiError } from "../../http/errors.ts";
import { LIMIT_MAX } from "../../http/fields.ts";
import { createProcessLimit } from "../../http/limits/in-flight-limiter.ts";
import type { InFlightLimit } from "../../http/limits/rate-limit.ts";
import { pageCursor } from "../../http/page-cursor.ts";
import type { Collections } from "../collections.ts";
import { createBalanceOwners } from "./balance-owners.ts";
import {
  type Owner,
  type OwnersAnswer,
  type OwnersQuery,
  readBalanceOwnersAt,
  readHead,
  readTokenOwners,
  readTokenOwnersAt,
} from "./owners-store.ts";

const cursors = pageCursor(
  z.strictObject({
    owner: z.string().refine((text) => parseAddress(text) === text),
    quantity: z.string().regex(/^[1-9][0-9]{0,99}$/),
  }),
);
// What the column of ERC-721 counts takes.
const COUNT_DIGITS_MAX = 10;

// Each reads all transfers of a collection up to the block.
const atBlockLimit: InFlightLimit = { requests: 4, retrySeconds: 2, unit: "lists of owners at a block" };

export interface OwnersDeps {
  readonly database: Database;
  readonly tables: ChainTables;
  readonly collections: Pick<Collections, "firstBlock">;
}

export interface OwnersPage {
  readonly items: readonly Owner[];
  readonly nextCursor: string | null;
  readonly total: number;
  /** The block whose end the owners are of; null before the first indexed one. */
  readonly asOfBlock: number | null;
}

export function createOwners({ database, tables, collections }: OwnersDeps) {
  const atBlocks = createProcessLimit(atBlockLimit);
  const readSums = createBalanceOwners(database, tables, LIMIT_MAX + 1);

  /** At least one owner more than `limit`, if there is: it shows whether another page follows. */
  async function read(
    page: OwnersQuery,
    isErc1155: boolean,
    block: number | undefined,
  ): Promise<OwnersAnswer> {
    const { after, ...query } = { ...page, limit: page.limit + 1 };
    if (block === undefined)
      return isErc1155 ? readSums(page) : readTokenOwners(database, tables, { ...query, after });
    const readAt = isErc1155 ? readBalanceOwnersAt : readTokenOwnersAt;
    const [answer] = await atBlocks(() => readAt(database, tables, { ...query, afters: [after], block }));
    return answer ?? { owners: [], total: 0 };
  }

  return {
    /**
     * A page of owners with what they own: a number of ERC-721 tokens, or the sum of their ERC-1155 balances. With
     * `atBlock` it is what the transfers up to the end of that block leave. Throws INVALID_REQUEST for a block that is not
     * indexed, or a cursor of another list, and RATE_LIMITED while the process answers enough others at a block or of ERC-1155.
     */
    async page(
      collection: CollectionConfig,
      query: {
        readonly atBlock?: number | undefined;
        readonly limit: number;
        readonly cursor?: string | undefined;
      },
    ): Promise<OwnersPage> {
      const { chainId, address } = collection;
      const { atBlock, limit } = query;
      const head = await readHead(database, tables, collection);
      if (atBlock !== undefined) requireIndexed(atBlock, collections.firstBlock(chainId), head.block);
      const isErc1155 = (head.standard ?? collection.standard) === "erc1155";
      const list = ["owners", chainId, address, atBlock ?? null, isErc1155];
      const after = cursors.read(list, query.cursor);
      if (!isErc1155 && (after?.quantity.length ?? 0) > COUNT_DIGITS_MAX)
        throw new ApiError("INVALID_REQUEST", [
          { path: "cursor", message: "cursor is not one that an answer gave as next_cursor" },
        ]);
      const { owners, total } = await read({ chainId, address, after, limit }, isErc1155, atBlock);
      const items = owners.slice(0, limit);
      const last = items.at(-1);
      return {
        items,
        nextCursor: owners.length > limit && last ? cursors.write(list, last) : null,
        total,
        asOfBlock: atBlock ?? head.block,
      };
    },
  };
}

export type OwnersService = ReturnType<typeof createOwners>;

/** Throws INVALID_REQUEST for a block that is not indexed, and UNAVAILABLE before there is any. */
export function requireIndexed(block: number, first: number, head: number | null): void {
  if (head === null) throw new ApiError("UNAVAILABLE");
  if (block >= first && block <= head) return;
  const message =
    block > head
      ? `block ${block} is not indexed yet; the newest indexed block is ${head}`
      : `block ${block} is not indexed; the first indexed block is ${first}`;
  throw new ApiError("INVALID_REQUEST", [{ path: "at_block", message }]);
}
