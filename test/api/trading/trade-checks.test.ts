import { keccak256, toHex, zeroHash } from "viem";
import { beforeEach, describe, expect, it } from "vitest";
import { raiseHeads } from "../../../src/api/chain/index/head-mark.ts";
import { createServingIndexes } from "../../../src/api/chain/index/serving-indexes.ts";
import { createDelegationSetup, type DelegationSpec } from "../../support/chain/delegations.ts";
import { createLockSetup } from "../../support/chain/lock-events.ts";
import { CHAIN_SCHEMA, createTestDatabase } from "../../support/database/database.ts";
import { createTestApp, FAR_CHAIN_ID, FAR_COLLECTION } from "../../support/processes/app.ts";
import { CHAIN_ID, COLLECTION } from "../../support/refresh/refresh.ts";

const test = await createTestDatabase();
const { database, tables } = test;
const api = createTestApp(test);
const key = await api.createKey();
const delegations = createDelegationSetup(test);
const locks = createLockSetup(test);
const ADA = "0x00000000000000000000000000000000000000a1";
const BEN = "0x00000000000000000000000000000000000000b2";
const OTHER = "0x00000000000000000000000000000000000000c3";
const MAX = 2n ** 256n - 1n;

beforeEach(async () => {
  await locks.clear();
  await delegations.clear();
  await database.query(`truncate ${tables.tokenState}, ${tables.tokenBalance}`);
  await test.setHead({ chainId: CHAIN_ID, block: 100 });
});

const insertToken = (row: Record<string, unknown> = {}) =>
  test.insert("tokenState", {
    chainId: CHAIN_ID,
    collectionAddress: COLLECTION,
    tokenId: 1n,
    standard: "erc721",
    owner: ADA,
    burned: false,
    lockCount: 0,
    ...row,
  });

const send = (body: unknown, query = "") => api.call(`/market/trade_checks${query}`, { key, body });

async function check(ids: readonly (bigint | number)[], wallet?: string) {
  const items = ids.map((id) => ({ collection_address: COLLECTION, token_id: String(id) }));
  const { status, body } = await send({ action: "trade", items, ...(wallet && { wallet }) });
  expect(status).toBe(200);
  return body.items as { token_id: string; allowed: boolean; reason: string | null; lock_count: number }[];
}
const reasons = async (...args: Parameters<typeof check>) =>
  (await check(...args)).map(({ reason }) => reason);

it("is answered 503 while a reorg keeps the tables locked", async () => {
  await insertToken();
  const item = { collection_address: COLLECTION, token_id: "1" };

  const { status, body, headers } = await database.transaction(async (tx) => {
    await tx.query(`lock table ${tables.tokenState} in access exclusive mode`);
    return send({ action: "trade", items: [item] });
  });

  expect({ status, body }).toMatchObject({ status: 503, body: { code: "UNAVAILABLE" } });
  expect(headers.get("retry-after")).toMatch(/^[1-9]/);
});

describe("a trade check", () => {
  it("answers each item in its order: allowed or not, why, the locks, and as of which block", async () => {
    await insertToken();
    await insertToken({ tokenId: 0n, lockCount: 2, lockedSinceBlock: 90n });
    await insertToken({ tokenId: MAX, burned: true, owner: null });
    await insertToken({ tokenId: 5n, standard: null, owner: null, lockCount: 1, lockedSinceBlock: 90n });
    const token = (token_id: bigint | number) => ({
      collection_address: COLLECTION,
      token_id: String(token_id),
    });

    const { status, body } = await send({
      action: "list",
      items: [token(MAX), token(1), token(0), token(4), token(5), token(1)],
    });

    expect(status).toBe(200);
    const view = (id: bigint | number, allowed: boolean, reason: string | null, lock_count: number) => ({
      chain_id: CHAIN_ID,
      ...token(id),
      allowed,
      reason,
      detail: null,
      lock_count,
      as_of_block: 100,
      verified_at_block: null,
    });
    expect(body.items).toEqual([
      view(MAX, false, "burned", 0),
      view(1, true, null, 0),
      view(0, false, "locked", 2),
      view(4, false, "unknown_token", 0),
      view(5, false, "unknown_token", 1),
      view(1, true, null, 0),
    ]);
  });

  it.each(["list", "transfer", "trade"])(
    "refuses a locked token to whoever wants to %s it",
    async (action) => {
      await insertToken({ lockCount: 1, lockedSinceBlock: 90n });

      const { body } = await send({ action, items: [{ collection_address: COLLECTION, token_id: "1" }] });

      expect(body.items).toMatchObject([{ allowed: false, reason: "locked" }]);
    },
  );

  it("agrees with `tradable`; a token without an indexed transfer is not answered at all", async () => {
    await insertToken();
    await insertToken({ tokenId: 5n, standard: null, owner: null });
    const read = (id: number) => api.call(`/market/collections/${COLLECTION}/tokens/${id}`, { key });

    expect((await read(1)).body.tradable).toBe(true);
    expect((await read(5)).status).toBe(404);
    expect((await check([1, 5])).map(({ allowed }) => allowed)).toEqual([true, false]);
  });
});

