/** PostgreSQL that is stopped, or behind a network that drops packets: it refuses nothing, and answers nothing. */

import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { getRequestListener } from "@hono/node-server";
import pg from "pg";
import { expect, it, onTestFinished, vi } from "vitest";
import { createDatabase } from "../../../../src/api/db/database.ts";
import { refusesConnections } from "../../../../src/api/db/database-away.ts";
import { createMemoryRateLimiter } from "../../../../src/api/http/limits/rate-limiter.ts";
import { createGuardedServer } from "../../../../src/api/http/server/guard.ts";
import { silentLogger } from "../../../../src/api/logging/logger.ts";
import { startPostgresServer } from "../../../faults/support/postgres-server.ts";
import { makeFolder } from "../../../support/folder.ts";

/** A guarded server whose own routes wait for PostgreSQL without a limit, as Ponder's do. */
async function startService(url: string) {
  const database = createDatabase(url, silentLogger);
  const pool = new pg.Pool({ connectionString: url });
  let answered = 0;
  const ponder = async (): Promise<Response> => {
    await pool.query("select");
    answered++;
    return new Response("Ponder's");
  };
  const server = createGuardedServer(getRequestListener(ponder), {
    clientOf: () => "client",
    ponderRoutes: createMemoryRateLimiter({ name: "ponder", requests: 100, seconds: 10 }),
    onEnd: () => undefined,
    isDatabaseAway: () => refusesConnections(database),
  }).listen(0, "127.0.0.1");
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await Promise.all([database.close(), pool.end()]);
  });
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return { ask: (path: string) => fetch(`http://127.0.0.1:${port}${path}`), answered: () => answered };
}

it("is reported by /ready and /status, whose late answers are dropped, and served again once it is back", async () => {
  const postgres = await startPostgresServer(makeFolder());
  onTestFinished(() => postgres.stop("immediate"));
  const { ask, answered } = await startService(postgres.url);
  const printed = vi.spyOn(console, "error");
  expect(await (await ask("/ready")).text()).toBe("Ponder's");

  postgres.pause();
  onTestFinished(postgres.resume);
  for (const path of ["/ready", "/status"]) {
    const answer = await ask(path);
    expect(answer.status).toBe(503);
    expect(await answer.json()).toMatchObject({
      code: "UNAVAILABLE",
      details: [{ message: "the database doesn't answer" }],
    });
  }
  expect(answered()).toBe(1);

  postgres.resume();
  await vi.waitFor(() => expect(answered()).toBe(3), { timeout: 30_000 });
  await vi.waitFor(async () => expect((await ask("/ready")).status).toBe(200), { timeout: 30_000 });
  expect(printed).not.toHaveBeenCalled();
});
