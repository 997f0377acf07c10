/** The tables that modules declare for typed statements, compared with the database after all migrations. */

import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { is } from "drizzle-orm";
import { getTableConfig, PgTable } from "drizzle-orm/pg-core";
import { describe, expect, it } from "vitest";
import { app } from "../../../src/api/access/tables.ts";
import { orm } from "../../../src/api/db/orm.ts";
import { ownerOf } from "../../../src/api/db/tables.ts";
import { createTestDatabase } from "../../support/database/database.ts";

const API = resolve(import.meta.dirname, "../../../src/api");
const { database } = await createTestDatabase();

const files = readdirSync(API, { recursive: true, encoding: "utf8" }).filter(
  (file) => /\.tsx?$/.test(file) && /= vitrine\.table\(/.test(readFileSync(join(API, file), "utf8")),
);
const declared = (
  await Promise.all(
    files.map(async (file) => {
      const exported: Record<string, unknown> = await import(join(API, file));
      return Object.values(exported)
        .filter((each): each is PgTable => is(each, PgTable))
        .map((table) => ({ file, module: file.split("/")[0], table, ...getTableConfig(table) }));
    }),
  )
).flat();

interface ColumnRow {
  readonly name: string;
  readonly type: string;
  readonly notNull: boolean;
  readonly hasDefault: boolean;
  readonly isKey: boolean;
}

const columnsInDatabase = (table: string): Promise<ColumnRow[]> =>
  database.query<ColumnRow>(
    `select a.attname as name, format_type(a.atttypid, a.atttypmod) as type, a.attnotnull as "notNull",
            a.atthasdef or a.attidentity <> '' as "hasDefault",
            exists (select from pg_index i where i.indrelid = a.attrelid and i.indisprimary and a.attnum = any(i.indkey)) as "isKey"
       from pg_attribute a
      where a.attrelid = to_regclass('vitrine.' || quote_ident($1)) and a.attnum > 0 and not a.attisdropped
      order by a.attname`,
    [table],
  );

/** The database's name of a type, which drizzle may shorten. */
const typeInDatabase = (type: string): string => type.replace(/^timestamptz$/, "timestamp with time zone");

describe("the declared tables", () => {
  it("are all found: every file that declares one exports it", () => {
    const counts = files.map(
      (file) => readFileSync(join(API, file), "utf8").split(/= vitrine\.table\(/).length - 1,
    );
    expect(declared).toHaveLength(counts.reduce((sum, count) => sum + count, 0));
    expect(declared.length).toBeGreaterThan(0);
  });

  it.each(declared.map((each) => [each.name, each] as const))(
    "%s is declared by its owner, once, with the columns, types, defaults and key of the database",
    async (name, { module, schema, columns, primaryKeys }) => {
      expect([schema, ownerOf(name)]).toEqual(["vitrine", module]);
      expect(declared.filter((each) => each.name === name)).toHaveLength(1);
      const keys = new Set(primaryKeys.flatMap((key) => key.columns.map((column) => column.name)));
      const rows = columns.map((column) => {
        const inDatabase = column.name || "";
        return {
          name: snake(inDatabase),
          type: typeInDatabase(column.getSQLType()),
          notNull: column.notNull,
          hasDefault: column.hasDefault,
          isKey: column.primary || keys.has(inDatabase),
        };
      });
      expect(rows.toSorted((a, b) => (a.name < b.name ? -1 : 1))).toEqual(await columnsInDatabase(name));
    },
  );
});

/** As the `casing` of `orm` names columns. */
const snake = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

describe("typed statements", () => {
  it("run in the transaction that they are given, and are rolled back with it", async () => {
    const added = database.transaction(async (tx) => {
      await orm(tx)
        .insert(app)
        .values({ id: "00000000-0000-4000-8000-000000000001", name: "One", apis: ["market"] });
      expect(await orm(tx).$count(app)).toBe(1);
      throw new Error("rolled back");
    });

    await expect(added).rejects.toThrow("rolled back");
    expect(await orm(database).$count(app)).toBe(0);
  });

  it("keep texts, lists, nulls and times as they are", async () => {
    const row = { name: `"'\\{},null\n`, apis: [`a"b`, "", "NULL", "{,}"], collections: null, owner: null };

    await orm(database)
      .insert(app)
      .values({ id: "00000000-0000-4000-8000-000000000002", ...row });

    const [found] = await orm(database).select().from(app);
    expect(found).toMatchObject({ ...row, tier: "advanced" });
    expect(Math.abs(Date.now() - Number(found?.createdAt))).toBeLessThan(3_600_000);
  });
});
