/** Files that pages load, from memory: built once, compressed once, with an ETag of their content. */

import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { type Env, Hono } from "hono";
import { etag, RETAINED_304_HEADERS } from "hono/etag";
import { cached } from "../async/promise-cache.ts";
import { allowsEncoding } from "../http/compression.ts";

type TextType = "text/css" | "text/javascript" | "image/svg+xml" | "application/json";

export interface Asset {
  readonly type: TextType | "image/png" | "image/x-icon" | "font/woff2";
  /** Called at the first request; again after it failed. */
  readonly load: () => Promise<string | Uint8Array>;
  /** Its name changes with its content, so that browsers never ask again. */
  readonly isFixed?: boolean;
}

interface Ready {
  readonly body: Uint8Array<ArrayBuffer>;
  readonly zipped: Uint8Array<ArrayBuffer>;
  readonly tag: string;
}

const YEAR_SECONDS = 31_536_000;
const isText = (type: Asset["type"]): boolean => /^text|[/+](?:json|xml)$/.test(type);

/** Answers GET `/<name>` of each. Browsers store them, and revalidate all but fixed ones every time. */
export function assetRoutes<E extends Env>(assets: Readonly<Record<string, Asset>>): Hono<E> {
  const routes = new Hono<E>();
  // A 304 says of the file what a 200 says.
  const retainedHeaders = [...RETAINED_304_HEADERS, "access-control-allow-origin", "x-content-type-options"];
  for (const [name, { type, load, isFixed = false }] of Object.entries(assets)) {
    const ready = once(async () => prepare(await load()));
    routes.get(`/${name}`, etag({ retainedHeaders }), async (c) => {
      const { body, zipped, tag } = await ready();
      // One for every coding of a text.
      c.header("ETag", isText(type) ? `W/${tag}` : tag);
      c.header("Cache-Control", isFixed ? `public, max-age=${YEAR_SECONDS}, immutable` : "public, no-cache");
      c.header("X-Content-Type-Options", "nosniff");
      c.header("Content-Type", isText(type) ? `${type}; charset=utf-8` : type);
      // Pictures and fonts are compressed as they are.
      if (!isText(type)) return c.body(body);
      c.header("Vary", "Accept-Encoding");
      // Not by hono/compress, which would compress it for every request.
      if (!allowsEncoding(c.req.header("accept-encoding"), "gzip")) return c.body(body);
      c.header("Content-Encoding", "gzip");
      return c.body(zipped);
    });
  }
  return routes;
}

async function prepare(content: string | Uint8Array): Promise<Ready> {
  const body = Uint8Array.from(typeof content === "string" ? Buffer.from(content) : content);
  const tag = `"${createHash("sha256").update(body).digest("hex").slice(0, 32)}"`;
  return { body, zipped: Uint8Array.from(await promisify(gzip)(body)), tag };
}

/** The answer of the first call that succeeds, for all later ones. */
export const once = <Answer>(make: () => Promise<Answer>): (() => Promise<Answer>) => cached(make).read;
