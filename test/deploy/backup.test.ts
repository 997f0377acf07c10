/** deploy/backup/backup.sh where it doesn't come to its end; ../topology/backup.test.ts makes a backup and restores it. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, readdirSync, rmSync, writeFileSync } from "node:fs";
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
