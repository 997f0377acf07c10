/** Responses that end before they are whole, by us or by the client. */

import type { ServerResponse } from "node:http";
import type { Context } from "hono";

/** Closes the connection, so that nobody takes what was sent for the whole body. Needs @hono/node-server. */
export function cut(c: Context): void {
  const env = c.env as { outgoing?: Pick<ServerResponse, "destroy"> } | undefined;
  env?.outgoing?.destroy();
}

/**
 * The same body, which is cancelled when its connection closes, or is closed already, however far it was read by then.
 * Every body that is not a whole text needs it: @hono/node-server looks for a closed connection only once it has read
 * the first pieces, and of a client that leaves before, it would wait for the connection to drain, holding what the body
 * holds.
 */
export function untilClosed(c: Context, body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  const { outgoing } = (c.env ?? {}) as { outgoing?: Pick<ServerResponse, "destroyed" | "once"> };
  if (!outgoing) return body;
  const reader = body.getReader();
  const source = {
    start(controller: ReadableStreamDefaultController<Uint8Array>) {
      const leave = (): void => {
        reader.cancel().catch(() => undefined);
        end(controller);
      };
      if (outgoing.destroyed) leave();
      else outgoing.once("close", leave);
    },
    async pull(controller: ReadableStreamDefaultController<Uint8Array>) {
      const { done, value } = await reader.read();
      if (done) end(controller);
      else controller.enqueue(value);
    },
    cancel: (reason: unknown) => reader.cancel(reason),
  };
  // Nothing is read before somebody asks for it.
  return new ReadableStream<Uint8Array>(source, { highWaterMark: 0 });
}

/** Closes a stream that may have ended already. */
function end(controller: ReadableStreamDefaultController<Uint8Array>): void {
  try {
    controller.close();
  } catch {
    // It was read to its end, cancelled, or has failed.
  }
}
