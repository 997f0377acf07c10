import { beforeAll, describe, expect, it } from "vitest";
import { createTestDatabase } from "../../support/database/database.ts";
import { createTestApp, FAR_CHAIN_ID, FAR_COLLECTION } from "../../support/processes/app.ts";
import { CHAIN_ID, COLLECTION, found, recordOne, ref } from "../../support/refresh/refresh.ts";

const test = await createTestDatabase();
const { database } = test;
const api = createTestApp(test);
const key = await api.createKey();
const ALICE = "0x00000000000000000000000000000000000000a1";
const BOB = "0x00000000000000000000000000000000000000b2";

type Hero = Partial<
  Record<"name" | "description" | "class" | "owner", string> &
    Record<"level" | "born" | "lockCount", number> &
    Record<"shiny" | "burned", boolean>
>;

const heroes: readonly (readonly [tokenId: string, hero: Hero])[] = [
  ["1", { name: "Zoe", class: "Mage", level: 10, born: -86_400, shiny: true, owner: ALICE }],
  ["2", { name: "adam", class: "Rogue", level: 0, born: 0, shiny: false, owner: BOB, description: "Silent" }],
  ["10", { name: "Bea", class: "Mage", level: 2.5, owner: ALICE, lockCount: 1 }],
  ["9", { name: "Émile", class: "Bard", level: -3, shiny: false, owner: BOB, description: "ΣΟΦΟΣΑ" }],
  ["100", { class: "Mage", level: 99, owner: ALICE, burned: true }],
  ["11", { owner: BOB }],
];

beforeAll(async () => {
  await test.setHead({ chainId: CHAIN_ID, block: 100 });
  let block = 1;
  for (const [tokenId, hero] of heroes) {
    await test.insert("tokenState", {
      chainId: CHAIN_ID,
      collectionAddress: COLLECTION,
      tokenId: BigInt(tokenId),
      standard: "erc721",
      owner: hero.burned ? null : hero.owner,
      burned: hero.burned ?? false,
      lockCount: hero.lockCount ?? 0,
      ...(hero.lockCount && { lockedSinceBlock: 5n }),
    });
    await api.metadata.addKnownTokens(database, CHAIN_ID, COLLECTION, new Map([[tokenId, block++]]));
    if (hero.class === undefined) continue;
    const attributes = [
      { trait_type: "Class", value: hero.class },
      { trait_type: "Level", display_type: "number", value: hero.level },
      ...(hero.born === undefined ? [] : [{ trait_type: "Born", display_type: "date", value: hero.born }]),
      ...(hero.shiny === undefined ? [] : [{ trait_type: "Shiny", display_type: "bool", value: hero.shiny }]),
    ];
    const { name = "Nameless", description } = hero;
    const document = { name, description, image: "https://img.example/1.png", attributes };
    await database.transaction((tx) => recordOne(api.metadata, tx, ref(tokenId), "rest", found(document)));
  }
});

type Asked = Readonly<Record<string, unknown>>;
const get = (list: "tokens" | "traits", parameters: Asked = {}) => {
  const query = new URLSearchParams(
    Object.entries(parameters).map(([name, value]): [string, string] => [
      name,
      typeof value === "object" ? JSON.stringify(value) : String(value),
    ]),
  );
  return api.call(`/market/collections/${COLLECTION}/${list}?${query}`, { key });
};
const idsOf = (body: { items: { token_id: string }[] }) => body.items.map(({ token_id }) => token_id);
const find = async (parameters: Asked) => idsOf((await get("tokens", parameters)).body);

