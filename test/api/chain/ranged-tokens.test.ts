/** Tokens of a minted range, which have no row of their own, as seen by everything that reads token state. */

import { zeroAddress } from "viem";
import { beforeEach, describe, expect, it } from "vitest";
import { createHoldings } from "../../../src/api/catalog/holdings-store.ts";
import { isGoneFromChain, isOnChain } from "../../../src/api/metadata/records/store.ts";
import { readHeld } from "../../../src/api/search/sync/chain-store.ts";
import { readIndexedLocks, readLivingTokens } from "../../../src/api/trading/reconcile/reconcile-store.ts";
import { readChainStates } from "../../../src/api/trading/store.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import { createTestApp } from "../../support/processes/app.ts";
import { createBarrier } from "../../support/processes/worker.ts";
import { CHAIN_ID, COLLECTION } from "../../support/refresh/refresh.ts";

const test = await createTestDatabase();
const { database, tables } = test;
const api = createTestApp(test);
const key = await api.createKey();
const [ADA, BEN] = [`0x${"a".repeat(40)}`, `0x${"b".repeat(40)}`];
const place = { chainId: CHAIN_ID, address: COLLECTION };
const collection = { chainId: CHAIN_ID, collection: COLLECTION };
const key721 = { chainId: CHAIN_ID, collectionAddress: COLLECTION };

const addRange = (from: bigint, to: bigint, owner = ADA) =>
  test.insert("tokenRange", {
    ...key721,
    fromTokenId: from,
    toTokenId: to,
    owner,
    transferId: `id ${from}`,
    mintedBlock: 7n,
    mintedLog: 0,
    blockTimestamp: 1_700_000_007n,
    transactionHash: "0xmint",
  });
const addToken = (tokenId: bigint, row: Record<string, unknown> = {}) =>
  test.insert("tokenState", {
    ...key721,
    tokenId,
    standard: "erc721",
    owner: BEN,
    burned: false,
    lockCount: 0,
    ...row,
  });

// Two ranges with a gap of one token: 12 was transferred, 13 burned, 14 locked before its mint; 21,000 is in none.
beforeEach(async () => {
  await database.query(
    `truncate ${tables.tokenState}, ${tables.tokenRange}, ${tables.tokenTransfer}, ${tables.lockEvent}, ${tables.indexAnomaly}`,
  );
  await test.setHead({ chainId: CHAIN_ID, block: 100 });
  await addRange(10n, 10_000n);
  await addRange(10_002n, 20_000n);
  await addToken(12n);
  await addToken(13n, { owner: null, burned: true, burnedBlock: 9n });
  await addToken(14n, { owner: null, standard: null, lockCount: 1, lockedSinceBlock: 3n });
  await addToken(21_000n);
});

it("their state is that of the range, until a row of theirs says otherwise", async () => {
  const tokenIds = ["9", "10", "12", "13", "14", "10000", "10001", "10002", "20000", "20001", "21000"];
  const states = await readChainStates(database, tables, { ...collection, tokenIds, maxAgeSeconds: 60 });

  const shown = [...states].map(([id, { standard, owner, burned, lockCount }]) => [
    id,
    standard,
    owner,
    burned,
    lockCount,
  ]);
  expect(new Set(shown.map(String))).toEqual(
    new Set(
      [
        ["10", "erc721", ADA, false, 0],
        ["12", "erc721", BEN, false, 0],
        ["13", "erc721", null, true, 0],
        ["14", "erc721", ADA, false, 1],
        ["10000", "erc721", ADA, false, 0],
        ["10002", "erc721", ADA, false, 0],
        ["20000", "erc721", ADA, false, 0],
        ["21000", "erc721", BEN, false, 0],
      ].map(String),
    ),
  );
});

it("may be traded by their owner and by nobody else", async () => {
  const ids = ["10", "12", "13", "14", "10001", "20000"];
  const items = ids.map((token_id) => ({ collection_address: COLLECTION, token_id }));
  const check = async (wallet: string) => {
    const { body } = await api.call("/market/trade_checks", {
      key,
      body: { action: "trade", items, wallet },
    });
    return (body.items as { reason: string | null }[]).map(({ reason }) => reason);
  };

  expect(await check(ADA)).toEqual([null, "not_owner", "burned", "locked", "unknown_token", null]);
  expect(await check(BEN)).toEqual(["not_owner", null, "burned", "locked", "unknown_token", "not_owner"]);
});

it("are owned: the range's but for those that moved", async () => {
  const idsOf = (owner: string) =>
    readHeld(database, tables, collection, { owners: [owner], includeDelegated: false });
  const owned = (await idsOf(ADA)).split(",");

  expect(owned).toHaveLength(9_991 + 9_999 - 2);
  expect(owned.slice(0, 4)).toEqual(["10", "11", "14", "15"]);
  expect(owned.at(-1)).toBe("20000");
  expect(await idsOf(BEN)).toBe("12,21000");
});

it("are compared with their contract page by page, over gaps and rows alike", async () => {
  const ids: string[] = [];
  for (let after: string | null = null; ; ) {
    const page = await readIndexedLocks(database, tables, place, { after, limit: 500 });
    if (!page || page.tokens.length === 0) break;
    expect(page.tokens.length).toBeLessThanOrEqual(500);
    ids.push(...page.tokens.map(({ tokenId }) => tokenId));
    after = page.tokens.at(-1)?.tokenId ?? null;
  }

  const range = (from: number, to: number) =>
    Array.from({ length: to - from + 1 }, (_, at) => String(from + at));
  expect(ids).toEqual([...range(10, 10_000), ...range(10_002, 20_000), "21000"]);
  const named = await readIndexedLocks(database, tables, place, { ids: ["9", "10", "14"] });
  expect(named?.tokens).toMatchObject([
    { tokenId: "10", locks: { erc721x: 0 } },
    { tokenId: "14", locks: { erc721x: 1 } },
  ]);
  expect(await readLivingTokens(database, tables, place, 4)).toEqual(["10", "11", "12", "21000"]);
});

