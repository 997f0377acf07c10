import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { expect, it, onTestFinished } from "vitest";
import { readMigrations } from "../../src/api/db/migrations.ts";
import { createDatabaseOf } from "../support/run-database.ts";

const VITRINE = resolve(import.meta.dirname, "../../bin/vitrine.js");

/** In an empty folder, so that no .env counts. */
async function migrate(env: Record<string, string>) {
  const cwd = mkdtempSync(join(tmpdir(), "vitrine-migrate-"));
  onTestFinished(() => rmSync(cwd, { recursive: true }));
  const child = spawn(process.execPath, [VITRINE, "--json", "migrate"], {
    cwd,
    env: { PATH: process.env.PATH, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [out, err, code] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    new Promise((done) => child.on("close", done)),
  ]);
  return { applied: out === "" ? [] : (JSON.parse(out).applied as string[]), err, code };
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

it("says which variable is missing", async () => {
  const { code, err } = await migrate({});
  expect(code).toBe(1);
  expect(err).toContain("DATABASE_URL is not set");
});
