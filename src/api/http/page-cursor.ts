/** Cursors of keyset pages: the position of the page's last entry, bound to the list that it belongs to. */

import { hash } from "node:crypto";
import { z } from "@hono/zod-openapi";
import { ApiError } from "./errors.ts";

const CURSOR_LENGTH_MAX = 1_024;
// Long enough to distinguish lists.
const LIST_LENGTH = 8;

export const cursorField = z
  .string()
  .max(CURSOR_LENGTH_MAX, { error: "must be the next_cursor of an earlier answer" })
  .optional();

/**
 * Reads and writes cursors of one kind of list. `position` validates what a cursor contains; it must accept whatever is
 * written, as JSON.
 */
export function pageCursor<Position>(position: z.ZodType<Position>) {
  const content = z.tuple([z.string(), position]);
  return {
    /** `list` names the list and its conditions; only the same list accepts the cursor. */
    write: (list: readonly unknown[], last: Position): string =>
      Buffer.from(JSON.stringify([fingerprint(list), last])).toString("base64url"),

    /** Undefined for the first page. Throws INVALID_REQUEST, naming `cursor`, for anything but a cursor of this list. */
    read(list: readonly unknown[], cursor: string | undefined): Position | undefined {
      if (cursor === undefined) return undefined;
      const read = content.safeParse(parse(cursor));
      if (!read.success) throw refuse("cursor is not one that an answer gave as next_cursor");
      const [name, last] = read.data;
      if (name !== fingerprint(list))
        throw refuse("cursor belongs to another list; ask without it for the first page");
      return last;
    },
  };
}

const fingerprint = (list: readonly unknown[]): string =>
  hash("sha1", JSON.stringify(list), "base64url").slice(0, LIST_LENGTH);

function parse(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, "base64url").toString());
  } catch {
    return undefined;
  }
}

const refuse = (message: string): ApiError => new ApiError("INVALID_REQUEST", [{ path: "cursor", message }]);
