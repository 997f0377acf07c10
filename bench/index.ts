/**
 * `npm run bench [-- name …] [-- --quick]`: measures both sides of a ratio in the same run and prints one JSON line per
 * bench. A whole run, of all benches and not quick, writes docs/benchmarks.md and docs/growth.svg.
 */

import { writeFileSync } from "node:fs";
import { benchCatalog } from "./catalog.ts";
import { benchGateway } from "./gateway.ts";
import { benchGraphql } from "./graphql.ts";
import { benchGrowth } from "./growth.ts";
import { benchIndexing } from "./indexing.ts";
import { benchMedia } from "./media.ts";
import { benchMediaCache } from "./media-cache.ts";
import { benchPages } from "./pages.ts";
import { benchReads } from "./reads.ts";
import { benchRefresh } from "./refresh.ts";
import { plotGrowth, type Results, writeReport } from "./report.ts";
import { benchResolve } from "./resolve.ts";
import { isQuick } from "./rounds.ts";

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
  growth: benchGrowth,
  pages: benchPages,
};

const asked = process.argv.slice(2).filter((argument) => argument !== "--quick");
const unknown = asked.filter((name) => !(name in benches));
if (unknown.length > 0) {
  process.stderr.write(`no such bench: ${unknown.join(", ")}; there is ${Object.keys(benches).join(", ")}\n`);
  process.exit(1);
}
const results: Record<string, Results> = {};
for (const [name, bench] of Object.entries(benches)) {
  if (asked.length > 0 && !asked.includes(name)) continue;
  const result = await bench();
  results[name] = result as Results;
  process.stdout.write(`${JSON.stringify({ bench: name, ...result })}\n`);
}
if (asked.length === 0 && !isQuick) {
  writeFileSync(new URL("../docs/benchmarks.md", import.meta.url), writeReport(results));
  if (results.growth)
    writeFileSync(new URL("../docs/growth.svg", import.meta.url), plotGrowth(results.growth));
}
process.exit(0);
