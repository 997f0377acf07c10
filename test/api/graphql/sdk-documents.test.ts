import { readdirSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { createTestDatabase } from "../../support/database/database.ts";
import { createTestApp, FAR_COLLECTION } from "../../support/processes/app.ts";
import { COLLECTION, readQueue } from "../../support/refresh/refresh.ts";
import { createOwnEndpoint } from "./own-endpoint.ts";
import { ALICE, BOB, createSdkWorld, sdkDocument } from "./sdk-world.ts";

const test = await createTestDatabase();
const api = createTestApp(test);
const key = await api.createKey();
const endpoint = await createOwnEndpoint(api);
const UNKNOWN = "0x00000000000000000000000000000000000000ee";

/** Runs a document without errors and returns its data. */
async function run(name: string, variables: Record<string, unknown> = {}) {
  const { data, error } = await endpoint.ask(sdkDocument(name), variables);
  expect(error).toBeUndefined();
  return data;
}
const heroes = { tokenAddress: COLLECTION, showMinPrice: true };
const potion = { tokenAddress: FAR_COLLECTION, tokenId: "7" };

beforeAll(() => createSdkWorld(test, api.metadata));

describe("the documents of the SDK", () => {
  const usual: Record<string, Record<string, unknown>> = {
    GetCollection: heroes,
    Get721Collections: { from: 0, size: 50, showMinPrice: true },
    GetTokenMetadata: { tokenAddress: COLLECTION, showAttributes: true },
    GetERC721Tokens: { ...heroes, from: 0, size: 50 },
    GetERC721Token: { ...heroes, tokenId: "1" },
    GetERC721TransferHistory: { tokenAddress: COLLECTION, tokenId: "1", from: 0, size: 50 },
    GetErc721Order: { tokenAddress: COLLECTION, tokenId: "1" },
    GetERC1155Tokens: { tokenAddress: FAR_COLLECTION, from: 0, size: 50, showMinPrice: true },
    GetERC1155Token: { ...potion, showMinPrice: true },
    GetERC1155TransferHistory: { ...potion, from: 0, size: 50 },
    GetErc1155Balance: { ...potion, owner: ALICE },
    GetErc1155Orders: { ...potion, from: 0, size: 50, showInvalid: true, sort: "PriceAsc" },
    GetAllTokens: { owner: ALICE, auctionType: "All", from: 0, size: 50, sort: "PriceAsc" },
    RefreshMetadata: { tokenAddress: COLLECTION, tokenId: "1" },
  };
  const offers = {
    from: 0,
    size: 50,
    sort: "PriceAsc",
    collectibleFilters: { tokenAddresses: [] },
    roninAddress: ALICE,
  };
  const none = { total: 0, data: [] };
  const orderless: Record<string, readonly [variables: Record<string, unknown>, answer: unknown]> = {
    GetExchangeRate: [{}, { exchangeRate: null }],
    GetOffers: [
      { tokenAddress: COLLECTION, tokenId: "1", from: 0, size: 50 },
      { erc721Token: { offers: [] } },
    ],
    GetOfferByHash: [{ hash: "0x12" }, { order: null }],
    GetOfferByAddress: [
      { tokenAddress: COLLECTION, tokenId: "1", roninAddress: ALICE },
      { erc721Token: { offerBy: null } },
    ],
    GetSentOffers: [{ ...offers, isValid: true }, { sentOffers: none }],
    // A collection's slug stands for its address.
    GetReceivedOffers: [
      { ...offers, collectibleFilters: { tokenAddresses: ["heroes"] } },
      { receivedOffers: none },
    ],
    GetOffersAmount: [{ roninAddress: ALICE }, { receivedOffers: { total: 0 }, sentOffers: { total: 0 } }],
    GetOrderByHash: [{ hash: "0x12" }, { order: null }],
    GetOrdersByAddress: [
      { ...offers, collectibleFilters: { tokenAddresses: [COLLECTION], erc: "Erc721" }, isValid: null },
      { myListingOrders: { ...none, quantity: 0 } },
    ],
    GetActiveOrdersOfTokens: [
      { tokenIds: [{ tokenAddress: COLLECTION, tokenId: "1" }] },
      { activeOrdersOfTokens: [] },
    ],
  };

  it("are all here", () => {
    const files = readdirSync(join(import.meta.dirname, "../../fixtures/sdk"));

    expect(files.map((file) => file.replace(".graphql", "")).sort()).toEqual(
      [...Object.keys(usual), ...Object.keys(orderless)].sort(),
    );
  });

  it.each(Object.entries(usual))("run unchanged, with the largest page: %s", async (name, variables) => {
    const data = await run(name, variables);

    for (const value of Object.values(data)) expect(value).not.toBeNull();
  });

  it.each(Object.entries(orderless))(
    "run unchanged, and answer that there is none: %s",
    async (name, [variables, answer]) => {
      expect(await run(name, variables)).toEqual(answer);
    },
  );

  it("name the arguments of orders that are wrong", async () => {
    const { error } = await endpoint.ask(sdkDocument("GetOrdersByAddress"), {
      ...offers,
      roninAddress: "0x12",
      collectibleFilters: { tokenAddresses: ["no slug"] },
      size: 51,
    });
    for (const path of ["roninAddress", "collectibleFilters.tokenAddresses[0]", "size"])
      expect(error.message).toContain(path);
    const many = Array.from({ length: 101 }, (_, n) => ({ tokenAddress: COLLECTION, tokenId: String(n) }));
    const refused = await endpoint.ask(sdkDocument("GetActiveOrdersOfTokens"), { tokenIds: many });
    expect(refused.error.message).toContain("tokenIds: has 101 tokens; the limit is 100");
  });
});

describe("a collection", () => {
  it("is reported with its figures and what its makers say of it; what a market would know is null or empty", async () => {
    const path = `/market-partner/collections/${COLLECTION}/information`;
    const information = {
      name: "Heroes of old",
      creator_name: "Studio",
      avatar: "https://img.example/a.png",
      banner: "https://img.example/b.png",
      website: "https://heroes.example",
      discord: "https://discord.example",
      x: "https://x.example",
    };
    await api.call(path, { method: "PUT", key, body: information });

    expect((await run("GetCollection", heroes)).tokenData).toEqual({
      tokenAddress: COLLECTION,
      collectionMetadata: {
        avatar: information.avatar,
        banner: information.banner,
        collection_name: "Heroes",
        discord_url: information.discord,
        ronin_url: null,
        studio_name: "Studio",
        twitter_url: information.x,
        website_url: information.website,
      },
      totalVolume: null,
      totalOwners: 2,
      totalItems: "3",
      totalListing: null,
      erc: "Erc721",
      allowedPaymentTokens: [],
      minPrice: null,
    });
  });

  it("is in the list of its standard, a page at a time", async () => {
    const page = async (from: number, size: number) => {
      const { erc721List, erc1155List } = await run("Get721Collections", { from, size, showMinPrice: false });
      const addresses = (list: { tokenAddress: string }[]) => list.map(({ tokenAddress }) => tokenAddress);
      return [addresses(erc721List), addresses(erc1155List)];
    };

    expect(await page(0, 50)).toEqual([[COLLECTION], [FAR_COLLECTION]]);
    expect(await page(1, 50)).toEqual([[], []]);
    expect(await page(0, 0)).toEqual([[], []]);
  });

  it("reports every value of its traits and how many tokens have it", async () => {
    const { tokenMetadata } = await run("GetTokenMetadata", {
      tokenAddress: COLLECTION,
      showAttributes: true,
    });

    expect(tokenMetadata.erc).toBe("Erc721");
    expect(tokenMetadata.attributes).toEqual(
      expect.arrayContaining([
        {
          key: "Class",
          displayType: "string",
          values: [
            { value: "Mage", count: 2 },
            { value: "Rogue", count: 1 },
          ],
        },
        expect.objectContaining({ key: "Level", displayType: "number" }),
      ]),
    );
  });

  it("that is not served is an error", async () => {
    const { error } = await endpoint.ask(sdkDocument("GetCollection"), { ...heroes, tokenAddress: UNKNOWN });

    expect(error).toMatchObject({ message: "Collection not found" });
  });
});

describe("a token", () => {
  it("of ERC-721 has an owner, a lock, traits and their distribution, and no order", async () => {
    const { erc721Token } = await run("GetERC721Token", { ...heroes, tokenId: "3" });

    expect(erc721Token).toEqual({
      tokenAddress: COLLECTION,
      tokenId: "3",
      name: "Bea",
      order: null,
      image: "https://img.example/3.png",
      cdnImage: null,
      video: null,
      owner: BOB,
      ownerProfile: null,
      attributes: { Class: ["Mage"], Level: ["3"] },
      traitDistribution: [
        { key: "Class", value: "Mage", count: 2, percentage: expect.closeTo(66.67), displayType: "string" },
        { key: "Level", value: "3", count: 1, percentage: expect.closeTo(33.33), displayType: "number" },
      ],
      isLocked: true,
      collectionMetadata: expect.objectContaining({ collection_name: "Heroes" }),
      minPrice: null,
    });
  });

  it("of ERC-1155 has a supply, holders and balances, and no orders", async () => {
    const { erc1155Token } = await run("GetERC1155Token", { ...potion, showMinPrice: true });

    expect(erc1155Token).toMatchObject({
      tokenId: "7",
      name: "Elixir",
      totalItems: "7",
      totalOwners: 2,
      totalListing: null,
      totalItemsListing: null,
      attributes: { Taste: ["Sour"] },
    });
    const balanceOf = async (owner: string) =>
      (await run("GetErc1155Balance", { ...potion, owner })).erc1155Token.balance;
    expect([
      await balanceOf(ALICE),
      await balanceOf(BOB.toUpperCase().replace("0X", "0x")),
      await balanceOf(UNKNOWN),
    ]).toEqual(["5", "2", "0"]);
  });

  it("of the other standard, or that nobody knows, is null", async () => {
    expect(await run("GetERC721Token", { ...heroes, tokenId: "404" })).toEqual({ erc721Token: null });
    expect(await run("GetErc721Order", potion)).toEqual({ erc721Token: null });
    expect(await run("GetErc1155Balance", { tokenAddress: COLLECTION, tokenId: 1, owner: ALICE })).toEqual({
      erc1155Token: null,
    });
  });

  it("reports its transfers, newest first, a page at a time", async () => {
    const page = async (from: number, size: number) =>
      (await run("GetERC721TransferHistory", { tokenAddress: COLLECTION, tokenId: "1", from, size }))
        .erc721Token.transferHistory;

    expect(await page(1, 1)).toEqual({
      total: 3,
      results: [
        {
          tokenId: "1",
          from: BOB,
          to: ALICE,
          fromProfile: null,
          toProfile: null,
          timestamp: 1_700_000_001,
          txHash: "0xt1",
          withPrice: null,
          quantity: "1",
          paymentToken: null,
        },
      ],
    });
    expect((await page(0, 50)).results.map(({ txHash }: { txHash: string }) => txHash)).toEqual([
      "0xt2",
      "0xt1",
      "0xt0",
    ]);
    expect(await page(3, 50)).toEqual({ total: 3, results: [] });
    const { erc1155Token } = await run("GetERC1155TransferHistory", { ...potion, from: 0, size: 1 });
    expect(erc1155Token.transferHistory.results[0].quantity).toBe((2n ** 128n).toString());
  });
});

describe("RefreshMetadata", () => {
  it("queues a token that exists, and is an error for one that does not", async () => {
    expect(await run("RefreshMetadata", { tokenAddress: COLLECTION, tokenId: "2" })).toEqual({
      refreshMetadata: true,
    });
    expect(await readQueue(test.database)).toEqual(
      expect.arrayContaining([expect.objectContaining({ tokenId: "2", trigger: "graphql" })]),
    );
    const { error } = await endpoint.ask(sdkDocument("RefreshMetadata"), {
      tokenAddress: COLLECTION,
      tokenId: "404",
    });
    expect(error.message).toBe("Token not found");
  });
});
