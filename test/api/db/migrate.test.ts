import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { describe, expect, it, onTestFinished } from "vitest";
import { schemaSql } from "../../../bin/schema-sql.ts";
import { accessJobs } from "../../../src/api/access/module.ts";
import { isDatabaseAway } from "../../../src/api/db/database-away.ts";
import { migrate } from "../../../src/api/db/migrate.ts";
import { readMigrations } from "../../../src/api/db/migrations.ts";
import { forgetOldEvents } from "../../../src/api/events/module.ts";
import { silentLogger } from "../../../src/api/logging/logger.ts";
import { createMedia } from "../../../src/api/media/service.ts";
import { metadataJobs } from "../../../src/api/metadata/module.ts";
import { createMetadata } from "../../../src/api/metadata/service.ts";
import { createTraitApproval } from "../../../src/api/metadata/traits/trait-approval.ts";
import { forgetUnusedValues } from "../../../src/api/metadata/traits/value-retention.ts";
import { refreshJobs } from "../../../src/api/refresh/module.ts";
import { createSearch } from "../../../src/api/search/service.ts";
import { createTestDatabase } from "../../support/database/database.ts";

const { database, tables: chain, url } = await createTestDatabase();

const applied = async (): Promise<number[]> =>
  (await database.query<{ id: number }>("select id from vitrine.migration order by id")).map(({ id }) => id);
const migrations = readMigrations();
const all = migrations.map(({ id }) => id);
const schemaFile = readFileSync(new URL("../../../src/api/db/schema.sql", import.meta.url), "utf8");

/** The database after the first `count` migrations. */
async function startAt(count: number): Promise<void> {
  await database.query("drop schema vitrine cascade");
  await migrate(url, migrations.slice(0, count));
}

/** How many migrations precede the one that contains this text. */
function countBefore(text: string): number {
  const position = migrations.findIndex(({ sql }) => sql.includes(text));
  if (position < 0) throw new Error(`no migration says ${text}`);
  return position;
}

const tablesOf = (position: number): string[] =>
  [...(migrations[position]?.sql ?? "").matchAll(/create table (vitrine\.\w+)/g)].map(
    (match) => match[1] ?? "",
  );

/** The database's URL for sessions whose time limits, set for its role or for all of it, are short. */
async function withTimeLimits(of: string): Promise<string> {
  const settings = ["statement_timeout", "lock_timeout", "idle_in_transaction_session_timeout"];
  const own = new URL(url);
  const [row] = await database.query<{ name: string; version: number }>(
    "select current_database() as name, current_setting('server_version_num')::int as version",
  );
  if (row && row.version >= 170_000) settings.push("transaction_timeout");
  let target = `database "${row?.name}"`;
  if (of === "role") {
    own.username = `${row?.name}_hurried`;
    target = `role "${own.username}"`;
    await database.query(`create ${target} superuser login password 'x'`);
    own.password = "x";
    onTestFinished(async () => void (await database.query(`drop ${target}`)));
  }
  for (const name of settings) await database.query(`alter ${target} set ${name} = '100ms'`);
  if (of === "database") onTestFinished(async () => void (await database.query(`alter ${target} reset all`)));
  return own.href;
}

