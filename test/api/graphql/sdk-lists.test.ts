import { beforeAll, describe, expect, it } from "vitest";
import { createTestDatabase } from "../../support/database/database.ts";
import { createTestApp, FAR_CHAIN_ID, FAR_COLLECTION } from "../../support/processes/app.ts";
import { CHAIN_ID, COLLECTION } from "../../support/refresh/refresh.ts";
import { createOwnEndpoint } from "./own-endpoint.ts";
import { ALICE, BOB, createSdkWorld, sdkDocument } from "./sdk-world.ts";

const test = await createTestDatabase();
const api = createTestApp(test);
const endpoint = await createOwnEndpoint(api);

beforeAll(() => createSdkWorld(test, api.metadata));

type Variables = Record<string, unknown>;
const ask = (name: string, variables: Variables) =>
  endpoint.ask(sdkDocument(name), { from: 0, size: 50, showMinPrice: false, ...variables });
const heroes = async (variables: Variables = {}) => {
  const { data, error } = await ask("GetERC721Tokens", { tokenAddress: COLLECTION, ...variables });
  expect(error).toBeUndefined();
  const { total, results } = data.erc721Tokens;
  return { total, ids: results.map(({ tokenId }: { tokenId: string }) => tokenId) };
};
const refusal = async (variables: Variables) =>
  (await ask("GetERC721Tokens", { tokenAddress: COLLECTION, ...variables })).error;