describe("with an index that can't be believed, nothing is allowed", () => {
  const good = { chainId: CHAIN_ID, block: 100 };

  it.each([
    ["during a backfill", { ...good, ready: false }, 100],
    ["when it is older than TRADE_MAX_AGE", { ...good, age: 62 }, 100],
    ["when its block is from the future, and it may have stood still since", { ...good, age: -902 }, 100],
  ])("%s", async (_when, head, block) => {
    await insertToken();
    await insertToken({ tokenId: 2n, lockCount: 1, lockedSinceBlock: 90n });
    await test.setHead(head);

    for (const item of await check([1, 2, 3]))
      expect(item).toMatchObject({ allowed: false, reason: "index_stale", as_of_block: block });
  });

  it("but for a block that is a little ahead of our clock, as where a chain's clock is", async () => {
    await insertToken();
    await test.setHead({ ...good, age: -890 });

    expect((await check([1]))[0]).toMatchObject({ allowed: true });
  });

  it("before it has a block", async () => {
    await database.query(`truncate ${tables.checkpoint}, ${tables.meta}`);

    expect(await check([1])).toMatchObject([{ allowed: false, reason: "index_stale", as_of_block: null }]);
  });

  it("while it is behind what any replica has seen of it, as after a restart", async () => {
    await insertToken();
    await test.setHead({ ...good, age: 20 });
    await raiseHeads(database, tables);

    await test.setHead({ ...good, block: 70, age: 40 });
    expect(await reasons([1])).toEqual(["index_stale"]);
    await test.setHead({ ...good, block: 101 });
    expect(await reasons([1])).toEqual([null]);
  });

  it("while a reorg of another chain has undone what the next block, of any chain, does again", async () => {
    await insertToken();
    await test.insert("tokenState", {
      chainId: FAR_CHAIN_ID,
      collectionAddress: FAR_COLLECTION,
      tokenId: 1n,
      standard: "erc721",
      owner: BEN,
      burned: false,
      lockCount: 0,
    });
    await test.setHead({ chainId: FAR_CHAIN_ID, block: 10 });
    const asked = async () => {
      const items = [COLLECTION, FAR_COLLECTION].map((address) => ({
        collection_address: address,
        token_id: "1",
      }));
      const { body } = await send({ action: "trade", items });
      return (body.items as { reason: string | null }[]).map(({ reason }) => reason);
    };
    expect(await asked()).toEqual([null, null]);

    await test.revert((tx) => tx.query(`update ${tables.tokenState} set owner = '${OTHER}'`));

    expect(await asked()).toEqual(["index_stale", "index_stale"]);
    const { body } = await api.call(`/market/collections/${COLLECTION}/tokens/1`, { key });
    expect(body.tradable).toBe(false);
    await test.setHead({ chainId: FAR_CHAIN_ID, block: 11 });
    expect(await asked()).toEqual([null, null]);
  });

  it("for a token whose lock a reorg reverts, until the next block shows the new state", async () => {
    await locks.setReady(true);
    await locks.writer().writeBatch();
    const timestamp = Math.floor(Date.now() / 1000);
    await insertToken({ lockCount: 1, lockedSinceBlock: 95n });
    await insertToken({ tokenId: 2n });
    await locks.add({ block: 95, token: 1n, at: timestamp });
    await locks.writer().writeBatch();
    expect(await reasons([1, 2])).toEqual(["locked", null]);

    // Ponder's state for a moment: the fork's rows are gone, but the head is still the fork's.
    await locks.revert(95);
    await database.query(`update ${tables.tokenState} set lock_count = 0, locked_since_block = null`);
    expect(await reasons([1, 2])).toEqual(["index_stale", null]);
    await locks.writer().writeBatch();
    expect((await locks.published()).map(({ type }) => type)).toEqual(["lock", "reverted"]);
    expect(await reasons([1, 2])).toEqual(["index_stale", null]);

    await test.setHead({ chainId: CHAIN_ID, block: 101, age: -2 });
    expect(await reasons([1, 2])).toEqual([null, null]);
  });
});

