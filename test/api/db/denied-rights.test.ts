/** A database that was restored under another role, as the role that the service connects with finds it. */

import { randomBytes } from "node:crypto";
import pg from "pg";
import { expect, it, onTestFinished } from "vitest";
import { readIndexAtStart } from "../../../src/api/chain/index/index-at-start.ts";
import { explainDenied } from "../../../src/api/db/denied-rights.ts";
import { migrate } from "../../../src/api/db/migrate.ts";
import { BootError } from "../../../src/boot-error.ts";
import { createDatabaseOf } from "../../support/database/run-database.ts";
import { TEMPLATE } from "../../support/setup/global-postgres.ts";

/** A migrated database of the role `vitrine`, and a role that may create schemas in it. */
async function createForeign() {
  const { url, drop } = await createDatabaseOf(TEMPLATE);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const role = `guest_${randomBytes(4).toString("hex")}`;
  onTestFinished(async () => {
    await client.query(`drop owned by ${role} cascade`);
    await client.query(`drop role ${role}`);
    await client.end();
    await drop();
  });
  await client.query(`create role ${role} login password 'g'`);
  await client.query(`grant create on database ${client.database} to ${role}`);
  const connectionString = Object.assign(new URL(url), { username: role, password: "g" }).href;
  return { connectionString, role, admin: client };
}

const outcome = (connectionString: string, schema = "chain") =>
  explainDenied({ connectionString, schema }, () => migrate(connectionString)).catch(
    (error: unknown) => error,
  );

it.each([
  ["none of the schema", undefined, "permission denied for schema vitrine"],
  ["the schema and no table", "grant all on schema vitrine to ROLE", "permission denied for table migration"],
])("a role that may use %s ends with the owner and what to do", async (_rights, grant, denial) => {
  const { connectionString, role, admin } = await createForeign();
  if (grant) await admin.query(grant.replace("ROLE", role));

  const error = await outcome(connectionString);

  expect(error).toBeInstanceOf(BootError);
  expect((error as Error).message).toBe(
    `Role "${role}" lacks rights on schema "vitrine" of role "vitrine" (${denial}); name the owner in DATABASE_URL, or restore the database as "${role}": see docs/deploy.md "Backup".`,
  );
});

it("a migration that only the tables' owner may apply is refused alike", async () => {
  const { connectionString, role, admin } = await createForeign();
  await admin.query(`grant all on schema vitrine to ${role}`);
  await admin.query(`grant all on all tables in schema vitrine to ${role}`);
  const migration = { id: 9_999, name: "9999_a.sql", sql: "alter table vitrine.migration add column a int" };

  const refused = explainDenied({ connectionString, schema: "chain" }, () =>
    migrate(connectionString, [migration]),
  );

  await expect(refused).rejects.toThrow(
    `Role "${role}" lacks rights on schema "vitrine" of role "vitrine" (Migration 9999_a.sql failed: must be owner of table migration); name the owner`,
  );
});

it("names both schemas where another role has both, and its own tables are no reason", async () => {
  const { connectionString, role, admin } = await createForeign();
  await admin.query("create schema chain_2");
  await admin.query(`create schema own authorization ${role}`);

  expect(String(await outcome(connectionString, "chain_2"))).toContain(
    'on schema "chain_2" of role "vitrine" and schema "vitrine" of role "vitrine" (permission',
  );
  expect(String(await outcome(connectionString, "own"))).toContain(
    'rights on schema "vitrine" of role "vitrine" (permission',
  );
});

it.each([
  ["none of it", "", "permission denied for schema ponder_sync"],
  ["no table of it", "grant all on schema ponder_sync to ROLE", "permission denied for table blocks"],
  [
    "its tables only read",
    "grant all on schema ponder_sync to ROLE; grant all on ponder_sync.blocks to ROLE; grant select on ponder_sync.logs to ROLE",
    "permission denied for table logs",
  ],
])(
  "a start names what Ponder has stored of the chains, if the role may use %s",
  async (_rights, grant, denial) => {
    const { connectionString, role, admin } = await createForeign();
    await admin.query(`grant usage on schema vitrine to ${role}`);
    await admin.query("create schema ponder_sync");
    await admin.query("create table ponder_sync.blocks (number int); create table ponder_sync.logs (id int)");
    await admin.query(grant.replaceAll("ROLE", role));

    const refused = explainDenied({ connectionString, schema: "fresh" }, () =>
      readIndexAtStart(connectionString, "fresh"),
    );

    await expect(refused).rejects.toThrow(
      `lacks rights on schema "ponder_sync" of role "vitrine" and schema "vitrine" of role "vitrine" (${denial})`,
    );
  },
);

it("a role with all rights on what Ponder has stored may start", async () => {
  const { connectionString, role, admin } = await createForeign();
  await admin.query(
    `grant usage on schema vitrine to ${role}; grant select on all tables in schema vitrine to ${role}`,
  );
  await admin.query("create schema ponder_sync; create table ponder_sync.blocks (number int)");
  await admin.query(
    `grant all on schema ponder_sync to ${role}; grant all on all tables in schema ponder_sync to ${role}`,
  );

  const found = await readIndexAtStart(connectionString, "fresh");

  expect(found.finalized).toEqual([]);
});

it("a right that was taken from the owner itself is named as PostgreSQL names it", async () => {
  const { connectionString, role, admin } = await createForeign();
  await admin.query(`alter schema vitrine owner to ${role}`);
  await admin.query(
    `do $$ declare t record; begin
       for t in select oid::regclass as name from pg_class where relnamespace = 'vitrine'::regnamespace and relkind in ('r', 'p') loop
         execute format('alter table %s owner to ${role}', t.name);
       end loop; end $$`,
  );
  await admin.query(`revoke usage on schema vitrine from ${role}`);

  expect(String(await outcome(connectionString))).toBe(
    `BootError: PostgreSQL refuses role "${role}" what Vitrine needs (permission denied for schema vitrine); grant it that, or name another role in DATABASE_URL.`,
  );
});

it("lets every other error, and the result, through", async () => {
  const { connectionString, admin } = await createForeign();
  const target = { connectionString, schema: "chain" };

  expect(await explainDenied(target, async () => 7)).toBe(7);
  await expect(explainDenied(target, () => admin.query("select 1 / 0"))).rejects.toThrow(
    /^division by zero$/,
  );
});
