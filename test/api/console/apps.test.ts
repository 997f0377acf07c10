import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { beforeEach, describe, expect, it } from "vitest";
import { createTestDatabase } from "../../support/database/database.ts";
import { createTestApp } from "../../support/processes/app.ts";
import { COLLECTION } from "../../support/refresh/refresh.ts";
import { createVisitor, type Visitor } from "./visitor.ts";

const test = await createTestDatabase();
const { database } = test;
const api = createTestApp(test);
const NAME = `31337:${COLLECTION}`;

let partner: Visitor;
let operator: Visitor;
beforeEach(async () => {
  await database.query(
    "truncate vitrine.app, vitrine.rate_limit, vitrine.session, vitrine.audit, vitrine.allowed_host cascade",
  );
  partner = createVisitor(api);
  await partner.signIn(privateKeyToAccount(generatePrivateKey()));
  operator = createVisitor(api);
  await operator.signInAsOperator();
});

async function keyOf(path: string): Promise<string> {
  const { text } = await partner.get(path);
  const reveal = /data-key-field="([^"]+)"/.exec(text)?.[1] ?? "";
  return (JSON.parse((await partner.json(reveal, {})).text) as { key: string }).key;
}
const statusOf = async (key: string, path = "/market/collections") =>
  (await createTestApp(test).call(path, { key })).status;
const actions = async () =>
  (await database.query<{ action: string }>("select action from vitrine.audit order by id")).map(
    ({ action }) => action,
  );