describe("for a wallet", () => {
  it("it must hold the token, in any case of its address", async () => {
    await insertToken();
    await insertToken({ tokenId: 2n, owner: BEN });

    expect(await reasons([1, 2], ADA.toUpperCase().replace("X", "x"))).toEqual([null, "not_owner"]);
    expect(await reasons([1, 2], OTHER)).toEqual(["not_owner", "not_owner"]);
  });

  it("of an ERC-1155 token it must hold some", async () => {
    await insertToken({ standard: "erc1155", owner: null, supply: 5n });
    const token = { chainId: CHAIN_ID, collectionAddress: COLLECTION, tokenId: 1n };
    await test.insert("tokenBalance", { ...token, holder: ADA, balance: 5n });
    await test.insert("tokenBalance", { ...token, holder: BEN, balance: 0n });

    expect(await reasons([1], ADA)).toEqual([null]);
    expect(await reasons([1], BEN)).toEqual(["not_owner"]);
    await delegations.add({
      type: "ERC1155",
      from: BEN,
      to: OTHER,
      contract: COLLECTION,
      tokenId: 1n,
      amount: 1n,
    });
    expect(await reasons([1], OTHER)).toEqual(["not_owner"]);
    await delegations.add({
      type: "ERC1155",
      from: ADA,
      to: OTHER,
      contract: COLLECTION,
      tokenId: 1n,
      amount: 1n,
    });
    expect(await reasons([1], OTHER)).toEqual([null]);
  });

  it.each<[string, Partial<DelegationSpec> & Pick<DelegationSpec, "type">, (string | null)[]]>([
    ["the whole wallet", { type: "ALL" }, [null, null]],
    ["the contract", { type: "CONTRACT", contract: COLLECTION }, [null, null]],
    ["the token", { type: "ERC721", contract: COLLECTION, tokenId: 0n }, [null, "not_owner"]],
    ["another contract", { type: "CONTRACT", contract: OTHER }, ["not_owner", "not_owner"]],
    [
      "a coin of that address",
      { type: "ERC20", contract: COLLECTION, amount: 9n },
      ["not_owner", "not_owner"],
    ],
    [
      "a token of the other standard",
      { type: "ERC1155", contract: COLLECTION, tokenId: 0n, amount: 9n },
      ["not_owner", "not_owner"],
    ],
    [
      "the wallet for one purpose",
      { type: "ALL", rights: keccak256(toHex("list")) },
      ["not_owner", "not_owner"],
    ],
    ["what was revoked", { type: "ALL", enabled: false }, ["not_owner", "not_owner"]],
    ["the wallet on another chain", { type: "ALL", chainId: FAR_CHAIN_ID }, ["not_owner", "not_owner"]],
    ["a wallet that holds nothing", { type: "ALL", from: OTHER }, ["not_owner", "not_owner"]],
  ])("a delegation of %s is as good as it is wide", async (_what, spec, expected) => {
    await insertToken({ tokenId: 0n });
    await insertToken({ tokenId: MAX });
    await delegations.add({ from: ADA, to: BEN, ...spec });

    expect(await reasons([0, MAX], BEN)).toEqual(expected);
  });

  it.each([
    ["fewer", 0],
    ["more", 40],
  ])(
    "of an ERC-1155 token it may act for any holder, by %s delegations than there are holders",
    async (_what, more) => {
      const give = (tokenId: bigint, holder: string) =>
        test.insert("tokenBalance", {
          ...{ chainId: CHAIN_ID, collectionAddress: COLLECTION, tokenId, holder, balance: 1n },
        });
      const wallet = (nth: number) => `0x${String(nth).padStart(40, "5")}`;
      for (const tokenId of [1n, 2n, 3n, 4n])
        await insertToken({ tokenId, standard: "erc1155", owner: null, supply: 50n });
      for (const holder of [ADA, wallet(1), wallet(2)]) await give(1n, holder);
      for (const holder of [wallet(1), wallet(2), wallet(3)]) await give(2n, holder);
      await give(3n, ADA);
      for (let nth = 100; nth < 100 + more; nth++) {
        await give(4n, wallet(nth));
        await delegations.add({ type: "ALL", from: wallet(nth), to: BEN });
      }
      const [none, crowd] = ["not_owner", more > 0 ? null : "not_owner"];

      expect(await reasons([1, 2, 3, 4], BEN)).toEqual([none, none, none, crowd]);
      await delegations.add({ type: "ALL", from: ADA, to: BEN });
      expect(await reasons([1, 2, 3, 4], BEN)).toEqual([null, none, null, crowd]);
      await delegations.add({ type: "ERC1155", from: wallet(2), to: BEN, contract: COLLECTION, tokenId: 4n });
      await delegations.add({ type: "CONTRACT", from: wallet(1), to: BEN, contract: OTHER });
      expect(await reasons([1, 2, 3, 4], BEN)).toEqual([null, none, null, crowd]);
      await delegations.add({ type: "ERC1155", from: wallet(3), to: BEN, contract: COLLECTION, tokenId: 2n });
      expect(await reasons([1, 2, 3, 4], BEN)).toEqual([null, null, null, crowd]);
      await database.query(`update ${tables.delegation} set enabled = false where "from" = $1`, [ADA]);
      expect(await reasons([1, 2, 3, 4], BEN)).toEqual([none, null, none, crowd]);
    },
  );

  it("a lock refuses its owner too, and says so", async () => {
    await insertToken({ lockCount: 1, lockedSinceBlock: 90n });

    expect(await reasons([1], ADA)).toEqual(["locked"]);
    expect(await reasons([1], BEN)).toEqual(["locked"]);
  });
});

