/** Memory of the process that serves an export of a million tokens, in each format, and rows per second. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { getRequestListener } from "@hono/node-server";
import pg from "pg";
import { exportFormats } from "../src/api/catalog/exports/format-names.ts";
import { chainTables } from "../src/api/chain/index/tables.ts";
import { createDatabase } from "../src/api/db/database.ts";
import { migrate } from "../src/api/db/migrate.ts";
import { silentLogger } from "../src/api/logging/logger.ts";
import { stopEmbeddedPostgres } from "../src/api/postgres/embedded-postgres.ts";
import { createTestApp } from "../test/support/processes/app.ts";
import { COLLECTION } from "../test/support/refresh/refresh.ts";
import { createChainTables, createCollection, createVersions } from "./catalog-data.ts";
import { joinPostgres } from "./postgres.ts";
import { byPace, say } from "./rounds.ts";

const TOKENS = Number(process.env.BENCH_TOKENS ?? byPace(1_000_000, 2_000));
const SAMPLE_MS = 20;
const BYTES_PER_MB = 1_000_000;

// In a process of its own: what it reads is no memory of the service.
const CLIENT = `
  const [, url, key] = process.argv;
  const response = await fetch(url, { headers: { "x-api-key": key, "accept-encoding": "identity" } });
  if (!response.ok) throw new Error(await response.text());
  let [bytes, lines] = [0, 0];
  for await (const chunk of response.body) {
    bytes += chunk.length;
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) lines++;
  }
  console.log(JSON.stringify({ bytes, lines }));
`;

export async function benchExport() {
  const folder = mkdtempSync(join(tmpdir(), "vitrine-bench-"));
  chmodSync(folder, 0o711);
  const url = await joinPostgres(folder);
  await migrate(url);
  const database = createDatabase(url, silentLogger);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const tables = chainTables("bench");
  const api = createTestApp({ database, tables }, { config: { dataFolder: folder }, connectionString: url });
  const server = createServer(getRequestListener(api.app.fetch)).listen(0);
  try {
    await createChainTables(client, tables, url);
    // Exports read their block from it: 10 digits of the time, 16 each of the chain and of the block, and the rest.
    const digits = "lpad('1', 10, '0') || lpad('31337', 16, '0') || lpad('100', 16, '0') || repeat('9', 33)";
    await client.query(`update ${tables.checkpoint} set latest_checkpoint = ${digits}`);
    await createCollection(client, tables, TOKENS, "usual", COLLECTION);
    await createVersions(client, COLLECTION, TOKENS);
    say(`${TOKENS} tokens written`);
    const key = await api.createKey();
    const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/market/collections/${COLLECTION}/export`;
    const ask = (format: string, query = "") => read(`${base}?chain_id=31337&format=${format}${query}`, key);
    const formats: Record<string, object> = {};
    for (const format of exportFormats) {
      // Code and connections are not what an export costs.
      await ask(format, "&to_token_id=2000");
      formats[format] = await measure(() => ask(format));
      say(`${format}: ${JSON.stringify(formats[format])}`);
    }
    return { tokens: TOKENS, ...formats, bar: { extra_memory_mb: 200 } };
  } finally {
    server.close();
    api.usage.stop();
    await client.end();
    await database.close();
    await stopEmbeddedPostgres(folder);
    rmSync(folder, { recursive: true, force: true });
  }
}

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

async function measure(work: () => Promise<{ readonly bytes: number; readonly lines: number }>) {
  collectGarbage();
  const before = process.memoryUsage.rss();
  let peak = before;
  const timer = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss());
  }, SAMPLE_MS);
  const started = performance.now();
  const { bytes, lines } = await work().finally(() => clearInterval(timer));
  const seconds = (performance.now() - started) / 1_000;
  return {
    extra_memory_mb: Math.round((peak - before) / BYTES_PER_MB),
    seconds: Math.round(seconds),
    tokens_per_second: Math.round(TOKENS / seconds),
    mb: Math.round(bytes / BYTES_PER_MB),
    lines,
  };
}

async function read(url: string, key: string): Promise<{ bytes: number; lines: number }> {
  const child = spawn(process.execPath, ["--input-type=module", "--eval", CLIENT, url, key], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, "close")]);
  if (code !== 0) throw new Error(`the client of ${url} ended with ${code}`);
  return JSON.parse(output);
}
