/**
 * Reads a GraphQL request's body and writes its answer without web streams, which would take a fifth of a short query's
 * time (`npm run bench -- graphql`).
 */

import { IncomingMessage } from "node:http";
import type { Context } from "hono";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { ApiError } from "../http/errors.ts";
import { decodeBody } from "../http/utf8.ts";

/** The body as text. Throws BODY_TOO_LARGE once it exceeds `bytesMax`, and INVALID_REQUEST if it ends early or isn't UTF-8. */
export async function readBody(c: Context, bytesMax: number): Promise<string> {
  const tooLarge = (): ApiError => {
    // The rest of the body is not read, so the connection can't carry another request.
    c.header("Connection", "close");
    return new ApiError("BODY_TOO_LARGE", [{ path: "", message: `the limit is ${bytesMax} bytes` }]);
  };
  if (Number(c.req.header("content-length") ?? 0) > bytesMax) throw tooLarge();
  const { incoming } = (c.env ?? {}) as { incoming?: unknown };
  // If part of the body was read before, only that reader has all of it.
  const isOurs = incoming instanceof IncomingMessage && !incoming.readableDidRead;
  const bytes = isOurs ? await readStream(incoming, bytesMax) : new Uint8Array(await c.req.arrayBuffer());
  if (bytes === undefined || bytes.length > bytesMax) throw tooLarge();
  return decodeBody(bytes);
}

/** The whole stream, or undefined if it exceeds `bytesMax`. */
function readStream(stream: IncomingMessage, bytesMax: number): Promise<Uint8Array | undefined> {
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = [];
    let size = 0;
    const onEarlyEnd = (): void => {
      // Every stream closes, and an error with its stack takes a while to make.
      if (stream.readableEnded) return;
      reject(new ApiError("INVALID_REQUEST", [{ path: "", message: "the body ended early" }]));
    };
    stream.on("data", (chunk: Uint8Array) => {
      size += chunk.length;
      if (size <= bytesMax) {
        chunks.push(chunk);
        return;
      }
      stream.pause();
      resolve(undefined);
    });
    stream.on("end", () => resolve(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks)));
    stream.on("error", onEarlyEnd);
    stream.on("close", onEarlyEnd);
    // Already closed while the caller's limit was looked up: no event will follow.
    if (stream.destroyed) onEarlyEnd();
  });
}

/** Answers with JSON of this media type, as text or UTF-8 bytes, and keeps the headers set before. */
export function answerJson(
  c: Context,
  json: string | Uint8Array<ArrayBuffer>,
  status: ContentfulStatusCode,
  type: string,
): void {
  const response = c.body(json, status, { "Content-Type": type });
  // `response` already has the headers of the one it replaces; Hono would merge them again, and stream the text.
  c.res = undefined;
  c.res = response;
}
