/** A backup by deploy/backup, taken from a running service and restored into an empty PostgreSQL on another machine's place. */

import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  createPartner,
  createWorld,
  eventually,
  WITHOUT_PICTURES,
  type World,
} from "../support/processes/world.ts";
import { createKey } from "../support/service-key.ts";
import { type DebianPostgres, startDebianPostgres, untilRead } from "./debian-postgres.ts";

const SCRIPTS = fileURLToPath(new URL("../../deploy/backup/", import.meta.url));
const SECRET = "a-secret-of-the-backup-test-with-enough-characters";
const RECEIVER = "https://partner.example/hooks";

const databases: DebianPostgres[] = [];
let world: World;
let folder: string;
let key: string;

async function startDatabase(): Promise<DebianPostgres> {
  const database = await startDebianPostgres();
  databases.push(database);
  return database;
}

function run(script: string, argument: string, env: Record<string, string>) {
  const { status, stdout, stderr } = spawnSync(join(SCRIPTS, script), argument ? [argument] : [], {
    env: { PATH: process.env.PATH, ...env },
    encoding: "utf8",
  });
  return { status, stdout, stderr };
}

/** What a partner and an operator are answered. */
async function answers(): Promise<Record<string, unknown>> {
  const partner = createPartner(world.service.baseUrl, key);
  const paths = [
    ...[1, 2, 6, 7, 8, 9, 20].map((id) => `/market/collections/${world.heroes}/tokens/${id}`),
    ...[1, 2, 16].map((id) => `/market/collections/${world.items}/tokens/${id}`),
    ...[world.heroes, world.items].flatMap((address) => [
      `/market/collections/${address}`,
      `/market/collections/${address}/traits`,
      `/market/collections/${address}/tokens?limit=100`,
      `/market/collections/${address}/owners?limit=100`,
      `/market-partner/collections/${address}/health`,
    ]),
    `/market-partner/collections/${world.heroes}/tokens/1/report`,
    "/market-partner/webhooks",
  ];
  const found = await Promise.all(paths.map(async (path) => [path, await partner.call(path)] as const));
  return Object.fromEntries(
    found.map(([path, { status, body }]) => {
      // The head has moved on, and rechecks read again.
      const settled = JSON.stringify(body, (name, value) =>
        ["as_of_block", "fetched_at"].includes(name) ? undefined : value,
      );
      return [path, { status, body: JSON.parse(settled) }];
    }),
  );
}

beforeAll(async () => {
  const database = await startDatabase();
  world = await createWorld({
    host: WITHOUT_PICTURES,
    env: { DATABASE_URL: database.url, VITRINE_SECRET: SECRET, RESAMPLE_HOURS: "0" },
  });
  folder = join(world.folder, "backups");
  key = await createKey(world.service);
  const partner = createPartner(world.service.baseUrl, key);
  await untilRead(database);
  // Two versions of one token, and a webhook.
  world.host.patch("heroes", 1, { name: "Twice read" });
  const { body } = await partner.refresh(world.heroes, ["1"], "?wait=10");
  expect(JSON.stringify(body)).toContain("updated");
  expect((await partner.call("/market-partner/webhooks", { url: RECEIVER })).status).toBe(201);
});
afterAll(async () => {
  await world?.close();
  for (const each of databases) await each.lose();
});

describe("a backup of a running service", () => {
  let dump: string;

  it("is one file, readable by its owner only, and the oldest ones go", () => {
    mkdirSync(folder, { recursive: true });
    for (const name of ["vitrine-20200101T000000Z.dump", "vitrine-20210101T000000Z.dump", "notes.txt"])
      writeFileSync(join(folder, name), "old");
    const { status, stdout, stderr } = run("backup.sh", folder, {
      DATABASE_URL: databases[0]?.url ?? "",
      KEEP: "2",
    });
    expect([status, stderr]).toEqual([0, ""]);
    dump = stdout.trim();
    expect(readdirSync(folder).sort()).toEqual(
      ["notes.txt", "vitrine-20210101T000000Z.dump", dump.slice(folder.length + 1)].sort(),
    );
    expect(statSync(dump).mode & 0o777).toBe(0o600);
    const listed = execFileSync("pg_restore", ["--list", dump], { encoding: "utf8" });
    expect(listed).toContain("TABLE DATA vitrine api_key");
    expect(listed).not.toContain("vitrine_e2e");
  });

  it("that fails says why, leaves no file, and keeps the earlier ones", () => {
    const before = readdirSync(folder);
    const failed = run("backup.sh", folder, { DATABASE_URL: "postgres://nobody@127.0.0.1:9/x" });
    expect(failed.status).not.toBe(0);
    expect(failed.stderr).toContain("Connection refused");
    expect(run("backup.sh", "", { DATABASE_URL: "x" }).stderr).toContain("the folder is missing");
    expect(run("backup.sh", folder, {}).stderr).toContain("DATABASE_URL is not set");
    expect(run("backup.sh", folder, { DATABASE_URL: "x", KEEP: "0" }).stderr).toContain('it is "0"');
    expect(readdirSync(folder)).toEqual(before);
  });

  it("is not restored over a schema that is there, nor in half", async () => {
    const url = databases[0]?.url ?? "";
    const refused = run("restore.sh", dump, { DATABASE_URL: url });
    expect([refused.status, refused.stderr]).toEqual([
      1,
      expect.stringContaining("has a schema vitrine already"),
    ]);
    const empty = await startDatabase();
    const cut = join(folder, "cut.dump");
    execFileSync("sh", ["-c", `head -c $(($(wc -c < "${dump}") * 3 / 4)) "${dump}" > "${cut}"`]);
    expect(run("restore.sh", cut, { DATABASE_URL: empty.url }).status).not.toBe(0);
    expect(await empty.query("select from pg_namespace where nspname = 'vitrine'")).toEqual([]);
    rmSync(cut);
  });

  it("brings everything back in an empty PostgreSQL: answers, keys, webhooks, versions, and no event twice", async () => {
    const [lost] = databases;
    if (!lost) throw new Error("no database");
    const before = await answers();
    const events = await lost.query("select id, type, token_id from vitrine.event order by id");
    expect(events.length).toBeGreaterThan(0);
    const pending = run("backup.sh", folder, { DATABASE_URL: lost.url });
    expect(pending.status).toBe(0);
    await world.service.stop();
    await lost.lose();

    const empty = await startDatabase();
    const restored = run("restore.sh", pending.stdout.trim(), { DATABASE_URL: empty.url });
    expect([restored.status, restored.stderr]).toEqual([0, ""]);
    expect(restored.stdout).toMatch(/^restored: [1-9]\d* tokens, [1-9]\d* versions, 1 keys, migration \d+/);
    // Receivers know the ids of events that are not in the dump.
    expect(await empty.query("select history from vitrine.webhook_position")).toEqual([
      { history: expect.stringMatching(/^[0-9a-f]{12}$/) },
    ]);
    world.env.DATABASE_URL = empty.url;
    await world.start();

    const after = await eventually(answers, (now) => JSON.stringify(now) === JSON.stringify(before)).catch(
      answers,
    );
    expect(after).toEqual(before);
    expect(await empty.query("select id, type, token_id from vitrine.event order by id")).toEqual(events);

    // It goes on: a change of the chain is read, and the next event has the next id.
    world.host.patch("heroes", 2, { name: "After the loss" });
    await world.chain.write(world.population.erc721, "emitMetadataUpdate", [2n]);
    const partner = createPartner(world.service.baseUrl, key);
    await eventually(
      () => partner.token(world.heroes, 2),
      ({ name }) => name === "After the loss",
    );
  });
});