describe("a wallet that 50,000 strangers have delegated to", () => {
  const HUNDRED = 100;
  const standards = [
    ["ERC-721 tokens", 1],
    ["ERC-1155 tokens of one holder", 1_001],
    ["ERC-1155 tokens, one of which has 100,000 holders", 1_100],
  ] as const;

  beforeEach(async () => {
    await createServingIndexes(test.url, CHAIN_SCHEMA);
    const at = `${CHAIN_ID}, '${COLLECTION}', n`;
    const into = (table: string, columns: string) =>
      `insert into ${table} (chain_id, collection_address, token_id, ${columns})`;
    await database.query(`${into(tables.tokenState, "standard, owner, burned, lock_count")}
      select ${at}, 'erc721', '${ADA}', false, 0 from generate_series(1, ${HUNDRED}) n`);
    await database.query(`${into(tables.tokenState, "standard, supply, burned, lock_count")}
      select ${at}, 'erc1155', 5, false, 0 from generate_series(1001, 1199) n`);
    await database.query(`${into(tables.tokenBalance, "holder, balance")}
      select ${at}, '${ADA}', 5 from generate_series(1001, 1199) n`);
    for (let from = 0; from < 100_000; from += 20_000)
      await database.query(`${into(tables.tokenBalance, "holder, balance")}
        select ${CHAIN_ID}, '${COLLECTION}', 1100, '0xee' || lpad(to_hex(n), 38, '0'), 1
          from generate_series(${from}, ${from + 19_999}) n`);
    for (let from = 0; from < 50_000; from += 10_000)
      await database.query(
        `insert into ${tables.delegation} (chain_id, hash, type, "from", "to", rights, enabled, block_number, block_timestamp,
                                           transaction_hash, log_index)
         select ${CHAIN_ID}, '0xd' || n, 'ALL', '0xdd' || lpad(to_hex(n), 38, '0'), '${BEN}', '${zeroHash}', true, n, n, '0xt', 0
           from generate_series(${from}, ${from + 9_999}) n`,
      );
  });

  it.each(standards)(
    "is answered for %s, without its owner's delegation and with it",
    async (_what, first) => {
      const ids = Array.from({ length: HUNDRED }, (_, nth) => nth + first);

      expect(new Set(await reasons(ids, BEN))).toEqual(new Set(["not_owner"]));
      await delegations.add({ type: "ALL", from: ADA, to: BEN });
      expect(new Set(await reasons(ids, BEN))).toEqual(new Set([null]));
    },
  );
});

