/** Ends a response early. */

import type { ServerResponse } from "node:http";
import type { Context } from "hono";

/** Closes the connection, so that nobody takes what was sent for the whole body. Needs @hono/node-server. */
export function cut(c: Context): void {
  const env = c.env as { outgoing?: Pick<ServerResponse, "destroy"> } | undefined;
  env?.outgoing?.destroy();
}
