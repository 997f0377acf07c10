/** Compression of answers for clients that ask for it; `hono/compress` has no brotli and no levels. */

import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { MiddlewareHandler } from "hono";

/** Below it, the answer fits into one packet either way. */
const BYTES_MIN = 1_400;
// Higher levels save a tenth of the bytes and take several times the processor's time.
export const GZIP_LEVEL = 4;
export const BROTLI_QUALITY = 4;

/** Whole texts only: an event stream or an export must be sent as it grows, and media are compressed already. */
const COMPRESSIBLE =
  /^(?:application\/(?:graphql-response\+)?json|text\/(?:html|plain|css|javascript)|image\/svg\+xml)\s*(?:;|$)/i;
const NO_TRANSFORM = /\bno-transform\b/i;

type Encoding = "br" | "gzip";
const compressors: Record<Encoding, (body: Uint8Array) => Promise<Uint8Array>> = {
  br: (body) =>
    promisify(brotliCompress)(body, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
        [constants.BROTLI_PARAM_SIZE_HINT]: body.byteLength,
      },
    }),
  gzip: (body) => promisify(gzip)(body, { level: GZIP_LEVEL }),
};

/**
 * Compresses text and JSON with brotli or gzip if the client asks for it. `isExcluded` is for paths whose answers hold
 * secrets beside text that others choose: their compressed length would leak the secrets (BREACH).
 */
export const compressAnswers =
  (isExcluded: (path: string) => boolean): MiddlewareHandler =>
  async (c, next) => {
    const encoding = encodingOf(c.req.header("accept-encoding"));
    if (encoding === undefined || isExcluded(c.req.path)) return next();
    await next();

    const { res } = c;
    const { headers } = res;
    if (!res.body || headers.has("content-encoding") || !COMPRESSIBLE.test(headers.get("content-type") ?? ""))
      return;
    if (NO_TRANSFORM.test(headers.get("cache-control") ?? "")) return;
    addVary(headers);
    const body = new Uint8Array(await res.arrayBuffer());
    const isWorth = body.byteLength >= BYTES_MIN;
    if (isWorth) {
      headers.set("Content-Encoding", encoding);
      headers.delete("Content-Length");
      // The same text in other bytes.
      const tag = headers.get("etag");
      if (tag?.startsWith('"')) headers.set("ETag", `W/${tag}`);
    }
    const isSent = c.req.method !== "HEAD";
    const sent = isWorth && isSent ? Uint8Array.from(await compressors[encoding](body)) : body;
    c.res = undefined;
    c.res = new Response(sent, { status: res.status, headers });
  };

/** For what caches may share: a cache must keep apart what is compressed and what is not. */
export const variesByEncoding: MiddlewareHandler = async (c, next) => {
  await next();
  addVary(c.res.headers);
};

function addVary(headers: Headers): void {
  if (!/\baccept-encoding\b/i.test(headers.get("vary") ?? "")) headers.append("Vary", "Accept-Encoding");
}

/** The encoding that the client weighs most, brotli before gzip; undefined for neither (RFC 9110, 12.5.3). */
export function encodingOf(accepted: string | undefined): Encoding | undefined {
  const weightOf = readWeights(accepted);
  const best: Encoding = weightOf("br") >= weightOf("gzip") ? "br" : "gzip";
  return weightOf(best) > 0 ? best : undefined;
}

/** Whether a client takes this encoding, of whatever weight. */
export const allowsEncoding = (accepted: string | undefined, encoding: Encoding): boolean =>
  readWeights(accepted)(encoding) > 0;

function readWeights(accepted: string | undefined): (encoding: Encoding) => number {
  if (!accepted || accepted === "identity") return () => 0;
  const weights = new Map(
    accepted.split(",").map((part) => {
      const [name = "", ...parameters] = part.split(";");
      const weight = parameters.find((each) => /^\s*q\s*=/i.test(each))?.split("=")[1];
      return [name.trim().toLowerCase(), weight === undefined ? 1 : Number(weight)] as const;
    }),
  );
  return (name) => weights.get(name) ?? weights.get("*") ?? 0;
}
