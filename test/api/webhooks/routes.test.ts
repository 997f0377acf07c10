import { beforeEach, describe, expect, it } from "vitest";
import type { Database } from "../../../src/api/db/database.ts";
import { countRowsRead, createTestDatabase } from "../../support/database/database.ts";
import { SECRET } from "../../support/processes/app.ts";
import { CHAIN_ID, COLLECTION } from "../../support/refresh/refresh.ts";
import { createWebhookTest } from "../../support/refresh/webhooks.ts";

const test = await createTestDatabase();
const { api, key, append } = await createWebhookTest(test);
const other = await api.createKey(["market-partner"], "Others");
const PATH = "/market-partner/webhooks";
const url = "https://partner.example/hooks";
const create = (body: object = {}, as = key) => api.call(PATH, { key: as, body: { url, ...body } });

beforeEach(async () => {
  await test.database.query("delete from vitrine.webhook");
  // Together these tests change more within a minute than an app may.
  await test.database.query("delete from vitrine.rate_limit");
});

describe("registering", () => {
  it("answers 201 with the webhook and, this once, its secret", async () => {
    const { status, body } = await create({ event_types: ["lock", "unlock"], description: "Ours" });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      url,
      description: "Ours",
      event_types: ["lock", "unlock"],
      collections: [],
      status: "active",
      paused_reason: null,
      pending: 0,
    });
    expect(body.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);

    const { secret, ...shown } = body;
    const read = await api.call(`${PATH}/${body.id}`, { key });
    expect(read.body).toEqual(shown);
    expect(read.headers.get("etag")).not.toBeNull();
    expect((await api.call(PATH, { key })).body).toEqual({ items: [shown] });
    const stored = await test.database.query<{ text: string }>(
      "select w::text as text from vitrine.webhook w",
    );
    expect(JSON.stringify(stored)).not.toContain(secret);
  });

  it("names collections by chain and address, whichever way they were named", async () => {
    const { body } = await create({
      collections: [
        `${CHAIN_ID}:${COLLECTION.toUpperCase().replace("0X", "0x")}`,
        "heroes",
        `${CHAIN_ID}:heroes`,
      ],
    });
    expect(body.collections).toEqual([`${CHAIN_ID}:${COLLECTION}`]);
  });

  it.each([
    [{ url: "http://partner.example/" }, 400, "url", 'must be an https URL; it is "http://partner.example/"'],
    [{ url: "https://10.0.0.1/" }, 400, "url", "must be public; 10.0.0.1 is a private address"],
    [
      { event_types: ["lock", "sale"] },
      400,
      "event_types[1]",
      '"sale" is none of lock, unlock, default_lock, metadata, media, collection_refreshed',
    ],
    [{ event_types: Array(7).fill("lock") }, 400, "event_types", "has 7 entries; the limit is 6"],
    [
      { collections: ["0x1"] },
      400,
      "collections[0]",
      '"0x1" is neither an address (0x and 40 hex digits), a slug, nor one of them after its chain, such as chainId:address',
    ],
    [{ description: "x".repeat(201) }, 400, "description", "has 201 characters; the limit is 200"],
    [{ url: `${url}/\0` }, 400, "url", "must not contain NUL or broken characters"],
    [{ url: `${url}/\ud800` }, 400, "url", "must not contain NUL or broken characters"],
    [
      { url: `${url}/${"\u00fc".repeat(400)}` },
      400,
      "url",
      "has 2430 characters once encoded; the limit is 2048",
    ],
    [{ description: "\0" }, 400, "description", "must not contain NUL or broken characters"],
    [{ events: [] }, 400, "", 'has no field "events"'],
  ])("refuses %j", async (body, status, path, message) => {
    const answer = await create(body);
    expect(answer.status).toBe(status);
    expect(answer.body.details).toContainEqual({ path, message });
  });

  it.each([
    ["HTTPS://Partner.Example:443/a b", "https://partner.example/a%20b"],
    ["  https://partner.example/ok\r\nX: y", "https://partner.example/okX:%20y"],
    ["https://partner.example/\u00fc", "https://partner.example/%C3%BC"],
    ["https://partner.example", "https://partner.example/"],
  ])("keeps and shows %j as it is called", async (sent, called) => {
    const { status, body } = await create({ url: sent });
    expect([status, body.url]).toEqual([201, called]);
    const changed = await api.call(`${PATH}/${body.id}`, { method: "PATCH", key, body: { url: sent } });
    expect(changed.body.url).toBe(called);
    const rows = (await api.readAudit(10)).filter(({ subject }) => subject === body.id);
    expect(rows.map(({ action, detail }) => [action, detail.url])).toEqual([["webhooks.create", called]]);
  });

  it("names up to 100 collections", async () => {
    const named = (count: number) => create({ collections: Array(count).fill("heroes") });

    expect([(await named(99)).status, (await named(100)).status]).toEqual([201, 201]);
    expect((await named(101)).body.details).toEqual([
      { path: "collections", message: "has 101 entries; the limit is 100" },
    ]);
  });

  it("refuses a collection that is not served", async () => {
    const { body } = await create({ collections: [`0x${"1".repeat(40)}`] });
    expect(body).toMatchObject({
      code: "COLLECTION_NOT_FOUND",
      details: [{ path: "collections[0]", message: "is not a collection served here" }],
    });
    const far = await create({ collections: [COLLECTION, `5:${COLLECTION}`] });
    expect(far.body).toMatchObject({ code: "INVALID_REQUEST", details: [{ path: "collections[1]" }] });
  });

  const refusedUrl = { path: "url", message: 'must be an https URL; it is "http://partner.example/hooks"' };
  const unserved = (nth: number) => ({
    path: `collections[${nth}]`,
    message: "is not a collection served here",
  });

  it.each(["POST", "PATCH"])("names in one answer what only the service knows, too: %s", async (method) => {
    const { body: webhook } = await create();
    const path = method === "POST" ? PATH : `${PATH}/${webhook.id}`;
    const send = (body: object) => api.call(path, { method, key, body: { url, ...body } });
    const http = "http://partner.example/hooks";

    const all = await send({
      url: http,
      event_types: ["foo"],
      collections: ["nope", "heroes", "0x1", "nor"],
    });
    const both = await send({ url: http, collections: ["nope"] });
    const unknown = await send({ event_types: ["lock"], collections: ["nope", `${CHAIN_ID}:nor`] });
    const mixed = await send({ collections: ["nope", `77:${COLLECTION}`] });

    expect([all.status, all.body.code]).toEqual([400, "INVALID_REQUEST"]);
    expect(all.body.details.map((detail: { path: string }) => detail.path)).toEqual([
      "event_types[0]",
      "collections[2]",
      "url",
      "collections[0]",
      "collections[3]",
    ]);
    expect(all.body.details).toEqual(expect.arrayContaining([refusedUrl, unserved(0), unserved(3)]));
    expect([both.status, both.body.code, both.body.details]).toEqual([
      400,
      "INVALID_REQUEST",
      [refusedUrl, unserved(0)],
    ]);
    expect([unknown.status, unknown.body.code, unknown.body.details]).toEqual([
      404,
      "COLLECTION_NOT_FOUND",
      [unserved(0), unserved(1)],
    ]);
    expect([mixed.status, mixed.body.code]).toEqual([400, "INVALID_REQUEST"]);
    expect(mixed.body.details).toMatchObject([unserved(0), { path: "collections[1]" }]);
  });

  it.each([
    [[]],
    ["x"],
    [null],
    [{ url: 7, collections: "heroes" }],
    [{ collections: [7, { name: "heroes" }] }],
  ])("refuses %j by its schema", async (body) => {
    const answer = await api.call(PATH, { key, body });

    expect([answer.status, answer.body.code]).toEqual([400, "INVALID_REQUEST"]);
  });

  it("names everything that is wrong with a body at once, at 2,048 characters of URL and one more", async () => {
    const long = (characters: number) => url.padEnd(characters, "x");
    const refused = await create({ url: long(2_049), description: "x".repeat(201) });
    expect(refused.body.details.map(({ path }: { path: string }) => path).sort()).toEqual([
      "description",
      "url",
    ]);
    expect((await create({ url: "partner", collections: ["0x1"] })).body.details).toEqual([
      { path: "url", message: 'must be an https URL; "partner" can\'t be parsed' },
      {
        path: "collections[0]",
        message:
          '"0x1" is neither an address (0x and 40 hex digits), a slug, nor one of them after its chain, such as chainId:address',
      },
    ]);
    expect((await create({ url: long(2_048) })).status).toBe(201);
  });

  it("allows ten for an app, also when they are registered at once", async () => {
    const answers = await Promise.all(Array.from({ length: 14 }, () => create()));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(10);
    expect(answers.find(({ status }) => status === 400)?.body.details[0].message).toBe(
      "an app has at most 10 webhooks; delete one first",
    );
    expect((await create({}, other)).status).toBe(201);
  });

  it("needs a key with the permission", async () => {
    const market = await api.createKey(["market"], "Readers");
    expect((await api.call(PATH, { body: { url } })).status).toBe(401);
    expect((await create({}, market)).status).toBe(403);
  });
});

