/**
 * `npm run bench [-- name …] [-- --quick]`: measures both sides of a ratio in the same run and prints one JSON line per
 * bench. Unless it is quick or of another size than usual, it also updates docs/benchmarks.md and the README's figures.
 */

import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { createServingBundle } from "../bin/serving-bundle.ts";
import { keepResult } from "./kept-results.ts";
import type { Results } from "./report.ts";
import { isQuick } from "./rounds.ts";

// Each bench loads its modules only when it runs, since media-cache measures the memory of this process.
const benches: Record<string, () => Promise<object>> = {
  indexing: async () => (await import("./indexing.ts")).benchIndexing(),
  resolve: async () => (await import("./resolve.ts")).benchResolve(),
  refresh: async () => (await import("./refresh.ts")).benchRefresh(),
  media: async () => (await import("./media.ts")).benchMedia(),
  "media-cache": async () => (await import("./media-cache.ts")).benchMediaCache(),
  gateway: async () => (await import("./gateway.ts")).benchGateway(),
  graphql: async () => (await import("./graphql.ts")).benchGraphql(),
  reads: async () => (await import("./reads.ts")).benchReads(),
  catalog: async () => (await import("./catalog.ts")).benchCatalog(),
  "beside-facets": async () => (await import("./beside-facets.ts")).benchBesideFacets(),
  collections: async () => (await import("./collections.ts")).benchCollections(),
  engines: async () => (await import("./engines.ts")).benchEngines(),
  export: async () => (await import("./export.ts")).benchExport(),
  batch: async () => (await import("./lists.ts")).benchBatch(),
  activity: async () => (await import("./lists.ts")).benchActivity(),
  growth: async () => (await import("./growth.ts")).benchGrowth(),
  scaling: async () => (await import("./scaling.ts")).benchScaling(),
  pages: async () => (await import("./pages.ts")).benchPages(),
};

// How this program runs one bench in a process of its own.
const ALONE = "--alone";
const asked = process.argv.slice(2).filter((argument) => argument !== "--quick" && argument !== ALONE);
const unknown = asked.filter((name) => !(name in benches));
if (unknown.length > 0) {
  process.stderr.write(`no such bench: ${unknown.join(", ")}; there is ${Object.keys(benches).join(", ")}\n`);
  process.exit(1);
}
const names = Object.keys(benches).filter((name) => asked.length === 0 || asked.includes(name));
const isUsual = !isQuick && !Object.keys(process.env).some((name) => name.startsWith("BENCH_"));
if (process.argv.includes(ALONE)) {
  for (const name of names) await run(name);
  process.exit();
}
// Services start from the bundle that `npm start` makes.
const bundle = await createServingBundle().environment();
const failed = names.filter((name) => !runAlone(name));
process.exit(failed.length === 0 ? 0 : 1);

async function run(name: string): Promise<void> {
  const result = await benches[name]?.();
  process.stdout.write(`${JSON.stringify({ bench: name, ...result })}\n`);
  if (isUsual) keepResult(name, result as Results);
}

/** In a process of its own, whose memory nothing else has filled. False if the bench failed. */
function runAlone(name: string): boolean {
  const startedAt = performance.now();
  const { status } = spawnSync(
    process.execPath,
    ["--import", "tsx", fileURLToPath(import.meta.url), name, ALONE, ...(isQuick ? ["--quick"] : [])],
    { stdio: ["ignore", "inherit", "inherit"], env: { ...process.env, ...bundle } },
  );
  const end = status === 0 ? "took" : "failed after";
  process.stderr.write(`${name} ${end} ${Math.round((performance.now() - startedAt) / 1000)} s\n`);
  return status === 0;
}
