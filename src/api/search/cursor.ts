/** Page cursors: the sort key and id of the page's last token, so that changes elsewhere don't shift pages. */

import { createHash } from "node:crypto";
import { parseTokenId } from "../../domain/token-ref.ts";
import { ApiError } from "../http/errors.ts";
import type { TokenSort } from "./query.ts";

/** A token's sort key: a folded text, a number, or null, which sorts last. */
export type SortKey = string | number | null;

export interface Position {
  readonly key: SortKey;
  readonly tokenId: string;
}

/** Enough for the longest listed name or value (1,000 characters) with the longest token id. */
export const CURSOR_LENGTH_MAX = 8_192;
// Long enough to distinguish orders.
const ORDER_LENGTH = 8;

/** A short hash of the order, to reject a cursor of another one. */
function sortName(sort: TokenSort): string {
  const parts = [
    sort.by,
    "descending" in sort && sort.descending,
    "name" in sort ? sort.name.toWellFormed() : null,
  ];
  return createHash("sha256").update(JSON.stringify(parts)).digest("base64url").slice(0, ORDER_LENGTH);
}

export const writeCursor = (sort: TokenSort, { key, tokenId }: Position): string =>
  Buffer.from(JSON.stringify([sortName(sort), tokenId, key])).toString("base64url");

/** Throws INVALID_REQUEST for anything but a cursor of this order. */
export function readCursor(sort: TokenSort, cursor: string): Position {
  const [name, tokenId, key] = parse(cursor);
  const isKey = key === null || typeof key === "string" || typeof key === "number";
  if (
    typeof name !== "string" ||
    typeof tokenId !== "string" ||
    !isKey ||
    parseTokenId(tokenId) === undefined
  )
    throw refuse("cursor is not one that an answer gave as next_cursor");
  if (name !== sortName(sort))
    throw refuse("cursor belongs to another order; ask without it for the first page");
  return { tokenId, key };
}

function parse(cursor: string): readonly unknown[] {
  try {
    const parts: unknown = JSON.parse(Buffer.from(cursor, "base64url").toString());
    return Array.isArray(parts) ? parts : [];
  } catch {
    return [];
  }
}

const refuse = (message: string): ApiError => new ApiError("INVALID_REQUEST", [{ path: "cursor", message }]);

/** The error for a key that doesn't fit the order, as after a change of a trait's display type. */
export const wrongKind = (): ApiError =>
  refuse("cursor is of an order that has changed; ask without it for the first page");