describe("a webhook", () => {
  it("is there for its own app only", async () => {
    const { body } = await create();
    const at = `${PATH}/${body.id}`;
    for (const [method, path, sent] of [
      ["GET", at, undefined],
      ["PATCH", at, { status: "paused" }],
      ["DELETE", at, undefined],
      ["POST", `${at}/test`, undefined],
      ["POST", `${at}/rotate`, undefined],
      ["GET", `${at}/deliveries`, undefined],
      ["POST", `${at}/deliveries/1/resend`, undefined],
      ["POST", `${at}/deliveries/1/skip`, undefined],
    ] as const) {
      const answer = await api.call(path, { method, key: other, body: sent });
      expect([path, answer.status, answer.body.code]).toEqual([path, 404, "NOT_FOUND"]);
    }
    expect((await api.call(PATH, { key: other })).body.items).toEqual([]);
    expect((await api.call(at, { key })).body.status).toBe("active");
  });

  it("changes only what the body has", async () => {
    const { body } = await create({ event_types: ["lock"], description: "One" });
    const at = `${PATH}/${body.id}`;
    const patch = (sent: object) => api.call(at, { method: "PATCH", key, body: sent });
    expect((await patch({ description: null })).body).toMatchObject({
      description: null,
      event_types: ["lock"],
    });
    expect((await patch({ event_types: [] })).body).toMatchObject({ event_types: [], url });
    expect((await patch({ status: "paused" })).body).toMatchObject({
      status: "paused",
      paused_reason: "requested",
    });
    expect((await patch({ url: "https://new.example/" })).body).toMatchObject({
      status: "paused",
      url: "https://new.example/",
    });
    expect((await patch({ url: "https://127.0.0.1/" })).status).toBe(400);
    expect((await patch({})).body.details[0].message).toBe("must change something");
    expect((await patch({ status: "broken" })).status).toBe(400);
  });

  it("leaves in the audit log what a change has changed, and nothing of what was so already", async () => {
    const { body } = await create({ event_types: ["lock"], description: "One", collections: ["heroes"] });
    const patch = (sent: object) =>
      api.call(`${PATH}/${body.id}`, { method: "PATCH", key, body: sent }).then(({ status }) => status);
    const same = { url, description: "One", event_types: ["lock"], collections: ["heroes"] };
    for (const sent of [
      same,
      { status: "active" },
      { ...same, event_types: ["lock", "unlock"] },
      { status: "paused" },
      { status: "paused", description: "One" },
      { ...same, description: null, event_types: ["lock", "unlock"] },
      { status: "active" },
    ])
      expect(await patch(sent)).toBe(200);

    const rows = (await api.readAudit(20)).filter(({ subject }) => subject === body.id);
    expect(rows.map(({ action, detail: { app_id: _ofTests, ...detail } }) => [action, detail])).toEqual([
      ["webhooks.change", { status: "active" }],
      ["webhooks.change", { description: null }],
      ["webhooks.change", { status: "paused" }],
      ["webhooks.change", { eventTypes: ["lock", "unlock"] }],
      ["webhooks.create", expect.anything()],
    ]);
  });

  it("says in the audit log that somebody paused one that was paused as failing", async () => {
    const { body } = await create();
    await test.database.query(
      "update vitrine.webhook set status = 'paused', paused_reason = 'failing', paused_at = now() where id = $1",
      [body.id],
    );
    await api.call(`${PATH}/${body.id}`, { method: "PATCH", key, body: { status: "paused" } });

    expect((await api.readAudit(1))[0]).toMatchObject({
      action: "webhooks.change",
      detail: { status: "paused" },
    });
  });

  it("can be changed sixty times a minute, by all requests of its app that change one", async () => {
    const busy = await api.createKey(["market-partner"], "Busy");
    const { body } = await create({}, busy);
    const at = `${PATH}/${body.id}`;
    const changes = await Promise.all(
      Array.from({ length: 58 }, (_, nth) =>
        api.call(at, { method: "PATCH", key: busy, body: { description: String(nth) } }),
      ),
    );
    expect(new Set(changes.map(({ status }) => status))).toEqual(new Set([200]));
    expect((await api.call(`${at}/rotate`, { method: "POST", key: busy })).status).toBe(200);

    const refused = [
      await api.call(at, { method: "PATCH", key: busy, body: { description: "more" } }),
      await api.call(`${at}/rotate`, { method: "POST", key: busy }),
      await api.call(at, { method: "DELETE", key: busy }),
      await create({}, busy),
    ];
    expect(refused.map(({ status }) => status)).toEqual([429, 429, 429, 429]);
    expect(Number(refused[0]?.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(refused[0]?.body.details[0].message).toMatch(/^Limit: 60 requests per 60 seconds per app, which /);
    expect((await api.call(at, { key: busy })).body.status).toBe("active");
    expect((await api.call(`${at}/test`, { method: "POST", key: busy })).status).toBe(202);
    expect((await create()).status).toBe(201);
  });

  it.each(["failing", "gone"])(
    "stays paused with another URL if it is paused while it is %s",
    async (reason) => {
      const { body } = await create();
      const at = `${PATH}/${body.id}`;
      await test.database.query(
        "update vitrine.webhook set status = 'paused', paused_reason = $2, paused_at = '2026-01-01' where id = $1",
        [body.id, reason],
      );
      const patch = (sent: object) => api.call(at, { method: "PATCH", key, body: sent });

      expect((await patch({ status: "paused" })).body).toMatchObject({
        status: "paused",
        paused_reason: "requested",
        paused_at: "2026-01-01T00:00:00.000Z",
      });
      expect((await patch({ url: "https://new.example/" })).body).toMatchObject({ status: "paused" });
    },
  );

  it("is gone once deleted, and its deliveries with it", async () => {
    const { body } = await create();
    const at = `${PATH}/${body.id}`;
    expect(await api.call(at, { method: "DELETE", key })).toMatchObject({
      status: 200,
      body: { id: body.id, deleted: true },
    });
    expect((await api.call(at, { method: "DELETE", key })).status).toBe(404);
    expect((await api.call(`${at}/deliveries`, { key })).status).toBe(404);
  });

  it("leaves its creation, rotation and deletion in the audit log, without secrets", async () => {
    const { body } = await create();
    const rotated = await api.call(`${PATH}/${body.id}/rotate`, { method: "POST", key });
    await api.call(`${PATH}/${body.id}`, { method: "DELETE", key });
    const rows = (await api.readAudit(10)).filter(({ subject }) => subject === body.id);
    expect(rows.map(({ action, actor }) => [action, actor])).toEqual([
      ["webhooks.delete", "app:Tests"],
      ["webhooks.rotate", "app:Tests"],
      ["webhooks.create", "app:Tests"],
    ]);
    const text = JSON.stringify(rows, (_name, value) => (typeof value === "bigint" ? String(value) : value));
    expect(text).not.toContain("whsec");
    expect(rotated.body.old_secret_until).toEqual(expect.any(String));
  });

  it("is the same by its id in upper case: in answers, cursors and the audit log", async () => {
    const { id } = (await create()).body;
    const [at, upper] = [`${PATH}/${id}`, `${PATH}/${id.toUpperCase()}`];
    for (let nth = 0; nth < 2; nth++) await api.call(`${upper}/test`, { method: "POST", key });
    const first = await api.call(`${upper}/deliveries?limit=1`, { key });
    const second = await api.call(`${at}/deliveries?limit=1&cursor=${first.body.next_cursor}`, { key });
    expect(second.body.items).toMatchObject([{ kind: "test", payload: { data: { webhook_id: id } } }]);

    await api.call(`${upper}/rotate`, { method: "POST", key });
    expect((await api.call(upper, { method: "DELETE", key })).body).toEqual({ id, deleted: true });
    const rows = (await api.readAudit(3)).map(({ action, subject }) => [action, subject]);
    expect(rows).toEqual([
      ["webhooks.delete", id],
      ["webhooks.rotate", id],
      ["webhooks.create", id],
    ]);
  });

  it.each([
    ["GET", `${PATH}/7`, 400],
    ["GET", `${PATH}/00000000-0000-4000-8000-000000000000`, 404],
    ["GET", `${PATH}?limit=3`, 400],
    ["PUT", PATH, 405],
  ])("answers %s %s with %i", async (method, path, status) => {
    expect((await api.call(path, { method, key })).status).toBe(status);
  });
});

describe("deliveries", () => {
  it("come in pages, newest first, by status", async () => {
    const { body } = await create();
    const at = `${PATH}/${body.id}`;
    const tested = [];
    for (let nth = 0; nth < 5; nth++)
      tested.unshift((await api.call(`${at}/test`, { method: "POST", key })).body.id);
    const first = (await api.call(`${at}/deliveries?limit=3&status=pending`, { key })).body;
    const rest = (
      await api.call(`${at}/deliveries?limit=3&status=pending&cursor=${first.next_cursor}`, { key })
    ).body;
    const ids = [...first.items, ...rest.items].map(({ id }: { id: string }) => id);
    expect(ids).toEqual(tested);
    expect(rest.next_cursor).toBeNull();
    expect((await api.call(`${at}/deliveries?status=delivered`, { key })).body.items).toEqual([]);
    expect((await api.call(`${at}/deliveries?cursor=${first.next_cursor}`, { key })).status).toBe(400);
    expect((await api.call(`${at}/deliveries?status=lost`, { key })).status).toBe(400);
    expect((await api.call(`${at}/deliveries/999999/resend`, { method: "POST", key })).status).toBe(404);
    expect((await api.call(`${at}/deliveries/x/resend`, { method: "POST", key })).status).toBe(400);
  });

  it("lets at most a hundred tests and resends wait", async () => {
    const { body } = await create();
    const at = `${PATH}/${body.id}/test`;
    await test.database.query(
      `insert into vitrine.webhook_delivery (webhook_id, message_id, kind, event_type, subject, body)
       select $1, n, 'test', 'test', 'test', '{}' from generate_series(1, 100) n`,
      [body.id],
    );
    const refused = await api.call(at, { method: "POST", key });
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "5"]);
  });

  it("lets no more wait if many are asked for at once", async () => {
    const { body } = await create();
    const at = `${PATH}/${body.id}/test`;
    await test.database.query(
      `insert into vitrine.webhook_delivery (webhook_id, message_id, kind, event_type, subject, body)
       select $1, n, 'test', 'test', 'test', '{}' from generate_series(1, 97) n`,
      [body.id],
    );
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => api.call(at, { method: "POST", key })),
    );
    expect(answers.filter(({ status }) => status === 202)).toHaveLength(3);
  });

  it("are forgotten after seven days, but not those that an active webhook has yet to get", async () => {
    const { forgetOldDeliveries } = await import("../../../src/api/webhooks/module.ts");
    const [active, paused] = [(await create()).body.id, (await create()).body.id];
    await api.call(`${PATH}/${paused}`, { method: "PATCH", key, body: { status: "paused" } });
    await test.database.query("delete from vitrine.webhook_delivery");
    await test.database.query(
      `insert into vitrine.webhook_delivery (webhook_id, message_id, kind, event_type, event_id, subject, body, status, created_at)
       select w, 'm' || n, 'event', 'lock', n, 's', '{}', case when n = 2 then 'delivered' else 'pending' end,
              now() - case when n = 3 then interval '6 days' else interval '8 days' end
         from unnest($1::uuid[]) w, generate_series(1, 3) n`,
      [[active, paused, "00000000-0000-4000-8000-000000000000"]],
    );
    expect(await forgetOldDeliveries.run(test.database)).toBe(1 + 2 + 3);
    const left = await test.database.query<{ webhook: string; id: string }>(
      `select webhook_id as webhook, event_id as id from vitrine.webhook_delivery order by webhook_id = $1 desc, event_id`,
      [active],
    );
    expect(left.map(({ webhook, id }) => [webhook, Number(id)])).toEqual([
      [active, 1],
      [active, 3],
      [paused, 3],
    ]);
  });
});

