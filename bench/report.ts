/** docs/benchmarks.md and the README's figures, from the results that were kept. */

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
  };
  readonly result: Results;
}

// Not what a reader looks for in a table of figures.
const SETTINGS = ["bar", "bars", "rows"];

const isResults = (value: unknown): value is Results =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The report as Markdown: the method, the ratios with their spread, every other figure, and the runs. */
export function writeReport(kept: Readonly<Record<string, KeptResult>>): string {
  const ratios: string[] = [];
  const others: string[] = [];
  for (const [bench, { result }] of Object.entries(kept)) collect([bench], result, { ratios, others });
  const runs = Object.entries(kept).map(
    ([bench, { run }]) => `| ${bench} | ${run.revision} | ${run.date} | ${run.node} | ${run.machine} |`,
  );
  const growth = `
## How costs grow

![Milliseconds of each token, bytes in the database and bytes of WAL, by the number of tokens and of collections](growth.svg)

What is not flat, and why, is in [scaling.md](scaling.md#costs).
`;
  return `# Benchmarks

\`npm run bench\` writes this page. \`npm run bench -- reads\` runs one bench and updates its figures here. \`npm run bench -- --quick\` runs all of them in about three minutes, to see that
nothing is far off, and writes nothing.

**Method**: both sides run on the same machine in alternating rounds, and take turns in going first. A ratio is the median of the pairs' ratios; the spread is the lowest and the highest pair. Figures per second are medians. The load generator, the chain, the metadata host and PostgreSQL share the cores with what is measured. The time of a sweep, like that of an update, starts with the event's row in the chain index; what Ponder took to see the event comes before it. The chain has Multicall3, as public chains do, and the plain script uses it as well. In \`indexing\`, the bare app has drizzle-orm as it is published, as anybody gets it who runs Ponder alone; \`BENCH_PATCHED=1 npm run bench -- indexing\` gives it our patch as well, with which the ratio was 0.83 when the patch was made. In \`graphql\`, what is beside it is Ponder's own server in the same process, without keys, limits and usage.

## Ratios

| Measure | Vitrine per second | Beside it | Ratio | Spread | p50 ms | p99 ms | Bar |
|---|---|---|---|---|---|---|---|
${ratios.join("\n")}
${kept.growth ? growth : ""}
## Other figures

| Measure | Figure |
|---|---|
${others.join("\n")}

## Runs

| Bench | Vitrine | Date | Node | Machine |
|---|---|---|---|---|
${runs.join("\n")}
`;
}

// What the README shows: a text, a bench, and where in its result the figure is.
const README_FIGURES: readonly (readonly [text: string, bench: string, path: readonly string[]])[] = [
  ["One token over REST, requests per second", "reads", ["reads", "token", "vitrine_per_second"]],
  ["One token over REST, p99 in ms", "reads", ["reads", "token", "vitrine_p99_ms"]],
  [
    "A page of 20 tokens by a trait, requests per second",
    "reads",
    ["reads", "page_by_trait", "vitrine_per_second"],
  ],
  [
    "A trade check of 100 tokens, requests per second",
    "reads",
    ["reads", "checks_100", "vitrine_per_second"],
  ],
  ["A token's page as HTML, requests per second", "reads", ["reads", "html_token", "vitrine_per_second"]],
  ["First read of a collection, tokens per second", "refresh", ["first_read", "vitrine_per_second"]],
  ["A refresh over REST with `wait`, p50 in ms", "refresh", ["single_with_wait", "p50_ms"]],
];

/** Lines of a table; a figure that was not measured is left out. */
export function readmeFigures(kept: Readonly<Record<string, KeptResult>>): string {
  const rows = README_FIGURES.flatMap(([text, bench, path]) => {
    const figure = path.reduce<unknown>(
      (at, key) => (isResults(at) ? at[key] : undefined),
      kept[bench]?.result,
    );
    return typeof figure === "number" ? `| ${text} | ${figure.toLocaleString("en-US")} |\n` : [];
  });
  return `| Measured on two cores | |\n|---|---|\n${rows.join("")}`;
}

function collect(
  path: readonly string[],
  result: Results,
  into: { ratios: string[]; others: string[] },
): void {
  const name = path.join(" · ").replaceAll("_", " ");
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
    const figures = Object.entries(result).map(([key, value]) => `${key.replaceAll("_", " ")} ${value}`);
    into.others.push(`| ${name} | ${figures.join(", ")} |`);
    return;
  }
  for (const [key, value] of Object.entries(result)) {
    if (SETTINGS.includes(key) || key.endsWith("_bar")) continue;
    if (isResults(value)) collect([...path, key], value, into);
    else if (Array.isArray(value)) {
      for (const [nth, each] of value.entries())
        if (isResults(each))
          collect([...path, [each.tokens ?? nth, each.kind].filter(Boolean).join(" ")], each, into);
    } else into.others.push(`| ${[...path, key].join(" · ").replaceAll("_", " ")} | ${value} |`);
  }
}

/** Response times, which take one row together. */
const isOneMeasure = (result: Results): boolean =>
  result.p50_ms !== undefined && Object.values(result).every((value) => typeof value === "number");

function barOf({ bar }: Results): string {
  if (!isResults(bar)) return String(bar ?? "");
  return Object.entries(bar)
    .map(([name, value]) => `${name.replaceAll("_", " ")} ${value}`)
    .join(", ");
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
