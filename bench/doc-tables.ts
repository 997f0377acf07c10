/** The tables of figures in the README and below docs/, from the results that were kept. */

import { isResults, type KeptResult, type Results } from "./report.ts";

type Kept = Readonly<Record<string, KeptResult>>;

/** A table between `<!-- figures: name -->` and `<!-- end of figures -->` in a page. */
export interface DocTable {
  readonly file: string;
  /** Undefined for the only table of its page. */
  readonly name?: string;
  /** Lines of Markdown; undefined if the bench has never run. */
  write(kept: Kept): string | undefined;
}

export const docTables: readonly DocTable[] = [
  { file: "README.md", write: writeReadme },
  { file: "docs/search.md", name: "lookups", write: writeLookups },
  { file: "docs/search.md", name: "catalog", write: writeCatalog },
  { file: "docs/search.md", name: "serial", write: writeSerial },
  { file: "docs/search.md", name: "collections", write: writeCollections },
  { file: "docs/search.md", name: "engines", write: writeEngines },
  { file: "docs/exports.md", name: "export", write: writeExport },
  { file: "docs/pages.md", name: "pages", write: writePages },
];

/** The page with this table's lines between its two marks. Throws if it lacks the marks. */
export function withTable(page: string, { file, name }: DocTable, lines: string): string {
  const begin = name === undefined ? "<!-- figures -->" : `<!-- figures: ${name} -->`;
  const [before, rest] = page.split(`${begin}\n`);
  const end = rest?.indexOf("<!-- end of figures -->") ?? -1;
  if (before === undefined || rest === undefined || end === -1)
    throw new Error(`${file} lacks the marks of its figures: ${begin}`);
  return `${before}${begin}\n${lines}${rest.slice(end)}`;
}

/** A figure of a bench's result; undefined where it was not measured. */
const at = (result: unknown, ...path: readonly string[]): unknown =>
  path.reduce<unknown>((inner, key) => (isResults(inner) ? inner[key] : undefined), result);

/** Whole from 10 up, and with one digit below. */
function show(figure: unknown): string {
  if (typeof figure !== "number") return "";
  return figure.toLocaleString("en-US", { maximumFractionDigits: figure < 10 ? 1 : 0 });
}

const p50AndP99 = (result: unknown, ...path: readonly string[]): string =>
  `${show(at(result, ...path, "p50_ms"))}, ${show(at(result, ...path, "p99_ms"))}`;

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `|${cells.map((cell) => (cell === "" ? " " : ` ${cell} `)).join("|")}|\n`;
  return [line(head), `|${head.map(() => "---|").join("")}\n`, ...rows.map(line)].join("");
}

