/** Tokens of several wallets at once, and those that a wallet may use by delegation, in a collection's list. */

import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { raiseHeads } from "../../../src/api/chain/index/head-mark.ts";
import { createServingIndexes } from "../../../src/api/chain/index/serving-indexes.ts";
import { EMPTY_RIGHTS } from "../../../src/api/delegation/rules.ts";
import { CHAIN_SCHEMA, createTestDatabase } from "../../support/database/database.ts";
import { createTestApp } from "../../support/processes/app.ts";
import { CHAIN_ID, COLLECTION } from "../../support/refresh/refresh.ts";
import { createOwnEndpoint } from "../graphql/own-endpoint.ts";

const test = await createTestDatabase();
const { database, tables, url } = test;
const api = createTestApp(test);
const key = await api.createKey();
const endpoint = await createOwnEndpoint(api);
await createServingIndexes(url, CHAIN_SCHEMA);

const wallet = (end: string): string => `0x${end.padStart(40, "0")}`;
const [ADA, BEN, CY, NOBODY] = ["a1", "b1", "c1", "d1"].map(wallet) as [string, string, string, string];
const HASH = `0x${"ab".repeat(32)}`;
const OTHER = wallet("ff");
const heroes = { chainId: CHAIN_ID, collectionAddress: COLLECTION };

let head = 100;
beforeEach(async () => {
  await database.query(`truncate ${tables.delegation}`);
  await test.setHead({ chainId: CHAIN_ID, block: head++ });
});

/** Ada has 1; Ben has 2, an unmoved 12 of a range and some of item 30; Cy has 3 and 4. Token 5 is burned. */
beforeAll(async () => {
  const hero = (tokenId: bigint, owner: string | null, more = {}) =>
    test.insert("tokenState", {
      ...{ ...heroes, tokenId, owner, standard: "erc721", burned: owner === null, lockCount: 0, ...more },
    });
  await hero(1n, ADA);
  await hero(2n, BEN);
  await hero(3n, CY);
  await hero(4n, CY);
  await hero(5n, null);
  await hero(13n, CY);
  await hero(30n, null, { standard: "erc1155", burned: false, supply: 5n });
  await test.insert("tokenRange", {
    ...{ ...heroes, fromTokenId: 12n, toTokenId: 13n, owner: BEN, transferId: "mint", mintedBlock: 1 },
    ...{ mintedLog: 0, blockTimestamp: 1, transactionHash: HASH },
  });
  await test.insert("tokenBalance", { ...heroes, tokenId: 30n, holder: BEN, balance: 5n });
  await api.metadata.addKnownTokens(
    database,
    CHAIN_ID,
    COLLECTION,
    new Map(["1", "2", "3", "4", "5", "12", "13", "30"].map((id) => [id, 1])),
  );
});

let hashes = 0;
const delegate = (from: string, to: string, type: string, what: Record<string, unknown> = {}) =>
  test.insert("delegation", {
    ...{ chainId: CHAIN_ID, hash: `0x${hashes++}`, from, to, type, rights: EMPTY_RIGHTS, enabled: true },
    ...{ blockNumber: 1, blockTimestamp: 1, transactionHash: HASH, logIndex: 0, ...what },
  });

const ask = (query: string) => api.call(`/market/collections/${COLLECTION}/tokens?${query}`, { key });
const idsOf = async (query: string): Promise<string[]> =>
  (await ask(query)).body.items.map(({ token_id }: { token_id: string }) => token_id);
const detailsOf = async (query: string) => {
  const { status, body } = await ask(query);
  return [status, ...body.details];
};

describe("several owners", () => {
  it("have the tokens of any of them, repeated, separated by commas, or both", async () => {
    expect(await idsOf(`owner=${ADA}&owner=${CY}`)).toEqual(["1", "3", "4", "13"]);
    expect(await idsOf(`owner=${ADA},${BEN.toUpperCase().replace("0X", "0x")}`)).toEqual([
      "1",
      "2",
      "12",
      "30",
    ]);
    expect(await idsOf(`owner=${ADA},${NOBODY}&owner=${CY}&owner=${ADA}`)).toEqual(["1", "3", "4", "13"]);
    expect(await idsOf(`owner=${NOBODY}`)).toEqual([]);
    const { body } = await api.call(`/market/collections/${COLLECTION}/traits?owner=${ADA},${BEN}`, { key });
    expect(body.total).toBe(4);
  });

  it("are the same over GraphQL", async () => {
    const { data } = await endpoint.ask(
      `{ both: searchTokens(tokenAddress: "${COLLECTION}", owner: "${ADA}", owners: ["${CY}"]) { items { tokenId } }
         traits(tokenAddress: "${COLLECTION}", owners: ["${ADA}", "${BEN}"]) { total } }`,
    );

    expect(data.both.items.map(({ tokenId }: { tokenId: string }) => tokenId)).toEqual(["1", "3", "4", "13"]);
    expect(data.traits.total).toBe(4);
  });

  it("are at most 20 addresses", async () => {
    expect(await detailsOf(`owner=${ADA},0x12`)).toEqual([
      400,
      { path: "owner", message: '"0x12" is not an address: 0x and 40 hex digits' },
    ]);
    expect(await detailsOf(`owner=${Array.from({ length: 21 }, (_, at) => wallet(`e${at}`))}`)).toEqual([
      400,
      { path: "owner", message: "has 21 owners; the limit is 20" },
    ]);
    expect(await detailsOf("owner=")).toMatchObject([400, { path: "owner" }]);
  });
});

