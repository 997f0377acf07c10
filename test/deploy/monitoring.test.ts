import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Metric, Registry } from "prom-client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { createConnectionMetrics } from "../../src/api/http/server/metrics.ts";
import { silentLogger } from "../../src/api/logging/logger.ts";
import { createRefreshMetrics } from "../../src/api/refresh/module.ts";
import { createWebhookMetrics } from "../../src/api/webhooks/metrics.ts";
import { createTestDatabase, type TestDatabase } from "../support/database/database.ts";
import { createTestApp } from "../support/processes/app.ts";

const ROOT = join(import.meta.dirname, "../..");
const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");
/** A histogram's series have names of their own. */
const base = (name: string): string => name.replace(/_(?:bucket|count|sum)$/, "");

const code = readdirSync(join(ROOT, "src/api"), { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".ts"))
  .map((file) => read(join("src/api", file)))
  .join("\n");
const rules = read("deploy/prometheus/vitrine.rules.yml");
const dashboard = read("deploy/grafana/vitrine.json");
const operations = read("docs/operations.md");
const tests = read("deploy/prometheus/vitrine.rules.test.yml");
const alerts = [...rules.matchAll(/- alert: (\w+)/g)].map(([, name = ""]) => name);

const PONDER = join(ROOT, "node_modules/ponder/dist/esm");
const PONDER_METRICS = join(PONDER, "internal/metrics.js");
const ponder = readdirSync(PONDER, { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".js") && join(PONDER, file) !== PONDER_METRICS)
  .map((file) => readFileSync(join(PONDER, file), "utf8"))
  .join("\n");

type Declared = Metric & {
  readonly name: string;
  readonly type: string;
  readonly labelNames: readonly string[];
};
interface Watched {
  readonly where: string;
  readonly expr: string;
  /** Labels that the text of an alert or a legend shows. */
  readonly shown: readonly string[];
}
// Prometheus adds them to what it reads from a process.
const SCRAPED = ["job", "instance"];
/** The series of an expression that processes of the service report. */
const seriesIn = (expr: string) =>
  [...expr.matchAll(/\b(up|(?:vitrine|ponder|process|nodejs)_[a-z0-9_]+)\b(?:\{([^}]*)\})?/g)].map(
    ([, name = "", matchers = ""]) => ({
      name,
      labels: [...matchers.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)].map(([, label = ""]) => label),
    }),
  );
const { groups } = parse(rules) as {
  groups: { rules: { alert: string; expr: string; annotations: { summary: string } }[] }[];
};
const watchedByRules: Watched[] = groups
  .flatMap((group) => group.rules)
  // Other exporters', whose names are theirs.
  .filter(({ expr }) => seriesIn(expr).length > 0)
  .map(({ alert, expr, annotations: { summary } }) => ({
    where: alert,
    expr,
    shown: [...summary.matchAll(/\$labels\.(\w+)/g)].map(([, label = ""]) => label),
  }));
const { panels } = JSON.parse(dashboard) as {
  panels: {
    title: string;
    gridPos: { x: number; y: number };
    targets: { expr: string; legendFormat?: string }[];
  }[];
};
const watchedByDashboard: Watched[] = panels.flatMap(({ title, targets }) =>
  targets.map(({ expr, legendFormat = "" }) => ({
    where: title,
    expr,
    shown: [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label = ""]) => label),
  })),
);
const seriesOfTests: Watched[] = [...tests.matchAll(/- series: '(.*)'/g)]
  .map(([, expr = ""]) => ({ where: "vitrine.rules.test.yml", expr, shown: [] }))
  .filter(({ expr }) => seriesIn(expr).length > 0);