/** A migrations folder with these files. */
function folderOf(names: readonly string[]): string {
  const folder = mkdtempSync(join(tmpdir(), "vitrine-migrations-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const name of names) writeFileSync(join(folder, name), `select '${name}'`);
  return folder;
}

describe("the folder of migrations", () => {
  it("is read in the order of its numbers, and what is no SQL file is left out", () => {
    const folder = folderOf(
      ["0002_b.sql", "0010_j.sql", "0001_z.sql", "README.md", ".0003_c.sql.swp"].concat(
        ["c", "d", "e", "f", "g", "h", "i"].map((name, nth) => `000${nth + 3}_${name}.sql`),
      ),
    );

    const read = readMigrations(folder);

    expect(read.map(({ id }) => id)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect(read[0]).toEqual({ id: 1, name: "0001_z.sql", sql: "select '0001_z.sql'" });
    expect(read[9]?.name).toBe("0010_j.sql");
  });

  it.each([
    {
      title: "a hole",
      files: ["0001_a.sql", "0003_c.sql"],
      says: /no migration 2; the one after it is 0003_c\.sql/,
    },
    { title: "a first one that is not 1", files: ["0002_b.sql"], says: /no migration 1;/ },
    { title: "a 0", files: ["0000_a.sql", "0001_b.sql"], says: /0000_a\.sql in .* must not be numbered 0/ },
    {
      title: "a number twice",
      files: ["0001_a.sql", "0002_b.sql", "0002_c.sql"],
      says: /0002_c\.sql and 0002_b\.sql in .* have the same number/,
    },
    {
      title: "a name without a number",
      files: ["0001_a.sql", "later.sql"],
      says: /later\.sql must be named like/,
    },
    {
      title: "a number of another width",
      files: ["0001_a.sql", "02_b.sql"],
      says: /02_b\.sql must be named like/,
    },
    { title: "nothing", files: ["README.md"], says: /holds no migrations/ },
  ])("is refused with $title", ({ files, says }) => {
    expect(() => readMigrations(folderOf(files))).toThrow(says);
  });
});

describe("migrating", () => {
  it("a database that is up to date changes nothing and keeps its rows", async () => {
    await database.query("insert into vitrine.app (id, name, apis) values (gen_random_uuid(), 'Kept', '{}')");
    const before = await database.query("select * from vitrine.migration order by id");

    await migrate(url);

    expect(await database.query("select * from vitrine.migration order by id")).toEqual(before);
    expect(await database.query("select name from vitrine.app")).toEqual([{ name: "Kept" }]);
  });

  it.each([0, 11])(
    "a database after %i migrations from many processes at once applies each once",
    async (count) => {
      await startAt(count);

      await Promise.all(Array.from({ length: 8 }, () => migrate(url)));

      expect(await applied()).toEqual(all);
      expect(await schemaSql(url)).toBe(schemaFile);
    },
  );

  it("from any earlier version, one release at a time, comes to the schema of a new database", async () => {
    await startAt(0);
    for (const count of all) {
      await migrate(url, migrations.slice(0, count));
      expect(await applied()).toEqual(all.slice(0, count));
    }
    expect(await schemaSql(url)).toBe(schemaFile);
  });

  it("a database that a later release has brought further leaves it as it is", async () => {
    await migrate(url, [
      ...migrations,
      { id: all.length + 1, name: "later", sql: "create table vitrine.later ()" },
    ]);

    await migrate(url);

    expect(await applied()).toEqual([...all, all.length + 1]);
    expect(await database.query("select from vitrine.later")).toEqual([]);
  });

  it("a recheck of a release before keeps its place in the queue, under its new name", async () => {
    await startAt(countBefore("set trigger = 'recheck'"));
    await database.query(
      `insert into vitrine.refresh (chain_id, collection, token_id, wanted, priority, trigger)
       values (1, '0x', 1, 1, 10, 'second_look'), (1, '0x', 2, 1, 20, 'event')`,
    );

    await migrate(url);

    expect(await database.query("select trigger from vitrine.refresh order by token_id")).toEqual([
      { trigger: "recheck" },
      { trigger: "event" },
    ]);
  });

  it("daily jobs of an earlier release are not due again under their new names", async () => {
    await startAt(countBefore("update vitrine.daily_job"));
    const before = [
      "forget tokens that no transfer has told of on chain 2020",
      "forget tokens that were taken back",
      "forget old versions",
      "forget unused trait values",
      "forget old receipts",
      "forget old sweeps",
      "forget old events",
      "forget old sessions",
      "forget old usage",
      "collect media",
    ];
    await database.query(
      "insert into vitrine.daily_job (name, ran_at) select unnest($1::text[]), '2026-01-31T12:00:00Z'",
      [before],
    );

    await migrate(url);

    const rows = await database.query<{ name: string }>(
      "select name from vitrine.daily_job where ran_at = '2026-01-31T12:00:00Z'",
    );
    const media = createMedia({ database, gateways: [], baseUrl: "http://localhost" });
    const metadata = createMetadata({ resolve: () => Promise.reject(new Error("unused")), tables: chain });
    const collections = [{ chainId: 2020, address: "0xa" }];
    const jobs = [
      // This one is newer than the names.
      ...metadataJobs.filter(({ name }) => name !== "fill in image keys"),
      ...accessJobs,
      ...refreshJobs({ metadata, media, collections }),
      forgetOldEvents(async () => Number.MAX_SAFE_INTEGER),
      { name: "collect media" },
    ];
    expect(rows.map(({ name }) => name).toSorted()).toEqual(jobs.map(({ name }) => name).toSorted());
  });

  it("a trigger of an earlier release keeps its meaning under the new name of its source", async () => {
    await startAt(countBefore("update vitrine.cause set source"));
    await database.query(
      `insert into vitrine.cause (schema, chain_id, id, block_hash, collection, from_token_id, to_token_id, scope, block, source)
       select 'chain', 1, source, '0x', '0xa', 1, 1, 'token', 90, source from unnest(array['taken_back', 'mint']) as source`,
    );

    await migrate(url);

    const rows = await database.query<{ source: string }>(
      "select source from vitrine.cause order by id desc",
    );
    expect(rows.map(({ source }) => source)).toEqual(["retracted", "mint"]);
  });

  it("a database of an older version applies what is missing only", async () => {
    await startAt(migrations.length - 1);
    await database.query("insert into vitrine.token (chain_id, collection, token_id) values (1, '0x', 1)");

    await migrate(url);

    expect(await applied()).toEqual(all);
    expect(await database.query("select from vitrine.token")).toHaveLength(1);
  });

  it("traits that were stored by name become values of their types, and the tokens keep them", async () => {
    await startAt(countBefore("create table vitrine.trait_value"));
    const long = "x".repeat(5_000);
    await database.query(
      "insert into vitrine.token (chain_id, collection, token_id) values (1, '0x', 1), (1, '0x', 2)",
    );
    await database.query(`insert into vitrine.trait_type (chain_id, collection, trait_type, display_type, highest)
                          values (1, '0x', 'Level', 'number', 7), (1, '0x', 'Lore', 'string', null)`);
    await database.query(
      `insert into vitrine.token_trait
              (chain_id, collection, token_id, position, trait_type, display_type, value_text, value_number)
       values (1, '0x', 1, 1, 'Level', 'number', '7', 7), (1, '0x', 1, 2, 'Lore', 'string', $1, null),
              (1, '0x', 2, 1, 'Level', 'string', '7', null), (1, '0x', 2, 2, 'Level', 'number', '7', 7)`,
      [long],
    );
    await database.query(`insert into vitrine.trait_conflict (chain_id, collection, trait_type, display_type)
                          values (1, '0x', 'Level', 'string')`);

    await migrate(url);

    const ref = { chainId: 1, collection: "0x" };
    const level = { trait_type: "Level", display_type: "number", value: 7 } as const;
    const lore = { trait_type: "Lore", display_type: "string", value: long } as const;
    const search = createSearch({ database, tables: chain, logger: silentLogger });
    const collection = { chainId: 1, address: "0x", startBlock: 0 };
    const { counts, highest } = await search.countTraits(collection, [level, lore]);
    expect(counts.map(({ traitType, count }) => [traitType, count])).toEqual([
      ["Level", 2],
      ["Lore", 1],
    ]);
    expect(highest.get("Level")).toBe(7);
    const pending = await createTraitApproval(database).pending([ref], 10);
    expect(pending).toMatchObject([{ traitType: "Level", known: "number", proposed: "string", tokens: 1 }]);
  });

  it("a trait type with another display type may have been approved by an earlier release, and is kept", async () => {
    await startAt(countBefore("column approved"));
    await database.query(`insert into vitrine.trait_type (chain_id, collection, trait_type, key, display_type)
                          values (1, '0x', 'Class', '=Class', 'string'), (1, '0x', 'Level', '=Level', 'number')`);
    await database.query(`insert into vitrine.held_type (trait_type_id, display_type)
                          select id, 'string' from vitrine.trait_type where trait_type = 'Level'`);

    await migrate(url);
    expect(await forgetUnusedValues.run(database)).toBe(0);
    await database.query(
      "update vitrine.trait_type set values_deleted_at = values_deleted_at - interval '7 days'",
    );

    expect(await forgetUnusedValues.run(database)).toBe(1);
    const left = await database.query("select trait_type as name, approved from vitrine.trait_type");
    expect(left).toEqual([{ name: "Level", approved: true }]);
  });

  it("ids of trait types and values go on after the highest that was ever given", async () => {
    await startAt(countBefore("create sequence vitrine.trait_value_ids"));
    const addType = (name: string) =>
      database.query<{ id: number }>(
        `insert into vitrine.trait_type (chain_id, collection, trait_type, key, display_type)
         values (1, '0x', $1, $1, 'string') returning id`,
        [name],
      );
    const addValue = (text: string) =>
      database.query<{ id: number }>(
        `insert into vitrine.trait_value (trait_type_id, display_type, key, value_text) values (1, 'string', $1, $1)
         returning id`,
        [text],
      );
    for (const name of ["Class", "Level", "Mood"]) await addType(name);
    for (const text of ["Mage", "Bard"]) await addValue(text);
    await database.query(
      "delete from vitrine.trait_type where id = 3; delete from vitrine.trait_value where id = 2",
    );

    await migrate(url);

    expect([await addType("Mood"), await addValue("Bard")]).toEqual([[{ id: 4 }], [{ id: 3 }]]);
  });

  it("collection information of an earlier release says when trade opens", async () => {
    await startAt(countBefore("column tradable_at"));
    const record = (collection: string, body: object) =>
      database.query(
        `insert into vitrine.collection_information (chain_id, collection, body, updated_by)
         values (1, $1, $2, 'tests')`,
        [collection, JSON.stringify(body)],
      );
    await record("0xa", { name: "Later", tradable_at: "2999-01-31T12:00:00.5Z" });
    await record("0xb", { name: "Open", tradable_at: null });
    await record("0xc", { name: "Written before there was such a field" });
    await record("0xd", { name: "In no calendar of PostgreSQL", tradable_at: "0000-02-29T00:00:00Z" });

    await record("0xe", { name: "Too exact", tradable_at: `2999-01-31T12:00:00.${"1".repeat(200)}Z` });

    await migrate(url);

    const rows = await database.query<{ at: Date | null }>(
      "select tradable_at as at from vitrine.collection_information order by collection",
    );
    expect(rows.map(({ at }) => at?.toISOString() ?? null)).toEqual([
      "2999-01-31T12:00:00.500Z",
      null,
      null,
      null,
      null,
    ]);
  });

  it("that fails half-way leaves nothing of the step behind, and goes on next time", async () => {
    const tables = tablesOf(1);
    const [first, last] = [tables[0], tables.at(-1)];
    await startAt(1);
    await database.query(`create table ${last} (in_the_way int)`);

    await expect(migrate(url)).rejects.toThrow(`Migration ${migrations[1]?.name} failed: relation`);
    expect(await applied()).toEqual([1]);
    expect(await database.query("select to_regclass($1) as made", [first])).toEqual([{ made: null }]);

    await database.query(`drop table ${last}`);
    await migrate(url);
    expect(await applied()).toEqual(all);
  });

  it("waits its turn: one that holds the lock is not disturbed", async () => {
    const holder = new pg.Client({ connectionString: url });
    await holder.connect();
    await holder.query("select pg_advisory_lock(7641209)");
    let finished = false;
    const waiting = migrate(url).then(() => {
      finished = true;
    });

    await expect
      .poll(() => database.query("select from pg_locks where locktype = 'advisory' and not granted"), {
        timeout: 30_000,
      })
      .toHaveLength(1);
    expect(finished).toBe(false);
    await holder.end();
    await waiting;
  });

  it("lets others use a table while it waits for its lock", async () => {
    const later = {
      id: all.length + 1,
      name: "later",
      sql: "alter table vitrine.app add column later text",
    };
    const reader = new pg.Client({ connectionString: url });
    await reader.connect();
    onTestFinished(() => reader.end());
    await reader.query("begin");
    await reader.query("select from vitrine.app");
    const said: string[] = [];
    const waiting = migrate(url, [...migrations, later], (line) => said.push(line));

    // Databases of one template share the numbers of their tables.
    const waits = `select from pg_locks where relation = 'vitrine.app'::regclass and not granted
      and database = (select oid from pg_database where datname = current_database())`;
    await expect.poll(() => database.query(waits), { timeout: 30_000 }).toHaveLength(1);
    // It waits behind the migration, which waits for the reader.
    expect(await database.query("select name from vitrine.app limit 1")).toBeDefined();
    await expect.poll(() => said, { timeout: 30_000 }).toHaveLength(1);
    await reader.query("commit");
    await waiting;
    expect(await applied()).toEqual([...all, later.id]);
    expect(said).toEqual([expect.stringContaining("migration later is waiting for other transactions")]);
  });

  it.each(["role", "database"])("takes as long as it needs, whatever the %s's time limits", async (of) => {
    await startAt(all.length);
    const hurried = await withTimeLimits(of);
    const later = { id: all.length + 1, name: "later", sql: "select pg_sleep(1)" };
    const holder = new pg.Client({ connectionString: url });
    await holder.connect();
    await holder.query("select pg_advisory_lock(7641209)");
    const said: string[] = [];
    const waiting = migrate(hurried, [...migrations, later], (line) => said.push(line));
    await expect
      .poll(
        () =>
          database.query(
            "select from pg_locks where locktype = 'advisory' and not granted and waitstart < now() - interval '1 s'",
          ),
        { timeout: 30_000 },
      )
      .toHaveLength(1);
    await holder.end();

    expect(await waiting).toEqual(["later"]);
    expect(said).toEqual(["vitrine: waiting for another process, which is migrating the database."]);
  });

  it("holds up others for a quarter of a second at a time", async () => {
    await startAt(all.length);
    const later = {
      id: all.length + 1,
      name: "later",
      sql: "create table vitrine.later as select current_setting('lock_timeout') as wait",
    };

    await migrate(url, [...migrations, later]);

    expect(await database.query("select wait from vitrine.later")).toEqual([{ wait: "250ms" }]);
  });

  it("waits for a vacuum for as long as PostgreSQL takes to end an automatic one", async () => {
    await startAt(all.length);
    const later = {
      id: all.length + 1,
      name: "later",
      sql: "alter table vitrine.app add column later text",
    };
    const vacuum = new pg.Client({ connectionString: url });
    await vacuum.connect();
    onTestFinished(() => vacuum.end());
    await vacuum.query("begin; lock table vitrine.app in share update exclusive mode");
    const waiting = migrate(url, [...migrations, later], () => undefined);

    await expect
      .poll(
        () =>
          database.query(`select from pg_locks
            where not granted and relation = 'vitrine.app'::regclass
              and waitstart + current_setting('deadlock_timeout')::interval < clock_timestamp()
              and database = (select oid from pg_database where datname = current_database())`),
        { timeout: 30_000 },
      )
      .toHaveLength(1);
    await vacuum.query("rollback");
    expect(await waiting).toEqual(["later"]);
  });

  it("that loses its connection while it waits says so, and ends no process", async () => {
    await startAt(all.length);
    const later = {
      id: all.length + 1,
      name: "later",
      sql: "do $$ begin raise exception using errcode = 'lock_not_available'; end $$",
    };

    const ended = migrate(url, [...migrations, later], () => {
      void database.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
          where application_name = 'vitrine migrations' and datname = current_database()`,
      );
    });

    await expect(ended).rejects.toSatisfy(isDatabaseAway);
  });

  it("goes on after a deadlock", async () => {
    await startAt(all.length);
    await database.query("create sequence vitrine.tries");
    const later = {
      id: all.length + 1,
      name: "later",
      // A rollback does not reset a sequence.
      sql: `do $$ begin if nextval('vitrine.tries') = 1 then raise exception using errcode = 'deadlock_detected'; end if; end $$`,
    };

    await migrate(url, [...migrations, later], () => undefined);

    expect(await applied()).toEqual([...all, later.id]);
    expect(await database.query("select last_value from vitrine.tries")).toEqual([{ last_value: "2" }]);
  });
});
