/** docs/benchmarks.md and docs/growth.svg, from the results that were kept. */

import { drawPlots, type Series } from "./plot.ts";

export interface Results {
  readonly [name: string]: unknown;
}

/** A result, and the run that it is of. */
export interface KeptResult {
  readonly run: {
    readonly revision: string;
    readonly date: string;
    readonly node: string;
    readonly machine: string;
    /** Of what is measured, and what it runs on. */
    readonly versions?: Readonly<Record<string, string>>;
  };
  readonly result: Results;
}

// Not what a reader looks for in a table of figures.
const SETTINGS = ["bar", "rows"];

// What a bench's figures stand beside, where it isn't named by the measure itself.
const BESIDE: Readonly<Record<string, string>> = {
  reads:
    "bare Hono with one indexed select of one token's answer, kept as JSON, whatever is read on our side: a page, facets or a hundred checks stand beside one token as well. Every token of the collection is asked for in turn, so what can be held in memory is",
  gateway:
    "the same route without our keys, limits, usage and headers, behind Hono's CORS, as Ponder's server has it",
  "beside-facets": "the same reads without the client that asks for facets meanwhile",
  graphql: "Ponder's own server in the same process, without keys, limits and usage",
  indexing:
    "a Ponder app that stores the same rows. It has drizzle-orm as published, as anybody has who runs Ponder by itself; `BENCH_PATCHED=1 npm run bench -- indexing` gives it our patch as well, with which the ratio was 0.83 when the patch was made",
  media: "sharp alone, with as many pictures at once",
  refresh:
    "a plain script that reads the same documents and stores the same rows: 64 requests at once, of which one host gets 48 on our side. Each pair of first reads has a chain, a database and a service of its own. An update is timed from the commit of the event's row to that of its new document, by PostgreSQL's record of commits",
  resolve:
    "a loop of undici's `fetch` and `JSON.parse`, with as many at once, as the bar was set for; beside its faster `request`, the ratio was 0.4 on a slow machine. It records nothing, so for `recorded` it is a measure and no rival",
  catalog:
    "the same question in SQL; `times sql` is our p50 divided by that of SQL, so lower is better, and its rounds are no pairs",
  engines:
    "PostgreSQL with a GIN index, and Groonga, for the same questions by turns; the two figures are the median and the highest",
  batch: "nothing: one request after the other, over HTTP",
};

export const isResults = (value: unknown): value is Results =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The report as Markdown: the method, the ratios with their spread, every other figure, and the runs. */
export function writeReport(kept: Readonly<Record<string, KeptResult>>): string {
  const ratios: string[] = [];
  const others: string[] = [];
  for (const [bench, { result }] of Object.entries(kept)) collect([bench], result, { ratios, others });
  const runs = Object.entries(kept).map(
    ([bench, { run }]) =>
      `| ${bench} | ${run.revision} | ${run.date} | ${versionsOf(run)} | ${run.machine} |`,
  );
  const beside = Object.entries(BESIDE).map(([bench, text]) => `* \`${bench}\`: ${text}.`);
  const growth = `
## How costs grow

![Milliseconds of each token, bytes in the database and bytes of WAL, by the number of tokens and of collections](growth.svg)

What is not flat, and why, is in [scaling.md](scaling.md#costs).
`;
  return `# Benchmarks

\`npm run bench\` writes this page. \`npm run bench -- reads\` runs one bench and updates its figures here. \`npm run bench -- --quick\` runs all of them with fewer rounds and less data (three minutes on a fast machine, five on a
slow one), to see that nothing is far off, and writes nothing.

**Method**: both sides run on the same machine in alternating rounds, and take turns going first (but for first reads, where Vitrine does). A ratio is the median of the pairs' ratios; the spread is the lowest and the highest
pair. Figures per second are medians, and so are latencies: of each round's p50 and p99. The load generator, the chain, the metadata host and PostgreSQL share the cores with what is
measured. The time of a sweep starts with the event's row in the chain index; what Ponder took to see the event comes before it. The chain has Multicall3, as public chains do, and the plain
script uses it as well. Each figure was measured at the revision
below, by that revision's bench; what is said here is of today's.

What stands beside each bench's figures:

${beside.join("\n")}

## Ratios

| Measure | Vitrine per second | Beside it | Ratio | Spread | p50 ms | p99 ms | Bar |
|---|---|---|---|---|---|---|---|
${ratios.join("\n")}
${kept.growth ? growth : ""}
## Other figures

| Measure | Figure | Bar |
|---|---|---|
${others.join("\n")}

## Runs

| Bench | Vitrine | Date | Versions | Machine |
|---|---|---|---|---|
${runs.join("\n")}
`;
}

const versionsOf = ({ node, versions = {} }: KeptResult["run"]): string =>
  [["Node", node], ...Object.entries(versions)].map((each) => each.join(" ")).join(", ");