describe("GetERC721Tokens", () => {
  it.each<[string, Variables, string[]]>([
    ["nothing", {}, ["1", "2", "3"]],
    [
      "nothing, by nulls",
      { owner: null, criteria: null, sort: null, name: null, priceRange: null },
      ["1", "2", "3"],
    ],
    ["criteria", { criteria: [{ name: "Class", values: ["Mage", "Bard"] }] }, ["1", "3"]],
    [
      "several criteria, all of them",
      {
        criteria: [
          { name: "Class", values: ["Mage"] },
          { name: "Level", values: ["3"] },
        ],
      },
      ["3"],
    ],
    [
      "a range, ends included",
      { rangeCriteria: [{ name: "Level", range: { from: "0", to: "3" } }] },
      ["2", "3"],
    ],
    ["an open range", { rangeCriteria: [{ name: "Level", range: { from: "3", to: null } }] }, ["1", "3"]],
    ["a name, and not a description", { name: "ADAM" }, ["2"]],
    ["an empty name", { name: "" }, ["1", "2", "3"]],
    ["an owner", { owner: ALICE }, ["1", "2"]],
    ["what is not for sale", { auctionType: "NotForSale" }, ["1", "2", "3"]],
    ["what is for sale, which nothing is", { auctionType: "Sale" }, []],
    ["a price, which nothing has", { priceRange: { from: "0", to: "100" } }, []],
    ["an open price", { priceRange: { from: null } }, ["1", "2", "3"]],
  ])("finds by %s", async (_what, variables, ids) => {
    expect(await heroes(variables)).toEqual({ total: ids.length, ids });
  });

  it.each([
    ["IdAsc", ["1", "2", "3"]],
    ["IdDesc", ["3", "2", "1"]],
    ["Latest", ["3", "2", "1"]],
    ["PriceAsc", ["1", "2", "3"]],
    ["PriceDesc", ["1", "2", "3"]],
  ])("sorts by %s", async (sort, ids) => {
    expect((await heroes({ sort })).ids).toEqual(ids);
  });

  it("answers a window of the matches, and their total for a window of none", async () => {
    expect(await heroes({ from: 1, size: 1 })).toEqual({ total: 3, ids: ["2"] });
    expect(await heroes({ from: 3, size: 50 })).toEqual({ total: 3, ids: [] });
    expect(await heroes({ size: 0 })).toEqual({ total: 3, ids: [] });
    expect(await heroes({ from: 9_950, size: 50 })).toEqual({ total: 3, ids: [] });
  });

  it.each([
    ["a size over 50", { size: 51 }, "size: must be less than or equal to 50; it is 51"],
    ["a negative size", { size: -1 }, "size: must be greater than or equal to 0; it is -1"],
    ["a negative from", { from: -1 }, "from: must be greater than or equal to 0; it is -1"],
    [
      "a window past 10,000",
      { from: 9_951 },
      "from: from + size must be less than or equal to 10000; it is 10001",
    ],
    [
      "an owner that is no address",
      { owner: "alice" },
      'owner: "alice" is not an address: 0x and 40 hex digits',
    ],
    [
      "a criterion without a name",
      { criteria: [{ values: ["x"] }] },
      "criteria[0].name: must be a string; it is missing",
    ],
    [
      "a range of words",
      { rangeCriteria: [{ name: "Level", range: { from: "low" } }] },
      'rangeCriteria[0].range.from: must be a number or its text; it is "low"',
    ],
  ])("refuses %s", async (_what, variables, message) => {
    expect(await refusal(variables)).toMatchObject({
      message: `Invalid request; ${message}`,
      extensions: { code: "INVALID_REQUEST" },
    });
  });

  it("reports every problem at once", async () => {
    const { message } = await refusal({ tokenAddress: "0x1", size: 51, from: -1, owner: "a" });

    for (const path of ["tokenAddress", "size", "from", "owner"]) expect(message).toContain(`${path}: `);
  });

  it("answers none for a collection of the other standard", async () => {
    expect(await heroes({ tokenAddress: FAR_COLLECTION })).toEqual({ total: 0, ids: [] });
  });

  it("reads what many tokens ask for once", async () => {
    const texts: string[] = [];
    const query: typeof test.database.query = (text, ...rest) => {
      texts.push(text);
      return test.database.query(text, ...rest);
    };
    const counting = createTestApp({
      ...test,
      database: { ...test.database, query },
    });
    const { ask: askCounting } = await createOwnEndpoint(counting);
    const document = `{ erc721Tokens(tokenAddress: "${COLLECTION}", from: 0, size: 50) {
      results { collectionMetadata transferHistory(from: 0, size: 2) { total results { txHash } } } } }`;

    const { data } = await askCounting(document);

    expect(
      data.erc721Tokens.results.map(
        ({ transferHistory }: { transferHistory: { total: number } }) => transferHistory.total,
      ),
    ).toEqual([3, 1, 0]);
    expect(texts.filter((text) => text.includes("token_transfer"))).toHaveLength(1);
    expect(texts.filter((text) => text.includes("collection_state"))).toHaveLength(1);
  });
});

describe("GetERC1155Tokens", () => {
  it("finds by the same arguments", async () => {
    const find = async (variables: Variables) =>
      (await ask("GetERC1155Tokens", { tokenAddress: FAR_COLLECTION, ...variables })).data.erc1155Tokens;

    expect(await find({})).toMatchObject({
      total: 1,
      results: [{ tokenId: "7", totalItems: "7", totalOwners: 2, orders: [] }],
    });
    expect((await find({ criteria: [{ name: "Taste", values: ["Sweet"] }] })).total).toBe(0);
    expect((await find({ tokenAddress: COLLECTION })).total).toBe(0);
  });
});

