import { beforeAll, describe, expect, it } from "vitest";
import { readSchema, recordIndexBuild } from "../../../src/api/chain/index/index-build.ts";
import type { IndexInputs } from "../../../src/api/chain/index/index-inputs.ts";
import { lockSchema } from "../../../src/api/chain/index/schema-lock.ts";
import { CHAIN_SCHEMA, createTestDatabase, type TestDatabase } from "../../support/database/database.ts";

const SECONDS_AGO = (seconds: number): number => Date.now() - seconds * 1_000;
const inputs = (digest: string): IndexInputs => ({ files: { "src/config.ts": digest }, chains: {} });

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});

const setApp = (app: { build_id: string; is_locked: 0 | 1; heartbeat_at: number }): Promise<unknown> =>
  test.database.query(
    `insert into ${test.tables.meta} values ('app', $1) on conflict (key) do update set value = excluded.value`,
    [JSON.stringify({ is_ready: 1, ...app })],
  );
const read = () => readSchema(test.database, CHAIN_SCHEMA);

describe("the record of an index", () => {
  it("stays as it was made for as long as the build is the same, and goes with the build", async () => {
    await setApp({ build_id: "aaaaaaaaaa", is_locked: 1, heartbeat_at: Date.now() });
    await recordIndexBuild(test.database, test.tables, inputs("first"));
    await recordIndexBuild(test.database, test.tables, inputs("second"));
    const same = await read();

    await setApp({ build_id: "bbbbbbbbbb", is_locked: 1, heartbeat_at: Date.now() });
    const unrecorded = await read();
    await recordIndexBuild(test.database, test.tables, inputs("third"));

    expect(same).toMatchObject({ kind: "index", buildId: "aaaaaaaaaa", inputs: inputs("first") });
    expect(unrecorded).toMatchObject({ kind: "index", buildId: "bbbbbbbbbb", inputs: undefined });
    expect(await read()).toMatchObject({ buildId: "bbbbbbbbbb", inputs: inputs("third") });
  });
});

describe("a schema", () => {
  it("is in use while a process holds its lock and has renewed it of late", async () => {
    const states = [];
    for (const [is_locked, age] of [
      [1, 5],
      [1, 60],
      [0, 5],
    ] as const) {
      await setApp({ build_id: "aaaaaaaaaa", is_locked, heartbeat_at: SECONDS_AGO(age) });
      states.push(await read());
    }

    expect(states).toMatchObject([{ isInUse: true }, { isInUse: false }, { isInUse: false }]);
  });

  it("is held by who indexes into it, even where Ponder took no lock", async () => {
    await setApp({ build_id: "aaaaaaaaaa", is_locked: 0, heartbeat_at: SECONDS_AGO(60) });

    await lockSchema(test.database, test.tables);

    expect(await read()).toMatchObject({ isInUse: true, buildId: "aaaaaaaaaa" });
  });

  it("is distinguished from one that is empty, is not there, or holds something else", async () => {
    await test.database.query(`create schema "Odd name"; create schema other; create table other.t (id int)`);

    expect(await readSchema(test.database, "Odd name")).toEqual({ kind: "empty" });
    expect(await readSchema(test.database, "none")).toEqual({ kind: "empty" });
    expect(await readSchema(test.database, "other")).toEqual({ kind: "foreign" });
  });
});
