/** Trade of a collection opens at the time that its creators set, in every answer alike. */

import { beforeEach, describe, expect, it } from "vitest";
import { createTestDatabase } from "../../support/database/database.ts";
import { createTestApp } from "../../support/processes/app.ts";
import { CHAIN_ID, COLLECTION, emptyTables } from "../../support/refresh/refresh.ts";
import { createOwnEndpoint } from "../graphql/own-endpoint.ts";

const test = await createTestDatabase();
const { database, tables } = test;
const api = createTestApp(test);
const key = await api.createKey();
const endpoint = await createOwnEndpoint(api);
const OWNER = "0x00000000000000000000000000000000000000a1";
const STRANGER = "0x00000000000000000000000000000000000000b2";
const HOUR_MS = 3_600_000;

const insertToken = (row: Record<string, unknown> = {}) =>
  test.insert("tokenState", {
    chainId: CHAIN_ID,
    collectionAddress: COLLECTION,
    tokenId: 1n,
    standard: "erc721",
    owner: OWNER,
    burned: false,
    lockCount: 0,
    ...row,
  });

beforeEach(async () => {
  await emptyTables(database);
  await database.query(`truncate ${tables.tokenState}, vitrine.collection_information`);
  await test.setHead({ chainId: CHAIN_ID, block: 100 });
  await insertToken();
  await api.metadata.addKnownTokens(database, CHAIN_ID, COLLECTION, new Map([["1", 1]]));
});

const put = async (tradable_at: string | null): Promise<void> => {
  const path = `/market-partner/collections/${COLLECTION}/information`;
  const { status } = await api.call(path, { method: "PUT", key, body: { name: "Heroes", tradable_at } });
  expect(status).toBe(200);
};
const soon = (ms: number): string => new Date(Date.now() + ms).toISOString();

async function check(wallet?: string, ids: readonly number[] = [1]) {
  const items = ids.map((id) => ({ collection_address: COLLECTION, token_id: String(id) }));
  const body = { action: "trade", items, ...(wallet && { wallet }) };
  const answer = await api.call("/market/trade_checks", { key, body });
  return answer.body.items as { allowed: boolean; reason: string | null; detail: string | null }[];
}
const rest = async () => (await api.call(`/market/collections/${COLLECTION}/tokens/1`, { key })).body;
const listed = async () =>
  (await api.call(`/market/collections/${COLLECTION}/tokens`, { key })).body.items[0];
const graphql = async () =>
  (await endpoint.ask(`{ token(tokenAddress: "${COLLECTION}", tokenId: "1") { tradable opensAt } }`)).data
    .token;
const page = async () =>
  (await api.call(`/collections/${CHAIN_ID}/${COLLECTION}/1`, { headers: { accept: "text/html" } })).text;

describe("before the collection's tradable_at", () => {
  it("a trade check says when it opens, and every answer that the token is not tradable", async () => {
    const at = soon(HOUR_MS);
    await put(at);

    expect(await check()).toMatchObject([
      { allowed: false, reason: "not_open_yet", detail: `trade of the collection opens at ${at}` },
    ]);
    expect(await rest()).toMatchObject({ tradable: false, opens_at: at });
    expect(await listed()).toMatchObject({ tradable: false, opens_at: at });
    expect(await graphql()).toEqual({ tradable: false, opensAt: at });
    const text = await page();
    expect(text).toContain("Not open yet");
    expect(text).toContain(`<time datetime="${at}">`);
    expect(text).not.toContain(">Tradable<");
    expect(text).not.toContain("The index is behind");
  });

  it("what the chain says comes first, and whose wallet it is last", async () => {
    await put(soon(HOUR_MS));
    await insertToken({ tokenId: 2n, lockCount: 1, lockedSinceBlock: 90n });
    await insertToken({ tokenId: 3n, burned: true, owner: null });
    const reasons = async () => (await check(STRANGER, [1, 2, 3, 4])).map(({ reason }) => reason);

    expect(await reasons()).toEqual(["not_open_yet", "locked", "burned", "unknown_token"]);
    await put(null);
    expect(await reasons()).toEqual(["not_owner", "locked", "burned", "unknown_token"]);
    await test.setHead({ chainId: CHAIN_ID, block: 101, age: 100 });
    expect(await reasons()).toEqual(Array(4).fill("index_stale"));
  });

  it("it is the collection of that chain alone that is closed", async () => {
    await insertToken({ collectionAddress: `0x${"5".repeat(40)}`, chainId: CHAIN_ID });
    await database.query(
      `insert into vitrine.collection_information (chain_id, collection, body, tradable_at, updated_by)
       values ($1, $2, '{}', now() + interval '1 hour', 'tests')`,
      [CHAIN_ID + 1, COLLECTION],
    );

    expect(await check()).toMatchObject([{ allowed: true, reason: null, detail: null }]);
  });
});

it("at that very moment it opens, by the database's clock, and no answer is kept beyond it", async () => {
  const at = soon(1_500);
  await put(at);
  const clock = async () =>
    (await database.query<{ open: boolean }>("select clock_timestamp() >= $1::timestamptz as open", [at]))[0]
      ?.open;

  for (let isOpen = false; !isOpen; ) {
    const before = await clock();
    const answers = [(await check())[0]?.allowed, (await rest()).tradable, (await graphql()).tradable];
    const after = await clock();
    if (before) {
      expect(answers).toEqual([true, true, true]);
      isOpen = true;
    }
    if (!after) expect(answers).toEqual([false, false, false]);
  }
  expect(await rest()).toMatchObject({ opens_at: null });
  expect(await page()).toContain(">Tradable<");
});

it.each([
  ["is null", null],
  ["has passed", "2020-01-31T12:00:00Z"],
  ["passed in the first year there is", "0001-01-01T00:00:00Z"],
])("a collection whose tradable_at %s is open", async (_what, at) => {
  await put(soon(HOUR_MS));
  await put(at);

  expect(await check()).toMatchObject([{ allowed: true, reason: null, detail: null }]);
  expect(await rest()).toMatchObject({ tradable: true, opens_at: null });
});

it("a moment finer than milliseconds is taken", async () => {
  await put("2999-01-31T12:00:00.1234567890123456789Z");

  expect((await check())[0]?.detail).toContain("2999-01-31T12:00:00.123Z");
});

it.each([
  ["0000-12-31T00:00:00Z", 'must be of the year 0001 or later; it is "0000-12-31T00:00:00Z"'],
  [`2026-01-31T12:00:00.${"1".repeat(200)}Z`, "has 221 characters; the limit is 40"],
  ["2026-02-30T00:00:00Z", /must be an ISO 8601 time in UTC/],
  ["infinity", /must be an ISO 8601 time in UTC/],
  [1_900_000_000, "must be an ISO 8601 time in UTC, such as 2026-01-31T12:00:00Z; it is a number"],
])("tradable_at %s is refused by name", async (tradable_at, message) => {
  const path = `/market-partner/collections/${COLLECTION}/information`;
  const { status, body } = await api.call(path, {
    method: "PUT",
    key,
    body: { name: "Heroes", tradable_at },
  });

  expect(status).toBe(400);
  expect(body.details).toEqual([
    {
      path: "tradable_at",
      message: message instanceof RegExp ? expect.stringMatching(message) : message,
    },
  ]);
});
