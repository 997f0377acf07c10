/** The search across collections, over REST and GraphQL. */

import { beforeAll, describe, expect, it } from "vitest";
import { createTestDatabase } from "../../support/database/database.ts";
import { createTestApp, FAR_CHAIN_ID, FAR_COLLECTION } from "../../support/processes/app.ts";
import { CHAIN_ID, COLLECTION, emptyTables, found, recordOne } from "../../support/refresh/refresh.ts";
import { createOwnEndpoint } from "../graphql/own-endpoint.ts";

const test = await createTestDatabase();
const { database } = test;
const api = createTestApp(test);
const key = await api.createKey();
const endpoint = await createOwnEndpoint(api);

const near = { chainId: CHAIN_ID, collection: COLLECTION };
const far = { chainId: FAR_CHAIN_ID, collection: FAR_COLLECTION };

beforeAll(async () => {
  await emptyTables(database);
  const record = (at: typeof near, tokenId: string, name: string) =>
    database.transaction((tx) =>
      recordOne(
        api.metadata,
        tx,
        { ...at, tokenId },
        "rest",
        found({ name, image: "https://img.example/1.png" }),
      ),
    );
  await record(near, "1", "Dragon egg");
  await record(near, "2", "A red dragon");
  await record(near, "3", "Dragon");
  await record(near, "4", "Dragonfly, burned");
  await record(far, "3", "DRAGON");
  await record(far, "30", "dragon cave");
  await test.insert("tokenState", {
    ...{ chainId: CHAIN_ID, collectionAddress: COLLECTION, tokenId: "4", burned: true, lockCount: 0 },
  });
  for (const chainId of [CHAIN_ID, FAR_CHAIN_ID]) await test.setHead({ chainId, block: 100 });
});

const ask = (query: string) => api.call(`/market/search?${query}`, { key });
interface Body {
  readonly tokens: readonly { chain_id: number; token_id: string }[];
  readonly collections: readonly { chain_id: number; collection_address: string }[];
}
const tokensOf = ({ tokens }: Body) =>
  tokens.map(({ chain_id, token_id }) => `${chain_id === CHAIN_ID ? "near" : "far"} ${token_id}`);
const collectionsOf = ({ collections }: Body) =>
  collections.map((each) => `${each.chain_id === CHAIN_ID ? "near" : "far"} ${each.collection_address}`);

describe("tokens of all collections", () => {
  it("are found by name: the same, then with the same start, then with the text anywhere", async () => {
    const { status, body } = await ask("q=dragon");

    expect(status).toBe(200);
    expect(tokensOf(body)).toEqual(["near 3", "far 3", "far 30", "near 1", "near 2"]);
    expect(body.unsearched).toBe(0);
    const alone = await api.call(`/market/collections/${COLLECTION}/tokens/3`, { key });
    expect(body.tokens[0]).toEqual(alone.body);
  });

  it("are found by id, of every collection that has it, before names", async () => {
    expect(tokensOf((await ask("q=3")).body)).toEqual(["near 3", "far 3"]);
    expect(tokensOf((await ask("q=%2330")).body)).toEqual(["far 30"]);
    // Burned.
    expect(tokensOf((await ask("q=4")).body)).toEqual([]);
  });

  it("are the best so many, of one chain if it is named", async () => {
    expect(tokensOf((await ask("q=dragon&limit=3")).body)).toEqual(["near 3", "far 3", "far 30"]);
    expect(tokensOf((await ask(`q=dragon&chain_id=${FAR_CHAIN_ID}`)).body)).toEqual(["far 3", "far 30"]);
  });

  it("follow the next document", async () => {
    expect(tokensOf((await ask("q=newcomer")).body)).toEqual([]);
    await database.transaction((tx) =>
      recordOne(
        api.metadata,
        tx,
        { ...far, tokenId: "77" },
        "rest",
        found({ name: "Newcomer", image: "https://img.example/1.png" }),
      ),
    );
    expect(tokensOf((await ask("q=newcomer")).body)).toEqual(["far 77"]);
  });
});

describe("collections", () => {
  // Configured: "Heroes", whose slug is "heroes", and "Far heroes" on another chain.
  it("are found by name, slug and address, the best first", async () => {
    const squires = { name: "Heroes’ squires", slug: "squires", trait_groups: [] };
    await database.query(
      `insert into vitrine.collection_information (chain_id, collection, body, slug, updated_by)
       values ($1, $2, $3, $4, 'test')`,
      [FAR_CHAIN_ID, FAR_COLLECTION, JSON.stringify(squires), squires.slug],
    );
    const [heroes, farHeroes, others] = [`near ${COLLECTION}`, `far ${COLLECTION}`, `far ${FAR_COLLECTION}`];

    expect(collectionsOf((await ask("q=heroes")).body)).toEqual([heroes, others, farHeroes]);
    expect(collectionsOf((await ask("q=heroes&limit=2")).body)).toEqual([heroes, others]);
    expect(collectionsOf((await ask("q=FAR")).body)).toEqual([farHeroes]);
    expect(collectionsOf((await ask("q=squires")).body)).toEqual([others]);
    expect(collectionsOf((await ask(`q=${COLLECTION}`)).body)).toEqual([farHeroes, heroes]);
    expect(collectionsOf((await ask(`q=heroes&chain_id=${CHAIN_ID}`)).body)).toEqual([heroes]);
    expect(collectionsOf((await ask("q=nowhere")).body)).toEqual([]);
  });

  it("that nobody named have no name, and are not found by the start of their address", async () => {
    await database.query("truncate vitrine.collection_information");
    await database.query(
      `insert into vitrine.contract_metadata (chain_id, collection, uri, fields, read_at)
       values ($1, $2, 'https://meta.example', $3, now())`,
      [FAR_CHAIN_ID, FAR_COLLECTION, JSON.stringify({ description: "Brave" })],
    );
    const { body } = await api.call(`/market/collections/${FAR_COLLECTION}?chain_id=${FAR_CHAIN_ID}`, {
      key,
    });
    expect(body).toMatchObject({
      name: null,
      information: { name: FAR_COLLECTION, description: "Brave" },
      information_source: { name: null, description: "contract" },
    });
    expect(collectionsOf((await ask("q=0x")).body)).toEqual([]);
    expect(collectionsOf((await ask(`q=${FAR_COLLECTION}`)).body)).toEqual([`far ${FAR_COLLECTION}`]);
  });
});

it("is the same over GraphQL", async () => {
  const { body } = await ask("q=dragon&limit=2");
  const { data } = await endpoint.ask(
    `{ searchAll(text: "dragon", limit: 2) { unsearched collections { collectionAddress } tokens { chainId tokenId name } } }`,
  );
  expect(data.searchAll).toEqual({
    unsearched: 0,
    collections: [],
    tokens: body.tokens.map((token: { chain_id: number; token_id: string; name: string }) => ({
      ...{ chainId: token.chain_id, tokenId: token.token_id, name: token.name },
    })),
  });
});

it.each([
  ["", "q"],
  ["q=", "q"],
  ["q=%20", "q"],
  [`q=${"x".repeat(201)}`, "q"],
  ["q=x&limit=0", "limit"],
  ["q=x&chain_id=5", "chain_id"],
  ["q=x&text=y", "text"],
])("refuses by name: %s", async (query, path) => {
  const { status, body } = await ask(query);
  expect([status, body.details[0].path]).toEqual([400, path]);
});