describe("an app", () => {
  it("starts with a key and no permission, gets one by request and approval, and loses it again", async () => {
    const path = await partner.createApp("Studio");
    const key = await keyOf(path);
    expect(await statusOf(key)).toBe(403);

    await partner.post(`${path}/permissions/ask/api`, { subject: "market" });
    await partner.post(`${path}/permissions/ask/api`, { subject: "market" });
    expect(await statusOf(key)).toBe(403);
    const { text } = await operator.get("/console/operator");
    const approvals = [...text.matchAll(/action="([^"]+\/approve)"/g)].map((match) => match[1] ?? "");
    expect(approvals).toHaveLength(1);
    await operator.post(approvals[0] ?? "");
    expect(await statusOf(key)).toBe(200);
    expect(await statusOf(key, "/market-partner/refreshes/1")).toBe(403);

    await operator.post(`${path}/permissions/withdraw/api`, { subject: "market" });
    expect(await statusOf(key)).toBe(403);
    expect(await actions()).toEqual(
      expect.arrayContaining([
        "apps.create",
        "keys.reveal",
        "requests.create",
        "requests.approve",
        "permissions.withdraw",
      ]),
    );
  });

  it("is created once by a form that is sent again, also when the owner has as many as one may", async () => {
    await database.query(
      `insert into vitrine.app (id, name, apis, owner)
       select gen_random_uuid(), 'App ' || n, '{}', address from vitrine.session, generate_series(1, 19) n
        where address is not null`,
    );
    const shown = (await partner.get("/console")).text;
    const form_token = /name="form_token" value="([^"]*)"/.exec(shown)?.[1] ?? "";
    const send = (fields: Record<string, string>) => partner.post("/console/apps", { form_token, ...fields });

    const [first, second] = await Promise.all([send({ name: "Studio" }), send({ name: "Studio" })]);

    expect(first.location).toContain("done=created");
    expect(second.location).toBe(first.location);
    expect((await send({ name: "Studio" })).location).toBe(first.location);
    expect((await actions()).filter((action) => action === "apps.create")).toHaveLength(1);
    expect((await send({ name: "Atelier" })).text).toContain("20 apps");
    expect((await operator.post("/console/apps", { form_token, name: "Studio" })).text).toContain("is taken");
  });

  it("is created once by an operator's form that is sent twice at once", async () => {
    const send = () => operator.post("/console/apps", { form_token: "a", name: "Own" });

    const [first, second] = await Promise.all([send(), send()]);

    expect(first.location).toContain("done=created");
    expect(second.location).toBe(first.location);
  });

  it("is asked about as a permission that the operator can name, and asked for again if it is served", async () => {
    const path = await partner.createApp("Studio");
    const permissions = async (): Promise<string> => (await operator.get(`${path}/permissions`)).text;
    await database.query("update vitrine.app set collections = null");
    const every = await permissions();
    await database.query("update vitrine.app set collections = $1", [[NAME, "31337:0x0b"]]);
    const two = await permissions();
    const dialogOf = (text: string, subject: string): string =>
      new RegExp(`<dialog id="withdraw-collection-${subject}".*?</dialog>`, "s").exec(text)?.[0] ?? "";

    expect(dialogOf(every, "all")).toContain("Withdraw every collection from Studio?");
    expect(dialogOf(every, "all")).not.toContain("ask for it again");
    expect(dialogOf(two, NAME)).toContain("ask for it again");
    expect(dialogOf(two, "31337:0x0b")).toContain("Withdraw 31337:0x0b from Studio?");
    expect(dialogOf(two, "31337:0x0b")).not.toContain("ask for it again");
  });

  it("loses a permission once, however often it is withdrawn at a time, and the audit log says so", async () => {
    const path = await partner.createApp("Studio");
    await database.query("update vitrine.app set apis = '{market}'");
    const withdraw = () => operator.post(`${path}/permissions/withdraw/api`, { subject: "market" });

    await Promise.all([withdraw(), withdraw(), withdraw()]);
    await withdraw();

    expect((await actions()).filter((action) => action === "permissions.withdraw")).toHaveLength(1);
    expect(await database.query("select apis from vitrine.app")).toEqual([{ apis: [] }]);
  });

  it("is refused what the operator refuses, and may ask again", async () => {
    const path = await partner.createApp("Studio");
    await partner.post(`${path}/permissions/ask/collection`, { subject: NAME });
    const { text } = await operator.get("/console/operator");
    expect(text).toMatch(new RegExp(`Collection Heroes <code>${NAME}</code>`));
    const refuse = /action="([^"]+\/refuse)"/.exec(text)?.[1] ?? "";

    await operator.post(refuse);
    expect((await operator.post(refuse)).location).toContain("decided_before");

    expect(await database.query("select collections from vitrine.app")).toEqual([{ collections: [] }]);
    const again = await partner.post(`${path}/permissions/ask/collection`, { subject: NAME });
    expect(again.location).toContain("done=requested");
  });

  it("keeps its keys when they are rotated and revoked through the console", async () => {
    const path = await partner.createApp("Studio");
    const key = await keyOf(path);
    const [row] = await database.query<{ id: string }>("select id from vitrine.api_key");

    await partner.post(`${path}/keys/${row?.id}/rotate`, { grace: "3600" });
    const fresh = await keyOf(path);
    expect(fresh).not.toBe(key);
    expect([await statusOf(key), await statusOf(fresh)]).toEqual([403, 403]);
    await partner.post(`${path}/keys/${row?.id}/revoke`);

    expect([await statusOf(key), await statusOf(fresh)]).toEqual([401, 403]);
    expect((await partner.post(`${path}/keys/${row?.id}/rotate`, { grace: "5" })).status).toBe(400);
  });

  it("has a tier that only the operator raises", async () => {
    const path = await partner.createApp("Studio");
    const tierOf = async () => (await database.query("select tier from vitrine.app"))[0];
    expect(await tierOf()).toEqual({ tier: "basic" });

    expect((await partner.post(`${path}/limits/set`, { tier: "advanced" })).status).toBe(404);
    expect(await tierOf()).toEqual({ tier: "basic" });
    await partner.post(`${path}/limits/ask`, { tier: "intermediate" });
    await operator.post(`${path}/limits/set`, { tier: "intermediate" });

    expect(await tierOf()).toEqual({ tier: "intermediate" });
    expect((await operator.get("/console/operator")).text).toContain("No pending requests");
    expect((await partner.post(`${path}/limits/ask`, { tier: "gold" })).status).toBe(400);
  });
});

