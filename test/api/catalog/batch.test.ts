import { beforeAll, expect, it } from "vitest";
import { createTestDatabase } from "../../support/database/database.ts";
import { createTestApp, FAR_CHAIN_ID } from "../../support/processes/app.ts";
import { CHAIN_ID, COLLECTION } from "../../support/refresh/refresh.ts";

const test = await createTestDatabase();
const api = createTestApp(test);
const key = await api.createKey();
const LAST = (2n ** 256n - 1n).toString();

beforeAll(async () => {
  for (const chainId of [CHAIN_ID, FAR_CHAIN_ID]) await test.setHead({ chainId, block: 100 });
  for (const tokenId of [0n, 1n, 2n, 2n ** 256n - 1n])
    await test.insert("tokenState", {
      chainId: CHAIN_ID,
      collectionAddress: COLLECTION,
      tokenId,
      standard: "erc721",
      burned: tokenId === 2n,
      lockCount: 0,
    });
});

const ask = (body: unknown, query = "", address = COLLECTION) =>
  api.call(`/market/collections/${address}/tokens/batch${query}`, { key, body });

it("tokens are answered in the order of their ids, each as by itself, and the missing ones are named", async () => {
  const { status, body } = await ask({ token_ids: [LAST, "7", "0", "2", "0", "1", "70"] });

  expect(status).toBe(200);
  expect(body.items.map((token: { token_id: string }) => token.token_id)).toEqual([LAST, "0", "2", "1"]);
  expect(body.missing).toEqual(["7", "70"]);
  const alone = await api.call(`/market/collections/${COLLECTION}/tokens/${LAST}`, { key });
  expect(body.items[0]).toEqual(alone.body);
});

it("100 ids are answered, and 101 refused", async () => {
  const ids = Array.from({ length: 101 }, (_, index) => String(index));

  const { body } = await ask({ token_ids: ids.slice(0, 100) });
  expect([body.items.length, body.missing.length]).toEqual([3, 97]);
  const refused = await ask({ token_ids: ids });
  expect([refused.status, refused.body.code]).toEqual([400, "TOO_MANY_TOKENS"]);
});

it.each([
  [{ token_ids: [] }, "token_ids"],
  [{ token_ids: ["1", "01"] }, "token_ids[1]"],
  [{ token_ids: [1] }, "token_ids[0]"],
  [{ token_ids: [(2n ** 256n).toString()] }, "token_ids[0]"],
  [{}, "token_ids"],
  [{ token_ids: ["1"], tokens: [] }, ""],
])("%j is refused, naming %s", async (body, path) => {
  const refused = await ask(body);
  expect([refused.status, refused.body.code]).toEqual([400, "INVALID_REQUEST"]);
  expect(refused.body.details.map((each: { path: string }) => each.path)).toEqual([path]);
});

it("a collection that is not served, and a chain without the token, have codes of their own", async () => {
  const unknown = await ask({ token_ids: ["1"] }, "", `0x${"9".repeat(40)}`);
  expect([unknown.status, unknown.body.code]).toEqual([404, "COLLECTION_NOT_FOUND"]);
  const far = await ask({ token_ids: ["1"] }, `?chain_id=${FAR_CHAIN_ID}`);
  expect(far.body).toEqual({ items: [], missing: ["1"] });
});
