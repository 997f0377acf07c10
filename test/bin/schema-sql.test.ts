import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { schemaSql } from "../../bin/schema-sql.ts";
import { createTestDatabase } from "../support/database/database.ts";

const { database, url } = await createTestDatabase();
const committed = readFileSync(new URL("../../src/api/db/schema.sql", import.meta.url), "utf8");

describe("schema.sql", () => {
  it("is what the migrations make", async () => {
    expect(await schemaSql(url)).toBe(committed);
  });

  it("makes the same schema in a database that has none", async () => {
    await database.query("drop schema vitrine cascade");
    await database.query(committed);

    expect(await schemaSql(url)).toBe(committed);
  });

  it.each([
    [
      "alter table vitrine.token add note text collate \"C\" not null default 'none'",
      /note text COLLATE "C" DEFAULT 'none'::text NOT NULL,$/m,
    ],
    [
      "alter table vitrine.token add twice int generated always as (versions * 2) stored",
      /twice integer GENERATED ALWAYS AS \(\(versions \* 2\)\) STORED,$/m,
    ],
    ["alter table vitrine.host set (fillfactor = 90)", /^\) WITH \(fillfactor=90\);$/m],
    [
      "create index token_name on vitrine.token (lower(name)) where name is not null",
      /^CREATE INDEX token_name ON vitrine\.token USING btree \(lower\(name\)\) WHERE \(name IS NOT NULL\);$/m,
    ],
    [
      "alter table vitrine.token add constraint named check (name <> '')",
      /CONSTRAINT named CHECK \(\(name <> ''::text\)\)$/m,
    ],
    ["drop trigger tell_of_seen on vitrine.token", /^(?![\s\S]*CREATE TRIGGER tell_of_seen)/],
  ])("would report %s", async (change, says) => {
    await expect(schemaAfter(change)).resolves.toMatch(says);
  });

  it.each([
    ["create view vitrine.names as select name from vitrine.token", "vitrine.names is a relation of kind v"],
    ["create sequence vitrine.numbers", "vitrine.numbers is a relation of kind S"],
    ["create type vitrine.color as enum ('red')", "vitrine.color is a type"],
    ["alter table vitrine.token enable row level security", "vitrine.token is a table with row security"],
    ["create table vitrine.orphan ()", "vitrine.orphan has no owner"],
  ])("is refused after %s", async (change, says) => {
    await expect(schemaAfter(change)).rejects.toThrow(says);
  });
});

/** The schema of a copy of the database after a further migration. */
async function schemaAfter(change: string): Promise<string> {
  const { database: changed, url: itsUrl } = await createTestDatabase();
  await changed.query(change);
  return schemaSql(itsUrl);
}
