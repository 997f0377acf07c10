/** Requests per second of a keyed route with our middleware (key, limit, usage, headers), against the bare route. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import autocannon from "autocannon";
import { migrate } from "../src/api/db/migrate.ts";
import { joinEmbeddedPostgres, stopEmbeddedPostgres } from "../src/api/postgres/embedded-postgres.ts";
import { byPace, compareRounds } from "./rounds.ts";

const CONNECTIONS = 32;
// Short alternating rounds: other load affects both sides.
const SECONDS = byPace(2, 1);
const ROUNDS = byPace(9, 3);
const SERVER = fileURLToPath(new URL("./gateway-server.ts", import.meta.url));

export async function benchGateway() {
  const folder = mkdtempSync(join(tmpdir(), "vitrine-bench-"));
  chmodSync(folder, 0o711);
  const url = await joinEmbeddedPostgres(folder);
  await migrate(url);
  const server = spawn(process.execPath, ["--import", "tsx", SERVER, url], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  try {
    const [line] = await once(server.stdout, "data");
    const { port, key, path } = JSON.parse(String(line)) as { port: number; key: string; path: string };
    const load = async (side: "bare" | "market") => {
      const result = await autocannon({
        url: `http://127.0.0.1:${port}/${side}${path}`,
        connections: CONNECTIONS,
        duration: SECONDS,
        headers: { "x-api-key": key },
      });
      if (result.non2xx > 0 || result.errors > 0)
        throw new Error(`${side}: ${result.non2xx} other answers, ${result.errors} errors`);
      return { perSecond: result.requests.average, p50: result.latency.p50, p99: result.latency.p99 };
    };
    const compared = await compareRounds(ROUNDS, {
      vitrine: () => load("market"),
      bare: () => load("bare"),
    });
    return { connections: CONNECTIONS, ...compared, bar: { ratio: 0.9 } };
  } finally {
    server.kill();
    await stopEmbeddedPostgres(folder);
    rmSync(folder, { recursive: true, force: true });
  }
}
