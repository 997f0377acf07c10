/**
 * `npm run bench [-- name …] [-- --quick]`: measures both sides of a ratio in the same run and prints one JSON line per
 * bench. A whole run, of all benches and not quick, writes docs/benchmarks.md and docs/growth.svg.
 */

import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
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
import { benchActivity, benchBatch } from "./lists.ts";
import { benchMedia } from "./media.ts";
import { benchMediaCache } from "./media-cache.ts";
import { benchPages } from "./pages.ts";
import { benchReads } from "./reads.ts";
import { benchRefresh } from "./refresh.ts";
import { plotGrowth, type Results, writeReport } from "./report.ts";
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
const results: Record<string, Results> = {};
for (const name of names) {
  const result = names.length === 1 ? await benches[name]?.() : runAlone(name);
  if (!result) continue;
  results[name] = result as Results;
  process.stdout.write(`${JSON.stringify({ bench: name, ...result })}\n`);
}
if (asked.length === 0 && !isQuick) {
  writeFileSync(new URL("../docs/benchmarks.md", import.meta.url), writeReport(results));
  if (results.growth)
    writeFileSync(new URL("../docs/growth.svg", import.meta.url), plotGrowth(results.growth));
}
process.exit(Object.keys(results).length === names.length ? 0 : 1);

/** In a process of its own, whose memory no earlier bench has filled. Undefined if the bench failed. */
function runAlone(name: string): object | undefined {
  const { status, stdout } = spawnSync(
    process.execPath,
    ["--import", "tsx", fileURLToPath(import.meta.url), name, ...(isQuick ? ["--quick"] : [])],
    { stdio: ["ignore", "pipe", "inherit"], encoding: "utf8" },
  );
  const line = stdout.trim().split("\n").at(-1);
  if (status === 0 && line) {
    const { bench: _, ...result } = JSON.parse(line);
    return result;
  }
  process.stderr.write(`${name} failed\n`);
  return undefined;
}
