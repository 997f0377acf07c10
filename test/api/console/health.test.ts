import { privateKeyToAccount } from "viem/accounts";
import { expect, it } from "vitest";
import { createTestApp, FAR_CHAIN_ID, FAR_COLLECTION } from "../../support/app.ts";
import { createTestDatabase } from "../../support/database.ts";
import { CHAIN_ID, COLLECTION } from "../../support/refresh.ts";
import { createVisitor } from "./visitor.ts";

const test = await createTestDatabase();
const { database } = test;
const api = createTestApp(test);

it("shows the health of a collection that the app holds, the tokens of a cause page by page, and exports them", async () => {
  const partner = createVisitor(api);
  await partner.signIn(privateKeyToAccount(`0x${"11".repeat(32)}`));
  const path = await partner.createApp("Studio");
  expect((await partner.get(`${path}/health`)).text).toContain("This app holds no collection");

  await database.query("update vitrine.app set collections = $1", [[`${CHAIN_ID}:${COLLECTION}`]]);
  await database.query(
    `insert into vitrine.token (chain_id, collection, token_id, last_outcome, last_reason)
     select $1, $2, i, 'failed', 'http_status: <b>404</b>' from generate_series(1, 60) i`,
    [CHAIN_ID, COLLECTION],
  );

  const { text } = await partner.get(`${path}/health`);
  expect(text).toContain("Failed reads");
  const cause = /href="([^"]*cause=http_status)"/.exec(text)?.[1]?.replaceAll("&amp;", "&") ?? "";
  const list = await partner.get(cause.replace(/^https?:\/\/[^/]+/, ""));
  expect(list.text).toContain("http_status: &lt;b&gt;404&lt;/b&gt;");
  expect(list.text.match(/404&lt;/g)).toHaveLength(50);
  const next = /href="([^"]*after=[^"]*)"/.exec(list.text)?.[1]?.replaceAll("&amp;", "&") ?? "";
  expect((await partner.get(next)).text.match(/404&lt;/g)).toHaveLength(10);

  const name = encodeURIComponent(`${CHAIN_ID}:${COLLECTION}`);
  const file = await partner.get(`${path}/health/export?collection=${name}&cause=http_status&format=csv`);
  expect(file.headers.get("content-type")).toContain("text/csv");
  expect(file.text.trimEnd().split("\r\n")).toHaveLength(61);

  const far = encodeURIComponent(`${FAR_CHAIN_ID}:${FAR_COLLECTION}`);
  for (const page of ["/health", "/health/export"])
    expect((await partner.get(`${path}${page}?collection=${far}&cause=x&format=csv`)).status).toBe(404);
  expect((await partner.get(`${path}/health?cause=%3Cscript`)).status).toBe(400);
  const stranger = createVisitor(api, "198.51.100.2");
  await stranger.signIn(privateKeyToAccount(`0x${"22".repeat(32)}`));
  expect((await stranger.get(`${path}/health`)).status).toBe(404);
});
