/** An application behind the service's own HTTP server, which adds to its answers and takes from them. */

import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { getRequestListener } from "@hono/node-server";
import { onTestFinished } from "vitest";
import { createMemoryRateLimiter } from "../../../src/api/http/limits/rate-limiter.ts";
import { createGuardedServer } from "../../../src/api/http/server/guard.ts";

type Fetch = (request: Request, env: object) => Response | Promise<Response>;

/** Returns its port. It ends with the test. */
export async function serveGuarded(app: { readonly fetch: Fetch }): Promise<number> {
  const server = createGuardedServer(() => undefined, {
    clientOf: () => "somebody",
    ponderRoutes: createMemoryRateLimiter({ name: "ponder", requests: 1_000, seconds: 10 }),
    onEnd: () => undefined,
    answer: getRequestListener(app.fetch, { autoCleanupIncoming: false }),
  }).listen(0, "127.0.0.1");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

/** What is sent for a request without a body. */
export function requestOf(
  method: string,
  path: string,
  headers: Readonly<Record<string, string>> = {},
): string {
  const lines = Object.entries({ Host: "localhost", ...headers }).map(([name, value]) => `${name}: ${value}`);
  return [`${method} ${path} HTTP/1.1`, ...lines, "\r\n"].join("\r\n");
}
