/** Page cursors: the sort key and id of the page's last token, so that changes elsewhere don't shift pages. */

import { z } from "zod";
import { parseTokenId } from "../../domain/token-ref.ts";
import type { ApiError } from "../http/errors.ts";
import { cursorCodec, refuseCursor } from "../http/page-cursor.ts";
import type { TokenSort } from "./query.ts";

/** A token's sort key: a folded text, a number, or null, which sorts last. */
export type SortKey = string | number | null;

export interface Position {
  readonly key: SortKey;
  readonly tokenId: string;
}

/** Enough for the longest listed name or value (1,000 characters) with the longest token id. */
export const CURSOR_LENGTH_MAX = 8_192;

const codec = cursorCodec(
  z.tuple([
    z.string().refine((text) => parseTokenId(text) !== undefined),
    z.union([z.string(), z.number(), z.null()]),
  ]),
  { hash: "sha256", of: "order" },
);

const orderOf = (sort: TokenSort): readonly unknown[] => [
  sort.by,
  "descending" in sort && sort.descending,
  "name" in sort ? sort.name.toWellFormed() : null,
];

export const writeCursor = (sort: TokenSort, { key, tokenId }: Position): string =>
  codec.write(orderOf(sort), [tokenId, key]);

/** Throws INVALID_REQUEST for anything but a cursor of this order. */
export function readCursor(sort: TokenSort, cursor: string): Position {
  const [tokenId, key] = codec.read(orderOf(sort), cursor);
  return { tokenId, key };
}

/** The error for a key that doesn't fit the order, as after a change of a trait's display type. */
export const wrongKind = (): ApiError =>
  refuseCursor("cursor is of an order that has changed; ask without it for the first page");
