/** Serves cached images: public, without a key, and immutable under their address. */

import { Readable } from "node:stream";
import { createRoute, z } from "@hono/zod-openapi";
import { createPromiseCache } from "../../async/promise-cache.ts";
import { errorResponses } from "../../http/error-responses.ts";
import { ApiError } from "../../http/errors.ts";
import { isNamed } from "../../http/revalidation.ts";
import { createRouter } from "../../http/router.ts";
import { untilClosed } from "../../http/server/cut.ts";
import { isMissing, isStoreAway, type MediaDisk, PICTURE_NAME, storageKey } from "./media-disk.ts";

const picture = z.string().openapi({ format: "binary" });

const imageRoute = createRoute({
  method: "get",
  path: "/media/images/{name}",
  operationId: "getImage",
  tags: ["media"],
  summary: "A cached image, or a variant of it",
  description: "The address contains the hash of the content, so it can be cached forever.",
  request: {
    params: z.object({ name: z.string().openapi({ example: `${"0123456789abcdef".repeat(4)}.png` }) }),
  },
  responses: {
    200: {
      description: "The image",
      content: {
        "image/png": { schema: picture },
        "image/gif": { schema: picture },
        "image/webp": { schema: picture },
      },
    },
    304: { description: "Not modified" },
    ...errorResponses("NOT_FOUND", "RATE_LIMITED", "UNAVAILABLE"),
  },
});

// The decoder only writes images; if a browser ever takes one for a page, it may do nothing.
const CONTENT_POLICY = "default-src 'none'; sandbox";

export interface ImageRouteDeps {
  readonly disk: MediaDisk;
  /** Called for an image that is not on the disk, once in ten seconds unless it rejects. */
  readonly onMissing: (name: string) => Promise<void>;
}

// Anyone may request it, and the search for the URLs that share a picture reads all of them.
const MISSED_AGAIN_MS = 10_000;
const MISSED_MAX = 10_000;

export function imageRoutes(images: ImageRouteDeps) {
  const misses = createPromiseCache<string, void>({ max: MISSED_MAX, ttlMs: MISSED_AGAIN_MS });

  return createRouter().openapi(imageRoute, async (c) => {
    const { disk, onMissing } = images;
    const { name } = c.req.valid("param");
    const [, hash, extension] = PICTURE_NAME.exec(name) ?? [];
    // No cache may store that an image is missing: it may be written the next moment.
    c.header("Cache-Control", "no-store");
    if (hash === undefined) throw new ApiError("NOT_FOUND");
    const length = await lengthOf(disk, storageKey(name));
    if (length === undefined) {
      await misses.get(name, () => onMissing(name));
      throw new ApiError("NOT_FOUND");
    }

    const etag = `"${hash}"`;
    // Not by hono/etag, which compares after the file was opened.
    const isUnchanged = isNamed(c.req.header("if-none-match"), etag);
    // Before the headers, which a failure must not carry.
    const isRead = !isUnchanged && c.req.method !== "HEAD";
    const stream = isRead ? await disk.getStream(storageKey(name)).catch(refuse) : undefined;
    const headers = {
      "Cache-Control": "public, max-age=31536000, immutable",
      ETag: etag,
      "Content-Security-Policy": CONTENT_POLICY,
      "X-Content-Type-Options": "nosniff",
      // Marketplaces on other sites show it, whatever isolation they ask of browsers.
      "Cross-Origin-Resource-Policy": "cross-origin",
    };
    for (const [header, value] of Object.entries(headers)) c.header(header, value);
    if (isUnchanged) return c.body(null, 304);
    c.header("Content-Type", `image/${extension}`);
    c.header("Content-Length", String(length));
    if (stream === undefined) return c.body(null, 200);
    return c.body(untilClosed(c, Readable.toWeb(stream) as ReadableStream<Uint8Array>), 200);
  });
}

/** Undefined for a file that is not there. */
async function lengthOf(disk: MediaDisk, key: string): Promise<number | undefined> {
  try {
    return (await disk.getMetaData(key)).contentLength;
  } catch (error) {
    if (isMissing(error)) return undefined;
    return refuse(error);
  }
}

/** A bucket that does not answer is no proof that a picture is missing. */
function refuse(error: unknown): never {
  throw isStoreAway(error) ? new ApiError("UNAVAILABLE", [], { cause: error }) : error;
}
