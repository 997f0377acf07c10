/** Serves cached images: public, without a key, and immutable under their address. */

import { Readable } from "node:stream";
import { createRoute, z } from "@hono/zod-openapi";
import type { Disk } from "flydrive";
import { errorResponses } from "../../http/error-responses.ts";
import { ApiError } from "../../http/errors.ts";
import { createRouter } from "../../http/router.ts";
import { keyOf } from "./disk.ts";

const NAME = /^([0-9a-f]{64})\.(png|gif|webp)$/;

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
    ...errorResponses("NOT_FOUND", "RATE_LIMITED"),
  },
});

// The decoder only writes images; if a browser ever takes one for a page, it may do nothing.
const CONTENT_POLICY = "default-src 'none'; sandbox";

export interface ImageRouteDeps {
  readonly disk: Disk;
  /** Called for an image that is not on the disk. */
  readonly onMissing: (name: string) => Promise<void>;
}

export function imageRoutes(images: ImageRouteDeps) {
  return createRouter().openapi(imageRoute, async (c) => {
    const { disk, onMissing } = images;
    const { name } = c.req.valid("param");
    const [, hash, extension] = NAME.exec(name) ?? [];
    // No cache may store that an image is missing: it may be written the next moment.
    c.header("Cache-Control", "no-store");
    if (hash === undefined) throw new ApiError("NOT_FOUND");
    const length = await lengthOf(disk, keyOf(name));
    if (length === undefined) {
      await onMissing(name);
      throw new ApiError("NOT_FOUND");
    }

    const etag = `"${hash}"`;
    const headers = {
      "Cache-Control": "public, max-age=31536000, immutable",
      ETag: etag,
      "Content-Security-Policy": CONTENT_POLICY,
      "X-Content-Type-Options": "nosniff",
      // Marketplaces on other sites show it, whatever isolation they ask of browsers.
      "Cross-Origin-Resource-Policy": "cross-origin",
    };
    for (const [header, value] of Object.entries(headers)) c.header(header, value);
    // Not by hono/etag, which compares after the file was opened.
    if (isNamed(c.req.header("if-none-match"), etag)) return c.body(null, 304);
    c.header("Content-Type", `image/${extension}`);
    c.header("Content-Length", String(length));
    if (c.req.method === "HEAD") return c.body(null, 200);
    const stream = await disk.getStream(keyOf(name));
    return c.body(Readable.toWeb(stream) as ReadableStream, 200);
  });
}

/** Undefined for a file that is not there. */
async function lengthOf(disk: Disk, key: string): Promise<number | undefined> {
  try {
    return (await disk.getMetaData(key)).contentLength;
  } catch (error) {
    const { cause } = error as Error;
    if ((cause as NodeJS.ErrnoException | undefined)?.code === "ENOENT") return undefined;
    throw error;
  }
}

/** RFC 9110, 13.1.2: a list of tags, compared without regard to weakness, or any. */
const isNamed = (header: string | undefined, etag: string): boolean =>
  (header ?? "")
    .split(",")
    .map((tag) => tag.trim().replace(/^W\//, ""))
    .some((tag) => tag === etag || tag === "*");