describe("the tokens of a collection", () => {
  it("are listed by id as a number, with what a single token is answered with, burned ones left out", async () => {
    const { status, body } = await get("tokens");

    expect([status, idsOf(body), body.total, body.next_cursor]).toEqual([
      200,
      ["1", "2", "9", "10", "11"],
      5,
      null,
    ]);
    for (const item of body.items) {
      const { body: token } = await api.call(`/market/collections/${COLLECTION}/tokens/${item.token_id}`, {
        key,
      });
      expect(item).toEqual(token);
    }
    expect(body.items[3]).toMatchObject({ owner: ALICE, lock: { locked: true }, tradable: false });
  });

  it.each<[string, Asked, string[]]>([
    [
      "any value of a criterion",
      { criteria: [{ name: "Class", values: ["Mage", "Bard"] }] },
      ["1", "9", "10"],
    ],
    [
      "all criteria",
      {
        criteria: [
          { name: "Class", values: ["Mage"] },
          { name: "Shiny", values: ["true"] },
        ],
      },
      ["1"],
    ],
    ["a boolean, also as JSON", { criteria: [{ name: "Shiny", values: [false] }] }, ["2", "9"]],
    ["a number by its JSON text", { criteria: [{ name: "Level", values: ["2.5", 0] }] }, ["2", "10"]],
    ["no other spelling of a value", { criteria: [{ name: "Class", values: ["mage"] }] }, []],
    ["a trait type that nobody has", { criteria: [{ name: "Nope", values: ["x"] }] }, []],
    [
      "a range, ends included",
      { range_criteria: [{ name: "Level", range: { from: "0", to: 10 } }] },
      ["1", "2", "10"],
    ],
    [
      "a range with one end",
      { range_criteria: [{ name: "Level", range: { from: null, to: "-3.0" } }] },
      ["9"],
    ],
    ["a range of dates", { range_criteria: [{ name: "Born", range: { to: "0" } }] }, ["1", "2"]],
    ["a range of what is no number", { range_criteria: [{ name: "Class", range: { from: 0 } }] }, []],
    ["text in the name, whatever the case", { q: "ÉMI" }, ["9"]],
    ["text in the description", { q: "silent" }, ["2"]],
    ["a text that goes on after a sigma", { q: "ΣΟΦΟΣ" }, ["9"]],
    ["a final sigma, as any other", { q: "σοφος" }, ["9"]],
    ["text in a trait value", { q: "age" }, ["1", "10"]],
    ["no text", { q: "" }, ["1", "2", "9", "10", "11"]],
    ["an owner, in any case", { owner: `0x${ALICE.slice(2).toUpperCase()}` }, ["1", "10"]],
    ["what is locked", { locked: true }, ["10"]],
    ["what is not locked", { locked: false }, ["1", "2", "9", "11"]],
    [
      "everything at once",
      {
        criteria: [{ name: "Class", values: ["Mage"] }],
        range_criteria: [{ name: "Level", range: { from: 1 } }],
        q: "b",
        owner: ALICE,
        locked: true,
      },
      ["10"],
    ],
  ])("are found by %s", async (_what, parameters, expected) => {
    const { status, body } = await get("tokens", parameters);

    expect([status, idsOf(body), body.total]).toEqual([200, expected, expected.length]);
  });

  it.each([
    ["id_asc", ["1", "2", "9", "10", "11"]],
    ["id_desc", ["11", "10", "9", "2", "1"]],
    ["name_asc", ["2", "10", "1", "9", "11"]],
    ["name_desc", ["9", "1", "10", "2", "11"]],
    ["latest", ["11", "9", "10", "2", "1"]],
    ["updated", ["9", "10", "2", "1", "11"]],
    ["trait:Level:asc", ["9", "2", "10", "1", "11"]],
    ["trait:Level:desc", ["1", "10", "2", "9", "11"]],
    ["trait:Class:asc", ["9", "1", "10", "2", "11"]],
    ["trait:Shiny:desc", ["1", "2", "9", "10", "11"]],
    ["trait:Nobody:has:this:desc", ["1", "2", "9", "10", "11"]],
  ])("come in the order %s", async (sort, expected) => {
    expect(await find({ sort })).toEqual(expected);
  });

  it("of the same address on another chain are others", async () => {
    const path = `/market/collections/${COLLECTION}/tokens?chain_id=${FAR_CHAIN_ID}`;
    const { status, body } = await api.call(path, { key });

    expect([status, body]).toEqual([200, { items: [], next_cursor: null, total: 0 }]);
  });
});