describe("GetAllTokens", () => {
  const owned = async (variables: Variables) => {
    const { data, error } = await ask("GetAllTokens", { auctionType: "All", sort: "PriceAsc", ...variables });
    expect(error).toBeUndefined();
    const { total, data: tokens } = data.tokens;
    return {
      total,
      ids: tokens.map((token: Record<string, string>) => token.erc721TokenId ?? token.erc1155TokenId),
      tokens,
    };
  };

  it("reports what a wallet holds of both standards, collection by collection", async () => {
    const { total, ids, tokens } = await owned({ owner: ALICE });

    expect([total, ids]).toEqual([3, ["1", "2", "7"]]);
    expect(tokens[0]).toMatchObject({
      erc721TokenAddress: COLLECTION,
      erc721Name: "Zoe the brave",
      erc721Order: null,
      erc721IsLocked: false,
    });
    expect(tokens[2]).toMatchObject({
      erc1155TokenAddress: FAR_COLLECTION,
      erc1155Name: "Elixir",
      erc1155Balance: "5",
      erc1155Orders: [],
    });
    expect((await owned({ owner: BOB })).ids).toEqual(["3", "7"]);
  });

  it("pages over all collections as over one list", async () => {
    for (const [from, size, expected] of [
      [0, 1, ["1"]],
      [1, 2, ["2", "7"]],
      [2, 50, ["7"]],
      [3, 50, []],
      [0, 0, []],
    ] as const)
      expect(await owned({ owner: ALICE, from, size })).toMatchObject({ total: 3, ids: expected });
  });

  it("looks only in collections of which the wallet has tokens", async () => {
    const searched: string[] = [];
    const { search } = api;
    const page: typeof search.page = (collection, query) => {
      searched.push(collection.address);
      return search.page(collection, query);
    };
    const { ask: askCounted } = await createOwnEndpoint({ ...api, search: { ...search, page } });
    const totalOf = async (owner: string) =>
      (await askCounted(`{ tokens(owner: "${owner}", from: 0, size: 5) { total } }`)).data.tokens.total;

    expect([await totalOf(ALICE), searched]).toEqual([3, [COLLECTION, FAR_COLLECTION]]);
    searched.length = 0;
    expect([await totalOf("0x00000000000000000000000000000000000000c3"), searched]).toEqual([0, []]);
  });

  it("refuses a chain that is not served, as everywhere", async () => {
    const { error } = await endpoint.ask(
      `{ tokens(owner: "${ALICE}", chainId: 9, from: 0, size: 5) { total } }`,
    );

    expect(error?.message).toMatch(/^Invalid request; chainId: chain 9 is not served here/);
  });

  it("takes only the collections that are named, where some are", async () => {
    const { data } = await endpoint.ask(
      `{ tokens(owner: "${ALICE}", from: 0, size: 50, tokenAddresses: ["${FAR_COLLECTION}", "${FAR_COLLECTION}"]) { total } }`,
    );

    expect(data.tokens.total).toBe(1);
    expect((await owned({ owner: ALICE, auctionType: "Sale" })).total).toBe(0);
  });

  it("takes an address on every chain that has it, unless one is named, and a slug where it is one collection's", async () => {
    const twin = { chainId: FAR_CHAIN_ID, collectionAddress: COLLECTION };
    await test.insert("tokenState", {
      ...twin,
      tokenId: 4n,
      standard: "erc721",
      owner: ALICE,
      burned: false,
      lockCount: 0,
    });
    await api.metadata.addKnownTokens(test.database, FAR_CHAIN_ID, COLLECTION, new Map([["4", 5]]));
    const of = async (names: string[], chainId?: number) => {
      const { data } = await endpoint.ask(
        `query ($names: [String!], $chainId: Float) {
           tokens(owner: "${ALICE}", chainId: $chainId, from: 0, size: 50, tokenAddresses: $names) {
             data { ... on Erc721 { hero: tokenId } ... on Erc1155 { potion: tokenId } } } }`,
        { names, chainId },
      );
      return data.tokens.data.map(({ hero, potion }: Record<string, string>) => hero ?? potion);
    };

    expect(await of([FAR_COLLECTION, COLLECTION])).toEqual(["7", "1", "2", "4"]);
    expect(await of(["heroes", COLLECTION])).toEqual(["1", "2", "4"]);
    expect(await of(["heroes"])).toEqual(["1", "2"]);
    expect(await of([COLLECTION], CHAIN_ID)).toEqual(["1", "2"]);
    expect(await of([COLLECTION], FAR_CHAIN_ID)).toEqual(["4"]);
  });
});
