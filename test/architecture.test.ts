/** The layers of CONTRIBUTING.md, checked against the imports of every source file. */

import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { describe, expect, it } from "vitest";

const ROOT = resolve(import.meta.dirname, "..");
const LINES_MAX = 400;
const LINES_MEDIAN_MAX = 100;

const sources = (folder: string): string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
    .filter((file) => /\.tsx?$/.test(file))
    .map((file) => join(folder, file));

/** A file's imports: project files by path from the root, packages by name. */
function importsOf(file: string): string[] {
  const text = readFileSync(join(ROOT, file), "utf8");
  const specifiers = [...text.matchAll(/(?:from|import)\s*\(?\s*"([^"]+)"/g)].map((match) => match[1] ?? "");
  return specifiers.map((name) =>
    name.startsWith(".") ? relative(ROOT, resolve(ROOT, dirname(file), name)) : name,
  );
}

/** The module of a serving-half file: its folder, or the file itself at the top level. */
const moduleOf = (file: string): string => /^src\/api\/([^/]+)/.exec(file)?.[1] ?? "";

/** In order: each may import only those before it. */
const foundations = [
  "text",
  "free-bytes.ts",
  "usable-memory.ts",
  "own-addresses.ts",
  "data-folder.ts",
  "local-secrets.ts",
  "store-address.ts",
  "process-wide.ts",
  "logging",
  "async",
  "tracing",
  "db",
  "http",
  "jobs",
  "config.ts",
  "misspelt.ts",
  "postgres",
  "chain",
  "fetch",
  "ui",
  "boot.ts",
  "ponder-runtime.ts",
];
const subjects = [
  "metadata",
  "refresh",
  "media",
  "search",
  "catalog",
  "trading",
  "access",
  "delegation",
  "events",
  "webhooks",
];
const assembly = ["app", "graphql", "pages", "console", "operator"];

/** The project files that a file loads, directly or not; type imports load nothing. */
function reach(file: string, seen = new Set<string>()): readonly string[] {
  const text = readFileSync(join(ROOT, file), "utf8");
  for (const [, names, specifier] of text.matchAll(
    /^(?:import|export) (?!type)([^;]*?)from "(\.[^"]*)"/gms,
  )) {
    const target = relative(ROOT, resolve(ROOT, dirname(file), specifier ?? ""));
    if (/^\{(?:\s*type \w+,?)+\s*\}/.test(names ?? "") || seen.has(target)) continue;
    seen.add(target);
    reach(target, seen);
  }
  return [...seen];
}

/** The files that assemble the modules. */
const roots = ["index.ts", "bundled.ts", "boot-index.ts", "serve.ts", "services.ts", "background.ts"];

const violations = (
  files: readonly string[],
  isAllowed: (target: string, file: string) => boolean,
): string[] =>
  files.flatMap((file) =>
    importsOf(file)
      .filter((target) => !isAllowed(target, file))
      .map((target) => `${file} imports ${target}`),
  );

const isIn =
  (...prefixes: readonly string[]) =>
  (target: string): boolean =>
    prefixes.some((prefix) => target.startsWith(prefix));

