/** deploy/upgrade.sh on a clone of this repository, a real chain and a PostgreSQL of the machine: forward, back, and by itself. */

import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  appendFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, it } from "vitest";
import {
  createPartner,
  createWorld,
  eventually,
  WITHOUT_PICTURES,
  type World,
} from "../support/processes/world.ts";
import { createKey } from "../support/service-key.ts";
import { type DebianPostgres, startDebianPostgres, untilRead } from "./debian-postgres.ts";

const PROJECT = resolve(import.meta.dirname, "../..");
const MIGRATIONS = "src/api/db/migrations";
/** What shapes the chain index: a change of it needs another one. Of ponder.config.ts, only its values do. */
const INDEXING = ["src/domain", "src/indexing", "src/config.ts", "ponder.schema.ts", "abis"];

const folder = mkdtempSync(join(tmpdir(), "vitrine-upgrade-"));
const clone = join(folder, "clone");
let database: DebianPostgres;
let world: World;
let partner: ReturnType<typeof createPartner>;
let newest: string;
let older: string;

const git = (...args: readonly string[]): string =>
  execFileSync("git", ["-C", clone, "-c", "user.name=t", "-c", "user.email=t@example.com", ...args], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  }).trim();
const head = (): string => git("rev-parse", "HEAD");

/** The commit before the newest migration came; or, where the chain index has changed since, this one without it. */
function findOlder(): string {
  const last = readdirSync(join(clone, MIGRATIONS)).sort().at(-1) ?? "";
  const came = git("log", "-1", "--diff-filter=A", "--format=%H", "--", join(MIGRATIONS, last));
  try {
    git("diff", "--quiet", `${came}^`, newest, "--", ...INDEXING);
    return git("rev-parse", `${came}^`);
  } catch {
    git("rm", "--quiet", join(MIGRATIONS, last));
    git("commit", "--quiet", "--message", "without the newest migration");
    return head();
  }
}

async function migrations(): Promise<number> {
  const [row] = await database.query<{ id: number }>("select max(id) as id from vitrine.migration");
  return row?.id ?? 0;
}

async function upgrade(commit: string, more: Record<string, string> = {}) {
  const child = spawn(join(PROJECT, "deploy/upgrade.sh"), [commit], {
    env: {
      ...process.env,
      ...world.env,
      PORT: String(world.port),

      VITRINE_SERVING_BUNDLE: undefined,
      VITRINE_HOME: clone,
      BACKUPS: join(folder, "backups"),
      INSTALL: "true",
      RESTART: `sh ${join(folder, "restart.sh")}`,
      READY_URL: `http://localhost:${world.port}/ready`,
      READY_SECONDS: "120",
      ...more,
    },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const [said, [code]] = await Promise.all([text(child.stderr), once(child, "close")]);
  return { code, said };
}

interface Answer {
  readonly status: number;
  readonly lock: unknown;
}

const readAnswers = async (): Promise<Answer[]> =>
  Promise.all(
    [1, 2, 7].map(async (id) => {
      const { status, body } = await partner.call(`/market/collections/${world.heroes}/tokens/${id}`);
      const { metadata, lock, tradable: _, ...rest } = body as Record<string, object>;
      const { version, content_hash } = (metadata ?? {}) as Record<string, unknown>;
      return { status, ...rest, lock, version, content_hash };
    }),
  );

/**
 * What a partner is answered, without what depends on the head and on rechecks, once the newest blocks are indexed: a
 * service is ready before, and two of the last of them lock token 7, one after the other.
 */
const answers = (): Promise<Answer[]> =>
  eventually(readAnswers, (read) => (read[2]?.lock as { lock_count?: number } | undefined)?.lock_count === 2);

beforeAll(async () => {
  execFileSync("git", ["clone", "--quiet", "--shared", PROJECT, clone]);
  symlinkSync(join(PROJECT, "node_modules"), join(clone, "node_modules"));
  newest = head();
  older = findOlder();
  git("checkout", "--quiet", "--detach", older);
  // As systemd does: the old process is gone before the new one starts.
  writeFileSync(
    join(folder, "restart.sh"),
    `cd ${clone}
     if [ -f ${folder}/pid ]; then
       kill "$(cat ${folder}/pid)" 2>/dev/null
       while kill -0 "$(cat ${folder}/pid)" 2>/dev/null; do sleep 0.2; done
     fi
     setsid node --import tsx bin/start.ts >> ${folder}/service.log 2>&1 < /dev/null &
     echo $! > ${folder}/pid`,
  );
  database = await startDebianPostgres();
  world = await createWorld({
    host: WITHOUT_PICTURES,
    env: { DATABASE_URL: database.url, RESAMPLE_HOURS: "0" },
    service: { root: clone },
  });
  partner = createPartner(world.service.baseUrl, await createKey(world.service));
  await untilRead(database);
  await world.service.stop();
});
afterAll(async () => {
  try {
    process.kill(Number(readFileSync(join(folder, "pid"), "utf8")), "SIGKILL");
  } catch {
    // It has ended.
  }
  await world?.close();
  await database?.lose();
  rmSync(folder, { recursive: true, force: true });
});

// Five starts of the service.
const TIMEOUT_MS = 900_000;

it(
  "brings an older commit's database forward, rolls back on the newer database, and goes back from a commit that fails",
  async () => {
    const old = await migrations();
    // Started on the older commit, as before an upgrade.
    execFileSync("sh", [join(folder, "restart.sh")], {
      env: { ...process.env, ...world.env, PORT: String(world.port), VITRINE_SERVING_BUNDLE: undefined },
      stdio: "ignore",
    });
    await eventually(
      () =>
        fetch(`http://localhost:${world.port}/ready`).then(
          ({ ok }) => ok,
          () => false,
        ),
      (isReady) => isReady,
    );
    const first = await answers();

    const forward = await upgrade(newest);
    expect([forward.code, forward.said]).toEqual([0, expect.stringContaining("now at")]);
    expect(head()).toBe(newest);
    expect(await migrations()).toBeGreaterThan(old);
    const migrated = await migrations();
    expect(await answers()).toEqual(first);
    expect(readdirSync(join(folder, "backups"))).toHaveLength(1);

    // Older code on the newer database.
    const back = await upgrade(older);
    expect([back.code, head()]).toEqual([0, older]);
    expect(await migrations()).toBe(migrated);
    expect(await answers()).toEqual(first);

    appendFileSync(join(clone, "src/api/serve.ts"), '\nthrow new Error("this commit is broken");\n');
    git("commit", "--quiet", "--all", "--message", "broken");
    const broken = head();
    git("checkout", "--quiet", "--detach", older);
    const failed = await upgrade(broken, { READY_SECONDS: "30" });
    expect([failed.code, failed.said]).toEqual([1, expect.stringContaining("which is ready")]);
    expect(head()).toBe(older);
    expect(await answers()).toEqual(first);

    const unknown = await upgrade("nothing-of-the-kind");
    expect([unknown.code, unknown.said]).toEqual([
      1,
      expect.stringContaining("there is no commit nothing-of-the-kind"),
    ]);
    appendFileSync(join(clone, "README.md"), "\nedited\n");
    expect((await upgrade(newest)).said).toContain("has changes that are not committed");
  },
  TIMEOUT_MS,
);
