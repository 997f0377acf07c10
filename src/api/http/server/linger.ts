/** Answers that are sent while the request's body is still arriving. */

import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";

/**
 * Has a connection that ends with an answer read, and drop, what still comes of the newest request's body before it is
 * closed: the kernel answers bytes to a closed connection with a reset, and a client that is reset may never read the
 * answer (RFC 9112, 9.6). The server's own limits for the time and number of such bodies hold meanwhile.
 */
export function lingerOnClose(socket: Socket, newest: () => IncomingMessage | undefined): void {
  const destroySoon = socket.destroySoon.bind(socket);
  // Node calls it once an answer with `Connection: close` has been written.
  socket.destroySoon = () => {
    const request = newest();
    if (!request || request.complete || request.destroyed) {
      destroySoon();
      return;
    }
    socket.end();
    request.once("close", destroySoon);
    // Whoever began to read it may have stopped for good.
    request.removeAllListeners("data");
    request.resume();
  };
}
