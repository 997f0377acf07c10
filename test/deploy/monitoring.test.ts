import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

const ROOT = join(import.meta.dirname, "../..");
const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");
const namesIn = (text: string, prefix: string): Set<string> =>
  new Set(text.match(new RegExp(`\\b${prefix}_[a-z_]+`, "g")) ?? []);
/** A histogram's series have names of their own. */
const base = (name: string): string => name.replace(/_(?:bucket|count|sum)$/, "");

const code = readdirSync(join(ROOT, "src/api"), { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".ts"))
  .map((file) => read(join("src/api", file)))
  .join("\n");
const rules = read("deploy/prometheus/vitrine.rules.yml");
const dashboard = read("deploy/grafana/vitrine.json");
const operations = read("docs/operations.md");
const alerts = [...rules.matchAll(/- alert: (\w+)/g)].map(([, name = ""]) => name);

it("watches only metrics that the service has", () => {
  const watched = [...namesIn(rules + dashboard, "vitrine")].map(base);
  expect(watched.length).toBeGreaterThan(15);
  expect(watched.filter((name) => !code.includes(name))).toEqual([]);
});

it("tests each alert, and says in docs/operations.md what to do about it", () => {
  const tests = read("deploy/prometheus/vitrine.rules.test.yml");
  expect(alerts.length).toBeGreaterThan(10);
  expect(alerts.filter((name) => !tests.includes(`- name: ${name}\n`))).toEqual([]);
  const documented = [...operations.matchAll(/^\| ([A-Z]\w+) \|/gm)].map(([, name = ""]) => name);
  expect(documented.filter((name) => name !== "Alert" && name !== "Metric")).toEqual(alerts);
});

it("documents every metric of the service", () => {
  const metrics = new Set(
    [
      ...code.matchAll(
        /"(vitrine_[a-z_]+_(?:total|seconds|bytes|tokens|hosts|sweeps|left|pending|paused))"/g,
      ),
    ].map(([, name = ""]) => name),
  );
  expect(metrics.size).toBeGreaterThan(25);
  // Indexes have such names too.
  const found = [...metrics].filter((name) => !name.includes("_by_"));
  expect(found.filter((name) => !operations.includes(`\`${name}`))).toEqual([]);
});

it("has a dashboard whose panels don't overlap", () => {
  const { panels } = JSON.parse(dashboard) as {
    panels: { title: string; gridPos: { x: number; y: number }; targets: unknown[] }[];
  };
  const places = panels.map(({ gridPos: { x, y } }) => `${x} ${y}`);
  expect(new Set(places).size).toBe(panels.length);
  expect(panels.filter(({ targets }) => targets.length === 0)).toEqual([]);
});
