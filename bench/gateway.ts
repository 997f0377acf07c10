/** Requests per second of a keyed route with our middleware (key, limit, usage, headers), against the bare route. */

import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { migrate } from "../src/api/db/migrate.ts";
import { stopEmbeddedPostgres } from "../src/api/postgres/embedded-postgres.ts";
import { loadHttp } from "./http-load.ts";
import { joinPostgres } from "./postgres.ts";
import { byPace, compareRounds } from "./rounds.ts";
import { startScript } from "./script.ts";

const CONNECTIONS = 32;
// Short alternating rounds: other load affects both sides.
const ROUNDS = byPace(9, 1);

export async function benchGateway() {
  const folder = mkdtempSync(join(tmpdir(), "vitrine-bench-"));
  chmodSync(folder, 0o711);
  const url = await joinPostgres(folder);
  await migrate(url);
  const server = await startScript("gateway-server.ts", url);
  try {
    const { port, key, path } = JSON.parse(server.line) as { port: number; key: string; path: string };
    const load = (side: "bare" | "market") =>
      loadHttp({
        url: `http://127.0.0.1:${port}/${side}${path}`,
        connections: CONNECTIONS,
        headers: { "x-api-key": key },
      });
    const compared = await compareRounds(ROUNDS, {
      vitrine: () => load("market"),
      bare: () => load("bare"),
    });
    return { connections: CONNECTIONS, ...compared, bar: { ratio: 0.9 } };
  } finally {
    server.stop();
    await stopEmbeddedPostgres(folder);
    rmSync(folder, { recursive: true, force: true });
  }
}