describe("somebody else's app", () => {
  it("does not exist: not its pages, nor anything that changes it, nor its key through an own app", async () => {
    const path = await partner.createApp("Studio");
    const [row] = await database.query<{ id: string }>("select id from vitrine.api_key");
    const other = createVisitor(api);
    await other.signIn(privateKeyToAccount(generatePrivateKey()));
    const own = await other.createApp("Other studio");

    for (const each of [path, `${path}/permissions`, `${path}/limits`])
      expect((await other.get(each)).status).toBe(404);
    for (const each of [
      `${path}/keys`,
      `${path}/keys/${row?.id}/reveal`,
      `${path}/keys/${row?.id}/revoke`,
      `${path}/keys/${row?.id}/rotate`,
      `${own}/keys/${row?.id}/reveal`,
      `${own}/keys/${row?.id}/revoke`,
      `${path}/permissions/ask/api`,
      `${path}/limits/ask`,
    ])
      expect((await other.post(each, { subject: "market", tier: "advanced", grace: "0" })).status).toBe(404);
    expect(await database.query("select from vitrine.api_key where revoked_at is null")).toHaveLength(2);
  });
});

it("a path with another method is 405, and an operator's is still unknown to a partner", async () => {
  const path = await partner.createApp("Studio");

  expect((await partner.get(`${path}/limits/ask`)).status).toBe(405);
  expect((await partner.post("/console")).status).toBe(405);
  expect((await partner.get("/console/nothing")).status).toBe(404);
  expect((await partner.get("/console/operator/hosts/remove")).status).toBe(404);
  expect((await operator.get("/console/operator/hosts/remove")).status).toBe(405);
});

describe("the operator's pages", () => {
  it("say where an operator's own apps are, which start at the highest tier", async () => {
    await operator.createApp("Ours");

    const { text } = await operator.get("/console");
    expect(text).toContain('href="/console/operator/apps"');
    expect(text).not.toContain("No apps yet");
    expect((await operator.get("/console/operator/apps")).text).toContain("Ours");
    expect(await database.query("select tier from vitrine.app")).toEqual([{ tier: "advanced" }]);
    expect((await partner.get("/console")).text).toContain("No apps yet");
  });

  const tabs = ["", "/apps", "/collections", "/refreshes", "/hosts", "/traits", "/audit"];

  it.each(tabs)("%s do not exist for a partner", async (tab) => {
    expect((await partner.get(`/console/operator${tab}`)).status).toBe(404);
    expect((await operator.get(`/console/operator${tab}`)).status).toBe(200);
  });

  it("do nothing for a partner, and redirect strangers to sign-in", async () => {
    for (const path of ["/hosts", "/hosts/remove", "/traits/approve", "/refreshes"])
      expect((await partner.post(`/console/operator${path}`, { pattern: "cdn.example" })).status).toBe(404);
    expect((await createVisitor(api).get("/console/operator")).location).toBe(
      "/console/sign-in?next=%2Fconsole%2Foperator",
    );
    expect((await createVisitor(api).post("/console/operator/hosts")).status).toBe(401);
    expect(await database.query("select from vitrine.allowed_host")).toEqual([]);
  });

  it("allow a host and remove it, and say what is wrong with one that is none", async () => {
    await operator.post("/console/operator/hosts", { pattern: "CDN.example", collection: NAME });
    expect((await operator.get("/console/operator/hosts")).text).toContain("cdn.example");
    const bad = await operator.post("/console/operator/hosts", { pattern: "http://x/", collection: "" });
    expect(bad.status).toBe(400);
    expect(bad.text).toContain("is not host, host:port or *.host");

    await operator.post("/console/operator/hosts/remove", { pattern: "cdn.example", collection: NAME });
    const again = await operator.post("/console/operator/hosts/remove", {
      pattern: "cdn.example",
      collection: NAME,
    });
    expect(again.headers.get("location")).toContain("done=host_not_listed");

    expect(await database.query("select from vitrine.allowed_host")).toEqual([]);
    expect(await actions()).toEqual(expect.arrayContaining(["allowlist.add", "allowlist.remove"]));
  });

  it("queue a whole collection", async () => {
    const { location } = await operator.post("/console/operator/refreshes", { collection: NAME });

    expect(location).toContain("refresh_started");
    expect(await actions()).toContain("refreshes.request");
    expect((await operator.post("/console/operator/refreshes", { collection: "1:0x0" })).status).toBe(400);
  });
});

