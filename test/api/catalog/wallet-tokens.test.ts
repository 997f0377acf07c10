import { beforeEach, describe, expect, it } from "vitest";
import { raiseHeads } from "../../../src/api/chain/index/head-mark.ts";
import { createServingIndexes } from "../../../src/api/chain/index/serving-indexes.ts";
import { EMPTY_RIGHTS } from "../../../src/api/delegation/rules.ts";
import { CHAIN_SCHEMA, createTestDatabase } from "../../support/database/database.ts";
import { createTestApp, FAR_CHAIN_ID, FAR_COLLECTION } from "../../support/processes/app.ts";
import { CHAIN_ID, COLLECTION } from "../../support/refresh/refresh.ts";

const test = await createTestDatabase();
const { database, tables, url } = test;
const api = createTestApp(test);
const key = await api.createKey();
await createServingIndexes(url, CHAIN_SCHEMA);

const wallet = (end: string): string => `0x${end.padStart(40, "0")}`;
const [ADA, BEN, CY] = ["a1", "b1", "c1"].map(wallet) as [string, string, string];
const HASH = `0x${"ab".repeat(32)}`;
const HUGE = 2n ** 256n - 1n;
const heroes = { chainId: CHAIN_ID, collectionAddress: COLLECTION };
const items = { chainId: FAR_CHAIN_ID, collectionAddress: FAR_COLLECTION };

beforeEach(async () => {
  await database.query(
    `truncate ${tables.tokenState}, ${tables.tokenRange}, ${tables.tokenBalance}, ${tables.collectionHolder},
              ${tables.delegation}`,
  );
  for (const chainId of [CHAIN_ID, FAR_CHAIN_ID]) await test.setHead({ chainId, block: 100 });
});

const own = (at: typeof heroes, holder: string, tokens: number) =>
  test.insert("collectionHolder", { ...at, holder, tokens });
const hero = (tokenId: bigint, owner: string | null) =>
  test.insert("tokenState", {
    ...{ ...heroes, tokenId, owner, standard: "erc721", burned: owner === null, lockCount: 0 },
  });
const item = (tokenId: bigint) =>
  test.insert("tokenState", {
    ...{ ...items, tokenId, supply: HUGE, standard: "erc1155", burned: false, lockCount: 0 },
  });
const balance = (tokenId: bigint, holder: string, amount: bigint) =>
  test.insert("tokenBalance", { ...items, tokenId, holder, balance: amount });

let hashes = 0;
const delegate = (from: string, to: string, type: string, what: Record<string, unknown> = {}) =>
  test.insert("delegation", {
    ...{ chainId: CHAIN_ID, hash: `0x${hashes++}`, from, to, type, rights: EMPTY_RIGHTS, enabled: true },
    ...{ blockNumber: 1, blockTimestamp: 1, transactionHash: HASH, logIndex: 0, ...what },
  });

const ask = (query = "", who = ADA) => api.call(`/market/wallets/${who}/tokens${query}`, { key });
interface Item {
  readonly token: { readonly collection_address: string; readonly token_id: string };
  readonly quantity: string;
  readonly holder: string;
  readonly via: { readonly type: string } | null;
}
const brief = ({ items: all }: { items: Item[] }) =>
  all.map(({ token, quantity, holder, via }) =>
    [
      token.collection_address === COLLECTION ? "hero" : "item",
      token.token_id,
      quantity === "1" ? "" : `x${quantity}`,
      holder === ADA ? "" : `of ${holder === BEN ? "ben" : "cy"}`,
      via?.type ?? "",
    ]
      .filter(Boolean)
      .join(" "),
  );
async function readAll(limit: number, query: string): Promise<string[]> {
  const seen: string[] = [];
  for (let cursor = ""; ; ) {
    const { body } = await ask(`?limit=${limit}${query}${cursor && `&cursor=${cursor}`}`);
    seen.push(...brief(body));
    if (body.next_cursor === null) return seen;
    expect(body.items).toHaveLength(limit);
    cursor = body.next_cursor;
  }
}

