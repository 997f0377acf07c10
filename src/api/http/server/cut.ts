/** Responses that end before they are whole, by us or by the client. */

import type { ServerResponse } from "node:http";
import type { Context } from "hono";

/** Closes the connection, so that nobody takes what was sent for the whole body. Needs @hono/node-server. */
export function cut(c: Context): void {
  const env = c.env as { outgoing?: Pick<ServerResponse, "destroy"> } | undefined;
  env?.outgoing?.destroy();
}

/**
 * Cancels a response's body when its connection is closed before anybody has begun to read it: a client that leaves so
 * early would hold what the body holds. From then on, whoever reads it cancels it.
 */
export function cancelIfClosed(c: Context, body: ReadableStream | null): void {
  const env = c.env as { outgoing?: Pick<ServerResponse, "destroyed" | "once"> } | undefined;
  const cancel = (): void => {
    if (body && !body.locked) body.cancel().catch(() => undefined);
  };
  if (env?.outgoing?.destroyed) cancel();
  else env?.outgoing?.once("close", cancel);
}