/** A bar holds for all that is below it. */
function collect(
  path: readonly string[],
  measured: Results,
  into: { ratios: string[]; others: string[] },
  outer?: unknown,
): void {
  const name = path.join(" · ").replaceAll("_", " ");
  const result: Results =
    measured.bar === undefined && outer !== undefined ? { ...measured, bar: outer } : measured;
  if (typeof result.ratio === "number" && result.vitrine_per_second !== undefined) {
    const { vitrine_per_second: ours, bare_per_second: bare, ratio, spread } = result;
    const pairs = Array.isArray(spread) ? spread.join(" to ") : "";
    const cells = [
      name,
      ours,
      bare,
      ratio,
      pairs,
      result.vitrine_p50_ms,
      result.vitrine_p99_ms,
      barOf(result),
    ];
    into.ratios.push(`| ${cells.map((cell) => cell ?? "").join(" | ")} |`);
    return;
  }
  if (isOneMeasure(result)) {
    const figures = Object.entries(result).flatMap(([key, value]) =>
      key === "bar" ? [] : `${key.replaceAll("_", " ")} ${value}`,
    );
    into.others.push(`| ${name} | ${figures.join(", ")} | ${barOf(result)} |`);
    return;
  }
  for (const [key, value] of Object.entries(result)) {
    if (SETTINGS.includes(key)) continue;
    if (isResults(value)) collect([...path, key], value, into, result.bar);
    else if (Array.isArray(value) && value.some(isResults)) {
      for (const [nth, each] of value.entries())
        if (isResults(each)) collect([...path, key, rowName(each, nth)], each, into, result.bar);
    } else {
      const figure = Array.isArray(value) ? value.join(", ") : value;
      const label = [...path, key].join(" · ").replaceAll("_", " ");
      into.others.push(`| ${label} | ${figure} | ${barOf(result, key)} |`);
    }
  }
}

/** The name of one row of an array. */
function rowName({ collections, replicas, tokens, kind }: Results, nth: number): string {
  if (collections !== undefined) return `${collections} collections`;
  if (replicas !== undefined) return `${replicas} replicas`;
  return [tokens ?? nth, kind].filter((each) => each !== undefined).join(" ");
}

/** Response times, which take one row together. */
const isOneMeasure = (result: Results): boolean =>
  result.p50_ms !== undefined &&
  Object.entries(result).every(([key, value]) => key === "bar" || typeof value === "number");

/**
 * The bars of a result's figures, or that of one, and which of them it misses. Times, sizes and multiples of SQL's have
 * the most, others the least.
 */
function barOf(result: Results, figure?: string): string {
  if (!isResults(result.bar)) return "";
  const bars = Object.entries(result.bar).flatMap(([name, bar]) => {
    const [key, value] =
      [name, `vitrine_${name}`].flatMap((each) => (each in result ? [[each, result[each]]] : []))[0] ?? [];
    if (value === undefined || (figure !== undefined && key !== figure)) return [];
    const isMost = /_(?:ms|mb)$|^times_/.test(name);
    const isMissed = isMost ? Number(value) > Number(bar) : Number(value) < Number(bar);
    return `${name.replaceAll("_", " ")} ${bar}${isMissed ? ", **missed**" : ""}`;
  });
  return bars.join("; ");
}

interface GrowthRow {
  readonly tokens: number;
  readonly collections?: number;
  readonly per_second: number;
  readonly bytes_per_token: number;
  readonly wal_bytes_per_token: number;
}

/** docs/growth.svg, from the result of the growth bench. */
export function plotGrowth({ by_tokens, by_collections }: Results): string {
  const series = (rows: readonly GrowthRow[], by: "tokens" | "collections"): Series[] => {
    const plot = (title: string, of: (row: GrowthRow) => number): Series => ({
      title: `${title}, by ${by}`,
      points: rows.map((row) => ({ x: row[by] ?? 1, y: of(row) })),
    });
    return [
      plot("ms per token", ({ per_second }) => 1_000 / per_second),
      plot("bytes per token", ({ bytes_per_token }) => bytes_per_token),
      plot("WAL per token", ({ wal_bytes_per_token }) => wal_bytes_per_token),
    ];
  };
  const rows = [
    drawPlots(series(by_tokens as GrowthRow[], "tokens")),
    drawPlots(series(by_collections as GrowthRow[], "collections")),
  ];
  return stack(rows);
}

/** One SVG above the other. */
function stack(plots: readonly string[]): string {
  const sizes = plots.map(
    (plot) => /width="(\d+)" height="(\d+)"/.exec(plot)?.slice(1).map(Number) ?? [0, 0],
  );
  const width = Math.max(...sizes.map(([across = 0]) => across));
  let top = 0;
  const placed = plots.map((plot, nth) => {
    const at = top;
    top += sizes[nth]?.[1] ?? 0;
    return plot.replace("<svg ", `<svg y="${at}" `);
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${top}" width="${width}" height="${top}">\n<title>How costs grow</title>\n${placed.join("")}</svg>\n`;
}
