/** deploy/backup where it does not come to its end, and what it starts; ../topology/backup.test.ts makes a backup and restores it. */

import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { eventually } from "../support/eventually.ts";
import { makeFolder } from "../support/folder.ts";

const SCRIPT = resolve(import.meta.dirname, "../../deploy/backup/backup.sh");

let folder: string;
beforeAll(() => {
  folder = makeFolder();
  const file = join(folder, "pg_dump");
  writeFileSync(
    file,
    `#!/bin/sh
    for each; do case $each in --file=*) echo part > "$(echo "$each" | cut -c8-)" ;; esac; done
    exec sleep 30\n`,
  );
  chmodSync(file, 0o755);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it.each(["SIGTERM", "SIGINT", "SIGHUP"] as const)("a backup that %s ends leaves nothing", async (signal) => {
  const backups = join(folder, signal);
  const backup = spawn(SCRIPT, [backups], {
    // In its own group: a service manager and a terminal send the signal to all of it.
    detached: true,
    stdio: "ignore",
    env: { PATH: `${folder}:${process.env.PATH}`, DATABASE_URL: "postgresql://given" },
  });
  const ended = once(backup, "exit");
  await eventually(
    async () => readdirSync(folder).includes(signal) && readdirSync(backups),
    (files) => files !== false && files.length === 1,
  );

  process.kill(-(backup.pid ?? 0), signal);

  expect(await ended).toEqual([1, null]);
  expect(readdirSync(backups)).toEqual([]);
});

/** How the scripts' programs are started with this URL: their arguments, and the password in their environment. */
function startedWith(url: string): { readonly args: string; readonly password: string }[] {
  const tools = join(folder, "tools");
  const started = join(folder, "started");
  mkdirSync(tools, { recursive: true });
  rmSync(started, { force: true });
  for (const [name, answer] of [
    [
      "pg_dump",
      'for each; do case $each in --file=*) echo dump > "$(echo "$each" | cut -c8-)" ;; esac; done',
    ],
    ["pg_restore", 'echo "TABLE DATA vitrine migration"'],
    ["psql", "echo 0"],
  ] as const) {
    const record = `printf '%s\\0%s\\0' "$*" "\${PGPASSWORD-none}" >> "${started}"`;
    writeFileSync(join(tools, name), `#!/bin/sh\n${record}\n${answer}\n`, { mode: 0o755 });
  }
  const env = { PATH: `${tools}:${process.env.PATH}`, DATABASE_URL: url };
  const dump = execFileSync(SCRIPT, [join(folder, "kept")], { env, encoding: "utf8" }).trim();
  execFileSync(resolve(SCRIPT, "../restore.sh"), [dump], { env });
  const texts = readFileSync(started, "utf8").split("\0");
  return Array.from({ length: (texts.length - 1) / 2 }, (_, index) => ({
    args: texts[2 * index] ?? "",
    password: texts[2 * index + 1] ?? "",
  }));
}

it("no program gets a password in its arguments, which every account of the machine can read", () => {
  const password = "s3cret é/@%:?";

  const started = startedWith(
    `postgres://vitrine:${encodeURIComponent(password)}@db.example:5432/vitrine?sslmode=require`,
  );

  const connected = started.filter(({ args }) => args.includes("--dbname="));
  expect(connected).toHaveLength(8);
  for (const each of connected) {
    expect(each.args).toContain("--dbname=postgres://vitrine@db.example:5432/vitrine?sslmode=require");
    expect(each.password).toBe(password);
  }
  expect(started.map(({ args }) => args).join("\n")).not.toContain("s3cret");
});

it.each([
  ["/vitrine?password=se%20cret&host=/run/postgresql&user=me", "/vitrine?host=/run/postgresql&user=me"],
  ["/vitrine?host=/run/postgresql&password=se%20cret&user=me", "/vitrine?host=/run/postgresql&user=me"],
  ["/vitrine?host=/run/postgresql&user=me&password=se%20cret", "/vitrine?host=/run/postgresql&user=me"],
  ["me@db.example/vitrine?password=se%20cret", "me@db.example/vitrine"],
  ["me@db.example?password=se%20cret", "me@db.example"],
  // As libpq reads them: a name may be encoded, and the last password is the one.
  ["me@db.example/vitrine?p%61ssword=se%20cret", "me@db.example/vitrine"],
  ["me:first%20secret@db.example/vitrine?password=other&password=se%20cret", "me@db.example/vitrine"],
])("no program gets the password of %s in its arguments", (given, passed) => {
  const connected = startedWith(`postgresql://${given}`).filter(({ args }) => args.includes("--dbname="));

  expect(connected).toHaveLength(8);
  for (const { args, password } of connected) {
    expect(args.split(" ")).toContain(`--dbname=postgresql://${passed}`);
    expect(password).toBe("se cret");
  }
});

it.each([
  "postgres://db.example/vitrine?options=a:b@c",
  "postgres://me@db.example:5432/vitrine",
  "postgres://me@db.example/vitrine?passfile=/run/pass&sslmode=require",
  "postgres://me@db.example/vitrine?application_name=a?password=b",
  "host=db.example",
])("%s has no password and stays as it is", (url) => {
  for (const { args, password } of startedWith(url)) {
    if (args.includes("--dbname=")) expect(args).toContain(`--dbname=${url}`);
    expect(password).toBe("none");
  }
});

it("the newest dumps stay, and the one just made, whatever the clock says", () => {
  const url = "postgres://me@db.example/vitrine";
  const kept = join(folder, "kept");
  rmSync(kept, { recursive: true, force: true });
  mkdirSync(kept);
  const later = Array.from({ length: 14 }, (_, day) => `vitrine-299901${String(day + 10)}T000000Z.dump`);
  for (const name of later) writeFileSync(join(kept, name), "dump");

  startedWith(url);

  const left = readdirSync(kept);
  expect(left).toHaveLength(14);
  expect(left.filter((name) => !later.includes(name))).toHaveLength(1);
  expect(left).not.toContain(later[0]);
});

it("what a killed backup has left goes after a day, and one that is under way goes on", () => {
  const kept = join(folder, "kept");
  const [left, current] = [".vitrine-20200101T000000Z.dump.part", ".vitrine-20200102T000000Z.dump.part"];
  mkdirSync(kept, { recursive: true });
  for (const name of [left, current]) writeFileSync(join(kept, name), "part");
  const hours = (count: number): Date => new Date(Date.now() - count * 3_600_000);
  utimesSync(join(kept, left), hours(49), hours(49));
  utimesSync(join(kept, current), hours(2), hours(2));

  startedWith("postgres://me@db.example/vitrine");

  expect(readdirSync(kept).filter((name) => name.endsWith(".part"))).toEqual([current]);
});
