import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { createCipher } from "../../../src/api/access/keys/encryption.ts";
import { ACCESS_CHANNEL } from "../../../src/api/access/keys/key-store.ts";
import { makeKey } from "../../../src/api/access/keys/keys.ts";
import { createAccess as createAccessWith } from "../../../src/api/access/keys/service.ts";
import type { Database } from "../../../src/api/db/database.ts";
import { listen } from "../../../src/api/db/listener.ts";
import { ApiError } from "../../../src/api/http/errors.ts";
import { silentLogger } from "../../../src/api/logging/logger.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import { eventually } from "../../support/eventually.ts";

const { database, url } = await createTestDatabase();
const UNKNOWN_ID = "00000000-0000-4000-8000-000000000000";
const OPERATOR = "operator";
const SECRET = "a-secret-of-at-least-32-characters";
const sealerOf = (current: string, previous?: string) => createCipher({ current, previous }, "api-key");
const createAccess = (db: Database, now?: () => number) => createAccessWith(db, sealerOf(SECRET), now);
const partner = { name: "Partner", apis: ["market-partner"], collections: null };

beforeEach(() => database.query("truncate vitrine.app, vitrine.api_key, vitrine.audit cascade"));

describe("the app of a key", () => {
  it("is found by the key, with what it may do", async () => {
    const access = createAccess(database);
    const { id: keyId, key } = await access.createKey(partner, OPERATOR);

    expect(await access.findApp(key)).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      name: "Partner",
      keyId,
      apis: ["market-partner"],
      collections: null,
      tier: "advanced",
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

  it("is not one that a wallet made under that name, which would be given what the operator grants", async () => {
    const access = createAccess(database);
    await database.query(
      "insert into vitrine.app (id, name, apis, collections, owner) values ($1, 'Partner', '{}', '{}', '0xab')",
      [UNKNOWN_ID],
    );

    await expect(access.createKey(partner, OPERATOR)).rejects.toThrow(ApiError);

    expect(await database.query("select apis, collections from vitrine.app")).toEqual([
      { apis: [], collections: [] },
    ]);
    expect(await database.query("select from vitrine.api_key")).toEqual([]);
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

  it("can't be checked while the database is away: it throws, admits nobody, and asks again", async () => {
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
    const collectionsOf = async () => (await access.listKeys(100))[0]?.collections?.toSorted() ?? null;

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

  it("records who created and who revoked which key", async () => {
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

    expect(await access.listKeys(100)).toEqual([
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

describe("a key that its owner reads again", () => {
  it("is the key, and the audit log says who read it", async () => {
    const access = createAccess(database);
    const { id, key } = await access.createKey(partner, OPERATOR);

    expect(await access.revealKey(id, "wallet")).toEqual({ kind: "key", key });

    expect(
      await database.query("select actor, action, subject from vitrine.audit order by id desc limit 1"),
    ).toEqual([{ actor: "wallet", action: "keys.reveal", subject: id }]);
  });

  it("is none once it is revoked, and none that was never made", async () => {
    const access = createAccess(database);
    const { id } = await access.createKey(partner, OPERATOR);
    await access.revokeKey(id, OPERATOR);

    expect(await access.revealKey(id, "wallet")).toEqual({ kind: "unknown" });
    expect(await access.revealKey(UNKNOWN_ID, "wallet")).toEqual({ kind: "unknown" });
  });

  it("can't be read through the ciphertext of another row", async () => {
    const access = createAccess(database);
    const first = await access.createKey(partner, OPERATOR);
    const second = await access.createKey(partner, OPERATOR);
    await database.query(
      "update vitrine.api_key set sealed = (select sealed from vitrine.api_key where id = $1) where id = $2",
      [first.id, second.id],
    );

    expect(await access.revealKey(second.id, "wallet")).toEqual({ kind: "unreadable" });
  });

  it("works though it was made before keys were kept, and says that it can't be read", async () => {
    const access = createAccess(database);
    const { id, key } = await access.createKey(partner, OPERATOR);
    await database.query("update vitrine.api_key set sealed = null");

    expect(await access.revealKey(id, "wallet")).toEqual({ kind: "unreadable" });
    expect(await access.findApp(key)).toBeDefined();
  });
});

describe("a rotated key", () => {
  it("gives way to a new one of the same app, and works until its grace is over", async () => {
    const access = createAccess(database);
    const old = await access.createKey(partner, OPERATOR);
    const made = await access.rotateKey(old.id, 3_600, "wallet");
    if (made.kind !== "rotated") throw new Error(`it is ${made.kind}`);

    const fresh = createAccess(database);
    expect((await fresh.findApp(made.key))?.id).toBe((await fresh.findApp(old.key))?.id);
    await database.query("update vitrine.api_key set expires_at = expires_at - interval '3601 seconds'");

    expect(await createAccess(database).findApp(old.key)).toBeUndefined();
    expect(await createAccess(database).findApp(made.key)).toBeDefined();
  });

  it("ends at once without a grace, and is then none that can be rotated", async () => {
    const access = createAccess(database);
    const { id, key } = await access.createKey(partner, OPERATOR);
    await access.rotateKey(id, 0, "wallet");

    expect(await createAccess(database).findApp(key)).toBeUndefined();
    expect(await access.rotateKey(id, 60, "wallet")).toEqual({ kind: "unknown" });
    expect(await access.rotateKey(UNKNOWN_ID, 60, "wallet")).toEqual({ kind: "unknown" });
  });

  it("is not rotated again: no other key is made, and it neither lives longer nor ends sooner", async () => {
    const access = createAccess(database);
    const { id } = await access.createKey(partner, OPERATOR);
    await access.rotateKey(id, 60, "wallet");
    const before = await access.listKeys(100);

    for (const grace of [86_400, 0])
      expect(await access.rotateKey(id, grace, "wallet")).toEqual({
        kind: "rotated_before",
        endsAt: before[0]?.expires_at,
      });

    expect(before[0]?.expires_at?.getTime()).toBeLessThan(Date.now() + 61_000);
    expect(await access.listKeys(100)).toEqual(before);
  });
});

describe("VITRINE_SECRET", () => {
  const OTHER = "another-secret-of-at-least-32-characters";

  it("is rotated: with the previous one set all keys are re-encrypted, and then it can go", async () => {
    const { id, key } = await createAccess(database).createKey(partner, OPERATOR);
    const rotating = createAccessWith(database, sealerOf(OTHER, SECRET));
    expect(await rotating.revealKey(id, "wallet")).toEqual({ kind: "key", key });

    expect(await rotating.reencrypt()).toEqual({ reencrypted: 1, unreadable: 0 });
    expect(await rotating.reencrypt()).toEqual({ reencrypted: 0, unreadable: 0 });

    expect(await createAccessWith(database, sealerOf(OTHER)).revealKey(id, "wallet")).toEqual({
      kind: "key",
      key,
    });
  });

  it("that is lost takes the reading of keys with it, not the keys", async () => {
    const { id, key } = await createAccess(database).createKey(partner, OPERATOR);
    const access = createAccessWith(database, sealerOf(OTHER));

    expect(await access.reencrypt()).toEqual({ reencrypted: 0, unreadable: 1 });
    expect(await access.revealKey(id, "wallet")).toEqual({ kind: "unreadable" });
    expect(await access.findApp(key)).toMatchObject({ name: "Partner" });
  });

  it("re-encrypts any number of keys", async () => {
    const access = createAccess(database);
    for (let made = 0; made < 3; made++) await access.createKey(partner, OPERATOR);
    await database.query(
      `insert into vitrine.api_key (id, app_id, hash, start, sealed)
       select gen_random_uuid(), (select id from vitrine.app), sha256(n::text::bytea), 'vk_', '\\x00'
         from generate_series(1, 450) n`,
    );

    const rotating = createAccessWith(database, sealerOf(OTHER, SECRET));

    expect(await rotating.reencrypt()).toEqual({ reencrypted: 3, unreadable: 450 });
  });
});

describe("a change", () => {
  it("reaches a replica that is notified, whatever it has cached", async () => {
    const replica = createAccess(database, () => 0);
    const listener = listen(url, [ACCESS_CHANNEL], replica.forget, silentLogger);
    onTestFinished(() => listener.close());
    const { id, key } = await createAccess(database).createKey(partner, OPERATOR);
    expect(await replica.findApp(key)).toBeDefined();

    await createAccess(database).revokeKey(id, OPERATOR);

    // Its clock does not advance, so only the notification makes it reload.
    await eventually(
      () => replica.findApp(key),
      (app) => app === undefined,
    );
  });
});
