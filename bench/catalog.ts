/** Pages and facets of collections of 10k, 100k and 1M tokens with ten traits each, against the same SQL in `pg`. */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import pg from "pg";
import { Registry } from "prom-client";
import { chainTables } from "../src/api/chain/index/tables.ts";
import { createDatabase } from "../src/api/db/database.ts";
import { migrate } from "../src/api/db/migrate.ts";
import { ApiError } from "../src/api/http/errors.ts";
import { silentLogger } from "../src/api/logging/logger.ts";
import { stopEmbeddedPostgres } from "../src/api/postgres/embedded-postgres.ts";
import { createSearch, type Search } from "../src/api/search/service.ts";
import { createChainTables, createCollection, type Data, type Kind } from "./catalog-data.ts";
import { measureLookups } from "./catalog-lookups.ts";
import { conditions, LIMIT, makeQuestion, sorts } from "./catalog-sql.ts";
import { joinPostgres } from "./postgres.ts";
import { byPace, say } from "./rounds.ts";

const SIZES =
  process.env.BENCH_TOKENS?.split(",").map(Number) ?? byPace([10_000, 100_000, 1_000_000], [2_000]);
const LARGEST_KINDS = byPace<Kind[]>(["usual", "serial"], ["usual"]);
const SEARCHES = byPace(200, 20);
// A query over a million rows takes seconds without a suitable database index.
const SQL_MS_MAX = byPace(6_000, 100);
const SQL_QUERIES_MIN = 3;
const MILLION = 1_000_000;
// With more, half of the queries would take most of a minute each.
const SQL_TOKENS_MAX = MILLION;
const LOOKUP_TOKENS_MAX = MILLION;
const DEEP_PAGES = byPace(200, 20);
const BYTES_PER_MB = 1_000_000;
const NO_COLLECTION = `0x${"0".repeat(40)}`;
const HEAP_MB = 4_000;

