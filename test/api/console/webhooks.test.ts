import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { beforeEach, expect, it } from "vitest";
import { createTestDatabase } from "../../support/database/database.ts";
import { createTestApp } from "../../support/processes/app.ts";
import { CHAIN_ID, COLLECTION } from "../../support/refresh/refresh.ts";
import { createVisitor } from "./visitor.ts";
import { openWebhookTab, secretIn, WEBHOOK_URL, type WebhookTab } from "./webhook-tab.ts";

const test = await createTestDatabase();
const api = createTestApp(test);
const url = WEBHOOK_URL;

let partner: WebhookTab["partner"];
let tab: string;
let create: WebhookTab["create"];
beforeEach(async () => {
  ({ partner, tab, create } = await openWebhookTab(test, api));
});

it("is neither created, changed nor used by an app that has lost the permission, which may still pause and delete it", async () => {
  const { path } = await create();
  await test.database.query("update vitrine.app set apis = '{market}'");

  for (const each of [tab, path, ...["resume", "test", "rotate"].map((action) => `${path}/${action}`)]) {
    const answer = await partner.post(each, { url: `${url}/other` });
    expect([answer.status, answer.text]).toEqual([
      403,
      expect.stringContaining("the app lacks the API market-partner"),
    ]);
  }

  expect((await api.webhooks.list(tab.split("/")[3] ?? "")).map((hook) => hook.url)).toEqual([url]);
  expect((await partner.get(tab)).text).toContain("This app lacks the API market-partner");
  expect((await partner.post(`${path}/pause`)).location).toContain("webhook_paused");
  expect((await partner.post(`${path}/delete`)).location).toContain("webhook_deleted");
});

it("creates a webhook, and shows its secret once", async () => {
  const { path, text } = await create({
    event_types: "lock, unlock",
    collections: `${CHAIN_ID}:${COLLECTION}`,
  });
  expect(secretIn(text)).toBeDefined();
  const again = await partner.get(path);
  expect(again.status).toBe(200);
  expect(secretIn(again.text)).toBeUndefined();
  expect(again.text).toContain("lock, unlock");
  const list = await partner.get(tab);
  expect(list.text).toContain(url);
  expect(list.text).toContain('aria-current="page"');
});

it("says beside the field what is wrong, and keeps what was typed", async () => {
  const { status, text } = await partner.post(tab, {
    url: "http://partner.example/",
    description: "<b>mine</b>",
  });
  expect(status).toBe(400);
  expect(text).toContain("Must be an https URL; it is &quot;http://partner.example/&quot;.");
  expect(text).toContain("&lt;b&gt;mine&lt;/b&gt;");
  const types = await partner.post(tab, { url, event_types: "lock,sale" });
  expect(types.text).toContain(
    "&quot;sale&quot; is none of lock, unlock, default_lock, metadata, media, collection_refreshed.",
  );
  const unknown = await partner.post(tab, { url, collections: `0x${"1".repeat(40)}` });
  const both = await partner.post(tab, {
    url: "http://partner.example/",
    event_types: "sale",
    collections: "nope",
  });
  for (const said of ["Must be an https URL", "is none of lock", "Is not a collection served here."])
    expect(both.text).toContain(said);
  expect([unknown.status, (await api.webhooks.list(tab.split("/")[3] ?? "")).length]).toEqual([400, 0]);
});

it("changes, pauses, resumes, tests, rotates, sends again and deletes", async () => {
  const { path, text } = await create();
  const back = (done: string) => ({ status: 303, location: expect.stringContaining(`done=${done}`) });
  expect(await partner.post(path, { url: `${url}/new`, description: "New" })).toMatchObject(
    back("webhook_changed"),
  );
  expect(await partner.post(`${path}/pause`)).toMatchObject(back("webhook_paused"));
  expect((await partner.get(path)).text).toContain("Paused since");
  expect(await partner.post(`${path}/resume`)).toMatchObject(back("webhook_resumed"));
  expect(await partner.post(`${path}/test`)).toMatchObject(back("test_sent"));
  const shown = (await partner.get(path)).text;
  const resend = /action="([^"]+\/resend)"/.exec(shown)?.[1] ?? "";
  expect(await partner.post(resend)).toMatchObject(back("resent"));
  const skip = /action="([^"]+\/skip)"/.exec(shown)?.[1] ?? "";
  expect(await partner.post(skip)).toMatchObject(back("delivery_skipped"));
  expect((await partner.get(path)).text).not.toContain("/skip");
  const rotated = secretIn((await partner.post(`${path}/rotate`)).text);
  expect(rotated).toBeDefined();
  expect(rotated).not.toBe(secretIn(text));
  expect(await partner.post(`${path}/delete`)).toMatchObject(back("webhook_deleted"));
  expect((await partner.get(path)).status).toBe(404);
  const actions = (await api.readAudit(20)).map(({ action }) => action);
  expect(actions).toEqual(
    expect.arrayContaining(["webhooks.create", "webhooks.change", "webhooks.rotate", "webhooks.delete"]),
  );
});

