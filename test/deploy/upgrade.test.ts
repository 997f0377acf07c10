/** What deploy/upgrade.sh checks, restarts and undoes; ../topology/upgrade.test.ts upgrades a real service. */

import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { eventually } from "../support/eventually.ts";
import { makeFolder } from "../support/folder.ts";
import { type LocalServer, startLocalServer } from "../support/servers/local-server.ts";

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

const upgrade = (environment: string, variables: Readonly<Record<string, string>> = {}) =>
  spawnSync(SCRIPT, ["next"], {
    encoding: "utf8",
    env: {
      PATH: `${join(folder, "tools")}:${process.env.PATH}`,
      DATABASE_URL: "postgresql://given",
      VITRINE_HOME: clone,
      BACKUPS: join(folder, "backups"),
      INSTALL: "true",
      ENVIRONMENT: environment,
      ...variables,
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

/** A folder for PATH with the programs of a small machine and the database's, without this one. */
function programsWithout(missing: string): string {
  const programs = join(folder, `without-${missing}`);
  mkdirSync(programs);
  const small =
    "cat cut date dirname find git grep ls mkdir mv node curl readlink rm sed sh sleep sort sync tail".split(
      " ",
    );
  for (const name of small.filter((each) => each !== missing)) {
    const file = execFileSync("which", [name], { encoding: "utf8" }).trim();
    symlinkSync(file, join(programs, name));
  }
  for (const name of ["pg_dump", "pg_restore"])
    symlinkSync(join(folder, "tools", name), join(programs, name));
  return programs;
}

it.each(["curl", "git", "node"])("does nothing where %s is not installed", (program) => {
  const before = head();
  const restarts = join(folder, `restarts-without-${program}`);
  const environment = join(folder, "ready.env");
  writeFileSync(environment, "RESUMES=1\n");

  const { stderr, status } = upgrade(environment, {
    PATH: programsWithout(program),
    BACKUPS: join(folder, `backups-without-${program}`),
    RESTART: `echo >> ${restarts}`,
    READY_URL: "http://127.0.0.1:1/ready",
    READY_SECONDS: "1",
  });

  expect(stderr).toBe(`upgrade.sh: ${program} is not installed\n`);
  expect(status).toBe(1);
  expect(head()).toBe(before);
  expect(existsSync(restarts)).toBe(false);
  expect(existsSync(join(folder, `backups-without-${program}`))).toBe(false);
});

/** An upgrade to this commit, as it is started in a terminal. */
function startUpgrade(to: string, variables: Readonly<Record<string, string>>) {
  const environment = join(folder, "resumes.env");
  writeFileSync(environment, "RESUMES=1\n");
  const child = spawn(SCRIPT, [to], {
    // In its own group: a terminal sends the signal to all of it.
    detached: true,
    stdio: ["ignore", "ignore", "pipe"],
    env: {
      PATH: `${join(folder, "tools")}:${process.env.PATH}`,
      DATABASE_URL: "postgresql://given",
      VITRINE_HOME: clone,
      BACKUPS: join(folder, "backups"),
      ENVIRONMENT: environment,
      READY_URL: "http://127.0.0.1:1/ready",
      READY_SECONDS: "1",
      ...variables,
    },
  });
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    said += text;
  });
  return {
    ended: once(child, "close").then(([code, signal]) => ({ code, signal, said })),
    kill: (signal: NodeJS.Signals) => process.kill(-(child.pid ?? 0), signal),
    /** As `tee` that the same Ctrl-C ends. */
    stopReading: () => child.stderr.destroy(),
  };
}

/** A shell's line that logs whether the clone is at this commit. */
const logged = (before: string, log: string): string =>
  `case $(git rev-parse HEAD) in ${before}) at=before ;; *) at=next ;; esac; echo $at >> ${log}`;

const contentOf = (file: string): string => (existsSync(file) ? readFileSync(file, "utf8") : "");

it.each([
  ["SIGINT", "INSTALL", "somebody"],
  ["SIGHUP", "INSTALL", "somebody"],
  ["SIGTERM", "RESTART", "somebody"],
  ["SIGINT", "INSTALL", "nobody"],
  ["SIGINT", "RESTART", "nobody"],
] as const)(
  "%s during %s ends it at the commit where it began, with %s reading",
  async (signal, during, reader) => {
    const before = head();
    const log = join(folder, `${signal}-${during}-${reader}.log`);
    const at = logged(before, log);
    const slow = `${at}; [ $at = before ] || exec sleep 30`;
    const { ended, kill, stopReading } = startUpgrade("next", {
      INSTALL: during === "INSTALL" ? slow : "true",
      RESTART: during === "RESTART" ? slow : at,
    });
    await eventually(
      async () => contentOf(log),
      (content) => content === "next\n",
    );

    if (reader === "nobody") stopReading();
    kill(signal);

    expect(await ended).toMatchObject({ code: 1, signal: null });
    expect(head()).toBe(before);
    expect(readFileSync(log, "utf8")).toBe("next\nbefore\n");
  },
);

it.each(["INSTALL", "RESTART"] as const)(
  "goes back by itself when %s fails because nobody reads what it says",
  async (during) => {
    const before = head();
    const log = join(folder, `${during}-unread.log`);
    const at = logged(before, log);
    const gone = join(folder, `${during}-gone`);
    const talks = `${at}; while ! [ -e ${gone} ]; do sleep 0.02; done; echo installed`;
    const { ended, stopReading } = startUpgrade("next", {
      INSTALL: during === "INSTALL" ? talks : "true",
      RESTART: during === "RESTART" ? talks : at,
    });
    await eventually(
      async () => contentOf(log),
      (content) => content === "next\n",
    );

    stopReading();
    writeFileSync(gone, "");

    expect(await ended).toMatchObject({ code: 1, signal: null });
    expect(head()).toBe(before);
    expect(readFileSync(log, "utf8")).toBe("next\nbefore\n");
  },
);

describe("with collections.json in the clone, as in this repository", () => {
  const SAMPLE = "[1]\n";
  const OWN = "[2]\n";
  const list = (): string => join(clone, "collections.json");
  let start: string;
  beforeAll(() => {
    start = head();
    writeFileSync(list(), SAMPLE);
    git("add", ".");
    git("commit", "--quiet", "--message", "sample");
    git("commit", "--quiet", "--allow-empty", "--message", "release");
    git("tag", "sample");
    git("checkout", "--quiet", "--detach", "HEAD~1");
  });
  afterEach(() => git("checkout", "--quiet", "--force", "--detach", "sample~1"));
  afterAll(() => git("checkout", "--quiet", "--force", "--detach", start));
  const end = (to: string, more: Readonly<Record<string, string>> = {}) =>
    startUpgrade(to, { INSTALL: "true", RESTART: "true", ...more }).ended;

  it("says where an edited list belongs, and keeps it", async () => {
    writeFileSync(list(), OWN);

    const { code, said } = await end("sample");

    expect(said).toMatch(
      /^upgrade\.sh: the clone's collections\.json has changes: copy it .* COLLECTIONS_FILE \(.*resumes\.env\), and run: git checkout/,
    );
    expect(code).toBe(1);
    expect(readFileSync(list(), "utf8")).toBe(OWN);
  });

  it("replaces no list that was committed, unless the service has another one", async () => {
    writeFileSync(list(), OWN);
    git("commit", "--quiet", "--all", "--message", "own list");
    const own = head();

    const { code, said } = await end("sample");

    expect(said).toMatch(/^upgrade\.sh: sample has another collections\.json: .* COLLECTIONS_FILE \(/);
    expect(code).toBe(1);
    expect(head()).toBe(own);
    expect(readFileSync(list(), "utf8")).toBe(OWN);
    const another = await end("sample", { COLLECTIONS_FILE: "/etc/vitrine/collections.json" });
    expect(another.said).toContain("sample did not get ready");
    writeFileSync(join(clone, ".env.local"), "COLLECTIONS_FILE=/etc/vitrine/collections.json\n");
    expect((await end("sample")).said).toContain("sample did not get ready");
    rmSync(join(clone, ".env.local"));
  });
});

describe("with other files in the release", () => {
  let before: string;
  const file = (name: string): string => join(clone, name);
  beforeAll(() => {
    for (const release of ["old", "new"]) {
      // Git writes them by name.
      for (const name of ["a", "slow"]) writeFileSync(file(name), release);
      if (release === "new") writeFileSync(file("added"), release);
      git("add", ".");
      git("commit", "--quiet", "--message", release);
    }
    git("tag", "release");
    git("checkout", "--quiet", "--detach", "HEAD~1");
    before = head();
  });

  it("a signal in the midst of the checkout leaves no file of the release, and the clone's branch where it was", async () => {
    git("checkout", "--quiet", "-B", "installed");
    const started = join(folder, "checkout-started");
    writeFileSync(file(".git/info/attributes"), "slow filter=slow\n");
    git("config", "filter.slow.smudge", `[ -e ${started} ] && exec cat; echo > ${started}; exec sleep 30`);
    const { ended, kill } = startUpgrade("release", { INSTALL: "true", RESTART: "true" });
    await eventually(
      async () => contentOf(started),
      (content) => content === "\n",
    );
    expect(readFileSync(file("a"), "utf8")).toBe("new");

    kill("SIGINT");

    const { code, said } = await ended;
    expect(said).toContain(`went back to ${git("rev-parse", "--short", before)}`);
    expect(code).toBe(1);
    expect(head()).toBe(before);
    expect(git("status", "--porcelain").toString()).toBe("");
    expect(git("rev-parse", "installed").toString().trim()).toBe(before);
  });

  it("a checkout that Git refuses keeps the file that is in its way", async () => {
    writeFileSync(file("added"), "an operator's");

    const { code, said } = await startUpgrade("release", { INSTALL: "true", RESTART: "true" }).ended;

    expect(said).toContain("release can't be checked out; nothing was restarted");
    expect(code).toBe(1);
    expect(head()).toBe(before);
    expect(readFileSync(file("added"), "utf8")).toBe("an operator's");
    rmSync(file("added"));
  });

  describe("with replicas that systemd runs", () => {
    /** The restarts, each with its commit, and what answered that it is ready. */
    let log: string;
    let replicas: readonly LocalServer[];
    let service: LocalServer;
    let isReady: (name: string) => boolean;
    const lines = (): string[] => contentOf(log).trim().split("\n");
    const startReady = (name: string) =>
      startLocalServer((_request, response) => {
        if (isReady(name) && lines().at(-1) !== `ready ${name}`) appendFileSync(log, `ready ${name}\n`);
        response.writeHead(isReady(name) ? 200 : 503).end();
      });
    beforeEach(async () => {
      log = join(folder, "systemctl.log");
      rmSync(log, { force: true });
      isReady = () => true;
      [service, ...replicas] = await Promise.all([startReady("vitrine"), startReady("a"), startReady("b")]);
      const units = replicas.map(({ port }) => `vitrine-replica@${port}.service`);
      const [a, b] = units;
      addTool(
        "systemctl",
        `case $1 in
         list-units) printf '%s loaded active running Vitrine replica\\n' ${a} ${b} ;;
         restart) [ -e added ] && at=release || at=before
           shift
           for each; do case $each in ${a}) each=a ;; ${b}) each=b ;; esac; echo "restart $each $at" >> ${log}; done ;;
         esac`,
      );
    });
    afterEach(async () => {
      rmSync(join(folder, "tools/systemctl"));
      git("checkout", "--quiet", "--force", "--detach", before);
      await Promise.all([service, ...replicas].map((each) => each.close()));
    });
    const start = () => startUpgrade("release", { INSTALL: "true", READY_URL: service.url });

    it("restarts them too, the next one once the last is ready", async () => {
      const { code, said } = await start().ended;

      expect(said).toContain("now at");
      expect(code).toBe(0);
      expect(lines()).toEqual([
        "restart vitrine release",
        "ready vitrine",
        "restart a release",
        "ready a",
        "restart b release",
        "ready b",
      ]);
    });

    it("goes back with each that was restarted, when one doesn't get ready", async () => {
      isReady = (name) => name !== "a" || lines().includes("restart a before");

      const { code, said } = await start().ended;

      expect(said).toContain(
        `release did not get ready as vitrine-replica@${replicas[0]?.port}.service in 1 s`,
      );
      expect(code).toBe(1);
      expect(head()).toBe(before);
      expect(lines().filter((line) => line.startsWith("restart"))).toEqual([
        "restart vitrine release",
        "restart a release",
        "restart vitrine before",
        "restart a before",
      ]);
    });

    it("goes back with them when a signal ends it among them", async () => {
      isReady = (name) => name !== "b";
      const { ended, kill } = start();
      await eventually(
        async () => lines(),
        (all) => all.includes("restart b release"),
      );

      kill("SIGINT");

      expect((await ended).code).toBe(1);
      expect(head()).toBe(before);
      expect(lines().slice(-3)).toEqual(["restart vitrine before", "restart a before", "restart b before"]);
    });

    it("leaves them to a RESTART that is given", async () => {
      const variables = { INSTALL: "true", RESTART: "true", READY_URL: service.url };

      expect(await startUpgrade("release", variables).ended).toMatchObject({ code: 0 });

      expect(lines()).toEqual(["ready vitrine"]);
    });
  });

  const ON_RELEASE = "[ -e added ]";
  it.each([
    {
      part: "checkout",
      INSTALL: `${ON_RELEASE} && : > .git/index.lock; false`,
      RESTART: "true",
      left: (install: string) => `git checkout --force --detach ${before} && ${install}`,
    },
    { part: "packages", INSTALL: "false", RESTART: "true", left: () => "false" },
    {
      part: "packages after a restart",
      INSTALL: ON_RELEASE,
      RESTART: "true",
      left: () => `${ON_RELEASE} && true`,
    },
    { part: "restart", INSTALL: "true", RESTART: "false", left: () => "false" },
  ])("says what to run by hand where the way back fails: $part", async ({ INSTALL, RESTART, left }) => {
    const { code, said } = await startUpgrade("release", { INSTALL, RESTART }).ended;
    rmSync(file(".git/index.lock"), { force: true });
    git("checkout", "--quiet", "--force", "--detach", before);

    expect(said.trim().split("\n").at(-1)).toBe(
      `upgrade.sh: could not go back to ${before}; in ${clone}, run: ${left(INSTALL)}`,
    );
    expect(said).not.toContain("went back");
    expect(code).toBe(1);
  });

  it.each(["checkout", "packages", "restart"] as const)(
    "says what to run by hand where an interrupted upgrade fails to go back: %s",
    async (part) => {
      const started = join(folder, `back-${part}-started`);
      const slow = `${ON_RELEASE} && echo > ${started} && exec sleep 30`;
      const locks = `${ON_RELEASE} && : > .git/index.lock; ${slow}`;
      const [INSTALL, RESTART] =
        part === "checkout" ? [locks, "true"] : part === "packages" ? [slow, "true"] : ["true", slow];
      const { ended, kill } = startUpgrade("release", { INSTALL, RESTART });
      await eventually(
        async () => contentOf(started),
        (content) => content === "\n",
      );

      kill("SIGINT");

      const { code, said } = await ended;
      rmSync(file(".git/index.lock"), { force: true });
      git("checkout", "--quiet", "--force", "--detach", before);
      const left = {
        checkout: `git checkout --force --detach ${before} && ${INSTALL}`,
        packages: INSTALL,
        restart: RESTART,
      }[part];
      expect(said.trim().split("\n").at(-1)).toBe(
        `upgrade.sh: could not go back to ${before}; in ${clone}, run: ${left}`,
      );
      expect(code).toBe(1);
    },
  );
});
