import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { expect, it, onTestFinished } from "vitest";
import { readMigrations } from "../../src/api/db/migrations.ts";
import { createDatabaseOf } from "../support/database/run-database.ts";
import { runVitrine } from "../support/processes/command.ts";

/** In an empty folder, so that no .env counts. */
async function migrate(env: Record<string, string>) {
  const cwd = mkdtempSync(join(tmpdir(), "vitrine-migrate-"));
  onTestFinished(() => rmSync(cwd, { recursive: true }));
  const { stdout, stderr: err, code } = await runVitrine(["--json", "migrate"], { cwd, env });
  return { applied: stdout === "" ? [] : (JSON.parse(stdout).applied as string[]), err, code };
}

it("applies each migration once, whoever runs it and however often", async () => {
  const { url, drop } = await createDatabaseOf();
  onTestFinished(drop);
  const names = readMigrations().map(({ name }) => name);

  const both = await Promise.all([migrate({ DATABASE_URL: url }), migrate({ DATABASE_URL: url })]);
  expect(both.map(({ code }) => code)).toEqual([0, 0]);
  expect(both.flatMap(({ applied }) => applied)).toEqual(names);
  expect(await migrate({ DATABASE_URL: url })).toEqual({ applied: [], err: "", code: 0 });
});

it("creates nothing in a database in which nothing starts, and says why", async () => {
  const { url, drop } = await createDatabaseOf();
  onTestFinished(drop);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const name = `${new URL(url).pathname.slice(1)}_latin`;
  await client.query(
    `create database ${name} template template0 encoding 'LATIN1' locale_provider libc lc_collate 'C' lc_ctype 'C'`,
  );
  onTestFinished(async () => {
    await client.query(`drop database ${name} with (force)`);
    await client.end();
  });
  const latin = Object.assign(new URL(url), { pathname: `/${name}` }).href;

  const refused = await migrate({ DATABASE_URL: latin });
  const malformed = await migrate({ DATABASE_URL: "vitrine" });
  const inside = new pg.Client({ connectionString: latin });
  await inside.connect();
  const { rows } = await inside.query("select nspname from pg_namespace where nspname = 'vitrine'");
  await inside.end();

  expect(refused.code).toBe(1);
  expect(refused.err).toContain(`Database "${name}" has the encoding LATIN1, and Vitrine needs UTF8`);
  expect(rows).toEqual([]);
  expect(malformed.code).toBe(1);
  expect(malformed.err).toContain("DATABASE_URL must be postgresql://");
});

it("says that PostgreSQL can't be reached", async () => {
  const { code, err } = await migrate({ DATABASE_URL: "postgresql://127.0.0.1:9/x" });
  expect(code).toBe(1);
  expect(err).toBe("vitrine: PostgreSQL can't be reached (connect ECONNREFUSED 127.0.0.1:9)\n");
});

it("says which variable is missing", async () => {
  const { code, err } = await migrate({});
  expect(code).toBe(1);
  expect(err).toContain("DATABASE_URL is not set");
});
