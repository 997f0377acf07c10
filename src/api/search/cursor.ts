/** Where a page ended: the key of its last token and its id, so that changes elsewhere move nothing. */

import { createHash } from "node:crypto";
import { parseTokenId } from "../../domain/token-ref.ts";
import { ApiError } from "../http/errors.ts";
import type { TokenSort } from "./query.ts";

/** What a token is ordered by: a folded text, a number, or nothing, which comes last. */
export type SortKey = string | number | null;

export interface Position {
  readonly key: SortKey;
  readonly tokenId: string;
}

/** Holds the longest name or value that is listed, of 1,000 characters, with the longest token id. */
export const CURSOR_LENGTH_MAX = 8_192;
// Enough to tell one order from another.
const ORDER_LENGTH = 8;

/** A short name of the order, so that a cursor of another is told apart. */
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

/** For a key that the order can't have, as when a trait's display type has changed. */
export const wrongKind = (): ApiError =>
  refuse("cursor is of an order that has changed; ask without it for the first page");
