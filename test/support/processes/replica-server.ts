/** The HTTP application and its search threads over a given database, as a process that can be killed; see replica.ts. */

import { createServer } from "node:http";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { getRequestListener } from "@hono/node-server";
import { Registry } from "prom-client";
import { chainTables } from "../../../src/api/chain/index/tables.ts";
import { createDatabase } from "../../../src/api/db/database.ts";
import { silentLogger } from "../../../src/api/logging/logger.ts";
import { createTestApp } from "./app.ts";
import type { ReplicaOptions, ReplicaReport, ReplicaStart } from "./replica.ts";

const NS_PER_MS = 1e6;
const { connectionString, schema, collections, memoryMb, apps } = JSON.parse(
  process.argv[2] ?? "",
) as ReplicaOptions;

const database = createDatabase(connectionString, silentLogger);
const metrics = new Registry();
const service = createTestApp(
  { database, tables: chainTables(schema) },
  { connectionString, configured: collections, metrics, config: { searchMemoryMb: memoryMb } },
);

async function createKey(name: string): Promise<string> {
  const key = await service.createKey(["market"], name);
  await database.query("update vitrine.app set tier = 'advanced' where name = $1", [name]);
  return key;
}

const delay = monitorEventLoopDelay({ resolution: 1 });
delay.enable();

process.on("message", async () => {
  const loads = await metrics.getSingleMetric("vitrine_search_loads_total")?.get();
  process.send?.({
    delayP99Ms: delay.percentile(99) / NS_PER_MS,
    loads: loads?.values[0]?.value ?? 0,
  } satisfies ReplicaReport);
  delay.reset();
});
process.on("disconnect", () => process.exit());

const server = createServer(getRequestListener(service.app.fetch));
server.listen(0, "127.0.0.1", async () => {
  const address = server.address();
  if (address === null || typeof address !== "object") throw new Error("it listens on a port");
  const keys: string[] = [];
  for (let nth = 0; nth < apps; nth++) keys.push(await createKey(`Reader ${process.pid} ${nth}`));
  process.send?.({ port: address.port, keys } satisfies ReplicaStart);
});