/** Ada has three heroes and two items; Ben and Cy have some of each. */
async function settle(): Promise<void> {
  for (const [id, owner] of [
    [9n, ADA],
    [10n, ADA],
    [HUGE, ADA],
    [3n, BEN],
    [4n, BEN],
    [5n, CY],
    [6n, CY],
    [7n, null],
  ] as const)
    await hero(id, owner);
  for (const id of [0n, 2n]) await item(id);
  await balance(0n, ADA, HUGE);
  await balance(2n, ADA, 1n);
  await balance(2n, BEN, 8n);
  await balance(0n, BEN, 0n);
  for (const [at, holder, tokens] of [
    [heroes, ADA, 3],
    [heroes, BEN, 2],
    [heroes, CY, 2],
    [items, ADA, 2],
    [items, BEN, 1],
  ] as const)
    await own(at, holder, tokens);
}
const OWN = [`item 0 x${HUGE}`, "item 2", "hero 9", "hero 10", `hero ${HUGE}`];

describe("a wallet's tokens", () => {
  it("are its own over all collections, with quantities", async () => {
    await settle();
    await delegate(BEN, ADA, "ALL");

    const { status, body } = await ask();

    expect(status).toBe(200);
    expect(brief(body)).toEqual(OWN);
    expect([body.total, body.next_cursor]).toEqual([5, null]);
    const alone = await api.call(`/market/collections/${COLLECTION}/tokens/9`, { key });
    expect(body.items[2]).toEqual({ token: alone.body, quantity: "1", holder: ADA, via: null });
  });

  it("are those of a collection or a chain, where one is named", async () => {
    await settle();

    expect(brief((await ask(`?collection_address=${FAR_COLLECTION}`)).body)).toEqual(OWN.slice(0, 2));
    expect(brief((await ask(`?chain_id=${CHAIN_ID}`)).body)).toEqual(OWN.slice(2));
    const none = await ask(`?collection_address=${COLLECTION}&chain_id=${FAR_CHAIN_ID}`);
    expect(none.body).toEqual({ items: [], next_cursor: null, total: 0 });
  });

  it("include those of a range that have not moved", async () => {
    await test.insert("tokenRange", {
      ...{ ...heroes, fromTokenId: 1n, toTokenId: 6_000n, owner: ADA, transferId: "mint", mintedBlock: 1 },
      ...{ mintedLog: 0, blockTimestamp: 1, transactionHash: HASH },
    });
    await hero(2n, BEN);
    await hero(4n, null);
    // Moved, and came back.
    await hero(5n, ADA);
    await hero(7_000n, ADA);
    await own(heroes, ADA, 5_999);

    const { body } = await ask("?limit=5");
    expect(brief(body)).toEqual(["hero 1", "hero 3", "hero 5", "hero 6", "hero 7"]);
    expect(body.total).toBe(5_999);
    expect((await readAll(100, "")).slice(-2)).toEqual(["hero 6000", "hero 7000"]);
  });

  it.each([
    ["ALL", {}, ["hero 3 of ben ALL", "hero 4 of ben ALL"]],
    ["CONTRACT", { contract: COLLECTION }, ["hero 3 of ben CONTRACT", "hero 4 of ben CONTRACT"]],
    ["ERC721", { contract: COLLECTION, tokenId: 4n }, ["hero 4 of ben ERC721"]],
    // Not his, or nobody's.
    ["ERC721", { contract: COLLECTION, tokenId: 5n }, []],
    ["CONTRACT", { contract: FAR_COLLECTION }, []],
    ["ERC20", { contract: COLLECTION, amount: 1n }, []],
    ["ALL", { enabled: false }, []],
    ["ALL", { rights: HASH }, []],
    // The registry of another chain.
    ["CONTRACT", { contract: FAR_COLLECTION, chainId: FAR_CHAIN_ID }, ["item 2 x8 of ben CONTRACT"]],
    [
      "ERC1155",
      { contract: FAR_COLLECTION, tokenId: 2n, chainId: FAR_CHAIN_ID },
      ["item 2 x8 of ben ERC1155"],
    ],
    ["ERC1155", { contract: FAR_COLLECTION, tokenId: 0n, chainId: FAR_CHAIN_ID }, []],
  ])("include with include_delegated what %s %o covers", async (type, what, expected) => {
    await settle();
    await delegate(BEN, ADA, type, what);
    await delegate(BEN, CY, "ALL");

    const { body } = await ask("?include_delegated=true");

    expect(brief(body)).toEqual([...OWN, ...expected]);
    expect(body.total).toBe(OWN.length + expected.length);
  });

  it.each([1, 2, 3, 4])("are each on one page of %i, under the widest delegation", async (limit) => {
    await settle();
    await delegate(BEN, ADA, "ERC721", { contract: COLLECTION, tokenId: 3n });
    await delegate(BEN, ADA, "CONTRACT", { contract: COLLECTION });
    await delegate(BEN, ADA, "ALL");
    await delegate(CY, ADA, "ERC721", { contract: COLLECTION, tokenId: 5n });
    await delegate(CY, ADA, "ERC721", { contract: COLLECTION, tokenId: 6n });
    await delegate(BEN, ADA, "ERC1155", { contract: FAR_COLLECTION, tokenId: 2n, chainId: FAR_CHAIN_ID });

    expect(await readAll(limit, "&include_delegated=true")).toEqual(
      [
        ...OWN,
        "item 2 x8 of ben ERC1155",
        "hero 3 of ben ALL",
        "hero 4 of ben ALL",
        "hero 5 of cy ERC721",
        "hero 6 of cy ERC721",
      ].sort((a, b) => Number(a.includes(" of ")) - Number(b.includes(" of "))),
    );
  });

  it("show a delegation as the registry answers it", async () => {
    await settle();
    await delegate(BEN, ADA, "ERC721", { contract: COLLECTION, tokenId: 3n });

    const { body } = await ask("?include_delegated=true");
    const registry = await api.call(`/registry/v2/${ADA}?chainId=${CHAIN_ID}`);

    expect(body.items.at(-1).via).toEqual(registry.body[0]);
  });

  it("wait with delegations for a complete index, and are refused by name", async () => {
    await settle();
    const { next_cursor: cursor } = (await ask("?limit=1")).body;
    const refused = async (query: string) => {
      const { status, body } = await ask(query);
      return [status, body.code, ...(body.details ?? []).map(({ path }: { path: string }) => path)];
    };
    const invalid = [400, "INVALID_REQUEST"];
    expect(await refused("?include_delegated=1")).toEqual([...invalid, "include_delegated"]);
    expect(await refused(`?cursor=${cursor}&include_delegated=true`)).toEqual([...invalid, "cursor"]);
    expect(await refused("?cursor=e30")).toEqual([...invalid, "cursor"]);
    expect(await refused("?chain_id=5")).toEqual([...invalid, "chain_id"]);
    expect(await refused(`?collection_address=${BEN}`)).toEqual([404, "COLLECTION_NOT_FOUND"]);
    await test.setHead({ chainId: CHAIN_ID, block: 100, ready: false });
    expect(await refused("?include_delegated=true")).toEqual([503, "UNAVAILABLE"]);
    expect((await ask()).status).toBe(200);
  });

  it("are refused with delegations while the index of one of their chains may hold revoked ones", async () => {
    await settle();
    const statuses = () =>
      Promise.all(
        ["?include_delegated=true", `?include_delegated=true&chain_id=${FAR_CHAIN_ID}`, ""].map(
          async (query) => (await ask(query)).status,
        ),
      );
    await raiseHeads(database, tables);
    expect(await statuses()).toEqual([200, 200, 200]);

    // As after a restart.
    await test.setHead({ chainId: CHAIN_ID, block: 70, age: 30 });
    expect(await statuses()).toEqual([503, 200, 200]);
    await test.setHead({ chainId: CHAIN_ID, block: 101, age: -1 });
    expect(await statuses()).toEqual([200, 200, 200]);

    await test.revert((tx) => tx.query(`update ${tables.delegation} set enabled = true`));
    expect(await statuses()).toEqual([503, 503, 200]);
  });
});