it("is deleted only after a question that says what is lost with it", async () => {
  const { path } = await create();
  const { text } = await partner.get(path);
  const forms = [...text.matchAll(/<form method="post" action="([^"]+)\/delete"/g)];
  const [, dialog = ""] = /<dialog id="delete-webhook" popover="auto"(.*?)<\/dialog>/s.exec(text) ?? [];

  expect(forms).toHaveLength(1);
  expect(dialog).toContain(`action="${path}/delete"`);
  expect(dialog).toContain("This can’t be undone.");
  expect(text).toMatch(/<button type="button"[^>]*popovertarget="delete-webhook"/);
});

it("rotates once for a form that is sent again, and shows the same secret for a minute", async () => {
  const { path } = await create();
  const seenIn = (text: string): string => /name="seen" value="([^"]*)"/.exec(text)?.[1] ?? "none";
  const rotate = async (seen: string) => (await partner.post(`${path}/rotate`, { seen })).text;
  const audited = async (name: string) =>
    (await api.readAudit(20)).filter(({ action }) => action === name).length;
  const rotations = () => audited("webhooks.rotate");
  const before = seenIn((await partner.get(path)).text);

  const [first = "", second = ""] = await Promise.all([rotate(before), rotate(before)]);
  expect(secretIn(first)).toBeDefined();
  expect(secretIn(second)).toBe(secretIn(first));
  expect(secretIn(await rotate(before))).toBe(secretIn(first));
  expect(await rotations()).toBe(1);
  expect(await audited("webhooks.reveal")).toBe(2);

  const next = await rotate(seenIn(first));
  expect(secretIn(next)).not.toBe(secretIn(first));
  expect(await rotations()).toBe(2);

  const passSeconds = (seconds: number) =>
    test.database.query(
      "update vitrine.webhook set old_secret_until = old_secret_until - $1 * interval '1 second'",
      [seconds],
    );
  await passSeconds(50);
  expect(secretIn(await rotate(seenIn(first)))).toBe(secretIn(next));
  expect(await rotations()).toBe(2);

  await passSeconds(11);
  const late = await partner.post(`${path}/rotate`, { seen: seenIn(first) });
  expect([late.status, late.location]).toEqual([303, expect.stringContaining("done=secret_rotated_before")]);
  expect([await rotations(), await audited("webhooks.reveal")]).toEqual([2, 3]);
  const shown = (await partner.get(`${path}?done=secret_rotated_before`)).text;
  expect(shown).toContain("The secret was rotated after that page was shown.");

  // Also once the secret before no longer signs.
  await passSeconds(86_400);
  expect(secretIn(await rotate(before))).toBeUndefined();
  expect(await rotations()).toBe(2);
  expect(secretIn(await rotate(seenIn((await partner.get(path)).text)))).toBeDefined();
  expect(await rotations()).toBe(3);
});

it("says why a webhook is paused", async () => {
  const { path } = await create();
  await test.database.query(
    "update vitrine.webhook set status = 'paused', paused_reason = 'failing', paused_at = now()",
  );
  const { text } = await partner.get(path);
  expect(text).toContain("An event failed for three days.");
  expect((await partner.get(tab)).text).toContain("paused");
});

it("shows an app's webhooks to nobody else, and takes no form of another site", async () => {
  const { path } = await create();
  const stranger = createVisitor(api, "198.51.100.2");
  await stranger.signIn(privateKeyToAccount(generatePrivateKey()));
  expect((await stranger.get(path)).status).toBe(404);
  expect((await stranger.post(`${path}/delete`)).status).toBe(404);
  const own = await stranger.createApp("Thief");
  expect((await stranger.get(`${own}/webhooks/${path.split("/").at(-1)}`)).status).toBe(404);
  expect((await partner.post(`${path}/delete`, {}, { origin: "https://evil.example" })).status).toBe(403);
  expect((await partner.get(path)).status).toBe(200);
});
