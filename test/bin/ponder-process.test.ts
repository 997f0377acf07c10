import { execFileSync } from "node:child_process";
import { rmSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createPostgresProbe, forReplica, memoryOptions } from "../../bin/ponder-process.ts";
import { effectOfChange } from "../../bin/source-change.ts";
import { joinEmbeddedPostgres, stopEmbeddedPostgres } from "../../src/api/postgres/embedded-postgres.ts";
import { makeFolder } from "../support/folder.ts";

describe("the memory of Ponder's process", () => {
  it("has room for a batch of rows among the young, unless the operator decides", () => {
    const always = "--no-allocation-site-pretenuring";
    const young = [always, "--min-semi-space-size=64", "--max-semi-space-size=64"];
    expect(memoryOptions("--max-old-space-size=4096", 3)).toEqual(young);
    for (const few of [1, 2]) expect(memoryOptions("", few)).toEqual([...young, "--no-parallel-scavenge"]);
    expect(memoryOptions("--max-semi-space-size=16")).toEqual([always]);
    expect(memoryOptions("--max_semi_space_size=16")).toEqual([always]);
  });

  it("is given in an option that Node knows", () => {
    const young =
      "process.stdout.write(String(require('node:v8').getHeapSpaceStatistics().find((space) => space.space_name === 'new_space').space_size))";
    const size = (options: readonly string[]) =>
      Number(execFileSync(process.execPath, [...options, "-e", young], { encoding: "utf8" }));

    expect(size(memoryOptions())).toBeGreaterThan(size([]));
  });
});

it.each([
  [
    ["--schema", "x", "-p", "80"],
    ["--schema", "x", "-p", "80"],
  ],
  [
    ["--views-schema", "v", "-p", "80"],
    ["-p", "80"],
  ],
  [
    ["-p", "80", "--views-schema=v"],
    ["-p", "80"],
  ],
])("of the arguments %j, a replica takes %j", (args, taken) => {
  expect(forReplica(args)).toEqual(taken);
});

describe("the watch on PostgreSQL", () => {
  let folder: string;

  beforeAll(() => {
    folder = makeFolder();
  });

  afterAll(async () => {
    await stopEmbeddedPostgres(folder);
    rmSync(folder, { recursive: true });
  });

  it("answers the same while PostgreSQL runs and something else after a restart", async () => {
    const probe = createPostgresProbe(
      () => joinEmbeddedPostgres(folder),
      () => undefined,
    );
    const before = [await probe(), await probe()];

    await stopEmbeddedPostgres(folder);
    const after = await nextAnswer(probe);

    expect(before[0]).toMatch(/^\d{4}-/);
    expect(before[1]).toBe(before[0]);
    expect(after).not.toBe(before[0]);
  });

  it("answers something else after the crash of a single backend", async () => {
    const url = await joinEmbeddedPostgres(folder);
    const probe = createPostgresProbe(
      async () => url,
      () => undefined,
    );
    const before = await probe();
    const client = new pg.Client(url);
    client.on("error", () => undefined);
    await client.connect();
    const { rows } = await client.query("select pg_backend_pid() as pid");

    process.kill(rows[0].pid, "SIGKILL");
    const seen = new Set([before]);
    for (const start = Date.now(); seen.size < 2 && Date.now() - start < 30_000; await sleep(50)) {
      seen.add((await probe()) ?? before);
    }

    expect(seen.size).toBe(2);
    await client.end();
  });

  it("says once in every outage that PostgreSQL cannot be reached", async () => {
    const url = await joinEmbeddedPostgres(folder);
    const lines: string[] = [];
    let target = "postgresql://nobody:x@127.0.0.1:1/none";
    const probe = createPostgresProbe(
      async () => target,
      (line) => lines.push(line),
    );

    const down = [await probe(), await probe()];
    target = url;
    const up = await probe();
    await stopEmbeddedPostgres(folder);
    const downAgain = await probe();

    expect(down).toEqual([undefined, undefined]);
    expect(up).toMatch(/^\d{4}-/);
    expect(downAgain).toBeUndefined();
    expect(lines).toHaveLength(2);
    expect(lines[0]).toMatch(/^PostgreSQL can't be watched \(.*ECONNREFUSED.*\); trying again\.$/);
  });
});

it.each([
  ["src/api/index.ts", "restart"],
  ["src/api/pages/home.tsx", "restart"],
  ["src/domain/locks.ts", "rebuild"],
  ["src/config.ts", "rebuild"],
  ["abis/token-events.ts", "rebuild"],
  ["ponder.config.ts", "rebuild"],
  ["ponder.schema.ts", "rebuild"],
  ["my/collections", "rebuild"],
  ["collections.json", "none"],
  ["README.md", "none"],
  ["bin/start.ts", "none"],
  ["src/domain/.locks.ts.swp", "none"],
  ["src/domain/locks.ts~", "none"],
  ["src/domain/4913", "none"],
])("a change of %s asks for: %s", (path, effect) => {
  expect(effectOfChange(path, "my/collections")).toBe(effect);
});

async function nextAnswer(probe: () => Promise<string | undefined>): Promise<string> {
  for (const start = Date.now(); Date.now() - start < 30_000; await sleep(50)) {
    const answer = await probe();
    if (answer) return answer;
  }
  throw new Error("PostgreSQL did not come back");
}