describe("the layers", () => {
  const api = sources("src/api");

  it("lets src/domain import nothing but itself and pure functions", () => {
    expect(violations(sources("src/domain"), isIn("src/domain/", "viem"))).toEqual([]);
  });

  it("lets handlers use the domain, Ponder and pure helpers, and neither the network nor the serving half", () => {
    const allowed = isIn("src/domain/", "src/indexing/", "ponder:registry", "ponder:schema", "viem");
    expect(violations(sources("src/indexing"), allowed)).toEqual([]);
  });

  it("lets only the composition root touch Ponder's API module", () => {
    const importers = api.filter((file) =>
      importsOf(file).some((name) => name === "ponder:api" || name === "ponder"),
    );
    expect(importers).toEqual(["src/api/index.ts"]);
  });

  it("lets a foundation import the domain and the foundations before it, so that none form a cycle", () => {
    const files = api.filter((file) => foundations.includes(moduleOf(file)));
    const isBefore = (target: string, file: string): boolean =>
      moduleOf(target) === moduleOf(file) ||
      foundations.slice(0, foundations.indexOf(moduleOf(file))).includes(moduleOf(target));
    const isOurs = isIn("src/api/");
    expect(violations(files, (target, file) => !isOurs(target) || isBefore(target, file))).toEqual([]);
  });

  it("lets subjects reach other subjects and foundations, never the assembly", () => {
    const files = api.filter((file) => subjects.includes(moduleOf(file)));
    const forbidden = assembly.map((module) => `src/api/${module}/`);
    expect(violations(files, (target) => !isIn(...forbidden)(target))).toEqual([]);
  });

  it("lets no module import another's store but for its types (who names which table: tables.test.ts)", () => {
    const crossing = api.flatMap((file) => {
      const text = readFileSync(join(ROOT, file), "utf8");
      return [
        ...text.matchAll(/^import (?!type)[^;]*?from "(\.[^"]*\/(?:[\w-]*store|queue|receipts)\.ts)"/gms),
      ]
        .map((match) => relative(ROOT, resolve(ROOT, dirname(file), match[1] ?? "")))
        .filter((target) => moduleOf(target) !== moduleOf(file) && file !== "src/api/serve.ts")
        .map((target) => `${file} imports ${target}`);
    });
    expect(crossing).toEqual([]);
  });

  it("imports nothing of another subject past its faces, module.ts and rules.ts, but types", () => {
    const past = api.flatMap((file) => {
      const text = readFileSync(join(ROOT, file), "utf8");
      return [...text.matchAll(/^(?:import|export) (?!type)([^;]*?)from "(\.[^"]*)"/gms)]
        .filter((match) => !/^\{(?:\s*type \w+,?)+\s*\}/.test(match[1] ?? ""))
        .map((match) => relative(ROOT, resolve(ROOT, dirname(file), match[2] ?? "")))
        .filter((target) => [...subjects, ...assembly].includes(moduleOf(target)))
        .filter((target) => moduleOf(target) !== moduleOf(file) && !/\/(?:module|rules)\.ts$/.test(target))
        .map((target) => `${file} imports ${target}`);
    });
    // The application is its own face.
    expect(past).toEqual(["src/api/serve.ts imports src/api/app/app.ts"]);
  });

  it("keeps rules.ts free of what runs: it imports no module.ts, and nothing but rules", () => {
    const loads = api
      .filter((file) => file.endsWith("/rules.ts"))
      .flatMap((file) => reach(file).map((target) => `${file} loads ${target}`));
    expect(loads.filter((line) => /\/(?:module|service|\w*-?store|routes)\.tsx?$/.test(line))).toEqual([]);
  });

  it("has every module of the serving half on its map", () => {
    const known = new Set([...foundations, ...subjects, ...assembly, ...roots]);
    expect([...new Set(api.map(moduleOf))].filter((module) => !known.has(module))).toEqual([]);
  });

  it("keeps modules free of circles between subjects", () => {
    const edges = new Map<string, Set<string>>();
    for (const file of api.filter((each) => subjects.includes(moduleOf(each)))) {
      const targets = importsOf(file)
        .map(moduleOf)
        .filter((module) => subjects.includes(module) && module !== moduleOf(file));
      edges.set(moduleOf(file), new Set([...(edges.get(moduleOf(file)) ?? []), ...targets]));
    }
    const reaches = (from: string, to: string, seen = new Set<string>()): boolean =>
      [...(edges.get(from) ?? [])].some(
        (next) => next === to || (!seen.has(next) && reaches(next, to, seen.add(next))),
      );
    expect([...edges.keys()].filter((module) => reaches(module, module))).toEqual([]);
  });
});

describe("the operator's CLI", () => {
  it("loads no package but its parser before it knows the command, so that each starts at once", () => {
    const entry = "bin/vitrine.ts";
    const statics = [entry, ...reach(entry)].flatMap((file) =>
      [
        ...readFileSync(join(ROOT, file), "utf8").matchAll(
          /^(?:import|export) (?!type)[^;]*?from "([^".][^"]*)"/gms,
        ),
      ].map(([, name]) => name),
    );
    expect([...new Set(statics)].filter((name) => !name?.startsWith("node:"))).toEqual(["commander"]);
  });
});

describe("the npm client", () => {
  const files = sources("clients/typescript/src");

  it("imports nothing but its own files, so that it runs where only the web platform is", () => {
    expect(files.length).toBeGreaterThan(5);
    expect(violations(files, isIn("clients/typescript/src/"))).toEqual([]);
  });
});

describe("what tests share", () => {
  it("imports no suite, so that each can be read and run without the others", () => {
    const isSuite = (target: string) => target.startsWith("test/") && !target.startsWith("test/support/");
    expect(violations(sources("test/support"), (target) => !isSuite(target))).toEqual([]);
  });
});

describe("source files", () => {
  it("keeps tests out of src, where Ponder would execute them", () => {
    expect(sources("src").filter((file) => file.includes(".test."))).toEqual([]);
  });

  it("builds the keys of collections and tokens in src/domain/token-ref.ts alone", () => {
    const builders = ["src", "bin", "demo", "bench"]
      .flatMap(sources)
      .filter((file) =>
        /\$\{[^}]*(?:chainId|chain_id)\}:\$\{(?!wallet|from)/.test(readFileSync(join(ROOT, file), "utf8")),
      );
    expect(builders).toEqual(["src/domain/token-ref.ts"]);
  });

  it("keeps source files short enough to read in one sitting, and half of them far shorter", () => {
    const files = ["src", "bin", "demo", "clients/typescript/src"]
      .flatMap(sources)
      .filter((file) => file !== "clients/typescript/src/api.ts");
    const lengths = files.map((file) => readFileSync(join(ROOT, file), "utf8").split("\n").length);
    expect(files.filter((_, at) => (lengths[at] ?? 0) > LINES_MAX)).toEqual([]);
    const sorted = lengths.toSorted((a, b) => a - b);
    expect(sorted[Math.floor(sorted.length / 2)]).toBeLessThan(LINES_MEDIAN_MAX);
  });
});
