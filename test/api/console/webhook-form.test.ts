import { beforeEach, expect, it } from "vitest";
import { createTestApp } from "../../support/app.ts";
import { createTestDatabase } from "../../support/database.ts";
import { openWebhookTab, secretIn, type WebhookTab } from "./webhook-tab.ts";

const test = await createTestDatabase();
const api = createTestApp(test);

let partner: WebhookTab["partner"];
let tab: string;
let create: WebhookTab["create"];
beforeEach(async () => {
  ({ partner, tab, create } = await openWebhookTab(test, api));
});

/** The newest webhook that the form for another one was shown with. */
const seen = async (): Promise<string> =>
  /name="seen" value="([^"]*)"/.exec((await partner.get(tab)).text)?.[1] ?? "none";

it("creates one webhook for a form that is sent again within a minute, and shows the same secret each time", async () => {
  const count = async () => (await api.webhooks.list(tab.split("/")[3] ?? "")).length;
  const fields = { seen: await seen(), event_types: "lock", description: "Mine" };

  const [first, second] = await Promise.all([create(fields), create(fields)]);
  expect(secretIn(first.text)).toBeDefined();
  expect(secretIn(second.text)).toBe(secretIn(first.text));
  expect(second.path).toBe(first.path);
  expect((await create(fields)).path).toBe(first.path);
  expect(await count()).toBe(1);
  expect((await api.readAudit(20)).filter(({ action }) => action === "webhooks.create")).toHaveLength(1);

  // Other settings, or a form that was shown after it, are another request.
  expect((await create({ ...fields, event_types: "unlock" })).path).not.toBe(first.path);
  expect((await create({ ...fields, seen: await seen() })).path).not.toBe(first.path);
  expect(await count()).toBe(3);

  const passSeconds = (seconds: number) =>
    test.database.query("update vitrine.webhook set created_at = created_at - $1 * interval '1 second'", [
      seconds,
    ]);
  await passSeconds(50);
  await create(fields);
  expect(await count()).toBe(3);
  await passSeconds(11);
  await create(fields);
  expect(await count()).toBe(4);
});

it("creates a webhook again that was deleted, though its form was shown before both", async () => {
  const before = await seen();
  const first = await create({ seen: before });
  await partner.post(`${first.path}/delete`);

  const second = await create({ seen: before });

  expect(second.path).not.toBe(first.path);
  expect((await partner.get(second.path)).status).toBe(200);
});