describe("what the alerts, their tests and the dashboard watch", () => {
  let test: TestDatabase;
  let declared: Map<string, Declared>;
  let stop: () => void;
  beforeAll(async () => {
    test = await createTestDatabase();
    const ours = new Registry();
    const { usage } = createTestApp(test, { metrics: ours });
    stop = () => void usage.stop();
    createConnectionMetrics(ours, silentLogger);
    createRefreshMetrics(ours, test.database);
    createWebhookMetrics(ours, test.database);
    const { MetricsService } = await import(PONDER_METRICS);
    const registries: Registry[] = [ours, new MetricsService().registry];
    declared = new Map(
      registries.flatMap((registry) =>
        (registry.getMetricsAsArray() as unknown as Declared[]).map((metric) => [metric.name, metric]),
      ),
    );
  });
  afterAll(() => stop());

  /** The labels of a series; undefined where nothing declares it. A histogram's series have names of their own. */
  function labelsOf(series: string): readonly string[] | undefined {
    if (series === "up") return SCRAPED;
    const whole = declared.get(series);
    const metric = whole ?? declared.get(series.replace(/_(?:bucket|count|sum)$/, ""));
    if (!metric || (metric.type === "histogram") !== (whole === undefined)) return undefined;
    return [...SCRAPED, ...metric.labelNames, ...(series.endsWith("_bucket") ? ["le"] : [])];
  }
  const unknownIn = ({ expr, shown, where }: Watched): string[] => {
    const all = seriesIn(expr);
    const groups = [...expr.matchAll(/\b(?:by|on) \(([^)]*)\)/g)].flatMap(([, list = ""]) =>
      list.split(/,\s*/),
    );
    const named = all.flatMap(({ name, labels }) =>
      labelsOf(name) === undefined
        ? [`${where}: ${name}`]
        : [...labels, ...groups]
            .filter((label) => !labelsOf(name)?.includes(label))
            .map((label) => `${where}: ${name}{${label}}`),
    );
    const left = /\bby \(/.test(expr) ? groups : (labelsOf(all[0]?.name ?? "") ?? []);
    return [
      ...named,
      ...shown.filter((label) => !left.includes(label)).map((label) => `${where}: {{${label}}}`),
    ];
  };

  it("are metrics and labels that the service declares", () => {
    const watched = [...watchedByRules, ...watchedByDashboard, ...seriesOfTests];
    expect(watched.length).toBeGreaterThan(80);
    expect(watched.flatMap(unknownIn)).toEqual([]);
  });

  it("are metrics that Ponder not only declares", () => {
    const names = [...watchedByRules, ...watchedByDashboard]
      .flatMap(({ expr }) => seriesIn(expr))
      .map(({ name }) => name)
      .filter((name) => name.startsWith("ponder_"));
    expect(names.length).toBeGreaterThan(0);
    expect(
      names.filter((name) => !new RegExp(`\\b${base(name)}\\.(?:inc|set|observe)\\(`).test(ponder)),
    ).toEqual([]);
  });

  it("have a series before anything is counted, where the first increase counts", async () => {
    const names = [...rules.matchAll(/\bincrease\((\w+)/g)].map(([, name = ""]) => name);
    expect(names.length).toBeGreaterThan(3);
    const series = await Promise.all(
      names.map(async (name) => [name, (await declared.get(name)?.get())?.values.map(({ value }) => value)]),
    );
    expect(series).toEqual(names.map((name) => [name, expect.arrayContaining([0])]));
  });
});

it("tests each alert, and says in docs/operations.md what to do about it", () => {
  expect(alerts.length).toBeGreaterThan(10);
  expect(alerts.filter((name) => !tests.includes(`- name: ${name}\n`))).toEqual([]);
  const documented = [...operations.matchAll(/^\| ([A-Z]\w+) \|/gm)].map(([, name = ""]) => name);
  expect(documented.filter((name) => name !== "Alert" && name !== "Metric")).toEqual(alerts);
});

it("documents every metric of the service", () => {
  // Channels of the database, its indexes and the console's cookie have such names too.
  const isOther = (before: string): boolean => /\b(?:\w+_CHANNEL|COOKIE) = $|\bname: $/.test(before);
  const metrics = [...code.matchAll(/^(.*)"(vitrine_\w+)"/gm)]
    .filter(([, before = ""]) => !isOther(before))
    .map(([, , name = ""]) => name);
  expect(metrics.length).toBeGreaterThan(35);
  expect(metrics.filter((name) => !new RegExp(`\`${name}\\b`).test(operations))).toEqual([]);
});

it("has a dashboard whose panels don't overlap", () => {
  const places = panels.map(({ gridPos: { x, y } }) => `${x} ${y}`);
  expect(new Set(places).size).toBe(panels.length);
  expect(panels.filter(({ targets }) => targets.length === 0)).toEqual([]);
});
