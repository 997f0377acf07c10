/** Lists that come in pages, as async iterators. */

import { VitrineError } from "./errors.ts";
import { readBody } from "./request.ts";

/** One page, and the cursor of the next one; null after the last. */
export interface Page<Item> {
  readonly items: readonly Item[];
  readonly nextCursor: string | null;
  /** The number of items on all pages, where the list says so. */
  readonly total: number | undefined;
}

/**
 * The items of a list, one after the other; `pages()` yields whole pages. A page is requested when its first item is
 * asked for. Each loop starts at the first page again.
 */
export interface Paged<Item> extends AsyncIterable<Item> {
  pages(): AsyncIterableIterator<Page<Item>>;
  /** The first `count` items, or all if there are fewer. */
  take(count: number): Promise<Item[]>;
}

/** `load` reads the page that a cursor names; the first one without it. */
export function paged<Item>(load: (cursor: string | undefined) => Promise<Page<Item>>): Paged<Item> {
  async function* pages(): AsyncIterableIterator<Page<Item>> {
    let cursor: string | undefined;
    do {
      const page = await load(cursor);
      yield page;
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined);
  }
  async function* items(): AsyncIterableIterator<Item> {
    for await (const page of pages()) yield* page.items;
  }
  return {
    pages,
    [Symbol.asyncIterator]: items,
    async take(count) {
      const taken: Item[] = [];
      if (count <= 0) return taken;
      for await (const item of items()) if (taken.push(item) >= count) break;
      return taken;
    },
  };
}

/** The page of a response: `{items, next_cursor}`, or an array whose `Link` header names the next page. */
export async function readPage(response: Response): Promise<Page<unknown>> {
  const body = await readBody<object>(response);
  if (Array.isArray(body))
    return { items: body, nextCursor: cursorOfLink(response.headers.get("link")), total: undefined };
  const { items, versions, keys, next_cursor, total } = body as Record<string, unknown>;
  const listed = items ?? versions ?? keys;
  const nextCursor = next_cursor ?? null;
  if (!Array.isArray(listed) || (nextCursor !== null && typeof nextCursor !== "string"))
    throw new VitrineError("The response is not a page of a list", {
      code: "UNEXPECTED_RESPONSE",
      status: response.status,
    });
  return { items: listed, nextCursor, total: total as number | undefined };
}

/** The cursor in the `rel="next"` of a `Link` header (RFC 8288); null without one. */
function cursorOfLink(link: string | null): string | null {
  for (const each of (link ?? "").split(/,(?=\s*<)/)) {
    const [, target, parameters = ""] = /^\s*<([^<>]*)>(.*)$/.exec(each) ?? [];
    if (target !== undefined && /;\s*rel="?next"?/i.test(parameters))
      return new URL(target, "http://service").searchParams.get("cursor");
  }
  return null;
}
