/** Requests for a tier and their decisions: an approval raises an app's limit, and never lowers it. */

import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { beforeEach, expect, it } from "vitest";
import { createTestDatabase } from "../../support/database/database.ts";
import { createTestApp } from "../../support/processes/app.ts";
import { createVisitor, type Visitor } from "./visitor.ts";

const test = await createTestDatabase();
const { database } = test;
const api = createTestApp(test);

let partner: Visitor;
let operator: Visitor;
let path: string;
beforeEach(async () => {
  await database.query("truncate vitrine.app, vitrine.rate_limit, vitrine.session, vitrine.audit cascade");
  partner = createVisitor(api);
  await partner.signIn(privateKeyToAccount(generatePrivateKey()));
  operator = createVisitor(api);
  await operator.signInAsOperator();
  path = await partner.createApp("Studio");
});

const outcome = ({ location }: { location: string | null }) => location?.split("done=")[1];
const ask = async (tier: string) => outcome(await partner.post(`${path}/limits/ask`, { tier }));
const set = (tier: string) => operator.post(`${path}/limits/set`, { tier });
const requests = () =>
  database.query<{ id: string; subject: string; is_approved: boolean | null }>(
    "select id, subject, is_approved from vitrine.access_request order by created_at",
  );
const states = async () =>
  Object.fromEntries((await requests()).map((each) => [each.subject, each.is_approved]));
async function approve(tier: string) {
  const found = (await requests()).find(({ subject }) => subject === tier);
  return outcome(await operator.post(`/console/operator/requests/${found?.id}/approve`));
}
const tier = async () => (await database.query<{ tier: string }>("select tier from vitrine.app"))[0]?.tier;

it("settles the requests for lower tiers, and leaves those for higher ones", async () => {
  await ask("advanced");
  await ask("intermediate");
  expect(await approve("intermediate")).toBe("approved");
  expect(await states()).toEqual({ advanced: null, intermediate: true });
  expect(await tier()).toBe("intermediate");

  expect(await approve("advanced")).toBe("approved");
  expect(await tier()).toBe("advanced");
});

it.each(["approved", "set"])("a higher tier, %s, closes the request for a lower one", async (how) => {
  await ask("intermediate");
  await ask("advanced");
  if (how === "set") await set("advanced");
  else await approve("advanced");

  expect(await states()).toEqual({ intermediate: true, advanced: true });
  expect(await approve("intermediate")).toBe("decided_before");
  expect(await tier()).toBe("advanced");
});

it("an approval that comes after a higher tier is outdated, and lowers nothing", async () => {
  await ask("intermediate");
  await database.query("update vitrine.app set tier = 'advanced'");

  expect(await approve("intermediate")).toBe("outdated");

  expect(await tier()).toBe("advanced");
  expect(await states()).toEqual({ intermediate: false });
  expect(
    await database.query("select action, detail from vitrine.audit order by id desc limit 1"),
  ).toMatchObject([{ action: "requests.refuse", detail: { subject: "intermediate", outdated: true } }]);
});

it("two approvals at once leave the higher tier", async () => {
  await ask("advanced");
  await ask("intermediate");

  await Promise.all([approve("advanced"), approve("intermediate")]);

  expect(await tier()).toBe("advanced");
});

it("is lowered by the operator alone; an app has the tiers below its own", async () => {
  await set("advanced");
  expect(await ask("intermediate")).toBe("already_granted");
  expect((await partner.get(`${path}/limits`)).text).not.toContain("/limits/ask");

  await set("basic");

  expect(await tier()).toBe("basic");
  expect((await partner.get(`${path}/limits`)).text).toContain("/limits/ask");
});

it("set to what it is already leaves the audit log as it is", async () => {
  const grants = () =>
    database.query(
      "select detail ->> 'subject' as tier from vitrine.audit where action = 'permissions.grant'",
    );
  await Promise.all([set("intermediate"), set("intermediate")]);
  await set("intermediate");
  expect(await grants()).toEqual([{ tier: "intermediate" }]);

  await set("basic");
  expect(await grants()).toHaveLength(2);
});
