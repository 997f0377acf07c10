/** The counts beside the traits of a page's tokens. */

import { beforeEach, expect, it, vi } from "vitest";
import type { TokenView } from "../../../src/api/catalog/tokens/token-view.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import { createTestApp } from "../../support/processes/app.ts";
import { CHAIN_ID, COLLECTION, emptyTables, found, recordOne, ref } from "../../support/refresh/refresh.ts";

const test = await createTestDatabase();
const { database } = test;
const api = createTestApp(test);
const key = await api.createKey();
const collection = { chainId: CHAIN_ID, address: COLLECTION, startBlock: 0 };
const PATH = `/market/collections/${COLLECTION}/tokens`;
const asked = vi.spyOn(api.search, "countTraits");

beforeEach(async () => {
  await emptyTables(database);
  await test.setHead({ chainId: CHAIN_ID, block: 100 });
});

const record = (tokenId: string, attributes: readonly object[]) =>
  database.transaction((tx) =>
    recordOne(
      api.metadata,
      tx,
      ref(tokenId),
      "rest",
      found({ name: tokenId, image: "https://img.example/1.png", attributes }),
    ),
  );
const is = (trait_type: string, value: unknown, display_type?: string) => ({
  ...{ trait_type, value },
  ...(display_type && { display_type }),
});
const one = async (tokenId: string): Promise<TokenView> =>
  (await api.call(`${PATH}/${tokenId}`, { key })).body;

it("are asked for once for a page, and are those of each token alone", async () => {
  await record("1", [is("Class", "Mage"), is("Level", 5, "number"), is("Shiny", false, "bool")]);
  await record("2", [is("Class", "Mage"), is("Class", "Rogue"), is("Level", 50, "number")]);
  await record("3", []);
  asked.mockClear();

  const { items } = (await api.call(PATH, { key })).body;

  expect(asked.mock.calls).toEqual([[expect.objectContaining(collection), undefined, ["1", "2", "3"]]]);
  expect((await api.call(PATH, { key })).body.items).toEqual(items);
  expect(asked).toHaveBeenCalledTimes(1);
  expect(items[0].traits).toMatchObject([
    { trait_type: "Class", count: 2, percentage: (2 / 3) * 100 },
    { trait_type: "Level", value: 5, max_value: 50, count: 1 },
    { trait_type: "Shiny", value: false, count: 1 },
  ]);
  expect(items).toEqual([await one("1"), await one("2"), await one("3")]);
});

it("of one token are read beside it, and not asked for again", async () => {
  await record("1", [is("Class", "Mage"), is("Level", 5, "number")]);
  await record("2", [is("Class", "Mage")]);
  asked.mockClear();

  expect((await one("1")).traits).toMatchObject([
    { trait_type: "Class", count: 2, percentage: 100 },
    { trait_type: "Level", value: 5, count: 1, percentage: 50 },
  ]);

  expect(asked.mock.calls).toEqual([[expect.objectContaining(collection), undefined, ["1"]]]);
});

it("are asked for again for texts that are too long to list", async () => {
  const long = "x".repeat(2_000);
  await record("1", [is("Lore", long)]);
  await record("2", [is("Class", "Mage")]);
  asked.mockClear();

  const { items } = (await api.call(PATH, { key })).body;

  expect(asked.mock.calls).toEqual([
    [expect.anything(), undefined, ["1", "2"]],
    [expect.anything(), [expect.objectContaining({ value: long })], ["1"]],
  ]);
  expect(items).toEqual([await one("1"), await one("2")]);
  expect(items[0].traits).toMatchObject([{ value: long, count: 1, percentage: 50 }]);
});

it("are of the newer document where a token changed after the search", async () => {
  await record("1", [is("Class", "Mage")]);
  await record("2", [is("Class", "Mage")]);
  const query = { filter: { criteria: [], ranges: [] }, sort: { by: "id", descending: false } as const };
  const page = await api.search.page(collection, { ...query, limit: 10 });
  await record("2", [is("Class", "Rogue")]);

  const [, second] = await api.catalog.listPage(collection, page);

  expect(second?.traits).toMatchObject([{ value: "Rogue", count: 1, percentage: 50 }]);
  expect(second).toEqual(await one("2"));
});

it("are beside the ranks that the page is sorted by, though others have been computed since", async () => {
  await record("1", [is("Class", "Mage")]);
  await record("2", [is("Class", "Mage")]);
  await record("3", [is("Class", "Rogue")]);
  const query = { filter: { criteria: [], ranges: [] }, sort: { by: "rarity" } as const, limit: 10 };
  const page = await api.search.page(collection, query);
  const sortedBy = page.tokenIds.map((tokenId) => page.rarity?.get(tokenId));
  const older = new Map(page.tokenIds.map((tokenId) => [tokenId, { rank: 7, score: 0.5, of: 9 }]));

  const now = await api.catalog.listPage(collection, page);
  const before = await api.catalog.listPage(collection, { ...page, rarity: older });

  expect(page.tokenIds).toEqual(["3", "1", "2"]);
  expect(now.map(({ rarity }) => rarity)).toEqual(sortedBy);
  expect(sortedBy.map((rarity) => rarity?.rank)).toEqual([1, 2, 2]);
  expect(before.map(({ rarity }) => rarity)).toEqual([...older.values()]);
  expect(before.map(({ traits }) => traits)).toEqual(now.map(({ traits }) => traits));
});
