/** An app's keys in the console and over REST: how many there may be, and how many are shown. */

import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { beforeEach, describe, expect, it } from "vitest";
import { anonymousGraphqlLimit } from "../../../src/api/http/limits/tiers.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import { createTestApp, type Sent } from "../../support/processes/app.ts";
import { OPERATOR_TOKEN } from "../../support/service-key.ts";
import { createVisitor, type Visitor } from "./visitor.ts";

const test = await createTestDatabase();
const { database } = test;
const api = createTestApp(test);
const MAX = 1_000;
const SHOWN = 100;

let partner: Visitor;
let path: string;
beforeEach(async () => {
  await database.query("truncate vitrine.app, vitrine.rate_limit, vitrine.session, vitrine.audit cascade");
  partner = createVisitor(api);
  await partner.signIn(privateKeyToAccount(generatePrivateKey()));
  path = await partner.createApp("Studio");
});

const admin = (route: string, sent: Sent = {}) =>
  api.call(`/admin/keys${route}`, { ...sent, headers: { authorization: `Bearer ${OPERATOR_TOKEN}` } });
const create = () => admin("", { body: { app: "Terminal", apis: ["market"] } });
/** Keys of the app, the first of them the newest; `end` is SQL for when each ends. */
const addKeys = (count: number, end = "null", app = "Studio") =>
  database.query(
    `insert into vitrine.api_key (id, app_id, hash, start, created_at, expires_at)
     select gen_random_uuid(), id, sha256(gen_random_uuid()::text::bytea), 'vk_' || to_char(n, 'FM000'),
            now() - n * interval '1 minute', ${end}
       from vitrine.app, generate_series(1, $1::int) n where name = $2`,
    [count, app],
  );
const current = async () =>
  /\/keys\/([0-9a-f-]{36})\/reveal/.exec((await partner.get(path)).text)?.[1] ?? "none";
const rotate = async (grace: string) => partner.post(`${path}/keys/${await current()}/rotate`, { grace });
const countLive = async (): Promise<number> =>
  (
    await database.query(
      "select from vitrine.api_key where revoked_at is null and (expires_at is null or expires_at > now())",
    )
  ).length;

describe("an app's keys that work", () => {
  it("are a thousand at most: one more is refused by its limit, until one is revoked", async () => {
    const { body: first } = await create();
    await addKeys(MAX - 2, "null", "Terminal");
    expect((await create()).status).toBe(201);

    const refused = await create();

    expect([refused.status, refused.body.details]).toEqual([
      400,
      [{ path: "app", message: "has 1000 working keys; the limit is 1000: revoke one first" }],
    ]);
    await admin(`/${first.id}`, { method: "DELETE" });
    expect((await create()).status).toBe(201);
  });

  it("are a thousand at most though they are made at once", async () => {
    await create();
    await addKeys(MAX - 2, "null", "Terminal");

    const answers = await Promise.all([create(), create(), create()]);

    expect(answers.map(({ status }) => status).sort()).toEqual([201, 400, 400]);
  });

  it("count while they end: with a thousand, a rotation must end the old one at once", async () => {
    await addKeys(MAX - 1, "now() + interval '1 hour'");

    const refused = await rotate("3600");

    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining("the limit is 1000")]);
    const { location } = await rotate("0");
    expect(location).toContain("done=rotated_at_once");
    expect((await partner.get(location ?? "")).text).toContain("The old key gets 401 at once");
    expect(await countLive()).toBe(MAX);
  });
});

describe("the app of a command", () => {
  it.each(["npx vitrine export", "NPX vitrine keys"])(
    "gets its key, because %s is no name for an app of the console",
    async (app) => {
      const { status, text } = await partner.post("/console/apps", { name: app });
      expect([status, text]).toEqual([400, expect.stringContaining("may not start with npx")]);

      const created = await admin("", { body: { app, apis: ["market"], expires_in_seconds: 600 } });
      expect(created.status).toBe(201);
    },
  );
});

