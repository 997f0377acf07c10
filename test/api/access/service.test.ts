import { beforeEach, describe, expect, it } from "vitest";
import { makeKey } from "../../../src/api/access/keys.ts";
import { createAccess } from "../../../src/api/access/service.ts";
import type { Database } from "../../../src/api/store/database.ts";
import { createTestDatabase } from "../../support/database.ts";

const { database } = await createTestDatabase();
const OPERATOR = "operator";
const partner = { name: "Partner", apis: ["market-partner"], collections: null };

beforeEach(() => database.query("truncate vitrine.app, vitrine.api_key, vitrine.audit"));

describe("the app of a key", () => {
  it("is found by the key, with what it may do", async () => {
    const access = createAccess(database);
    const { key } = await access.createKey(partner, OPERATOR);

    expect(await access.findApp(key)).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      name: "Partner",
      apis: ["market-partner"],
    });
  });

  it("is none for a key that was never made, and the database is not asked for text that is no key", async () => {
    let queries = 0;
    const counting: Database = {
      ...database,
      query: (sql, parameters) => {
        queries++;
        return database.query(sql, parameters);
      },
    };
    const access = createAccess(counting);

    expect(await access.findApp("not a key")).toBeUndefined();
    expect(queries).toBe(0);
    expect(await access.findApp(makeKey().key)).toBeUndefined();
    expect(queries).toBe(1);
  });

  it("is one app for all keys of one name, and its permissions widen", async () => {
    const access = createAccess(database);
    const first = await access.createKey(partner, OPERATOR);
    const second = await access.createKey({ ...partner, apis: ["market", "market-partner"] }, OPERATOR);

    const apps = [await access.findApp(first.key), await access.findApp(second.key)];

    expect(new Set(apps.map((app) => app?.id)).size).toBe(1);
    for (const app of apps) expect([...(app?.apis ?? [])].sort()).toEqual(["market", "market-partner"]);
  });

  it("is one app though its keys are made at the same time", async () => {
    const access = createAccess(database);

    const keys = await Promise.all(Array.from({ length: 10 }, () => access.createKey(partner, OPERATOR)));

    const apps = await Promise.all(keys.map(({ key }) => access.findApp(key)));
    expect(new Set(apps.map((app) => app?.id)).size).toBe(1);
  });

  it("can't be told while the database is away: it throws, lets nobody in, and asks again", async () => {
    let away = true;
    const access = createAccess({
      ...database,
      query: (sql, parameters) =>
        away ? Promise.reject(new Error("away")) : database.query(sql, parameters),
    });
    const { key } = await createAccess(database).createKey(partner, OPERATOR);

    await expect(access.findApp(key)).rejects.toThrow("away");
    away = false;

    expect(await access.findApp(key)).toMatchObject({ name: "Partner" });
  });
});

describe("collections of an app", () => {
  it("widen from some to more to all, and never narrow", async () => {
    const access = createAccess(database);
    const collectionsOf = async () => (await access.listKeys())[0]?.collections?.toSorted() ?? null;

    await access.createKey({ ...partner, collections: ["1:0xa"] }, OPERATOR);
    expect(await collectionsOf()).toEqual(["1:0xa"]);
    await access.createKey({ ...partner, collections: ["1:0xb", "1:0xa"] }, OPERATOR);
    expect(await collectionsOf()).toEqual(["1:0xa", "1:0xb"]);
    await access.createKey({ ...partner, collections: null }, OPERATOR);
    expect(await collectionsOf()).toBeNull();
    await access.createKey({ ...partner, collections: ["1:0xa"] }, OPERATOR);
    expect(await collectionsOf()).toBeNull();
  });
});

describe("a revoked key", () => {
  it("is refused at once where nobody used it yet, and within two seconds everywhere else", async () => {
    let now = 1_000_000;
    const replica = createAccess(database, () => now);
    const { id, key } = await createAccess(database).createKey(partner, OPERATOR);
    expect(await replica.findApp(key)).toBeDefined();

    expect(await createAccess(database).revokeKey(id, OPERATOR)).toBe(true);

    expect(await createAccess(database).findApp(key)).toBeUndefined();
    now += 2_000;
    expect(await replica.findApp(key)).toBeUndefined();
  });

  it("leaves the other keys of its app alone", async () => {
    const access = createAccess(database);
    const first = await access.createKey(partner, OPERATOR);
    const second = await access.createKey(partner, OPERATOR);

    await access.revokeKey(first.id, OPERATOR);

    expect(await access.findApp(first.key)).toBeUndefined();
    expect(await access.findApp(second.key)).toBeDefined();
  });

  it("can't be revoked again, nor can one that does not exist", async () => {
    const access = createAccess(database);
    const { id } = await access.createKey(partner, OPERATOR);
    await access.revokeKey(id, OPERATOR);

    expect(await access.revokeKey(id, OPERATOR)).toBe(false);
    expect(await access.revokeKey("00000000-0000-4000-8000-000000000000", OPERATOR)).toBe(false);
  });
});

describe("what is stored", () => {
  it("holds no key: not in any column of any table", async () => {
    const { key } = await createAccess(database).createKey(partner, OPERATOR);
    const secret = key.split("_")[1] ?? "";

    const tables = await database.query<{ name: string }>(
      "select table_name as name from information_schema.tables where table_schema = 'vitrine'",
    );
    expect(tables.length).toBeGreaterThan(10);
    for (const { name } of tables) {
      const rows = await database.query<{ text: string }>(`select t::text as text from vitrine.${name} t`);
      const dump = rows.map(({ text }) => text).join("\n");
      expect(dump).not.toContain(secret);
      expect(dump).not.toContain(Buffer.from(key).toString("hex"));
    }
  });

  it("tells who made and who revoked which key", async () => {
    const access = createAccess(database);
    const { id, key } = await access.createKey({ ...partner, collections: ["1:0xa"] }, OPERATOR);
    await access.revokeKey(id, "someone else");
    await access.revokeKey(id, "someone else");

    expect(
      await database.query("select actor, action, subject, detail from vitrine.audit order by id"),
    ).toEqual([
      {
        actor: OPERATOR,
        action: "keys.create",
        subject: id,
        detail: { ...partner, collections: ["1:0xa"], start: key.slice(0, 9) },
      },
      { actor: "someone else", action: "keys.revoke", subject: id, detail: {} },
    ]);
  });

  it("lists keys by their first characters, revoked ones too", async () => {
    const access = createAccess(database);
    const first = await access.createKey(partner, OPERATOR);
    const second = await access.createKey({ ...partner, name: "Other", apis: ["market"] }, OPERATOR);
    await access.revokeKey(first.id, OPERATOR);

    expect(await access.listKeys()).toEqual([
      expect.objectContaining({
        id: first.id,
        app: "Partner",
        start: first.key.slice(0, 9),
        revoked_at: expect.any(Date),
      }),
      expect.objectContaining({
        id: second.id,
        app: "Other",
        apis: ["market"],
        collections: null,
        revoked_at: null,
      }),
    ]);
  });
});