describe("a request", () => {
  const item = { collection_address: COLLECTION, token_id: "1" };

  it("of more than 100 tokens is refused", async () => {
    const { status, body } = await send({ action: "list", items: Array.from({ length: 101 }, () => item) });

    expect([status, body.code]).toEqual([400, "TOO_MANY_TOKENS"]);
    expect((await send({ action: "list", items: Array.from({ length: 100 }, () => item) })).status).toBe(200);
  });

  it("names every collection that is not served", async () => {
    const unknown = { collection_address: OTHER, token_id: "1" };

    const { status, body } = await send({ action: "list", items: [unknown, item, unknown] });

    expect(status).toBe(404);
    expect(body.details.map(({ path }: { path: string }) => path)).toEqual([
      "items[0].collection_address",
      "items[2].collection_address",
    ]);
  });

  it("may span chains, and name one for all of its items", async () => {
    const { body } = await send({
      action: "list",
      items: [item, { ...item, collection_address: FAR_COLLECTION }],
    });
    const far = await send({ action: "list", items: [item] }, `?chain_id=${FAR_CHAIN_ID}`);

    expect(body.items.map((each: { chain_id: number }) => each.chain_id)).toEqual([CHAIN_ID, FAR_CHAIN_ID]);
    expect(far.body.items).toMatchObject([
      { chain_id: FAR_CHAIN_ID, reason: "index_stale", as_of_block: null },
    ]);
  });

  it("that comes with others is answered for its own tokens, in their order, and for its own wallet", async () => {
    await insertToken();
    await insertToken({ tokenId: 2n, lockCount: 1, lockedSinceBlock: 90n });
    const token = (id: number) => ({ ...item, token_id: String(id) });
    const far = { ...item, collection_address: FAR_COLLECTION };
    const bodies = [
      { items: [token(2), token(1)] },
      { items: [token(1)] },
      { items: [far, token(2), far] },
      { items: [token(1)], wallet: BEN },
      { items: [token(3), token(2), token(1)] },
    ];

    const answers = await Promise.all(bodies.map((body) => send({ action: "trade", ...body })));

    const seen = answers.map(({ body }) =>
      body.items.map((each: Record<string, unknown>) => [each.token_id, each.reason, each.as_of_block]),
    );
    expect(seen).toEqual([
      [
        ["2", "locked", 100],
        ["1", null, 100],
      ],
      [["1", null, 100]],
      [
        ["1", "index_stale", null],
        ["2", "locked", 100],
        ["1", "index_stale", null],
      ],
      [["1", "not_owner", 100]],
      [
        ["3", "unknown_token", 100],
        ["2", "locked", 100],
        ["1", null, 100],
      ],
    ]);
  });

  it("is one of many at once, more than share a statement, and each is answered for its own token", async () => {
    for (let id = 1n; id <= 40n; id++)
      await insertToken({ tokenId: id, lockCount: Number(id % 3n), lockedSinceBlock: 90n });
    const ids = Array.from({ length: 40 }, (_, nth) => nth + 1);

    const counts = await Promise.all(ids.map(async (id) => (await check([id]))[0]?.lock_count));

    expect(counts).toEqual(ids.map((id) => id % 3));
  });

  it.each([
    [{ action: "burn", items: [item] }, ["action"]],
    [{ action: "list", items: [] }, ["items"]],
    [
      { action: "list", items: [{ ...item, token_id: "01" }, { token_id: "1" }] },
      ["items[0].token_id", "items[1].collection_address"],
    ],
    [{ action: "list", items: [item], wallet: "me" }, ["wallet"]],
  ])("that is wrong gets every problem in one answer: %j", async (body, paths) => {
    const answer = await send(body);

    expect(answer.status).toBe(400);
    expect(answer.body.details.map(({ path }: { path: string }) => path)).toEqual(paths);
  });
});
