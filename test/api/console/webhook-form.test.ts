import { beforeEach, describe, expect, it } from "vitest";
import { createTestDatabase } from "../../support/database/database.ts";
import { createTestApp } from "../../support/processes/app.ts";
import { openWebhookTab, secretIn, WEBHOOK_URL, type WebhookTab } from "./webhook-tab.ts";

const test = await createTestDatabase();
const api = createTestApp(test);

let partner: WebhookTab["partner"];
let tab: string;
let create: WebhookTab["create"];
beforeEach(async () => {
  ({ partner, tab, create } = await openWebhookTab(test, api));
});

/** The token of the form, which is shown anew. */
const show = async (): Promise<{ form_token: string }> => ({
  form_token: /name="form_token" value="([^"]*)"/.exec((await partner.get(tab)).text)?.[1] ?? "none",
});
const count = async () => (await api.webhooks.list(tab.split("/")[3] ?? "")).length;
const audited = async (action: string) =>
  (await api.readAudit(20)).filter((row) => row.action === action).length;
const passSeconds = (seconds: number) =>
  test.database.query("update vitrine.webhook set created_at = created_at - $1 * interval '1 second'", [
    seconds,
  ]);

it("creates one webhook for a form that is sent again, and shows the same secret for a minute", async () => {
  const fields = { ...(await show()), event_types: "lock", description: "Mine" };

  const [first, second] = await Promise.all([create(fields), create(fields)]);
  expect(secretIn(first.text)).toBeDefined();
  expect(secretIn(second.text)).toBe(secretIn(first.text));
  expect(second.path).toBe(first.path);
  expect((await create(fields)).path).toBe(first.path);
  expect(await count()).toBe(1);
  expect(await audited("webhooks.create")).toBe(1);
  expect(await audited("webhooks.reveal")).toBe(2);

  // Other settings, or a form that was shown after it, are another request.
  expect((await create({ ...fields, event_types: "unlock" })).path).not.toBe(first.path);
  expect((await create({ ...fields, ...(await show()) })).path).not.toBe(first.path);
  expect(await count()).toBe(3);

  await passSeconds(50);
  expect(secretIn((await create(fields)).text)).toBe(secretIn(first.text));
  expect(await audited("webhooks.reveal")).toBe(3);
  await passSeconds(11);
  const late = await partner.post(tab, { url: WEBHOOK_URL, ...fields });
  expect([late.status, late.location]).toEqual([303, `${first.path}?done=webhook_exists`]);
  const { text } = await partner.get(`${first.path}?done=webhook_exists`);
  expect(text).toContain("This form was sent before, and created this webhook.");
  expect(secretIn(text)).toBeUndefined();
  expect([await count(), await audited("webhooks.reveal")]).toEqual([3, 3]);
});

it("creates nothing more for a form that is sent again once the webhook has changed, or the app has as many as it may", async () => {
  const fields = await show();
  const first = await create(fields);
  for (let nth = 1; nth < 10; nth++) await create({ description: `${nth}` });
  await partner.post(first.path, { url: `${WEBHOOK_URL}/new` });

  expect((await create(fields)).path).toBe(first.path);
  expect(await count()).toBe(10);
});

it("takes an app's token for no other app's", async () => {
  const fields = await show();
  const first = await create(fields);
  const other = await partner.createApp("Other");
  await test.database.query("update vitrine.app set apis = '{market-partner}'");

  const { text } = await partner.post(`${other}/webhooks`, { url: WEBHOOK_URL, ...fields });

  expect(secretIn(text)).toBeDefined();
  expect(secretIn(text)).not.toBe(secretIn(first.text));
});

it("creates a webhook again that was deleted, though its form was shown before both", async () => {
  const before = await show();
  const first = await create(before);
  await partner.post(`${first.path}/delete`);

  const second = await create(before);

  expect(second.path).not.toBe(first.path);
  expect((await partner.get(second.path)).status).toBe(200);
  expect((await create(before)).path).toBe(second.path);
  expect(await count()).toBe(1);
});

describe("the form of a webhook", () => {
  const [OLD, NEW] = ["https://old.example/hook", "https://new.example/hook"];
  /** The fields of the page's last form, as a browser sends them. */
  const fieldsOf = (text: string): Record<string, string> =>
    Object.fromEntries(
      [...(text.split('<form method="post"').at(-1) ?? "").matchAll(/<input[^>]*>/g)].map(([tag]) => [
        /name="([^"]*)"/.exec(tag)?.[1] ?? "",
        /value="([^"]*)"/.exec(tag)?.[1] ?? "",
      ]),
    );
  const stored = () =>
    test.database.query(
      'select url, description, event_types as "eventTypes", collections from vitrine.webhook',
    );

  it("changes only what its sender has changed, and leaves what somebody else has changed since", async () => {
    const { path } = await create({ url: OLD, description: "Mine" });
    const opened = fieldsOf((await partner.get(path)).text);
    await partner.post(path, { ...opened, url: NEW, event_types: "lock" });

    const { location } = await partner.post(path, { ...opened, description: "Production" });

    expect(location).toBe(`${path}?done=webhook_changed`);
    expect(await stored()).toEqual([
      { url: NEW, description: "Production", eventTypes: ["lock"], collections: [] },
    ]);
  });

  it("knows what it was opened with after a refusal, too", async () => {
    const { path } = await create({ url: OLD });
    const opened = fieldsOf((await partner.get(path)).text);
    await partner.post(path, { ...opened, url: NEW });

    const refused = await partner.post(path, { ...opened, event_types: "lock, sale" });
    expect(refused.status).toBe(400);
    await partner.post(path, { ...fieldsOf(refused.text), event_types: "lock" });

    expect(await stored()).toEqual([{ url: NEW, description: null, eventTypes: ["lock"], collections: [] }]);
  });

  it("changes no description of several lines, which its field shows in one", async () => {
    const { path } = await create({ url: OLD });
    await test.database.query("update vitrine.webhook set description = E'One\\nTwo'");
    const opened = fieldsOf((await partner.get(path)).text);

    await partner.post(path, { ...opened, description: "OneTwo", url: NEW });

    expect(await stored()).toMatchObject([{ url: NEW, description: "One\nTwo" }]);
  });
});