it("are compared with their contract page by page even where their ranges are small", async () => {
  const firsts = Array.from({ length: 20 }, (_, at) => 30_000 + 3 * at);
  for (const first of firsts) await addRange(BigInt(first), BigInt(first + 1));

  const page = await readIndexedLocks(database, tables, place, { after: "29999", limit: 30 });

  const ids = firsts.flatMap((first) => [first, first + 1]).slice(0, 30);
  expect(page?.tokens.map(({ tokenId }) => Number(tokenId))).toEqual(ids);
  await database.query(`update ${tables.tokenRange} set from_token_id = from_token_id - 9`);
  expect(await readLivingTokens(database, tables, place, 2)).toEqual(["1", "2"]);
});

describe("their history", () => {
  const transfer = (id: string, tokenId: bigint, row: Record<string, unknown> = {}) =>
    test.insert("tokenTransfer", {
      ...key721,
      id,
      tokenId,
      from: ADA,
      to: BEN,
      quantity: 1n,
      blockNumber: 8n,
      blockTimestamp: 1_700_000_008n,
      transactionHash: "0xmove",
      logIndex: 0,
      ...row,
    });
  const holdings = createHoldings({ database, tables });

  it("takes three connections at most, counts of owners and the largest holders included", async () => {
    const turn = createBarrier();
    let counting = 0;
    let countingMost = 0;
    const slow: Pick<typeof database, "query"> = {
      async query<Row>(sql: string, parameters?: readonly unknown[], name?: string) {
        countingMost = Math.max(countingMost, ++counting);
        if (counting === 3) setImmediate(turn.open);
        await turn.opened;
        counting--;
        return database.query<Row>(sql, parameters, name);
      },
    };
    const its = createHoldings({ database: slow, tables });

    await Promise.all(
      Array.from({ length: 4 }, () => [
        its.transfers(place, ["10"], { offset: 0, limit: 1 }),
        its.owners(place, ["10"]),
        its.topHolders({ chainId: place.chainId, collection: place.address, tokenId: "10" }, 10),
      ]).flat(),
    );

    expect(countingMost).toBe(3);
  });

  it("begins with the mint of their range, once each", async () => {
    await transfer("id 10", 10n, { lastTokenId: 10_000n, quantity: 9_991n, from: zeroAddress, to: ADA });
    await transfer("jd 12", 12n);

    const pages = await holdings.transfers(place, ["10", "11", "12", "21000"], { offset: 0, limit: 10 });
    const mint = (tokenId: string) => ({
      tokenId,
      from: zeroAddress,
      to: ADA,
      quantity: "1",
      timestamp: 1_700_000_007,
      transactionHash: "0xmint",
    });
    expect(pages.get("10")).toEqual({ total: 1, transfers: [mint("10")] });
    expect(pages.get("11")).toEqual({ total: 1, transfers: [mint("11")] });
    expect(pages.get("12")).toMatchObject({
      total: 2,
      transfers: [{ transactionHash: "0xmove" }, mint("12")],
    });
    expect(pages.get("21000")).toEqual({ total: 0, transfers: [] });
  });
});

it("are on the chain, and gone from it with their range", async () => {
  const token = (tokenId: string) => ({ ...collection, tokenId });

  expect(await isOnChain(database, tables, token("11"))).toBe(true);
  expect(await isOnChain(database, tables, token("10001"))).toBe(false);
  expect(await isGoneFromChain(database, tables, token("11"))).toBe(false);
  await database.query(`truncate ${tables.tokenRange}`);
  expect(await isGoneFromChain(database, tables, token("11"))).toBe(true);
});

it("are answered as tokens though nothing was read of them, and unknown ones are not", async () => {
  const path = (id: number) => `/market/collections/${COLLECTION}/tokens/${id}`;

  expect((await api.call(path(11), { key })).body).toMatchObject({
    owner: ADA,
    burned: false,
    tradable: true,
  });
  expect((await api.call(path(10_001), { key })).status).toBe(404);
});

it("a collection reports what the index could not take in", async () => {
  const path = `/market/collections/${COLLECTION}`;
  expect((await api.call(path, { key })).body.anomalies).toEqual([]);
  await test.insert("indexAnomaly", {
    ...key721,
    kind: "unreadable_transfer",
    count: 3,
    firstBlock: 12n,
    lastBlock: 30n,
    detail: "a Transfer log with 1 indexed arguments and 0 bytes of data can't be read",
    blockTimestamp: 1n,
    transactionHash: "0xt",
    logIndex: 0,
  });

  const detail = "a Transfer log with 1 indexed arguments and 0 bytes of data can't be read";
  const anomaly = { kind: "unreadable_transfer", count: 3, detail };
  expect((await api.call(path, { key })).body.anomalies).toEqual([{ ...anomaly, first_block: 12 }]);
  expect((await api.call("/market/collections", { key })).body.items).toContainEqual(
    expect.objectContaining({ collection_address: COLLECTION, anomalies: [{ ...anomaly, first_block: 12 }] }),
  );
});
