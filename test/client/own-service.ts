/** The service's own routes over HTTP, and a client of them, for one test file. */

import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { serve } from "@hono/node-server";
import { afterAll } from "vitest";
import { createVitrine, type Vitrine } from "../../clients/typescript/src/index.ts";
import { createTestDatabase } from "../support/database/database.ts";
import { createTestApp } from "../support/processes/app.ts";

export async function clientOfOwnService(): Promise<Vitrine> {
  const api = createTestApp(await createTestDatabase());
  const server = serve({ fetch: api.app.fetch, port: 0 }) as Server;
  await once(server, "listening");
  afterAll(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return createVitrine({ baseUrl: `http://127.0.0.1:${port}`, apiKey: await api.createKey(), retries: 0 });
}
