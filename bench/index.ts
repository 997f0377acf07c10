/**
 * `npm run bench [-- name …] [-- --quick]`: measures both sides of a ratio in the same run and prints one JSON line per
 * bench. Unless it is quick or of another size than usual, it also updates docs/benchmarks.md and the README's figures.
 */

import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { benchBesideFacets } from "./beside-facets.ts";
import { benchCatalog } from "./catalog.ts";
import { benchCollections } from "./collections.ts";
import { benchEngines } from "./engines.ts";
import { benchExport } from "./export.ts";
import { benchGateway } from "./gateway.ts";
import { benchGraphql } from "./graphql.ts";
import { benchGrowth } from "./growth.ts";
import { benchIndexing } from "./indexing.ts";
import { keepResult } from "./kept-results.ts";
import { benchActivity, benchBatch } from "./lists.ts";
import { benchMedia } from "./media.ts";
import { benchMediaCache } from "./media-cache.ts";
import { benchPages } from "./pages.ts";
import { benchReads } from "./reads.ts";
import { benchRefresh } from "./refresh.ts";
import type { Results } from "./report.ts";
import { benchResolve } from "./resolve.ts";
import { isQuick } from "./rounds.ts";
import { benchScaling } from "./scaling.ts";

const benches: Record<string, () => Promise<object>> = {
  indexing: benchIndexing,
  resolve: benchResolve,
  refresh: benchRefresh,
  media: benchMedia,
  "media-cache": benchMediaCache,
  gateway: benchGateway,
  graphql: benchGraphql,
  reads: benchReads,
  catalog: benchCatalog,
  "beside-facets": benchBesideFacets,
  collections: benchCollections,
  engines: benchEngines,
  export: benchExport,
  batch: benchBatch,
  activity: benchActivity,
  growth: benchGrowth,
  scaling: benchScaling,
  pages: benchPages,
};

const asked = process.argv.slice(2).filter((argument) => argument !== "--quick");
const unknown = asked.filter((name) => !(name in benches));
if (unknown.length > 0) {
  process.stderr.write(`no such bench: ${unknown.join(", ")}; there is ${Object.keys(benches).join(", ")}\n`);
  process.exit(1);
}
const names = Object.keys(benches).filter((name) => asked.length === 0 || asked.includes(name));
const isUsual = !isQuick && !Object.keys(process.env).some((name) => name.startsWith("BENCH_"));
let failures = 0;
for (const name of names) {
  if (names.length > 1) {
    if (!runAlone(name)) failures++;
    continue;
  }
  const result = await benches[name]?.();
  process.stdout.write(`${JSON.stringify({ bench: name, ...result })}\n`);
  if (isUsual) keepResult(name, result as Results);
}
process.exit(failures === 0 ? 0 : 1);

/** In a process of its own, whose memory no earlier bench has filled. False if the bench failed. */
function runAlone(name: string): boolean {
  const { status } = spawnSync(
    process.execPath,
    ["--import", "tsx", fileURLToPath(import.meta.url), name, ...(isQuick ? ["--quick"] : [])],
    { stdio: ["ignore", "inherit", "inherit"] },
  );
  if (status !== 0) process.stderr.write(`${name} failed\n`);
  return status === 0;
}