describe("with more deliveries than one statement has time for", () => {
  const MANY = 12_345;
  const addMany = (id: string, columns: string, values: string) =>
    test.database.query(
      `insert into vitrine.webhook_delivery (webhook_id, message_id, kind, event_type, event_id, subject, body, ${columns})
       select $1, n, 'event', 'lock', n, n, '{}', ${values} from generate_series(1, $2::int) n`,
      [id, MANY],
    );

  beforeEach(() => test.database.query("truncate vitrine.webhook_delivery"));

  it.each([
    ["resuming a webhook", { status: "active" }, "now() - interval '1 day'", 5_000, "P0001"],
    ["another URL", { url: "https://partner.example/others" }, "now() + interval '1 day'", 5_000, "P0001"],
    // As if a larger part ran into the limit of a statement.
    ["resuming a webhook on a slow server", { status: "active" }, "now() - interval '1 day'", 700, "57014"],
  ])("%s makes all due, a part at a time", async (_title, change, dueAt, most, errcode) => {
    const { body } = await create();
    await api.call(`${PATH}/${body.id}`, { method: "PATCH", key, body: { status: "paused" } });
    await addMany(body.id, "attempts, due_at", `n % 10, ${dueAt}`);
    await test.database.query(
      `create or replace function vitrine.refuse_many() returns trigger language plpgsql as $$ begin
         if (select count(*) from changed) > ${most} then
           raise exception 'too many at once' using errcode = '${errcode}'; end if;
         return null; end $$`,
    );
    await test.database.query(
      `create or replace trigger refuse_many after update on vitrine.webhook_delivery referencing new table as changed
       for each statement execute function vitrine.refuse_many()`,
    );

    const { status } = await api.call(`${PATH}/${body.id}`, { method: "PATCH", key, body: change });
    await test.database.query("drop function vitrine.refuse_many cascade");

    expect(status).toBe(200);
    const left = await test.database.query(
      "select from vitrine.webhook_delivery where attempts > 0 or due_at > now()",
    );
    expect(left).toEqual([]);
  });

  it.each(["failed", "skipped"])(
    "those that have %s are listed without reading the others",
    async (status) => {
      const { readDeliveries } = await import("../../../src/api/webhooks/delivery-store.ts");
      const { body } = await create();
      await addMany(body.id, "status", `case when n in (7, 8) then '${status}' else 'delivered' end`);
      await test.database.query("analyze vitrine.webhook_delivery");
      const listed: string[] = [];

      const read = await test.database.transaction((tx) =>
        countRowsRead(tx, ["vitrine"], async () => {
          const found = await readDeliveries(tx, body.id, { limit: 50, status });
          listed.push(...found.map(({ subject }) => subject));
        }),
      );

      expect(listed).toEqual(["8", "7"]);
      expect(read).toBeLessThan(10);
    },
  );

  it("what is old, and what is left of deleted webhooks, is found without reading the rest", async () => {
    const { forgetOldDeliveries } = await import("../../../src/api/webhooks/module.ts");
    const { body } = await create();
    await addMany(body.id, "status, created_at", "'delivered', now() - (n < 10)::int * interval '8 days'");
    await addMany("00000000-0000-4000-8000-000000000000", "status", "'delivered'");
    await addMany("ffffffff-ffff-4fff-bfff-ffffffffffff", "status", "'pending'");
    expect(await forgetOldDeliveries.run(test.database)).toBe(9 + 2 * MANY);
    await test.database.query("analyze vitrine.webhook_delivery");

    const read = await test.database.transaction((tx) =>
      countRowsRead(tx, ["vitrine"], async () => {
        await forgetOldDeliveries.run({ ...test.database, query: tx.query });
      }),
    );

    expect(read).toBeLessThan(MANY / 10);
  });
});

