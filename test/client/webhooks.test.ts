/** The client's webhook methods against the service's own routes, over HTTP. */

import { expect, it } from "vitest";
import { clientOfOwnService } from "./own-service.ts";

const vitrine = await clientOfOwnService();

it("registers, changes, tests, lists deliveries, rotates and deletes", async () => {
  const { webhooks } = vitrine;
  const { secret, ...created } = await webhooks.create({
    url: "https://partner.example/hooks",
    eventTypes: ["lock"],
  });
  expect(secret).toMatch(/^whsec_/);
  expect(await webhooks.list()).toEqual([created]);

  expect(await webhooks.change(created.id, { description: "Ours", status: "paused" })).toMatchObject({
    description: "Ours",
    status: "paused",
    event_types: ["lock"],
  });
  const tested = await webhooks.test(created.id);
  expect((await webhooks.resend(created.id, tested.id)).id).toBe(tested.id);

  expect((await webhooks.deliveries(created.id, { status: "pending" }).take(5)).map(({ id }) => id)).toEqual([
    tested.id,
  ]);
  expect(await webhooks.skip(created.id, tested.id)).toMatchObject({ id: tested.id, status: "skipped" });
  expect((await webhooks.rotate(created.id)).secret).not.toBe(secret);
  await webhooks.delete(created.id);
  await expect(webhooks.get(created.id)).rejects.toMatchObject({ status: 404, code: "NOT_FOUND" });
});
