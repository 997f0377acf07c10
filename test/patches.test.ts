/**
 * drizzle-orm as `npm ci` patches it (patches/) behaves as published, and starts load less; e2e/ponder-patches.test.ts has
 * the rest.
 */

import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
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
    const paths = Object.keys(require("./node_modules/drizzle-orm-published/package.json").exports);
    for (const path of paths)
      for (const resolve of [import.meta.resolve, require.resolve]) {
        const [own, published] = ["drizzle-orm", "drizzle-orm-published"].map((name) =>
          resolve(name + path.slice(1)).replace(/.*node_modules.drizzle-orm(-published)?/, ""));
        if (own !== published) console.log(path, own, published);
      }
    console.log(paths.length);`;
  const args = ["--input-type=module", "--eval", script];
  const { stdout } = await promisify(execFile)(process.execPath, args, {
    cwd: new URL("..", import.meta.url),
  });
  expect(stdout).toBe("439\n");
});
