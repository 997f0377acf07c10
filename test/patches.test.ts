/**
 * drizzle-orm as `npm ci` patches it (patches/) behaves as published, starts load less, and a start writes nothing beside
 * the code; e2e/ponder-patches.test.ts has the rest.
 */

import { execFile } from "node:child_process";
import { readFileSync, statSync, utimesSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { inspect, promisify } from "node:util";
import { entityKind, is, type SQL, sql, Table } from "drizzle-orm";
import {
  integer,
  jsonb,
  numeric,
  PgColumn,
  PgJsonb,
  PgNumeric,
  PgTable,
  pgTable,
  text,
} from "drizzle-orm/pg-core";
import { is as isAsPublished } from "drizzle-orm-published";
import { expect, test } from "vitest";

const tokens = pgTable("tokens", {
  id: numeric("id", { precision: 78, scale: 0 }).primaryKey(),
  name: text("name"),
  document: jsonb("document"),
  block: integer("block"),
});

class Kind {
  readonly id = 1;
  static readonly [entityKind]: string = "Kind";
}
class SameKind {
  readonly id = 1;
  static readonly [entityKind]: string = "Kind";
}
class Special extends Kind {
  static override readonly [entityKind]: string = "Special";
}
class Inheriting extends Kind {}

type Class = Parameters<typeof is>[1];
const types: readonly Class[] = [Table, PgTable, PgColumn, PgNumeric, PgJsonb, Kind, SameKind, Special];

const query: SQL = sql`select ${tokens.id} from ${tokens} where ${tokens.block} > ${7}`;
const values: readonly unknown[] = [
  ...[tokens, tokens.id, tokens.name, tokens.document, tokens.block, query, ...query.queryChunks],
  ...[new Kind(), new SameKind(), new Special(), new Inheriting(), Object.create(new Special())],
  ...[null, undefined, 0, "", false, 1n, {}, [], new Date(0), () => tokens, Kind],
];

test("drizzle-orm's `is` answers as published, the first time and again", () => {
  for (const type of types) {
    for (const value of [...values, ...values])
      expect(is(value, type), `${inspect(value, { depth: 0 })} is a ${type.name}`).toBe(
        isAsPublished(value, type),
      );
  }
});

test("drizzle-orm's `is` refuses a class without a kind, and an object without a prototype, as published", () => {
  class NoKind {}
  for (const ask of [is, isAsPublished]) {
    expect(() => ask({}, NoKind as unknown as Class)).toThrow(/doesn't look like a Drizzle entity/);
    expect(() => ask(Object.create(null), Kind)).toThrow(TypeError);
  }
});

test("drizzle-orm's `is` looks a class's kind up once, however many of its values are asked about", () => {
  let reads = 0;
  class Counted {
    readonly id = 1;
    static get [entityKind](): string {
      reads++;
      return "Counted";
    }
  }
  for (let nth = 0; nth < 100; nth++) expect(is(new Counted(), Kind)).toBe(false);
  expect(reads).toBe(1);
});

test("Ponder uses the patched drizzle-orm, of the version that the benches take for published", () => {
  const require = createRequire(import.meta.url);
  const ponder = createRequire(require.resolve("../node_modules/ponder/package.json"));
  expect(ponder.resolve("drizzle-orm")).toBe(require.resolve("drizzle-orm"));

  const { dependencies, devDependencies } = require("../package.json");
  expect(devDependencies["drizzle-orm-published"]).toBe(`npm:drizzle-orm@${dependencies["drizzle-orm"]}`);
});

test("the bare app of the benches has the published drizzle-orm, in each of its parts", async () => {
  const script = `
    for (const name of ["drizzle-orm", "drizzle-orm/pg-core", "ponder"]) console.log(import.meta.resolve(name));
    console.log((await import("drizzle-orm")).is === (await import("drizzle-orm-published")).is);`;
  const preload = new URL("../bench/published-drizzle.mjs", import.meta.url).href;
  const args = ["--import", preload, "--input-type=module", "--eval", script];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: import.meta.dirname });

  const [whole, part, other, isPublished] = stdout.trim().split("\n");
  expect(whole).toMatch(/node_modules\/drizzle-orm-published\/index\.js$/);
  expect(part).toMatch(/node_modules\/drizzle-orm-published\/pg-core\/index\.js$/);
  expect(other).toMatch(/node_modules\/ponder\//);
  expect(isPublished).toBe("true");
});

test("each path that drizzle-orm exports is the same file as published, by a package.json of a sixth", async () => {
  const size = (name: string) =>
    readFileSync(new URL(`../node_modules/${name}/package.json`, import.meta.url)).length;
  expect(size("drizzle-orm")).toBeLessThan(size("drizzle-orm-published") / 6);

  const script = `
    const { createRequire } = await import("node:module");
    const require = createRequire(import.meta.url);
    const published = Object.entries(require("./node_modules/drizzle-orm-published/package.json").exports);
    for (const [path, target] of published) {
      const name = "drizzle-orm" + path.slice(1);
      const found = [import.meta.resolve(name), require.resolve(name)];
      const isRight = [target.import, target.require].every(({ default: file }, nth) =>
        found[nth].endsWith("/node_modules/drizzle-orm/" + file.slice(2)));
      if (!isRight) console.log(path, found);
    }
    console.log(published.length);`;
  const args = ["--input-type=module", "--eval", script];
  const { stdout } = await promisify(execFile)(process.execPath, args, {
    cwd: new URL("..", import.meta.url),
  });
  expect(stdout).toBe("439\n");
});

test("Ponder reads viem's chains only for one whose `rpc` is a URL, and knows when blocks are final without them", async () => {
  const script = `
    import { registerHooks } from "node:module";
    let definitions = 0;
    const load = (url, context, next) => {
      if (url.includes("/chains/definitions/")) definitions++;
      return next(url, context);
    };
    registerHooks({ load });
    const { buildConfig } = await import(${JSON.stringify(new URL("../node_modules/ponder/dist/esm/build/config.js", import.meta.url).href)});
    const logger = new Proxy({}, { get: () => () => undefined });
    const common = { logger, shutdown: { add: () => undefined }, options: { rpcMaxConcurrency: 25 } };
    const transport = () => ({ request: async () => null });
    for (const rpc of [transport, "https://rpc.example"]) {
      const config = { chains: { a: { id: 1, rpc }, b: { id: 137, rpc }, c: { id: 999, rpc }, d: { id: 123454321, rpc } } };
      const { chains } = buildConfig({ common, config });
      console.log(JSON.stringify({
        finality: chains.map((chain) => chain.finalityBlockCount),
        names: chains.map((chain) => chain.viemChain?.name ?? null),
        definitions,
      }));
    }
    process.exit(0);`;
  const args = ["--input-type=module", "--eval", script];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: import.meta.dirname });

  const [byTransport, byUrl] = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(byTransport).toEqual({
    finality: [65, 200, 30, 30],
    names: [null, null, "Hyperliquid EVM", null],
    definitions: 0,
  });
  expect(byUrl).toMatchObject({
    finality: [65, 200, 30, 30],
    names: ["Ethereum", "Polygon", "Hyperliquid EVM", null],
  });
  expect(byUrl.definitions).toBeGreaterThan(500);
});

test("a start leaves ponder-env.d.ts as it is: an image and a systemd unit have their code read-only", async () => {
  const { runCodegen } = await import(
    new URL("../node_modules/ponder/dist/esm/bin/utils/codegen.js", import.meta.url).href
  );
  const file = fileURLToPath(new URL("../ponder-env.d.ts", import.meta.url));
  const longAgo = new Date(0);
  const { atime, mtime } = statSync(file);
  utimesSync(file, longAgo, longAgo);
  try {
    runCodegen({ common: { options: { rootDir: dirname(file) }, logger: { debug: () => undefined } } });

    expect(statSync(file).mtime).toEqual(longAgo);
  } finally {
    utimesSync(file, atime, mtime);
  }
});
