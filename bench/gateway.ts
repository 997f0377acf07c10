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

const CONNECTIONS = 32;
// Short alternating rounds: other load affects both sides.
const SECONDS = 2;
const ROUNDS = 9;
const SERVER = fileURLToPath(new URL("./gateway-server.ts", import.meta.url));

const say = (text: string): boolean => process.stderr.write(`${text}\n`);

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
    const perSecond: Record<"bare" | "keyed", number[]> = { bare: [], keyed: [] };
    // The first round warms both sides up.
    for (let round = 0; round <= ROUNDS; round++) {
      for (const side of ["bare", "keyed"] as const) {
        const result = await autocannon({
          url: `http://127.0.0.1:${port}/${side === "bare" ? "bare" : "market"}${path}`,
          connections: CONNECTIONS,
          duration: SECONDS,
          headers: { "x-api-key": key },
        });
        if (result.non2xx > 0 || result.errors > 0)
          throw new Error(`${side}: ${result.non2xx} other answers, ${result.errors} errors`);
        if (round > 0) perSecond[side].push(result.requests.average);
        say(`${side}, round ${round}: ${Math.round(result.requests.average)} requests/s`);
      }
    }
    return {
      connections: CONNECTIONS,
      keyed_requests_per_second: Math.round(median(perSecond.keyed)),
      bare_requests_per_second: Math.round(median(perSecond.bare)),
      ratio: Number(
        median(perSecond.keyed.map((keyed, round) => keyed / (perSecond.bare[round] ?? 0))).toFixed(2),
      ),
      bar: 0.85,
    };
  } finally {
    server.kill();
    await stopEmbeddedPostgres(folder);
    rmSync(folder, { recursive: true, force: true });
  }
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
