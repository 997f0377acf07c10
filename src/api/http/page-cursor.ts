/** Cursors of keyset pages: the position of the page's last entry, bound to the list that it belongs to. */

import { hash } from "node:crypto";
import { deflateRawSync, inflateRawSync } from "node:zlib";
import { z } from "@hono/zod-openapi";
import { ApiError } from "./errors.ts";

const CURSOR_LENGTH_MAX = 1_024;
// Long enough to distinguish lists.
const LIST_LENGTH = 8;
// A URL has little room for more. Only names that repeat a few strange characters have more bytes: up to 12,000.
const PLAIN_BYTES_MAX = 6_000;
const UNPACKED_BYTES_MAX = 16_384;
/** Before a cursor that is compressed. */
const PACKED = "~";

export const cursorField = z
  .string()
  .max(CURSOR_LENGTH_MAX, { error: "must be the next_cursor of an earlier answer" })
  .optional();

/** How cursors of one kind are written, and what their errors call that which they belong to. */
interface CursorKind {
  readonly hash: "sha1" | "sha256";
  readonly of: "list" | "order";
}

/**
 * Reads and writes cursors: a short hash of what they belong to, and `content`, which must accept whatever is written, as
 * JSON.
 */
export function cursorCodec<Content extends readonly unknown[]>(
  content: z.ZodType<Content>,
  { hash: algorithm, of }: CursorKind,
) {
  const fingerprint = (list: readonly unknown[]): string =>
    hash(algorithm, JSON.stringify(list), "base64url").slice(0, LIST_LENGTH);
  return {
    /** `list` names what is paged and its conditions; only the same accepts the cursor. */
    write: (list: readonly unknown[], last: Content): string =>
      encode(Buffer.from(JSON.stringify([fingerprint(list), ...last]))),

    /** Throws INVALID_REQUEST, naming `cursor`, for anything but a cursor of this list. */
    read(list: readonly unknown[], cursor: string): Content {
      const [name, ...rest] = parse(cursor);
      const read = content.safeParse(rest);
      if (typeof name !== "string" || !read.success)
        throw refuseCursor("cursor is not one that an answer gave as next_cursor");
      if (name !== fingerprint(list))
        throw refuseCursor(`cursor belongs to another ${of}; ask without it for the first page`);
      return read.data;
    },
  };
}

/** Cursors of one kind of list, whose `position` is that of a page's last entry. */
export function pageCursor<Position>(position: z.ZodType<Position>) {
  const codec = cursorCodec(z.tuple([position]), { hash: "sha1", of: "list" });
  return {
    /** `list` names the list and its conditions; only the same list accepts the cursor. */
    write: (list: readonly unknown[], last: Position): string => codec.write(list, [last]),

    /** Undefined for the first page. Throws INVALID_REQUEST, naming `cursor`, for anything but a cursor of this list. */
    read: (list: readonly unknown[], cursor: string | undefined): Position | undefined =>
      cursor === undefined ? undefined : codec.read(list, cursor)[0],
  };
}

const encode = (bytes: Buffer): string =>
  bytes.length <= PLAIN_BYTES_MAX
    ? bytes.toString("base64url")
    : `${PACKED}${deflateRawSync(bytes).toString("base64url")}`;

function decode(cursor: string): Buffer {
  if (!cursor.startsWith(PACKED)) return Buffer.from(cursor, "base64url");
  const packed = Buffer.from(cursor.slice(PACKED.length), "base64url");
  return inflateRawSync(packed, { maxOutputLength: UNPACKED_BYTES_MAX });
}

function parse(cursor: string): readonly unknown[] {
  try {
    const parts: unknown = JSON.parse(decode(cursor).toString());
    return Array.isArray(parts) ? parts : [];
  } catch {
    return [];
  }
}

export const refuseCursor = (message: string): ApiError =>
  new ApiError("INVALID_REQUEST", [{ path: "cursor", message }]);
