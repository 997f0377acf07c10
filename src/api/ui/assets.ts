/** Files that pages load, from memory: built once, compressed once, with an ETag of their content. */

import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { type Env, Hono } from "hono";
import { etag, RETAINED_304_HEADERS } from "hono/etag";
import { cached } from "../jobs/promise-cache.ts";

export interface Asset {
  readonly type: "text/css" | "text/javascript" | "image/svg+xml" | "application/json";
  /** Called at the first request; again after it failed. */
  readonly load: () => Promise<string | Uint8Array>;
}

interface Ready {
  readonly body: Uint8Array<ArrayBuffer>;
  readonly zipped: Uint8Array<ArrayBuffer>;
  readonly tag: string;
}

/** Answers GET `/<name>` of each. Browsers store them and revalidate every time. */
export function assetRoutes<E extends Env>(assets: Readonly<Record<string, Asset>>): Hono<E> {
  const routes = new Hono<E>();
  // A 304 says of the file what a 200 says.
  const retainedHeaders = [...RETAINED_304_HEADERS, "access-control-allow-origin", "x-content-type-options"];
  for (const [name, { type, load }] of Object.entries(assets)) {
    const ready = once(async () => prepare(await load()));
    routes.get(`/${name}`, etag({ retainedHeaders }), async (c) => {
      const { body, zipped, tag } = await ready();
      c.header("ETag", tag);
      c.header("Cache-Control", "public, no-cache");
      c.header("Vary", "Accept-Encoding");
      c.header("X-Content-Type-Options", "nosniff");
      c.header("Content-Type", `${type}; charset=utf-8`);
      // Not by hono/compress, which would compress it for every request.
      if (!/\bgzip\b/.test(c.req.header("accept-encoding") ?? "")) return c.body(body);
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
