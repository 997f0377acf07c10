/** The variables with which deploy/upgrade.sh checks the index; ../topology/upgrade.test.ts upgrades a real service. */

import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { eventually } from "../support/eventually.ts";
import { makeFolder } from "../support/folder.ts";

const SCRIPT = resolve(import.meta.dirname, "../../deploy/upgrade.sh");

let folder: string;
let clone: string;
beforeAll(() => {
  folder = makeFolder();
  clone = join(folder, "clone");
  mkdirSync(join(clone, "bin"), { recursive: true });
  // As `index check` ends: it can't tell without the service's endpoint, and this schema would be indexed again.
  writeFileSync(
    join(clone, "bin/vitrine.js"),
    `const { DATABASE_SCHEMA, DATABASE_URL, PONDER_RPC_URL_2020 } = process.env;
     console.error(DATABASE_SCHEMA, DATABASE_URL, PONDER_RPC_URL_2020);
     process.exit(process.env.RESUMES ? 0 : PONDER_RPC_URL_2020 ? 2 : 1);`,
  );
  git("init", "--quiet");
  git("add", ".");
  git("commit", "--quiet", "--message", "one");
  git("tag", "next");
  git("commit", "--quiet", "--allow-empty", "--message", "two");
  const tools = join(folder, "tools");
  mkdirSync(tools);
  addTool(
    "pg_dump",
    'for each; do case $each in --file=*) echo dump > "$(echo "$each" | cut -c8-)" ;; esac; done',
  );
  addTool("pg_restore", 'echo "TABLE DATA vitrine migration"');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const git = (...args: readonly string[]): Buffer =>
  execFileSync("git", ["-C", clone, "-c", "user.name=t", "-c", "user.email=t@example.com", ...args]);

function addTool(name: string, script: string): void {
  const file = join(folder, "tools", name);
  writeFileSync(file, `#!/bin/sh\n${script}\n`);
  chmodSync(file, 0o755);
}

const upgrade = (environment: string) =>
  spawnSync(SCRIPT, ["next"], {
    encoding: "utf8",
    env: {
      PATH: `${join(folder, "tools")}:${process.env.PATH}`,
      DATABASE_URL: "postgresql://given",
      VITRINE_HOME: clone,
      BACKUPS: join(folder, "backups"),
      INSTALL: "true",
      ENVIRONMENT: environment,
    },
  });

it("checks the index with the variables of the service, which systemd gives to the service only", () => {
  const environment = join(folder, "vitrine.env");
  writeFileSync(
    environment,
    "DATABASE_URL=postgresql://other\nDATABASE_SCHEMA=vitrine_chain_2\nPONDER_RPC_URL_2020=https://rpc.example/a?b=c&d=e\n",
  );

  const { stderr, status } = upgrade(environment);

  expect(stderr).toContain("vitrine_chain_2 postgresql://given https://rpc.example/a?b=c&d=e\n");
  expect(stderr).toContain("next needs another chain index");
  expect(status).toBe(1);
});

it("checks it with its own variables where there is no such file", () => {
  const { stderr, status } = upgrade(join(folder, "none.env"));

  expect(stderr).toContain("whether next needs another chain index; nothing was restarted");
  expect(status).toBe(1);
});

const head = (): string => git("rev-parse", "HEAD").toString().trim();

it.each([
  ["SIGINT", "INSTALL"],
  ["SIGHUP", "INSTALL"],
  ["SIGTERM", "RESTART"],
] as const)("%s during %s ends it at the commit where it began", async (signal, during) => {
  const before = head();
  const log = join(folder, `${signal}.log`);
  const at = `case $(git rev-parse HEAD) in ${before}) at=before ;; *) at=next ;; esac; echo $at >> ${log}`;
  const slow = `${at}; [ $at = before ] || exec sleep 30`;
  const environment = join(folder, "resumes.env");
  writeFileSync(environment, "RESUMES=1\n");
  const child = spawn(SCRIPT, ["next"], {
    // In its own group: a terminal sends the signal to all of it.
    detached: true,
    stdio: "ignore",
    env: {
      PATH: `${join(folder, "tools")}:${process.env.PATH}`,
      DATABASE_URL: "postgresql://given",
      VITRINE_HOME: clone,
      BACKUPS: join(folder, "backups"),
      ENVIRONMENT: environment,
      INSTALL: during === "INSTALL" ? slow : "true",
      RESTART: during === "RESTART" ? slow : at,
    },
  });
  const ended = once(child, "exit");
  await eventually(
    async () => existsSync(log),
    (isThere) => isThere,
  );

  process.kill(-(child.pid ?? 0), signal);

  expect(await ended).toEqual([1, null]);
  expect(head()).toBe(before);
  expect(readFileSync(log, "utf8")).toBe("next\nbefore\n");
});