describe("tokens that were delegated", () => {
  it.each([
    ["a wallet", "ALL", {}, ["1", "2", "12", "30"]],
    ["the collection", "CONTRACT", { contract: COLLECTION }, ["1", "2", "12", "30"]],
    ["another collection", "CONTRACT", { contract: OTHER }, ["1"]],
    ["one token", "ERC721", { contract: COLLECTION, tokenId: 2n }, ["1", "2"]],
    ["one token of a range", "ERC721", { contract: COLLECTION, tokenId: 12n }, ["1", "12"]],
    ["a token that has moved on", "ERC721", { contract: COLLECTION, tokenId: 13n }, ["1"]],
    ["an amount of a token", "ERC1155", { contract: COLLECTION, tokenId: 30n, amount: 1n }, ["1", "30"]],
    ["a token of another collection", "ERC721", { contract: OTHER, tokenId: 2n }, ["1"]],
    ["fungible tokens", "ERC20", { contract: COLLECTION, amount: 1n }, ["1"]],
    ["limited rights", "ALL", { rights: `0x${"1".repeat(64)}` }, ["1"]],
    ["nothing any more", "ALL", { enabled: false }, ["1"]],
  ])("match with the delegation of %s", async (_, type, what, expected) => {
    await delegate(BEN, ADA, type, what);

    expect(await idsOf(`owner=${ADA}`)).toEqual(["1"]);
    expect(await idsOf(`owner=${ADA}&include_delegated=false`)).toEqual(["1"]);
    expect(await idsOf(`owner=${ADA}&include_delegated=true`)).toEqual(expected);
  });

  it("are those of all owners asked for, and follow the chain", async () => {
    await delegate(BEN, ADA, "ERC721", { contract: COLLECTION, tokenId: 2n });
    await delegate(CY, NOBODY, "ALL");

    expect(await idsOf(`owner=${ADA},${NOBODY}&include_delegated=true`)).toEqual(["1", "2", "3", "4", "13"]);
    const { data } = await endpoint.ask(
      `{ searchTokens(tokenAddress: "${COLLECTION}", owners: ["${NOBODY}"], includeDelegated: true) { total } }`,
    );
    expect(data.searchTokens.total).toBe(3);

    await database.query(`update ${tables.delegation} set enabled = false`);
    await test.setHead({ chainId: CHAIN_ID, block: head++ });
    expect(await idsOf(`owner=${ADA},${NOBODY}&include_delegated=true`)).toEqual(["1"]);
  });

  it("need an owner", async () => {
    expect(await detailsOf("include_delegated=true")).toEqual([
      400,
      { path: "include_delegated", message: "needs owner, to whom tokens are delegated" },
    ]);
    expect((await ask("include_delegated=false")).status).toBe(200);
    const { error } = await endpoint.ask(
      `{ searchTokens(tokenAddress: "${COLLECTION}", includeDelegated: true) { total } }`,
    );
    expect(JSON.stringify(error)).toContain("includeDelegated");
  });

  it("are answered only while the chain index holds no delegation that was revoked", async () => {
    const statuses = async () => [
      (await ask(`owner=${ADA}&include_delegated=true`)).status,
      (await ask(`owner=${ADA}`)).status,
    ];
    await raiseHeads(database, tables);
    expect(await statuses()).toEqual([200, 200]);

    await test.revert((tx) => tx.query(`update ${tables.delegation} set enabled = true`));
    expect(await statuses()).toEqual([503, 200]);
    await test.setHead({ chainId: CHAIN_ID, block: head++ });
    expect(await statuses()).toEqual([200, 200]);

    // As after a restart.
    await test.setHead({ chainId: CHAIN_ID, block: 70, age: 30 });
    expect(await statuses()).toEqual([503, 200]);
    await test.setHead({ chainId: CHAIN_ID, block: head++ });
  });

  it("are answered only when the chain index is complete", async () => {
    await test.setHead({ chainId: CHAIN_ID, block: head++, ready: false });

    expect((await ask(`owner=${ADA}&include_delegated=true`)).status).toBe(503);
    expect((await ask(`owner=${ADA}`)).status).toBe(200);
    await test.setHead({ chainId: CHAIN_ID, block: head++ });
    expect((await ask(`owner=${ADA}&include_delegated=true`)).status).toBe(200);

    // As Ponder recovers after a crash, which leaves the checkpoint where it is.
    await database.transaction(async (tx) => {
      await tx.query(`drop trigger reorg on ${tables.tokenState}`);
      await tx.query(`update ${tables.meta} set value = '{"is_ready": 0}'`);
    });
    expect((await ask(`owner=${ADA}&include_delegated=true`)).status).toBe(503);
  });
});
