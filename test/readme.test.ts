/** The README names only things that exist. */

import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { Readable } from "node:stream";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { docTables, withTable } from "../bench/doc-tables.ts";
import { readKept } from "../bench/kept-results.ts";
import { writeReport } from "../bench/report.ts";
import { printOpenApi } from "../bin/generated-files.ts";
import { checkTarget } from "../bin/vitrine/check-target.ts";
import { reportLines } from "../bin/vitrine/report-lines.ts";
import { mediaReasons } from "../src/api/media/rules.ts";
import { issueTable } from "../src/api/metadata/document/issues.ts";

const ROOT = resolve(import.meta.dirname, "..");
const read = (file: string): string => readFileSync(join(ROOT, file), "utf8");
const readme = read("README.md");
const section = (title: string): string => readme.split(`\n## ${title}\n`)[1]?.split("\n## ")[0] ?? "";

describe("the README", () => {
  it("has the figures of the last runs of the benches, and so have docs/benchmarks.md and other pages", () => {
    const kept = readKept();
    expect(Object.keys(kept)).not.toEqual([]);
    for (const table of docTables) {
      const lines = table.write(kept);
      expect(lines, `${table.file} ${table.name}`).toMatch(/\|.*[0-9]/);
      // A figure that the result doesn't have leaves its cell empty.
      expect(lines?.split("\n").slice(1).join("\n")).not.toMatch(/\| \||, \||NaN|\| ,|\( |\(\)/);
      expect(read(table.file)).toBe(withTable(read(table.file), table, lines ?? ""));
    }
    expect(section("Performance")).toContain(docTables[0]?.write(kept));
    expect(read("docs/benchmarks.md")).toBe(writeReport(kept));
  });

  it("and the report name each bar, and which are missed", () => {
    const run = { revision: "1", date: "", node: "24", machine: "" };
    const row = (text: string) => report.split("\n").find((line) => line.startsWith(`| ${text} |`));
    const report = writeReport({
      a: {
        run,
        result: {
          at: { ratio: 0.9, vitrine_per_second: 9, bar: { ratio: 0.9, per_second: 9 } },
          below: { ratio: 0.89, vitrine_per_second: 8, bar: { ratio: 0.9, per_second: 9 } },
          soon: { p50_ms: 10, p99_ms: 20, bar: { p50_ms: 10, p99_ms: 20 } },
          late: { p50_ms: 10.1, p99_ms: 19, bar: { p50_ms: 10, p99_ms: 20 } },
        },
      },
    });

    expect(row("a · at")).toContain("ratio 0.9; per second 9 |");
    expect(row("a · below")).toContain("ratio 0.9, **missed**; per second 9, **missed** |");
    expect(row("a · soon")).toContain("p50 ms 10; p99 ms 20 |");
    expect(row("a · late")).toContain("p50 ms 10, **missed**; p99 ms 20 |");
  });

  it("names every npm script, and none that is not there", () => {
    const { scripts } = JSON.parse(read("package.json")) as { scripts: Record<string, string> };
    const named = [...readme.matchAll(/npm (?:run )?([a-z:]+)/g)]
      .map(([, name]) => name ?? "")
      .filter((name) => !["ci", "install"].includes(name));

    expect([...new Set(named)].filter((name) => !(name in scripts))).toEqual([]);
    // `npm ci` runs the last one itself.
    const others = ["vitrine", "postinstall"];
    expect(Object.keys(scripts).filter((name) => !others.includes(name) && !named.includes(name))).toEqual(
      [],
    );
  });

  it("names every REST route, and none that is not there", () => {
    const { paths } = JSON.parse(printOpenApi()) as { paths: Record<string, Record<string, unknown>> };
    const documented = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    const named = [...section("Routes").matchAll(/^\| (`.+?) \|/gm)].flatMap(([, cell = ""]) => {
      const words = cell.replaceAll("`", "").split(/[\s,]+/);
      let methods: string[] = [];
      return words.flatMap((word) => {
        if (!word.startsWith("/")) {
          methods = [...methods, word];
          return [];
        }
        const routes = methods.map((method) => `${method} ${word}`);
        methods = methods.length > 1 ? [] : methods;
        return routes;
      });
    });
    const others = [
      "POST /graphql",
      "GET /graphql",
      "GET /openapi.json",
      "GET /health",
      "GET /ready",
      "GET /status",
      "GET /metrics",
    ];

    expect(named.toSorted()).toEqual([...documented, ...others].toSorted());
  });

  it("names every variable that the code reads, and .env.example does too", () => {
    const code = [
      "src/config.ts",
      "src/api/config.ts",
      "src/api/tracing/config.ts",
      "src/api/postgres/database-url.ts",
      "bin/ponder-process.ts",
    ]
      .map(read)
      .join("\n");
    const variables = [...code.matchAll(/\b(?:environment|env)\.([A-Z][A-Z_]+)|^ {2}([A-Z][A-Z_]+): /gm)].map(
      ([, a, b]) => a ?? b ?? "",
    );
    const known = new Set(
      [...variables, "PONDER_RPC_URL_", "DELEGATE_REGISTRY_"].filter(
        (name) => !/^(NO_COLOR|FORCE_COLOR)/.test(name),
      ),
    );
    const namedIn = (text: string): Set<string> =>
      new Set([...text.matchAll(/\b([A-Z]+_[A-Z_]+|PORT)(?=\b|\d)/g)].map(([, name = ""]) => name));

    const table = namedIn(readme.split("### Configuration")[1]?.split("\n## ")[0] ?? "");
    expect([...known].filter((name) => !table.has(name))).toEqual([]);
    expect([...table].filter((name) => !known.has(name))).toEqual([]);
    expect([...known].filter((name) => !namedIn(read(".env.example")).has(name))).toEqual([]);
  });

  it("holds the table of issue codes as the code has it", () => {
    const rows = [...section("Metadata issues").matchAll(/^\| `(\w+)` \| (\w+) \| (.+) \|$/gm)].map(
      ([, code, level, meaning]) => [code, level, meaning],
    );

    expect(rows).toEqual(
      Object.entries(issueTable).map(([code, { level, meaning }]) => [code, level, meaning]),
    );
  });

  it("shows what npx vitrine check prints", async () => {
    const [, document = ""] = /^echo '(.+)' \| npx vitrine check -$/m.exec(section("Check metadata")) ?? [];
    const [, printed = ""] = /^```text\n(.+?)^```$/ms.exec(section("Check metadata")) ?? [];

    const report = await checkTarget("-", {}, {}, Readable.from([Buffer.from(document)]));

    // Without a name server, the same host can't be reached for another reason.
    expect(`${reportLines(report).join("\n")}\n`.replace("EAI_AGAIN", "ENOTFOUND")).toBe(printed);
  });

  it("links to files that exist", () => {
    const links = [...readme.matchAll(/\]\((?!https?:)([^)]+)\)/g)];

    expect(links.length).toBeGreaterThan(20);
    for (const [, file = ""] of links) expect(read(file).length, file).toBeGreaterThan(0);
  });
});

describe("generated files", () => {
  it("report the level and the meaning of every issue code", () => {
    const { components } = JSON.parse(read("openapi.json"));
    const { enum: codes, description } = components.schemas.Issue.properties.code;

    const documented = Object.entries(issueTable).map(
      ([code, { level, meaning }]) => `- \`${code}\` (${level}): ${meaning}`,
    );

    expect(codes).toEqual([...Object.keys(issueTable), "host_not_allowed", ...mediaReasons]);
    expect(description.split("\n").slice(0, documented.length)).toEqual(documented);
  });

  it("are what the code says", async () => {
    const run = promisify(execFile)(process.execPath, ["--import", "tsx", "bin/generate.ts", "--check"], {
      cwd: ROOT,
    });

    await expect(run).resolves.toMatchObject({ stderr: "" });
  });
});