describe("an answer about a key", () => {
  const outcome = ({ location }: { location: string | null }) => location?.split("done=")[1];
  const keysAudited = () =>
    database.query("select action from vitrine.audit where action like 'keys.%' order by id");

  it("says that a key was rotated to one of those who rotate it at once, and one key is made", async () => {
    const key = await current();
    const send = () => partner.post(`${path}/keys/${key}/rotate`, { grace: "86400" });

    const outcomes = (await Promise.all([send(), send(), send()])).map(outcome);

    expect(outcomes.sort()).toEqual(["rotated", "rotated_before", "rotated_before"]);
    expect(await countLive()).toBe(2);
    expect(await keysAudited()).toEqual([{ action: "keys.rotate" }]);
    const again = await admin(`/${key}/rotate`, { body: {} });
    expect([again.status, again.body.details]).toEqual([
      404,
      [{ path: "id", message: expect.stringMatching(/^rotated already; it works until 20/) }],
    ]);
  });

  it("says that a key was revoked once, and that a revoked one can't be rotated", async () => {
    const key = await current();

    expect(outcome(await partner.post(`${path}/keys/${key}/revoke`))).toBe("revoked");
    expect(outcome(await partner.post(`${path}/keys/${key}/revoke`))).toBe("revoked_before");
    expect(outcome(await partner.post(`${path}/keys/${key}/rotate`, { grace: "0" }))).toBe("key_ended");

    expect(await countLive()).toBe(0);
    expect(await keysAudited()).toEqual([{ action: "keys.revoke" }]);
  });

  it("says that a key was created to one of those who ask at once, and one is", async () => {
    await partner.post(`${path}/keys/${await current()}/revoke`);
    const send = () => partner.post(`${path}/keys`);

    const outcomes = (await Promise.all([send(), send(), send()])).map(outcome);

    expect(outcomes.sort()).toEqual(["key_exists", "key_exists", "key_made"]);
    expect(await countLive()).toBe(1);
    expect(await keysAudited()).toEqual([{ action: "keys.revoke" }, { action: "keys.create" }]);
  });

  it("offers a new key to an app whose only working one ends", async () => {
    const key = await current();
    await partner.post(`${path}/keys/${key}/rotate`, { grace: "3600" });
    await partner.post(`${path}/keys/${await current()}/revoke`);

    const { text } = await partner.get(path);
    expect([text.includes("Create a key"), text.includes("Rotate the key")]).toEqual([true, false]);
    expect(await current()).toBe(key);

    expect(outcome(await partner.post(`${path}/keys`))).toBe("key_made");
    expect(await current()).not.toBe(key);
  });
});

describe("the list of an app's keys", () => {
  it("has the key that never ends, however many newer ones do", async () => {
    const lasting = await current();
    await database.query("update vitrine.api_key set created_at = now() - interval '1 day'");
    await addKeys(SHOWN, "now() + interval '1 hour'");

    expect(await current()).toBe(lasting);
    const { text } = await partner.get(path);
    expect([text.includes("Create a key"), text.includes("Rotate the key")]).toEqual([false, true]);
    expect(text).toContain(`/keys/${lasting}/revoke`);
    expect(text.match(/>Revoke…</g)).toHaveLength(SHOWN);
  });

  it("has the newest hundred that work, and the newest fifty of those that no longer do", async () => {
    await addKeys(40, "now() + interval '1 hour'");
    await addKeys(60, "now()");
    const { text } = await partner.get(path);
    expect(text.match(/>Revoke…</g)).toHaveLength(41);
    expect(text.match(/>ended</g)).toHaveLength(50);
    expect(text).toContain("vk_050");
    expect(text).not.toContain("vk_051");

    await addKeys(SHOWN - 40, "now() + interval '1 hour'");
    expect((await partner.get(path)).text.match(/>Revoke…</g)).toHaveLength(SHOWN);
  });

  it("of all apps comes in pages that leave none out and repeat none", async () => {
    await addKeys(240, "now()");
    const stored = await database.query<{ id: string }>(
      "select id from vitrine.api_key order by created_at, id",
    );

    const pages: string[][] = [];
    for (let query: string | undefined = ""; query !== undefined; ) {
      const { body }: Awaited<ReturnType<typeof admin>> = await admin(query);
      pages.push(body.keys.map(({ id }: { id: string }) => id));
      query = body.next_cursor === null ? undefined : `?cursor=${body.next_cursor}`;
    }

    expect(pages.map(({ length }) => length)).toEqual([100, 100, 41]);
    expect(pages.flat()).toEqual(stored.map(({ id }) => id));
    expect((await admin("?limit=100")).body.keys).toHaveLength(100);
    expect((await admin("?limit=101")).body.details[0].path).toBe("limit");
    expect((await admin("?cursor=x")).body.details[0].path).toBe("cursor");
  });
});

describe("pages of the console", () => {
  it("count with all other pages of a client, up to the limit", async () => {
    const { requests } = anonymousGraphqlLimit;
    const visitor = createVisitor(api, "203.0.113.60");

    const answers = await Promise.all(
      Array.from({ length: requests + 1 }, (_, nth) =>
        visitor.get(nth % 2 ? "/console/sign-in" : "/console"),
      ),
    );

    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 429)).toHaveLength(1);
    expect((await visitor.get("/collections")).status).toBe(429);
    expect((await createVisitor(api, "203.0.113.61").get("/console/sign-in")).status).toBe(200);
  });
});
