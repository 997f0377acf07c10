/** From a new app to its first successful request, and what happens to its keys. */

import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { beforeEach, describe, expect, it } from "vitest";
import { tiers } from "../../../src/api/http/limits/tiers.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import { BASE_URL, createTestApp } from "../../support/processes/app.ts";
import { COLLECTION } from "../../support/refresh/refresh.ts";
import { createVisitor, type Visitor } from "./visitor.ts";

const test = await createTestDatabase();
const { database } = test;
const autoApprove = new Set(["market"] as const);
const api = createTestApp(test, { config: { autoApprove } });

let partner: Visitor;
let operator: Visitor;
beforeEach(async () => {
  await database.query(
    "truncate vitrine.app, vitrine.rate_limit, vitrine.session, vitrine.audit, vitrine.app_usage cascade",
  );
  partner = createVisitor(api);
  await partner.signIn(privateKeyToAccount(generatePrivateKey()));
  operator = createVisitor(api);
  await operator.signInAsOperator();
});

async function keyOf(path: string, visitor = partner): Promise<string> {
  const { text } = await visitor.get(path);
  const reveal = /data-key-field="([^"]+)"/.exec(text)?.[1] ?? "";
  return (JSON.parse((await visitor.json(reveal, {})).text) as { key: string }).key;
}
const create = async (fields: Record<string, string>): Promise<string> =>
  (await partner.post("/console/apps", fields)).location?.split("?")[0] ?? "";
const seen = (html: string): string => html.replace(/<[^>]*>/g, " ").replace(/\s+/g, " ");

describe("AUTO_APPROVE", () => {
  it("gives a new app its APIs without a wait, and asks the operator for the others it chose", async () => {
    const path = await create({ name: "Studio", "api:market-partner": "yes" });
    const key = await keyOf(path);

    expect((await api.call("/market/collections", { key })).status).toBe(200);
    expect((await api.call("/market-partner/refreshes/1", { key })).status).toBe(403);
    expect(seen((await operator.get("/console/operator")).text)).toContain("API market-partner");
    expect(seen((await partner.get("/console")).text)).toContain("Granted at once.");
  });

  it("grants an app from before at its request, but not what an operator has withdrawn", async () => {
    const path = await create({ name: "Studio" });
    await database.query("update vitrine.app set apis = '{}'");
    const ask = () => partner.post(`${path}/permissions/ask/api`, { subject: "market" });

    expect((await ask()).location).toContain("done=granted_at_once");
    await operator.post(`${path}/permissions/withdraw/api`, { subject: "market" });

    expect((await ask()).location).toContain("done=requested");
    expect((await api.call("/market/collections", { key: await keyOf(path) })).status).toBe(403);
  });
});

describe("the checklist", () => {
  it("says what is missing, then what to send, and goes after the first success", async () => {
    await database.query("truncate vitrine.app cascade");
    const path = await create({ name: "Studio", "api:market-partner": "yes" });
    await database.query("update vitrine.app set apis = '{}'");
    const key = await keyOf(path);
    expect(seen((await partner.get(path)).text)).toContain("Waiting for the operator: market-partner");
    expect((await partner.get(path)).text).not.toContain("data-request");

    await database.query("update vitrine.app set apis = '{market}'");
    const { text } = await partner.get(path);
    expect(text).toContain('data-request="/market/collections"');
    expect(seen(text)).toContain(`curl &#39;${BASE_URL}/market/collections&#39;`);

    const fresh = createTestApp(test);
    expect((await fresh.call("/market/nothing", { key })).status).toBe(404);
    await fresh.usage.flush();
    expect((await partner.get(path)).text).toContain("First steps");

    expect((await fresh.call("/market/collections", { key })).status).toBe(200);
    await fresh.usage.flush();
    expect((await partner.get(path)).text).not.toContain("First steps");
  });
});

describe("an error that a permission would cure", () => {
  it("names the missing API and the page that grants it", async () => {
    const path = await create({ name: "Studio" });
    const { status, body } = await api.call("/market-partner/refreshes/1", { key: await keyOf(path) });

    expect(status).toBe(403);
    expect(body).toMatchObject({ code: "NOT_ALLOWED", message: "You cannot consume this service" });
    expect(body.details).toEqual([
      {
        path: "api",
        message: `the app Studio may not use the API market-partner; request access at ${BASE_URL}${path}/permissions`,
        url: `${BASE_URL}${path}/permissions`,
      },
    ]);
    expect((await partner.get(`${path}/permissions`)).text).toContain("Request access");
  });

  it("names the page that proves a collection, and the one that raises the tier", async () => {
    const path = await create({ name: "Studio" });
    await database.query("update vitrine.app set apis = '{market,market-partner}'");
    const limits = { ...tiers, basic: { name: "one", requests: 1, seconds: 60 } };
    const limited = createTestApp(test, { limits });
    const key = await keyOf(path);
    const call = () =>
      limited.call(`/market-partner/collections/${COLLECTION}/information?chain_id=31337`, {
        key,
        method: "PUT",
        body: { name: "Heroes", trait_groups: [] },
      });

    const refused = await call();
    expect([refused.status, refused.text]).toEqual([
      403,
      expect.stringContaining(`prove it at ${BASE_URL}${path}/permissions`),
    ]);
    expect(refused.body.details[0].url).toBe(`${BASE_URL}${path}/permissions`);
    const over = await call();
    expect([over.status, over.text]).toEqual([
      429,
      expect.stringContaining(`request a higher tier at ${BASE_URL}${path}/limits`),
    ]);
    expect(over.body.details.at(-1).url).toBe(`${BASE_URL}${path}/limits`);
  });
});

