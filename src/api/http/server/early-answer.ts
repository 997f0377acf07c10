/**
 * Answers that the server gives before the application: to requests that are not HTTP, and to requests that must not
 * reach the application.
 */

import { randomUUID } from "node:crypto";
import { type IncomingMessage, maxHeaderSize, type ServerResponse, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { ApiError, errorBody } from "../errors.ts";

type Headers = Readonly<Record<string, string>>;

function contentOf(error: ApiError): { status: number; body: string; headers: Headers } {
  const requestId = randomUUID();
  const body = JSON.stringify(errorBody(error, requestId));
  const headers = {
    "Content-Type": "application/json",
    "Content-Length": String(Buffer.byteLength(body)),
    "X-Request-Id": requestId,
    ...(error.retryAfterSeconds !== undefined && { "Retry-After": String(error.retryAfterSeconds) }),
    // The rest of the connection was not read or not understood.
    Connection: "close",
  };
  return { status: error.status, body, headers };
}

/** Answers a request in the contract's shape and ends its connection. */
export function answerEarly(response: ServerResponse, error: ApiError): void {
  const { status, body, headers } = contentOf(error);
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

/** The faults with a name in Node's parser that a client can do something about. */
function errorOf(fault: NodeJS.ErrnoException, seconds: { head: number; whole: number }): ApiError {
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
    default:
      return new ApiError("INVALID_REQUEST", [{ path: "", message: "this is not HTTP/1.1" }]);
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
  const lines = Object.entries({ ...headers, "Access-Control-Allow-Origin": "*" }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  const isHead = request ? request.method === "HEAD" : fault.rawPacket?.toString("latin1", 0, 5) === "HEAD ";
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join("")}\r\n${isHead ? "" : body}`);
}
