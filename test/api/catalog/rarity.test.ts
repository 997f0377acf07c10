import { beforeEach, describe, expect, it } from "vitest";
import type { TokenView } from "../../../src/api/catalog/tokens/token-view.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import { createTestApp } from "../../support/processes/app.ts";
import { CHAIN_ID, COLLECTION, emptyTables, found, recordOne, ref } from "../../support/refresh/refresh.ts";
import { createOwnEndpoint } from "../graphql/own-endpoint.ts";

const test = await createTestDatabase();
const { database } = test;
const api = createTestApp(test);
const key = await api.createKey();
const endpoint = await createOwnEndpoint(api);
const TOKENS = `/market/collections/${COLLECTION}/tokens`;

let head = 100;
const passBlock = () => test.setHead({ chainId: CHAIN_ID, block: head++ });

beforeEach(async () => {
  await emptyTables(database);
  await database.query(`truncate ${test.tables.tokenState}`);
  await passBlock();
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
const is = (trait_type: string, value: unknown) => ({ trait_type, value });
const get = async (path: string) => (await api.call(path, { key })).body;
const rarityOf = async (tokenId: string): Promise<TokenView["rarity"]> =>
  (await get(`${TOKENS}/${tokenId}`)).rarity;

describe("rarity", () => {
  it("is the information content of a token's traits, and of those it lacks, by the collection's entropy", async () => {
    await record("1", [is("Class", "Mage")]);
    await record("2", [is("Class", "Mage")]);
    await record("3", [is("Class", "Rogue"), { ...is("Shiny", true), display_type: "bool" }]);
    await record("4", []);

    // Class: Mage 1/2, Rogue 1/4, none 1/4; Shiny: true 1/4, none 3/4.
    const none = -Math.log2(3 / 4);
    const entropy = 0.5 + 2 * 0.25 * 2 + 0.25 * 2 + 0.75 * none;
    const close = (bits: number) => expect.closeTo(bits / entropy, 9);
    expect(await rarityOf("3")).toEqual({ rank: 1, score: close(4), of: 4 });
    expect(await rarityOf("4")).toEqual({ rank: 2, score: close(2 + none), of: 4 });
    expect(await rarityOf("1")).toEqual({ rank: 3, score: close(1 + none), of: 4 });
    expect(await rarityOf("2")).toEqual({ rank: 3, score: close(1 + none), of: 4 });
  });

  it("comes with lists, in their order with sort=rarity, over REST and GraphQL", async () => {
    await record("1", [is("Class", "Mage")]);
    await record("2", [is("Class", "Rogue")]);
    await record("3", [is("Class", "Mage")]);

    const first = await get(`${TOKENS}?sort=rarity&limit=2`);
    const second = await get(`${TOKENS}?sort=rarity&limit=2&cursor=${first.next_cursor}`);

    const ranked = [...first.items, ...second.items].map(({ token_id, rarity }) => [token_id, rarity.rank]);
    expect(ranked).toEqual([
      ["2", 1],
      ["1", 2],
      ["3", 2],
    ]);
    const { data } = await endpoint.ask(
      `{ searchTokens(tokenAddress: "${COLLECTION}", sort: "rarity") { items { tokenId rarity { rank score of } } } }`,
    );
    const items = [...first.items, ...second.items];
    expect(data.searchTokens.items).toEqual(
      items.map(({ token_id: tokenId, rarity }) => ({ tokenId, rarity })),
    );
  });

  it("follows the next document and a burn", async () => {
    await record("1", [is("Class", "Mage")]);
    await record("2", [is("Class", "Mage")]);
    await record("3", [is("Class", "Rogue")]);
    expect((await rarityOf("3"))?.rank).toBe(1);

    await record("1", [is("Class", "Paladin")]);
    expect(await rarityOf("3")).toMatchObject({ rank: 1, of: 3 });
    expect(await rarityOf("2")).toMatchObject({ rank: 1, of: 3 });

    await test.insert("tokenState", {
      chainId: CHAIN_ID,
      collectionAddress: COLLECTION,
      tokenId: "1",
      owner: null,
      burned: true,
      lockCount: 0,
    });
    await passBlock();
    expect(await rarityOf("1")).toBeNull();
    expect(await rarityOf("3")).toMatchObject({ rank: 1, of: 2 });
  });

  it("is null without string and boolean traits, and the same for all if none differs", async () => {
    const level = (value: number) => ({ trait_type: "Level", display_type: "number", value });
    await record("1", [level(1)]);
    await record("2", [level(2)]);
    expect(await rarityOf("1")).toBeNull();
    expect((await get(`${TOKENS}?sort=rarity`)).items).toMatchObject([{ token_id: "1" }, { token_id: "2" }]);

    await record("1", [is("Class", "Mage")]);
    await record("2", [is("Class", "Mage")]);
    expect(await rarityOf("1")).toEqual({ rank: 1, score: 0, of: 2 });
    expect(await rarityOf("2")).toEqual({ rank: 1, score: 0, of: 2 });
  });
});