describe("the last use of a key", () => {
  it("is shown beside the key and in the dialog before it is revoked", async () => {
    const path = await create({ name: "Studio" });
    expect((await partner.get(path)).text).toMatch(/<dialog[^>]* popover="auto"/);
    expect(seen((await partner.get(path)).text)).toContain("No request with it is on record.");

    await api.call("/market/collections", { key: await keyOf(path) });
    await api.usage.flush();

    const { text } = await partner.get(path);
    expect(seen(text)).toMatch(/It was last used on 20\d\d-\d\d-\d\d \d\d:\d\d UTC/);
    // The only button outside the dialog opens it.
    expect(text.replace(/<dialog.*?<\/dialog>/gs, "")).not.toContain("/revoke");
  });

  it("is written at most once a minute, however many requests and processes there are", async () => {
    const key = await keyOf(await create({ name: "Studio" }));
    const versions = () => database.query("select last_used_at, xmin::text from vitrine.api_key");
    await api.call("/market/collections", { key });
    await api.usage.flush();
    const before = await versions();

    for (const process of [api, createTestApp(test), createTestApp(test)]) {
      await process.call("/market/collections", { key });
      await process.usage.flush();
    }

    expect(before).toEqual([{ last_used_at: expect.any(Date), xmin: expect.any(String) }]);
    expect(await versions()).toEqual(before);
  });
});

describe("the operator", () => {
  it("sees on every page how many requests are open, which partners don't", async () => {
    await create({ name: "Studio", "api:market-partner": "yes" });

    expect(seen((await operator.get("/console/operator/audit")).text)).toMatch(
      /Operator\s+1\s+pending request/,
    );
    expect((await partner.get("/console")).text).not.toContain('id="pending"');
  });
});

describe("signing in", () => {
  it("leads back to the page that was asked for, and to no other site", async () => {
    const stranger = createVisitor(api);
    const page = "/console/apps/00000000-0000-4000-8000-000000000000/permissions";

    expect((await stranger.get(page)).location).toBe(
      `/console/sign-in?${new URLSearchParams({ next: page })}`,
    );
    const nextOf = async (next: string) =>
      /data-next="([^"]*)"/.exec(
        (await stranger.get(`/console/sign-in?${new URLSearchParams({ next })}`)).text,
      )?.[1];
    expect(await nextOf(page)).toBe(page);
    for (const next of [
      "https://evil.example",
      "//evil.example",
      "/console/../x",
      "/market",
      "/console?//evil.example",
      "/console/sign-in?next=/console",
      "/console\n?x",
      "/console?x\\y",
      "/console@evil.example?x",
    ])
      expect([next, await nextOf(next)]).toEqual([next, "/console"]);
  });

  it("leads back to what the page was asked for, but not to what a form had done", async () => {
    const stranger = createVisitor(api);
    const health = "/console/apps/00000000-0000-4000-8000-000000000000/health";
    const query = `collection=${encodeURIComponent("1:0xa1")}&cause=image_missing`;

    const { location } = await stranger.get(`${health}?${query}&done=refresh_started`);

    expect(new URLSearchParams(location?.split("?")[1]).get("next")).toBe(`${health}?${query}`);
    const { text } = await stranger.get(location ?? "");
    expect(text).toContain(`data-next="${health}?${query.replace("&", "&amp;")}"`);
  });

  it("is possible beside a form that was sent after the session had ended, and scripts say so in a sentence", async () => {
    const stranger = createVisitor(api);

    const { status, text } = await stranger.post("/console/apps", { name: "Mine" });
    expect(status).toBe(401);
    expect(text).toMatch(/<a [^>]*href="\/console\/sign-in" target="_blank"[^>]*>/);
    expect(text).toContain("then reload this page to send the form.");
    const { text: json } = await stranger.json("/console/apps", {});
    expect(JSON.parse(json)).toMatchObject({
      code: "KEY_MISSING",
      details: [{ message: "your session has ended; sign in again" }],
    });
  });

  it("says what to install without a wallet", async () => {
    const { text } = await createVisitor(api).get("/console/sign-in");

    expect(text).toContain('id="no-wallet" hidden');
    expect(text).toContain("https://metamask.io/download");
  });

  it("offers no demo wallet but on a demo", async () => {
    const visitor = createVisitor(api);

    expect((await visitor.get("/console/sign-in")).text).not.toContain("demo-wallet.js");
    expect((await visitor.json("/console/demo-wallet", { method: "eth_chainId" })).status).toBe(404);
  });
});