export async function benchCatalog() {
  const folder = mkdtempSync(join(tmpdir(), "vitrine-bench-"));
  chmodSync(folder, 0o711);
  const url = await joinPostgres(folder);
  await migrate(url);
  const database = createDatabase(url, silentLogger);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const tables = chainTables("bench");
  try {
    await createChainTables(client, tables, url);
    const sizes: object[] = [];
    for (const tokens of SIZES) {
      const isLargest = tokens === Math.max(...SIZES) && tokens <= SQL_TOKENS_MAX;
      const kinds: Kind[] = isLargest ? LARGEST_KINDS : ["usual"];
      for (const kind of kinds) {
        const made = await time(() => createCollection(client, tables, tokens, kind));
        say(`${tokens} tokens (${kind}) written in ${Math.round(made.ms)} ms`);
        const metrics = new Registry();
        const search = createSearch({
          database,
          tables,
          logger: silentLogger,
          metrics,
          threads: { connectionString: url, count: 1, heapMb: HEAP_MB },
        });
        sizes.push(
          await measure({ search, metrics, client, tokenState: tables.tokenState, url }, made.value),
        );
        await search.close();
        // Of ten million tokens, only pages and facets are measured.
        if (kind === "usual" && tokens <= LOOKUP_TOKENS_MAX) {
          const { collection } = made.value;
          const lookups = await measureLookups(client, { url, schema: tables.schema, collection, tokens });
          say(`lookups beside facets: ${JSON.stringify(lookups)}`);
          sizes.push({ tokens, lookups });
        }
      }
    }
    return { sizes };
  } finally {
    await client.end();
    await database.close();
    await stopEmbeddedPostgres(folder);
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The bars of a collection of so many tokens. Those whose tokens have a number each are measured without. */
function barsOf({ tokens, kind }: Data): Readonly<Record<"load" | "pages" | "facets", object | undefined>> {
  if (kind !== "usual") return { load: undefined, pages: undefined, facets: undefined };
  if (tokens > MILLION) return { load: undefined, pages: { p99_ms: 150 }, facets: { p99_ms: 400 } };
  return {
    // The fixed cost of a load is most of that of a small collection.
    load: tokens === MILLION ? { tokens_per_second: 250_000 } : undefined,
    pages: { p99_ms: 100, times_sql: 2 },
    facets: { p99_ms: 50 },
  };
}

interface Setting {
  readonly search: Search;
  readonly metrics: Registry;
  readonly client: pg.Client;
  readonly tokenState: string;
  readonly url: string;
}

async function measure(setting: Setting, data: Data) {
  const bars = barsOf(data);
  const withBar = (result: object, bar: object | undefined) => (bar ? { ...result, bar } : result);
  const load = await measureLoad(setting, data);
  say(`loaded: ${JSON.stringify(load)}`);
  const pages: Record<string, object> = {};
  for (const condition of Object.keys(conditions)) {
    pages[condition] = await measurePages(setting, data, condition, "id_asc");
    say(`${condition}: ${JSON.stringify(pages[condition])}`);
  }
  for (const sort of Object.keys(sorts)) {
    for (const condition of ["narrow", "broad"]) {
      const name = `${condition} by ${sort}`;
      pages[name] = await measurePages(setting, data, condition, sort);
      say(`${name}: ${JSON.stringify(pages[name])}`);
    }
  }
  const facets = await measureFacets(setting, data);
  say(`facets: ${JSON.stringify(facets)}`);
  const panels = await measurePanels(setting, data);
  say(`panels: ${JSON.stringify(panels)}`);
  const deep = await measureDeep(setting, data);
  say(`deep: ${JSON.stringify(deep)}`);
  const writing = await measureWhileWriting(setting, data);
  say(`while two replicas write: ${JSON.stringify(writing)}`);
  return {
    tokens: data.tokens,
    kind: data.kind,
    load: withBar(load, bars.load),
    pages: withBar(pages, bars.pages),
    facets: withBar(facets, bars.facets),
    panels,
    deep,
    writing,
  };
}

async function measureLoad({ search, metrics }: Setting, { collection, tokens }: Data) {
  // Its thread runs, as that of a service does.
  await search.countTraits({ ...collection, address: NO_COLLECTION }, []);
  const before = memory();
  const { ms } = await time(() => untilLoaded(() => search.countTraits(collection, [])));
  const bytes = (await metrics.getSingleMetric("vitrine_search_index_bytes")?.get())?.values[0]?.value ?? 0;
  return {
    ms: Math.round(ms),
    tokens_per_second: Math.round((1000 * tokens) / ms),
    // Of the whole process with its search thread, buffers of the load included.
    memory_mb: Math.round((memory() - before) / BYTES_PER_MB),
    index_mb: Math.round(bytes / BYTES_PER_MB),
    index_bytes_per_token: Math.round(bytes / tokens),
  };
}

/** Callers of a load that takes long come again. */
async function untilLoaded<Result>(ask: () => Promise<Result>): Promise<Result> {
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== "UNAVAILABLE") throw error;
    }
  }
}

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

function memory(): number {
  collectGarbage();
  return process.memoryUsage().rss;
}

async function measurePages(setting: Setting, data: Data, condition: string, sort: string) {
  const { search, client, tokenState } = setting;
  const ask = () => makeQuestion(data, tokenState, condition, sort);
  const ours: number[] = [];
  const sql: number[] = [];
  const until = performance.now() + SQL_MS_MAX;
  // Alternating, so that other load slows down both sides.
  for (let nth = 0; nth < SEARCHES; nth++) {
    const question = ask();
    const query = { filter: question.filter, sort: question.sort, limit: LIMIT };
    const page = await time(() => search.page(data.collection, query));
    ours.push(page.ms);
    if (data.tokens > SQL_TOKENS_MAX) continue;
    if (sql.length >= SQL_QUERIES_MIN && performance.now() > until) continue;
    const { ms, value } = await time(() => client.query(question.sql, [...question.parameters]));
    sql.push(ms);
    const ids = value.rows.map((row) => String(row.token_id));
    if (ids.join() !== page.value.tokenIds.join() || Number(value.rows[0]?.total ?? 0) !== page.value.total)
      throw new Error(`search and SQL differ: ${question.sql}`);
  }
  return {
    ...summary(ours),
    ...(sql.length > 0 && {
      sql_p50_ms: round(quantile(sql, 0.5)),
      times_sql: round(quantile(ours, 0.5) / quantile(sql, 0.5)),
    }),
  };
}

