import { privateKeyToAccount } from "viem/accounts";
import { expect, it } from "vitest";
import { createTestDatabase } from "../../support/database/database.ts";
import { BASE_URL, createTestApp, FAR_CHAIN_ID, FAR_COLLECTION } from "../../support/processes/app.ts";
import { CHAIN_ID, COLLECTION } from "../../support/refresh/refresh.ts";
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
  expect(file.headers.get("content-disposition")).toBe(
    `attachment; filename="health-${CHAIN_ID}-${COLLECTION}-http_status.csv"`,
  );
  expect(file.text.trimEnd().split("\r\n")).toHaveLength(61);

  const far = encodeURIComponent(`${FAR_CHAIN_ID}:${FAR_COLLECTION}`);
  for (const page of ["/health", "/health/export"])
    expect((await partner.get(`${path}${page}?collection=${far}&cause=x&format=csv`)).status).toBe(404);
  expect((await partner.get(`${path}/health?cause=%3Cscript`)).status).toBe(400);
  const stranger = createVisitor(api, "198.51.100.2");
  await stranger.signIn(privateKeyToAccount(`0x${"22".repeat(32)}`));
  expect((await stranger.get(`${path}/health`)).status).toBe(404);
});

it("shows which document the contract names, and why it isn't used", async () => {
  const partner = createVisitor(api, "198.51.100.5");
  await partner.signIn(privateKeyToAccount(`0x${"55".repeat(32)}`));
  const path = await partner.createApp("Author");
  await database.query("update vitrine.app set collections = $1 where name = 'Author'", [
    [`${CHAIN_ID}:${COLLECTION}`],
  ]);
  const show = async (read: string): Promise<string> => {
    await database.query("truncate vitrine.contract_metadata");
    await database.query(
      `insert into vitrine.contract_metadata (chain_id, collection, read_at, uri, reason) values ($1, $2, ${read})`,
      [CHAIN_ID, COLLECTION],
    );
    const { text } = await partner.get(`${path}/health`);
    return /Document of the contract<\/dt><dd>(.*?)<\/dd>/.exec(text)?.[1] ?? "";
  };

  expect(await show("null, null, null")).toBe("not read yet");
  expect(await show("now(), null, null")).toBe("the contract names none");
  expect(await show("now(), 'https://meta.example/<b>.json', null")).toBe(
    "https://meta.example/&lt;b&gt;.json",
  );
  expect(await show("now(), 'https://meta.example/c.json', 'http_status: <b>404</b>'")).toContain(
    "http_status: &lt;b&gt;404&lt;/b&gt;",
  );
});

