import { beforeEach, describe, expect, it } from "vitest";
import { createTestDatabase } from "../../support/database/database.ts";
import { createTestApp, type Sent } from "../../support/processes/app.ts";
import { COLLECTION } from "../../support/refresh/refresh.ts";
import { OPERATOR_TOKEN } from "../../support/service-key.ts";

const test = await createTestDatabase();
const { database } = test;
const api = createTestApp(test);
const admin = (path: string, sent: Sent = {}) =>
  api.call(`/admin${path}`, {
    ...sent,
    headers: { authorization: `Bearer ${OPERATOR_TOKEN}`, ...sent.headers },
  });
const actions = async () =>
  (await database.query<{ action: string }>("select action from vitrine.audit order by id")).map(
    ({ action }) => action,
  );

beforeEach(() =>
  database.query("truncate vitrine.app, vitrine.api_key, vitrine.audit, vitrine.allowed_host cascade"),
);

describe("keys", () => {
  it("are made for collections by address or slug, alone or with its chain, and refused with what is wrong", async () => {
    const make = (collections: unknown) =>
      admin("/keys", { body: { app: "Partner", apis: ["market"], collections } });

    expect((await make(["heroes", "31337:heroes", COLLECTION, `2020:${COLLECTION}`])).status).toBe(201);
    const { body } = await admin("/keys");
    expect(body.keys[0].collections.toSorted()).toEqual([`2020:${COLLECTION}`, `31337:${COLLECTION}`]);

    expect((await make(["z z"])).body.details).toEqual([
      {
        path: "collections[0]",
        message:
          '"z z" is neither an address (0x and 40 hex digits), a slug, nor one of them after its chain, such as chainId:address',
      },
    ]);
    for (const name of ["0x0000000000000000000000000000000000000001", "zz"])
      expect(await make(["heroes", name])).toMatchObject({
        status: 404,
        body: {
          code: "COLLECTION_NOT_FOUND",
          details: [{ path: "collections[1]", message: "is not a collection served here" }],
        },
      });
  });

  it.each([
    [[], "must not be empty"],
    ["some", 'must be "all" or an array; it is "some"'],
    [null, 'must be "all" or an array; it is null'],
  ])("are refused for the collections %j", async (collections, message) => {
    const { body } = await admin("/keys", { body: { app: "Partner", apis: ["market"], collections } });

    expect(body.details).toEqual([{ path: "collections", message }]);
  });

  it("are made for an app whose name has up to 100 characters; a longer one is refused by its length and the limit", async () => {
    const make = (length: number) => admin("/keys", { body: { app: "x".repeat(length), apis: ["market"] } });

    expect((await make(100)).status).toBe(201);
    expect((await make(101)).body.details).toEqual([
      { path: "app", message: "has 101 characters; the limit is 100" },
    ]);
  });

  it("are made for up to 1,000 collections, each as often as it is named", async () => {
    const make = (count: number) =>
      admin("/keys", {
        body: { app: "Partner", apis: ["market"], collections: Array(count).fill("heroes") },
      });

    expect([(await make(999)).status, (await make(1_000)).status]).toEqual([201, 201]);
    expect((await make(1_001)).body.details).toEqual([
      { path: "collections", message: "has 1001 collections; the limit is 1000" },
    ]);
  });

  it("are made, work at once, are listed by their first characters and revoked", async () => {
    const made = await admin("/keys", { body: { app: "Partner", apis: ["market"], collections: "all" } });
    expect(made.status).toBe(201);
    expect(Object.keys(made.body).sort()).toEqual(["id", "key"]);
    expect((await api.call("/market/collections", { key: made.body.key })).status).toBe(200);

    const { body: listed, text } = await admin("/keys");
    expect(listed.keys).toMatchObject([
      { id: made.body.id, app: "Partner", apis: ["market"], collections: null, revoked_at: null },
    ]);
    expect(text).not.toContain(made.body.key);

    expect(await admin(`/keys/${made.body.id}`, { method: "DELETE" })).toMatchObject({
      status: 200,
      body: { revoked: true },
    });
    expect((await admin(`/keys/${made.body.id}`, { method: "DELETE" })).status).toBe(404);
    expect((await createTestApp(test).call("/market/collections", { key: made.body.key })).status).toBe(401);
    expect(await actions()).toEqual(["keys.create", "keys.revoke"]);
  });

  it("work for as long as they are made for, or until they are revoked", async () => {
    const make = (expires_in_seconds?: unknown) =>
      admin("/keys", { body: { app: "Partner", apis: ["market"], expires_in_seconds } });
    const statusOf = async (key: string) =>
      (await createTestApp(test).call("/market/collections", { key })).status;
    const [lasting, short] = [await make(), await make(600)];
    expect([await statusOf(lasting.body.key), await statusOf(short.body.key)]).toEqual([200, 200]);
    const { keys } = (await admin("/keys")).body;
    expect(keys[0].expires_at).toBeNull();
    expect(Date.parse(keys[1].expires_at) - Date.parse(keys[1].created_at)).toBe(600_000);

    await database.query("update vitrine.api_key set expires_at = expires_at - interval '600 seconds'");

    expect([await statusOf(lasting.body.key), await statusOf(short.body.key)]).toEqual([200, 401]);
    for (const seconds of [1, 2_592_000]) expect((await make(seconds)).status).toBe(201);
    for (const seconds of [0, -1, 1.5, 2_592_001, "600", null]) {
      const { status, body } = await make(seconds);
      expect([status, body.details[0].path]).toEqual([400, "expires_in_seconds"]);
    }
    expect((await admin(`/keys/${short.body.id}`, { method: "DELETE" })).status).toBe(200);
  });

  it("hold all collections by default, or those that are named, in lower case", async () => {
    const named = `31337:${COLLECTION.toUpperCase().replace("0X", "0x")}`;
    await admin("/keys", { body: { app: "All", apis: ["market"] } });
    await admin("/keys", { body: { app: "Some", apis: ["market"], collections: [named] } });

    const { body } = await admin("/keys");

    expect(body.keys.map((each: { collections: unknown }) => each.collections)).toEqual([
      null,
      [`31337:${COLLECTION}`],
    ]);
  });

  it.each([
    ["no app", { apis: ["market"] }, "app"],
    ["a blank app", { app: "  ", apis: ["market"] }, "app"],
    ["no API", { app: "x", apis: [] }, "apis"],
    ["an unknown API", { app: "x", apis: ["admin"] }, "apis[0]"],
    ["no collection", { app: "x", apis: ["market"], collections: [] }, "collections"],
    ["a misspelt member", { app: "x", apis: ["market"], collection: "all" }, ""],
  ])("are not made with %s", async (_what, body, path) => {
    const answer = await admin("/keys", { body });

    expect(answer.status).toBe(400);
    expect(answer.body.details[0].path).toBe(path);
    expect(await actions()).toEqual([]);
    expect(await database.query("select from vitrine.app")).toEqual([]);
  });

  it("are rotated and revoked by their id in either case, and the audit log has one spelling of it", async () => {
    const { body: made } = await admin("/keys", { body: { app: "Partner", apis: ["market"] } });
    const rotated = await admin(`/keys/${made.id.toUpperCase()}/rotate`, { body: { grace_seconds: 0 } });
    expect(rotated.status).toBe(201);
    expect((await createTestApp(test).call("/market/collections", { key: rotated.body.key })).status).toBe(
      200,
    );

    const revoked = await admin(`/keys/${rotated.body.id.toUpperCase()}`, { method: "DELETE" });

    expect(revoked.status).toBe(200);
    const rows = await database.query<{ subject: string }>("select subject from vitrine.audit order by id");
    expect(rows.map(({ subject }) => subject).filter((subject) => subject !== subject.toLowerCase())).toEqual(
      [],
    );
    expect(rows.at(-1)?.subject).toBe(rotated.body.id);
  });

  it("with an id that is none are not revoked", async () => {
    expect((await admin("/keys/1", { method: "DELETE" })).status).toBe(400);
    expect((await admin("/keys/00000000-0000-4000-8000-000000000000", { method: "DELETE" })).status).toBe(
      404,
    );
    expect(await actions()).toEqual([]);
  });
});

