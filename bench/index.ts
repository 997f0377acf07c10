/**
 * `npm run bench [-- name …] [-- --quick]`: measures both sides of a ratio in the same run and prints one JSON line per
 * bench. Unless it is quick or of another size than usual, it also updates docs/benchmarks.md and the README's figures.
 */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { constants } from "node:os";
import { fileURLToPath } from "node:url";
import { memoryOptions } from "../bin/ponder-process.ts";
import { createServingBundle } from "../bin/serving-bundle.ts";
import { STOP_SIGNALS, withCleanup } from "./cleanup.ts";
import { keepResult } from "./kept-results.ts";
import { preparePostgres } from "./postgres.ts";
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

// They time requests to an application in their own process, so it has the service's memory options. Without them, V8
// promotes what requests leave behind, and garbage collection takes as long as a request.
const withApplication = new Set(["batch", "activity", "catalog"]);
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
  const [name = ""] = names;
  const code = await withCleanup(
    async () => benches[name]?.(),
    (result) => keep(name, result as Results),
  );
  process.exit(code);
}
let child: ChildProcess | undefined;
let stoppedBy: NodeJS.Signals | undefined;
for (const signal of STOP_SIGNALS) {
  process.on(signal, () => {
    stoppedBy ??= signal;
    child?.kill(signal);
  });
}
// Services start from the bundle that `npm start` makes.
const shared = {
  ...(await createServingBundle().environment()),
  ...(names.length > 1 && (await preparePostgres())),
};
let code = 0;
for (const name of names) {
  if (!stoppedBy && !(await runAlone(name))) code = 1;
}
process.exit(stoppedBy ? 128 + constants.signals[stoppedBy] : code);

function keep(name: string, result: Results): void {
  process.stdout.write(`${JSON.stringify({ bench: name, ...result })}\n`);
  if (isUsual) keepResult(name, result);
}

/** In a process of its own, whose memory nothing else has filled. False if the bench failed. */
async function runAlone(name: string): Promise<boolean> {
  const startedAt = performance.now();
  child = spawn(
    process.execPath,
    [
      ...(withApplication.has(name) ? memoryOptions(process.env.NODE_OPTIONS) : []),
      ...["--import", "tsx", fileURLToPath(import.meta.url), name, ALONE, ...(isQuick ? ["--quick"] : [])],
    ],
    {
      env: { ...process.env, ...shared },
      // In its own process group: a terminal's Ctrl-C reaches only this process, which passes it on.
      detached: true,
      // By the channel's end it notices that this process is gone.
      stdio: ["ignore", "inherit", "inherit", "ipc"],
    },
  );
  const [status] = await once(child, "exit");
  const end = status === 0 ? "took" : "failed after";
  process.stderr.write(`${name} ${end} ${Math.round((performance.now() - startedAt) / 1000)} s\n`);
  return status === 0;
}