it("refreshes tokens and the whole collection, shows how far it is, and cancels", async () => {
  await database.query("truncate vitrine.token, vitrine.refresh, vitrine.sweep, vitrine.receipt cascade");
  await database.query("truncate vitrine.receipt_token, vitrine.receipt_outcome");
  const partner = createVisitor(api, "198.51.100.3");
  await partner.signIn(privateKeyToAccount(`0x${"33".repeat(32)}`));
  const path = await partner.createApp("Refresher");
  const collection = `${CHAIN_ID}:${COLLECTION}`;
  const id = path.split("/")[3];
  await database.query("update vitrine.app set collections = $2 where id = $1", [id, [collection]]);
  await database.query(
    `insert into vitrine.token (chain_id, collection, token_id) select $1, $2, i from generate_series(1, 30) i`,
    [CHAIN_ID, COLLECTION],
  );
  for (const tokenId of [1n, 2n])
    await test.insert("tokenState", {
      chainId: CHAIN_ID,
      collectionAddress: COLLECTION,
      tokenId,
      standard: "erc721",
      owner: `0x${"a1".repeat(20)}`,
      burned: false,
      lockCount: 0,
    });
  const post = (name: string, fields: Record<string, string>) =>
    partner.post(`${path}/health/${name}`, { collection, ...fields });
  const follow = async ({ status, location }: { status: number; location: string | null }) => {
    expect(status).toBe(303);
    return partner.get((location ?? "").replace(/^https?:\/\/[^/]+/, ""));
  };

  expect((await partner.get(`${path}/health`)).text).toContain("lacks the API market-partner");
  expect((await post("refresh-collection", {})).status).toBe(403);
  await database.query("update vitrine.app set apis = '{market-partner}' where id = $1", [id]);

  const tokens = await follow(await post("refresh", { token_ids: "1, 2" }));
  expect(tokens.text).toContain("Tokens of this refresh");
  expect(tokens.text.match(/queued</g)).toHaveLength(2);
  const refused = await post("refresh", { token_ids: "1, <b>" });
  expect([refused.status, refused.text.includes("1, &lt;b&gt;")]).toEqual([400, true]);
  const many = Array.from({ length: 101 }, (_, n) => n).join(" ");
  expect((await post("refresh", { token_ids: many })).text).toContain("has 101 ids; the limit is 100");

  const whole = await follow(await post("refresh-collection", {}));
  expect(whole.text).toContain("running");
  const [{ id: receipt } = { id: "" }] = await database.query<{ id: string }>(
    "select receipt_id as id from vitrine.sweep",
  );
  expect((await partner.get(`${path}/health`)).text).toContain(receipt);
  const again = await post("refresh-collection", {});
  expect(again.status).toBe(409);
  expect(again.text).toContain("This app is already refreshing the collection. Nothing was queued.");
  expect(again.text).toContain(`name="refresh" value="${receipt}"`);

  const stranger = createVisitor(api, "198.51.100.4");
  await stranger.signIn(privateKeyToAccount(`0x${"44".repeat(32)}`));
  const own = await stranger.createApp("Thief");
  await database.query(
    "update vitrine.app set apis = '{market-partner}', collections = $1 where name = 'Thief'",
    [[collection]],
  );
  const late = await stranger.post(`${own}/health/refresh-collection`, { collection });
  expect([late.status, late.text]).toEqual([
    409,
    expect.stringContaining("Another app is refreshing this collection. Try again once it is done."),
  ]);
  expect(late.text).not.toContain(receipt);
  const stolen = await stranger.post(`${own}/health/cancel`, { collection, refresh: receipt });
  expect(stolen.status).toBe(404);
  expect((await stranger.get(`${own}/health?refresh=${receipt}`)).text).not.toContain(receipt);

  const cancelled = await follow(await post("cancel", { refresh: receipt }));
  expect(cancelled.text).toContain("cancelled");
  expect(await database.query("select from vitrine.sweep where cancelled_at is not null")).toHaveLength(1);
});

it("shows no refresh under another collection, whatever it reads", async () => {
  const partner = createVisitor(api, "198.51.100.6");
  await partner.signIn(privateKeyToAccount(`0x${"66".repeat(32)}`));
  const path = await partner.createApp("Twins");
  const [here, ...others] = [
    `${CHAIN_ID}:${COLLECTION}`,
    `${FAR_CHAIN_ID}:${COLLECTION}`,
    `${FAR_CHAIN_ID}:${FAR_COLLECTION}`,
  ];
  await database.query(
    "update vitrine.app set apis = '{market-partner}', collections = $1 where name = 'Twins'",
    [[here, ...others]],
  );
  api.existing.add("4");
  const { status, location } = await partner.post(`${path}/health/refresh`, {
    collection: here,
    token_ids: "4",
  });
  const refresh = new URL(location ?? "", BASE_URL).searchParams.get("refresh") ?? "";
  const show = async (collection: string): Promise<string> =>
    (await partner.get(`${path}/health?${new URLSearchParams({ collection, refresh })}`)).text;

  expect(status).toBe(303);
  expect(await show(here)).toContain("Tokens of this refresh");
  for (const other of others) expect(await show(other)).not.toContain("Tokens of this refresh");
});