describe("the allowlist", () => {
  const entry = { pattern: "CDN.Example", collection: null };

  it("takes a host once, shows it, and lets it go", async () => {
    await admin("/allowlist", { body: entry });
    const { body } = await admin("/allowlist", { body: entry });
    expect(body.hosts).toMatchObject([{ pattern: "cdn.example", collection: null, added_by: "operator" }]);
    expect((await admin("/allowlist")).body).toEqual(body);

    expect((await admin("/allowlist", { method: "DELETE", body: entry })).body).toEqual({ hosts: [] });
    expect((await admin("/allowlist", { method: "DELETE", body: entry })).status).toBe(404);
    expect(await actions()).toEqual(["allowlist.add", "allowlist.add", "allowlist.remove"]);
  });

  it("lets go of a host of a collection that is no longer served", async () => {
    const collection = "31337:0x00000000000000000000000000000000000000aa";
    await database.query(
      "insert into vitrine.allowed_host (pattern, collection, added_by) values ('gone.example', $1, 'operator')",
      [collection],
    );
    const body = { pattern: "gone.example", collection };

    expect((await admin("/allowlist", { body })).status).toBe(404);
    expect((await admin("/allowlist", { method: "DELETE", body })).body).toEqual({ hosts: [] });
    expect((await admin("/allowlist", { method: "DELETE", body })).status).toBe(404);
  });

  it.each(["", "http://cdn.example", "*", "*.", "cdn.example/path", "*.*.example", "a b"])(
    "refuses the pattern %j",
    async (pattern) => {
      const { status, body } = await admin("/allowlist", { body: { pattern } });

      expect(status).toBe(400);
      expect(body.details[0].path).toBe("pattern");
    },
  );
});