it("keeps events in the log until they are fanned out", async () => {
  const { forgetOldEvents } = await import("../../../src/api/events/module.ts");
  const { readPosition } = await import("../../../src/api/webhooks/module.ts");
  await create();
  const ids = await append([{ token: "1" }, { token: "2" }, { token: "3" }]);
  await test.database.query("update vitrine.event set at = now() - interval '8 days'");
  await test.database.query("update vitrine.webhook_position set event_id = $1", [ids[0]]);
  await forgetOldEvents(readPosition).run(test.database);
  const left = await test.database.query<{ id: string }>("select id from vitrine.event order by id");
  expect(left.map(({ id }) => Number(id))).toEqual(ids.slice(1));
});

it("re-encrypts secrets after VITRINE_SECRET changes, so that they outlive the previous one", async () => {
  const { createWebhookModule } = await import("../../../src/api/webhooks/module.ts");
  const { body } = await create();
  await api.call(`${PATH}/${body.id}/rotate`, { method: "POST", key });
  const next = "another-secret-with-enough-characters";
  const moduleOf = (current: string, previous?: string) =>
    createWebhookModule({
      database: test.database,
      secrets: { current, previous },
      allowedPrivateHosts: new Set(),
      access: api.access,
    });
  expect(await moduleOf(next, SECRET).webhooks.reencrypt()).toBe(1);
  expect(await moduleOf(next, SECRET).webhooks.reencrypt()).toBe(0);
  const [row] = await test.database.query<{ old: Buffer }>("select old_secret as old from vitrine.webhook");
  expect(moduleOf(next).webhookSecrets.open(body.id, row?.old ?? Buffer.alloc(0))).toBe(body.secret);
});