async function measureFacets({ search, tokenState }: Setting, data: Data) {
  const results: Record<string, object> = {};
  for (const condition of Object.keys(conditions)) {
    const ms: number[] = [];
    for (let nth = 0; nth < SEARCHES; nth++) {
      const { filter } = makeQuestion(data, tokenState, condition, "id_asc");
      ms.push((await time(() => search.facets(data.collection, filter))).ms);
    }
    results[condition] = summary(ms);
  }
  return results;
}

/** A panel with two broad traits and half of the numbers selected. */
async function measurePanels({ search, tokenState }: Setting, data: Data) {
  const ms: number[] = [];
  for (let nth = 0; nth < SEARCHES; nth++) {
    const [broad, half] = ["two_broad", "half"].map(
      (condition) => makeQuestion(data, tokenState, condition, "id_asc").filter,
    );
    const filter = { criteria: broad?.criteria ?? [], ranges: half?.ranges ?? [] };
    ms.push((await time(() => search.panel(data.collection, filter))).ms);
  }
  return { two_broad_and_half: summary(ms) };
}

/** The first pages of a broad filter by name, against those after two hundred more. */
async function measureDeep({ search }: Setting, { collection }: Data) {
  const query = {
    filter: { criteria: [], ranges: [] },
    sort: sorts.name_asc?.sort ?? { by: "latest" },
    limit: 100,
  } as const;
  const ms: number[] = [];
  let cursor: string | null | undefined;
  for (let nth = 0; nth < DEEP_PAGES && cursor !== null; nth++) {
    const { ms: took, value } = await time(() =>
      search.page(collection, { ...query, ...(cursor && { cursor }) }),
    );
    ms.push(took);
    cursor = value.nextCursor;
  }
  const part = Math.min(50, Math.floor(ms.length / 2));
  return { first: summary(ms.slice(0, part)), last: summary(ms.slice(-part)) };
}

async function measureWhileWriting(setting: Setting, data: Data) {
  const { client, url, search, tokenState } = setting;
  const writers = [0, 1].map(() =>
    spawn(
      process.execPath,
      [
        "--import",
        "tsx",
        writerFile,
        url,
        "bench",
        data.collection.address,
        String(data.tokens),
        String(data.numbers),
      ],
      { stdio: ["ignore", "ignore", "inherit"] },
    ),
  );
  const written = async (): Promise<number> => {
    const { rows } = await client.query(
      "select count(*)::int as n from vitrine.version where collection = $1",
      [data.collection.address],
    );
    return Number(rows[0]?.n);
  };
  try {
    while ((await written()) === 0) await new Promise((resolve) => setTimeout(resolve, 50));
    const before = await written();
    const startedAt = performance.now();
    const ms: Record<"facets" | "pages", number[]> = { facets: [], pages: [] };
    const names = Object.keys(conditions);
    for (let nth = 0; nth < 2 * SEARCHES; nth++) {
      const { filter, sort } = makeQuestion(
        data,
        tokenState,
        names[nth % names.length] ?? "all",
        Object.keys(sorts)[nth % 7] ?? "id_asc",
      );
      ms.facets.push((await time(() => search.facets(data.collection, filter))).ms);
      ms.pages.push((await time(() => search.page(data.collection, { filter, sort, limit: LIMIT }))).ms);
    }
    const seconds = (performance.now() - startedAt) / 1000;
    return {
      versions_per_second: Math.round(((await written()) - before) / seconds),
      facets: summary(ms.facets),
      pages: summary(ms.pages),
    };
  } finally {
    await Promise.all(writers.map(end));
  }
}

const writerFile = fileURLToPath(new URL("./catalog-writer.ts", import.meta.url));

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  child.kill();
  await once(child, "exit");
}

async function time<Value>(work: () => Promise<Value>): Promise<{ ms: number; value: Value }> {
  const startedAt = performance.now();
  const value = await work();
  return { ms: performance.now() - startedAt, value };
}

const round = (value: number): number => Number(value.toFixed(2));
const quantile = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? 0;
const summary = (ms: readonly number[]) => ({
  p50_ms: round(quantile(ms, 0.5)),
  p99_ms: round(quantile(ms, 0.99)),
});