describe("a page", () => {
  it.each(["id_asc", "name_desc", "latest", "trait:Level:asc"])(
    "begins where the one before ended, in the order %s",
    async (sort) => {
      const walked: string[] = [];
      let cursor: string | null = null;
      do {
        const { body } = await get("tokens", { sort, limit: 2, ...(cursor !== null && { cursor }) });
        expect(body.total).toBe(5);
        expect(body.items.length).toBeLessThanOrEqual(2);
        walked.push(...idsOf(body));
        cursor = body.next_cursor;
      } while (cursor !== null);

      expect(walked).toEqual(await find({ sort }));
    },
  );

  it("goes on where it ended though tokens were added before it and after it", async () => {
    const add = (...tokenIds: readonly string[]) =>
      api.metadata.addKnownTokens(
        database,
        FAR_CHAIN_ID,
        FAR_COLLECTION,
        new Map(tokenIds.map((tokenId) => [tokenId, 1])),
      );
    const path = `/market/collections/${FAR_COLLECTION}/tokens?limit=2`;
    await add("10", "20", "30", "40");
    const first = (await api.call(path, { key })).body;
    await add("5", "15", "35");

    const second = (await api.call(`${path}&cursor=${encodeURIComponent(first.next_cursor)}`, { key })).body;

    expect([idsOf(first), idsOf(second)]).toEqual([
      ["10", "20"],
      ["30", "35"],
    ]);
    expect(second.total).toBe(7);
  });

  it("leaves out what was burned after it was found", async () => {
    const collection = { chainId: CHAIN_ID, address: COLLECTION, startBlock: 0 };

    expect(
      (await api.catalog.listTokens(collection, ["9", "100", "404", "1"])).map(({ token_id }) => token_id),
    ).toEqual(["9", "1"]);
  });

  it("is made by as many reads as one token is", async () => {
    const collection = { chainId: CHAIN_ID, address: COLLECTION, startBlock: 0 };
    const readsOf = async (tokenIds: readonly string[]) => {
      let reads = 0;
      const counting = createTestApp({
        ...test,
        database: {
          ...database,
          query: (...query: QueryParameters) => {
            reads++;
            return database.query(...query);
          },
        } as typeof database,
      });
      const reading: number[] = [];
      // The first reads keep what later ones need not ask for.
      for (let nth = 0; nth < 4; nth++) {
        reads = 0;
        expect(await counting.catalog.listTokens(collection, tokenIds)).toHaveLength(tokenIds.length);
        reading.push(reads);
      }
      return reading;
    };

    expect(await readsOf(["1", "2", "9", "10", "11"])).toEqual(await readsOf(["10"]));
  });
});

type QueryParameters = Parameters<typeof database.query>;

describe("the distribution of traits", () => {
  it("reports counts, percentages, display types, ends and ceilings of all tokens that are listed", async () => {
    const { status, body } = await get("traits");

    expect([status, body.total]).toEqual([200, 5]);
    const traits = Object.fromEntries(
      body.traits.map((each: { trait_type: string }) => [each.trait_type, each]),
    );
    expect(traits.Class).toEqual({
      trait_type: "Class",
      display_type: "string",
      count: 4,
      min: null,
      max: null,
      max_value: null,
      values: [
        { value: "Mage", count: 2, percentage: 40 },
        { value: "Bard", count: 1, percentage: 20 },
        { value: "Rogue", count: 1, percentage: 20 },
      ],
      values_total: 3,
    });
    // The highest value ever shown was on the burned token.
    expect(traits.Level).toMatchObject({ display_type: "number", count: 4, min: -3, max: 10, max_value: 99 });
    expect(traits.Born).toMatchObject({
      display_type: "date",
      count: 2,
      min: -86_400,
      max: 0,
      max_value: null,
    });
    expect(traits.Shiny.values).toEqual([
      { value: false, count: 2, percentage: 40 },
      { value: true, count: 1, percentage: 20 },
    ]);
  });

  it("is that of the tokens that match, by the same parameters", async () => {
    const { body } = await get("traits", {
      criteria: [{ name: "Class", values: ["Mage"] }],
      range_criteria: [{ name: "Level", range: { from: "0" } }],
      q: "e",
      owner: ALICE,
      locked: false,
    });

    expect(body.total).toBe(1);
    expect(
      body.traits.map((each: { trait_type: string; count: number }) => [each.trait_type, each.count]),
    ).toEqual(
      expect.arrayContaining([
        ["Class", 1],
        ["Level", 1],
      ]),
    );
  });
});