describe("names of apps", () => {
  it.each([
    ["nothing", "  ", "needs a name"],
    ["markup", "<script>alert(1)</script>", "starts with a letter"],
    ["a line break", "a\nb", "starts with a letter"],
    ["101 characters", "x".repeat(101), "at most 100 characters; this one has 101"],
  ])("may not be %s", async (_what, name, says) => {
    const { status, text } = await partner.post("/console/apps", { name });

    expect(status).toBe(400);
    expect(text).toContain(says);
    expect(text).not.toContain("<script>alert");
    expect(await database.query("select from vitrine.app")).toEqual([]);
  });

  it("are taken once", async () => {
    await partner.createApp("Studio");

    const { status, text } = await partner.post("/console/apps", { name: "Studio" });

    expect(status).toBe(400);
    expect(text).toContain("is taken");
  });

  it("have names of up to 100 characters", async () => {
    const { location } = await partner.post("/console/apps", { name: "x".repeat(100) });
    expect(location).toContain("done=created");
  });

  it("are twenty per wallet at most, though they are made at once", async () => {
    for (let made = 0; made < 18; made++) await partner.createApp(`Studio ${made}`);
    await Promise.all(
      [partner, partner, partner, partner].map((each, nth) => each.createApp(`At once ${nth}`)),
    );

    const more = ["One", "Two", "Three"].map((name) => partner.post("/console/apps", { name }));
    expect((await Promise.all(more)).map(({ status }) => status)).toEqual([400, 400, 400]);
    expect(await database.query("select from vitrine.app")).toHaveLength(20);
  });
});

describe("strangers", () => {
  it("can't fill the tables: 60 changes a minute, and the client's address gets 429", async () => {
    const stranger = createVisitor(api, "198.51.100.99");
    const ask = { address: `0x${"1".repeat(40)}`, chainId: 1 };
    for (let asked = 0; asked < 60; asked++)
      expect((await stranger.json("/console/sign-in/message", ask)).status).toBe(200);

    expect((await stranger.json("/console/sign-in/message", ask)).status).toBe(429);
    expect((await stranger.get("/console/sign-in")).status).toBe(200);
  });

  it("can try to prove a collection ten times a minute", async () => {
    // Its own client address: each process remembers the addresses it refused.
    const stranger = createVisitor(api, "198.51.100.98");
    await stranger.signIn(privateKeyToAccount(generatePrivateKey()));
    const path = await stranger.createApp("Studio");
    const prove = () =>
      stranger.json(`${path}/permissions/prove`, { collection: NAME, message: "hello", signature: "0x" });

    for (let attempt = 0; attempt < 10; attempt++) expect((await prove()).status).toBe(403);

    expect((await prove()).status).toBe(429);
  });

  it.each([
    ["a body that is no JSON", "/console/sign-in/message", "{"],
    ["an address that is none", "/console/sign-in/message", { address: "zz", chainId: 1 }],
  ])("learn what is wrong with %s", async (_what, path, body) => {
    const headers = {
      accept: "application/json",
      "content-type": "application/json",
      origin: "http://localhost:42069",
    };
    const sent = typeof body === "string" ? Buffer.from(body) : body;

    expect((await api.call(path, { method: "POST", body: sent, headers })).status).toBe(400);
  });

  it.each(["/operator/audit?before=9999999999999999999", "?done=__proto__", "?done=constructor"])(
    "and operators see a page at /console%s",
    async (path) => {
      const { status, text } = await operator.get(`/console${path}`);

      expect(status).toBe(200);
      expect(text).not.toContain("notice good");
    },
  );
});

