/**
 * Answers that the server gives before the application: to requests that are not HTTP, and to requests that must not
 * reach the application.
 */

import { randomUUID } from "node:crypto";
import { type IncomingMessage, maxHeaderSize, type ServerResponse, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { clip } from "../../../domain/printable.ts";
import { ApiError, errorBody } from "../errors.ts";
import { pathOf } from "./request-target.ts";

type Headers = Readonly<Record<string, string>>;

function contentOf(error: ApiError): { status: number; body: string; headers: Headers } {
  const requestId = randomUUID();
  const body = JSON.stringify(errorBody(error, requestId));
  const headers = {
    "Content-Type": "application/json",
    "Content-Length": String(Buffer.byteLength(body)),
    "X-Request-Id": requestId,
    "Cache-Control": "no-store",
    ...(error.retryAfterSeconds !== undefined && { "Retry-After": String(error.retryAfterSeconds) }),
    // The rest of the connection was not read or not understood.
    Connection: "close",
  };
  return { status: error.status, body, headers };
}

/** Nothing allows pages of another origin to call these. */
export const OWN_ORIGIN = /^\/(?:admin|console)(?:\/|$)/;
const ANY_ORIGIN = { "Access-Control-Allow-Origin": "*" };

/** Answers a request in the contract's shape and ends its connection. */
export function answerEarly(response: ServerResponse, error: ApiError): void {
  const { status, body, headers: own } = contentOf(error);
  const isOwn = OWN_ORIGIN.test(pathOf(response.req.url ?? ""));
  const headers = isOwn ? own : { ...own, ...ANY_ORIGIN };
  response.writeHead(status, headers).end(body);
}

/** Has a request answered with this error where a listener that gets it has not begun to answer in time. */
export function answerWithin(response: ServerResponse, timeoutMs: number, error: ApiError): void {
  const timer = setTimeout(() => {
    if (!response.headersSent) answerInstead(response, error);
  }, timeoutMs);
  response.once("close", () => clearTimeout(timer));
}

/** Answers in place of a listener that has the request already: its own answer, when it comes, is dropped. */
function answerInstead(response: ServerResponse, error: ApiError): void {
  answerEarly(response, error);
  Object.assign(response, {
    writeHead: () => response,
    flushHeaders: () => undefined,
    write: () => true,
    end: () => response,
  });
}

const NOT_HTTP = { path: "", message: "this is not HTTP/1.1" };

/** The faults with a name in Node's parser that a client can do something about. */
function errorOf(fault: ParserFault, seconds: { head: number; whole: number }): ApiError {
  switch (fault.code) {
    case "HPE_HEADER_OVERFLOW": {
      const message = `the request line and the headers may have ${maxHeaderSize} bytes together`;
      return new ApiError("HEAD_TOO_LARGE", [{ path: "", message }]);
    }
    case "HPE_CHUNK_EXTENSIONS_OVERFLOW":
      return new ApiError("BODY_TOO_LARGE", [{ path: "", message: "the chunk extensions are too long" }]);
    case "ERR_HTTP_REQUEST_TIMEOUT": {
      const message = `the headers must arrive within ${seconds.head} s and the body within ${seconds.whole} s`;
      return new ApiError("REQUEST_TIMEOUT", [{ path: "", message }]);
    }
    case "HPE_INVALID_METHOD": {
      const method = /^(\w+) \S+ HTTP\/1\.[01]\r?\n/.exec(fault.rawPacket?.toString("latin1") ?? "")?.[1];
      const detail =
        method === undefined
          ? NOT_HTTP
          : { path: "method", message: `"${clip(method)}" is no method that is known here` };
      return new ApiError("INVALID_REQUEST", [detail]);
    }
    default:
      return new ApiError("INVALID_REQUEST", [NOT_HTTP]);
  }
}

/** What Node reports about a request that its parser refused, with the bytes that it was reading. */
type ParserFault = NodeJS.ErrnoException & { readonly rawPacket?: Buffer };

/**
 * Answers bytes that Node could not parse as a request, and ends the connection. `request` is the one whose body was
 * being read, if any. A HEAD gets no body (RFC 9110, 9.3.2), unless its first line came in an earlier packet: then its
 * method is unknown.
 */
export function answerFault(
  socket: Duplex,
  fault: ParserFault,
  { request, seconds }: { request: IncomingMessage | undefined; seconds: { head: number; whole: number } },
): void {
  if (fault.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const { status, body, headers } = contentOf(errorOf(fault, seconds));
  // Pages of other origins may read it: it says nothing about what was asked for.
  const all = { ...headers, ...ANY_ORIGIN, Date: new Date().toUTCString() };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  const isHead = request ? request.method === "HEAD" : fault.rawPacket?.toString("latin1", 0, 5) === "HEAD ";
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join("")}\r\n${isHead ? "" : body}`);
}