function writeReadme(kept: Kept): string {
  const figures: readonly (readonly [text: string, bench: string, path: readonly string[]])[] = [
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
  const rows = figures.flatMap(([text, bench, path]) => {
    const figure = at(kept[bench]?.result, ...path);
    // As the bench has it, since a rate of 9.4 and a delay of 9.4 ms are both read here.
    return typeof figure === "number" ? [[text, figure.toLocaleString("en-US")]] : [];
  });
  return table(["Measured on two cores", ""], rows);
}

const sizesOf = ({ catalog }: Kept): Results[] => {
  const sizes = at(catalog?.result, "sizes");
  return Array.isArray(sizes) ? sizes : [];
};

const millionOf = (kept: Kept, kind: string): Results | undefined =>
  sizesOf(kept).find((size) => size.tokens === 1_000_000 && size.kind === kind);

const loadOf = (of: Results): string =>
  `${show(Number(at(of, "load", "ms")) / 1_000)} s (${show(at(of, "load", "tokens_per_second"))} tokens a second)`;

/** Token lookups and probes beside a client that asks for facets without a pause. */
function writeLookups(kept: Kept): string | undefined {
  const rows = sizesOf(kept)
    .filter(({ lookups }) => lookups !== undefined)
    .map(({ tokens, lookups }) => {
      const p99 = (state: string, request: string): string => show(at(lookups, state, request, "p99_ms"));
      const cells = ["lookup", "livez"].flatMap((request) => [p99("idle", request), p99("loaded", request)]);
      return [show(tokens), ...cells, show(at(lookups, "facets", "requests"))];
    });
  if (rows.length === 0) return undefined;
  const head = ["A token", "beside facets", "`GET /livez`", "beside facets", "Answers of facets in 10 s"];
  return table(["Tokens; p99 in ms", ...head], rows);
}

/** A million tokens that each have a number of their own. */
function writeSerial(kept: Kept): string | undefined {
  const of = millionOf(kept, "serial");
  if (!of) return undefined;
  return table(
    ["A million tokens, each with its own number", "p50, p99 in ms"],
    [
      ["Page, text in the name", p50AndP99(of, "pages", "text")],
      ["Facets, any of four values, up to half of the tokens", p50AndP99(of, "facets", "any_of")],
      ["Facets, half of the numbers", p50AndP99(of, "facets", "half")],
      ["Memory of the search index", `${show(at(of, "load", "index_mb"))} MB`],
      ["Load", loadOf(of)],
    ],
  );
}

/** A million tokens with usual traits. */
function writeCatalog(kept: Kept): string | undefined {
  const of = millionOf(kept, "usual");
  if (!of) return undefined;
  const page = (label: string, kind: string): readonly string[] => [
    `Page, ${label}`,
    `${p50AndP99(of, "pages", kind)} (${show(at(of, "pages", kind, "sql_p50_ms"))})`,
  ];
  return table(
    ["A million tokens", "p50, p99 in ms (SQL)"],
    [
      page("all tokens", "all"),
      page("narrow filter", "narrow"),
      page("broad filter", "broad"),
      page("a tenth of the numbers", "range"),
      page("broad filter, by name", "broad by name_asc"),
      page("broad filter, by a number trait", "broad by trait_number"),
      page("text in the name", "text"),
      page("one wallet's tokens", "owner"),
      ["The 200th page by name", p50AndP99(of, "deep", "last")],
      ["Facets, narrow filter", p50AndP99(of, "facets", "narrow")],
      ["Facets, any of four values, up to half of the tokens", p50AndP99(of, "facets", "any_of")],
      ["Facets, a tenth of the numbers", p50AndP99(of, "facets", "range")],
      ["Facets, half of the numbers", p50AndP99(of, "facets", "half")],
      [
        `Facets, any filter, while two replicas write ${show(at(of, "writing", "versions_per_second"))} versions a second`,
        p50AndP99(of, "writing", "facets"),
      ],
      ["Memory of the search index", `${show(at(of, "load", "index_mb"))} MB`],
      ["Load", loadOf(of)],
    ],
  );
}

function writeCollections({ collections }: Kept): string | undefined {
  const result = collections?.result;
  if (!result) return undefined;
  const row = (label: string, path: readonly string[], memory: string): readonly string[] => [
    label,
    show(at(result, ...path, "per_second")),
    p50AndP99(result, ...path),
    memory,
  ];
  const third = (of: string): string => `${show(at(result, "third_of_memory", of, "memory_mb"))} MB`;
  const loading = Number(at(result, "collections")) / Number(at(result, "load", "per_second"));
  return table(
    ["", "Searches per second", "p50, p99 in ms", "Memory"],
    [
      row(
        `Room for all; loading took ${show(loading)} s (${show(at(result, "load", "tokens_per_second"))} tokens a second)`,
        ["searches"],
        `${show(at(result, "memory_mb"))} MB (${show(at(result, "bytes_per_token"))} bytes per token)`,
      ),
      row(
        "Room for a third, a third of the collections requested, as one of three replicas behind a load balancer that hashes",
        ["third_of_memory", "for_a_third_of_the_collections"],
        third("for_a_third_of_the_collections"),
      ),
      row(
        "Room for a third, all collections requested: nearly every search loads one first",
        ["third_of_memory", "for_all_collections"],
        third("for_all_collections"),
      ),
    ],
  );
}

/** Medians for a million tokens. */
function writeEngines({ engines }: Kept): string | undefined {
  const sizes = at(engines?.result, "sizes");
  const of = Array.isArray(sizes) && sizes.find(({ tokens }) => tokens === 1_000_000);
  if (!of) return undefined;
  const systems = ["vitrine_ms", "postgresql_ms", "groonga_ms"];
  const medians = (what: string, kind: string): readonly string[] =>
    systems.map((system) => {
      const figures = at(of, `${what} ${kind}`, system);
      return show(Array.isArray(figures) ? figures[0] : undefined);
    });
  const row = (label: string, kind: string, isCached = false): readonly string[] => {
    const [facets = "", ...others] = medians("facets", kind);
    return [label, ...medians("page", kind), isCached ? `${facets} (cached)` : facets, ...others];
  };
  return table(
    ["", "Page: Vitrine", "PostgreSQL", "Groonga", "Facets: Vitrine", "PostgreSQL", "Groonga"],
    [
      row("All tokens", "all", true),
      row("A few hundred by two traits", "narrow"),
      row("Half, by one trait", "broad", true),
      row("Any of four values", "any_of"),
      row("A tenth of the numbers", "range"),
      row("Text in the name", "text"),
    ],
  );
}

function writeExport({ export: exported }: Kept): string | undefined {
  const result = exported?.result;
  if (!result) return undefined;
  const row = (label: string, format: string): readonly string[] => [
    label,
    ...["extra_memory_mb", "seconds", "tokens_per_second", "mb"].map((key) => show(at(result, format, key))),
  ];
  return table(
    ["Format", "Growth, MB", "Seconds", "Tokens per second", "MB sent"],
    [row("NDJSON", "ndjson"), row("CSV", "csv"), row("Parquet", "parquet")],
  );
}

function writePages({ pages }: Kept): string | undefined {
  const result = pages?.result;
  if (!result) return undefined;
  const row = (label: string, kind: string): readonly string[] => [label, p50AndP99(result, "pages", kind)];
  return table(
    ["Page", "p50, p99"],
    [
      row("All tokens", "all"),
      row("Two traits, a few hundred tokens", "narrow"),
      row("One trait, half of the tokens", "broad"),
      row("The same by name", "broad_by_name"),
      row("The same by a number trait", "broad_by_a_trait"),
      row("Any of three values", "any_of"),
      row("A range", "range"),
      row("Text", "text"),
      row("One wallet's tokens", "owner"),
      row("Three traits and a range", "three_traits_and_a_range"),
      row("A token", "token"),
    ],
  );
}