describe("the operator's list of apps", () => {
  const OWNER = `0x${"ab".repeat(20)}`;
  beforeEach(() =>
    database.query(
      `insert into vitrine.app (id, name, apis, collections, owner)
       select gen_random_uuid(), 'App ' || to_char(nth, 'FM000'), '{}', array[$2], case when nth = 150 then $1 end
       from generate_series(1, 230) nth`,
      [OWNER, NAME],
    ),
  );
  const namesIn = (text: string) => [...text.matchAll(/>(App \d{3})</g)].map((match) => match[1] ?? "");
  const further = (text: string) =>
    /href="([^"]+after=[^"]+)"/
      .exec(text)?.[1]
      ?.replace(/^.*?(?=\/console)/, "")
      .replaceAll("&amp;", "&");

  it("comes in pages that leave none out and repeat none", async () => {
    const seen: string[] = [];
    for (let path: string | undefined = "/console/operator/apps"; path; ) {
      const { text } = await operator.get(path);
      seen.push(...namesIn(text));
      path = further(text);
    }

    expect(seen).toEqual(Array.from({ length: 230 }, (_, nth) => `App ${String(nth + 1).padStart(3, "0")}`));
  });

  it.each([
    ["a part of a name", "pp 23", ["App 230"]],
    ["an owner, in any case", OWNER.toUpperCase(), ["App 150"]],
    ["what no app has", "%", []],
  ])("is searched by %s", async (_title, asked, found) => {
    const { text } = await operator.get(`/console/operator/apps?q=${encodeURIComponent(asked)}`);

    expect(namesIn(text)).toEqual(found);
  });

  it("reports how many apps hold a collection beyond those it names", async () => {
    const { text } = await operator.get("/console/operator/collections");

    expect(text).toContain("App 020");
    expect(text).not.toContain("App 021");
    expect(text).toContain("and 210 more");
  });

  it("reports that more requests wait than it shows", async () => {
    await database.query(
      `insert into vitrine.access_request (id, app_id, kind, subject)
       select gen_random_uuid(), id, 'api', 'market' from vitrine.app order by name limit 101`,
    );

    const { text } = await operator.get("/console/operator");

    expect(text.match(/>Approve</g)).toHaveLength(100);
    expect(text).toContain("These are the oldest 100");
  });

  it("hides nobody's request behind those of others: pages in a stable order, with the total", async () => {
    await database.query(
      `insert into vitrine.access_request (id, app_id, kind, subject, created_at)
       select gen_random_uuid(), id, 'api', 'market', '2026-01-01' from vitrine.app where name ~ '^App'`,
    );
    const seen: string[] = [];
    const paths: string[] = [];
    for (let path: string | undefined = "/console/operator"; path; ) {
      const { text } = await operator.get(path);
      expect(text).toContain("of 230");
      seen.push(...[...text.matchAll(/requests\/([0-9a-f-]{36})\/approve/g)].map((match) => match[1] ?? ""));
      paths.push(path);
      path = further(text.replaceAll(/action="[^"]*"/g, ""));
    }
    expect(paths).toHaveLength(3);
    expect(seen).toHaveLength(230);
    const ordered = await database.query<{ id: string }>("select id from vitrine.access_request order by id");
    expect(seen).toEqual(ordered.map(({ id }) => id));

    // A decision on the second page leads back to it, where the next one has moved up.
    const second = paths[1] ?? "";
    const { text } = await operator.get(second);
    expect(text).toMatch(/<a[^>]* href="[^"?]*\/console\/operator">First page<\/a>/);
    const refuse = /action="([^"]+\/refuse[^"]*)"/.exec(text)?.[1]?.replace(/^.*?(?=\/console)/, "") ?? "";
    const { location } = await operator.post(refuse);
    expect(location).toContain(`${second}&done=refused`);
    const next = (await operator.get(second)).text;
    expect(next).toContain(`/requests/${seen[101]}/approve`);
    expect(next).not.toContain(`/requests/${seen[100]}/approve`);
    expect(next).toContain("of 229");
    // A page stays where it is once the request that it starts after is decided too.
    await operator.post(`/console/operator/requests/${seen[99]}/refuse`);
    expect((await operator.get(second)).text).toContain(`/requests/${seen[101]}/approve`);
  });

  it("reports no empty queue on a page after the last request", async () => {
    await database.query(
      `insert into vitrine.access_request (id, app_id, kind, subject)
       select gen_random_uuid(), id, 'api', 'market' from vitrine.app order by name limit 2`,
    );
    const [last] = await database.query<{ id: string }>(
      "select id from vitrine.access_request where decided_at is null order by created_at desc, id desc limit 1",
    );

    const { text } = await operator.get(`/console/operator?after=${last?.id}`);

    expect(text).not.toContain("No pending requests");
    expect(text).toContain("No further requests");
    expect(text).toContain("First page");
  });
});