it("re-encrypts a secret that is rotated meanwhile, which signs too for a day", async () => {
  const { createWebhookModule } = await import("../../../src/api/webhooks/module.ts");
  const { body } = await create();
  const next = "another-secret-with-enough-characters";
  const moduleOf = (database: Database, previous?: string) =>
    createWebhookModule({
      database,
      secrets: { current: next, previous },
      allowedPrivateHosts: new Set(),
      access: api.access,
    });
  const [owner] = await test.database.query<{ id: string }>("select app_id as id from vitrine.webhook");
  const rotating = moduleOf(test.database, SECRET);
  let isRotated = false;
  const rotatedMeanwhile: Database = {
    ...test.database,
    async query<Row>(...statement: Parameters<Database["query"]>) {
      const rows = await test.database.query<Row>(...statement);
      if (!isRotated) {
        isRotated = true;
        await rotating.webhooks.rotate(owner?.id ?? "", body.id, "test");
      }
      return rows;
    },
  };

  await moduleOf(rotatedMeanwhile, SECRET).webhooks.reencrypt();

  const [row] = await test.database.query<{ old: Buffer }>("select old_secret as old from vitrine.webhook");
  expect(moduleOf(test.database).webhookSecrets.open(body.id, row?.old ?? Buffer.alloc(0))).toBe(body.secret);
});
