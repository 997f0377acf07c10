/** Answers that are sent while the request's body is still arriving. */

import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** What is known of a connection's requests that are answered before their bodies have arrived. */
export interface Lingering {
  /** The last of them. */
  answered: IncomingMessage | undefined;
  /** An answer with `Connection: close` was sent: what follows the body is no request. */
  isClosing: boolean;
}

/**
 * Has the rest of a request's body read and dropped once the request is answered, so that a connection which is kept
 * comes to its next request, whoever began to read the body and stopped.
 */
export function dropRest(connection: Lingering, request: IncomingMessage, response: ServerResponse): void {
  if (request.headers["content-length"] === undefined && request.headers["transfer-encoding"] === undefined)
    return;
  // Before Node's own listener, which closes the connection.
  response.prependOnceListener("finish", () => {
    if (request.complete || request.destroyed) return;
    connection.answered = request;
    request.removeAllListeners("data");
    request.removeAllListeners("readable");
    request.resume();
  });
}

/**
 * Has a connection that ends with an answer closed only when the body of that request has arrived: the kernel answers
 * bytes to a closed connection with a reset, and a client that is reset may never read the answer (RFC 9112, 9.6). The
 * server's own limits for the time and number of such bodies hold meanwhile. A newer request is cut off.
 */
export function lingerOnClose(
  socket: Socket,
  connection: Lingering & { readonly request: IncomingMessage | undefined },
): void {
  const destroySoon = socket.destroySoon.bind(socket);
  // Node calls it once an answer with `Connection: close` has been written.
  socket.destroySoon = () => {
    const { request, answered } = connection;
    if (!request || request !== answered || request.complete || request.destroyed) {
      destroySoon();
      return;
    }
    connection.isClosing = true;
    socket.end();
    request.once("close", destroySoon);
  };
}
