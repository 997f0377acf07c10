import { beforeAll, describe, expect, it } from "vitest";
import type { TokenView } from "../../../src/api/catalog/tokens/token-view.ts";
import { NORMALISER } from "../../../src/api/metadata/rules.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import { createTestApp } from "../../support/processes/app.ts";
import { CHAIN_ID, COLLECTION } from "../../support/refresh/refresh.ts";
import { createOwnEndpoint } from "./own-endpoint.ts";
import { createSdkWorld } from "./sdk-world.ts";

const test = await createTestDatabase();
const api = createTestApp(test);
const key = await api.createKey();
const endpoint = await createOwnEndpoint(api);
const ADDRESS = `tokenAddress: "${COLLECTION}"`;
const MAGES = 'criteria: [{ name: "Class", values: ["Mage"] }]';

beforeAll(() => createSdkWorld(test, api.metadata));

async function run(query: string) {
  const { data, error } = await endpoint.ask(query);
  expect(error).toBeUndefined();
  return data;
}
const get = async (path: string) => (await api.call(path, { key })).body;
const MARKET = `/market/collections/${COLLECTION}`;

describe("searchTokens", () => {
  it("answers what REST answers, page by page", async () => {
    const page = async (cursor: string | null) =>
      (
        await run(`{ searchTokens(${ADDRESS}, sort: "trait:Level:desc", limit: 2, cursor: ${JSON.stringify(cursor)}) {
          total nextCursor items { tokenId name lock { locked lockCount } tradable propertyGroups { category traits } } } }`)
      ).searchTokens;

    const first = await page(null);
    const second = await page(first.nextCursor);

    const rest = await get(`${MARKET}/tokens?sort=trait:Level:desc`);
    expect([first.total, second.nextCursor]).toEqual([3, null]);
    expect([...first.items, ...second.items]).toEqual(
      rest.items.map((token: TokenView) => ({
        tokenId: token.token_id,
        name: token.name,
        lock: { locked: token.lock.locked, lockCount: token.lock.lock_count },
        tradable: token.tradable,
        propertyGroups: token.property_groups,
      })),
    );
  });

  it("takes every condition that REST takes", async () => {
    const find = async (conditions: string) =>
      (await run(`{ searchTokens(${ADDRESS}, ${conditions}) { items { tokenId } } }`)).searchTokens.items.map(
        ({ tokenId }: { tokenId: string }) => tokenId,
      );

    expect(await find(MAGES)).toEqual(["1", "3"]);
    expect(await find(`${MAGES}, locked: true`)).toEqual(["3"]);
    expect(await find('text: "adam"')).toEqual(["1", "2"]);
    expect(await find('rangeCriteria: [{ name: "Level", range: { to: "3" } }]')).toEqual(["2", "3"]);
  });

  it("reports every problem of its arguments by path", async () => {
    const { error } = await endpoint.ask(
      `{ searchTokens(${ADDRESS}, sort: "best", limit: 101, text: "${"x".repeat(201)}") { total } }`,
    );

    expect(error.extensions.code).toBe("INVALID_REQUEST");
    for (const text of [
      "sort: must be id_asc",
      "limit: must be less than or equal to 100; it is 101",
      "text: has 201",
    ])
      expect(error.message).toContain(text);
  });
});

describe("traits", () => {
  it("answers what REST answers, under the same conditions", async () => {
    const { traits } = await run(`{ traits(${ADDRESS}, ${MAGES}) {
      total listed traits { traitType displayType count min max maxValue valuesTotal values { value count percentage } } } }`);

    const rest = await get(
      `${MARKET}/traits?criteria=${encodeURIComponent('[{"name":"Class","values":["Mage"]}]')}`,
    );
    expect(traits.total).toBe(2);
    expect(traits).toEqual({
      total: rest.total,
      listed: rest.listed,
      traits: rest.traits.map((trait: Record<string, unknown>) => ({
        traitType: trait.trait_type,
        displayType: trait.display_type,
        count: trait.count,
        min: trait.min,
        max: trait.max,
        maxValue: trait.max_value,
        valuesTotal: trait.values_total,
        values: trait.values,
      })),
    });
  });
});

describe("the percentage of a trait's value", () => {
  it("has one base, the listed tokens, in every answer and under any condition", async () => {
    const shares: Record<string, readonly [count: number, percentage: number]> = {};
    const ofMage = (values: { value: unknown; count: number; percentage: number }[]) => {
      const { count = 0, percentage = 0 } = values.find(({ value }) => value === "Mage") ?? {};
      return [count, percentage] as const;
    };
    const token = await get(`${MARKET}/tokens/3`);
    shares.token = ofMage(token.traits);
    const { erc721Token, own } = await run(`{
      erc721Token(${ADDRESS}, tokenId: "3") { traitDistribution { value count percentage } }
      own: token(${ADDRESS}, tokenId: "3") { traits { value count percentage } } }`);
    shares.sdk = ofMage(erc721Token.traitDistribution);
    shares.graphql = ofMage(own.traits);
    const [all, mages, locked] = await Promise.all(
      ["", `?criteria=${encodeURIComponent('[{"name":"Class","values":["Mage"]}]')}`, "?locked=true"].map(
        (query) => get(`${MARKET}/traits${query}`),
      ),
    );
    shares.all = ofMage(all.traits[0].values);
    shares.mages = ofMage(mages.traits[0].values);
    shares.locked = ofMage(locked.traits[0].values);

    const two = [2, (2 / 3) * 100] as const;
    expect(shares).toEqual({
      token: two,
      sdk: two,
      graphql: two,
      all: two,
      mages: two,
      locked: [1, (1 / 3) * 100],
    });
    expect([all, mages, locked].map(({ total, listed }) => [total, listed])).toEqual([
      [3, 3],
      [2, 3],
      [1, 3],
    ]);
    const page = await api.call(`/collections/${CHAIN_ID}/${COLLECTION}/3`, {
      headers: { accept: "text/html" },
    });
    expect(page.text).toContain("2 tokens · 67%");
    expect(page.text).toContain("Percentages are shares of the collection’s 3 listed tokens.");
  });
});

describe("a collection", () => {
  it("comes with its information and trait groups", async () => {
    const trait_groups = [{ name: "Stats", traits: [{ name: "Level" }] }];
    const body = { name: "Heroes of old", trait_groups };
    await api.call(`/market-partner/collections/${COLLECTION}/information`, { method: "PUT", key, body });
    const fields =
      "{ chainId standard name items owners information { name slug traitGroups { name traits { name } } } }";

    const { collection, collections } = await run(
      `{ collection(${ADDRESS}) ${fields} collections ${fields} }`,
    );

    expect(collection).toEqual({
      chainId: CHAIN_ID,
      standard: "erc721",
      name: "Heroes",
      items: 3,
      owners: 2,
      information: { name: "Heroes of old", slug: null, traitGroups: trait_groups },
    });
    expect(collections[0]).toEqual(collection);
    expect(collections).toHaveLength(3);
    const { token } = await run(`{ token(${ADDRESS}, tokenId: "1") { propertyGroups { category traits } } }`);
    expect(token.propertyGroups).toEqual([
      { category: "Stats", traits: ["Level"] },
      { category: "Others", traits: ["Class"] },
    ]);
  });
});

describe("tokenReport", () => {
  it("reports issues and fetches, and is null for a token that nobody knows", async () => {
    const report = async (tokenId: string, more = "") =>
      (
        await run(`{ tokenReport(${ADDRESS}, tokenId: "${tokenId}"${more}) {
          tokenId metadata { status uri } issues { code }
          media { image { status reason width height bytes format } video { status } animationUrl { status } }
          versions { number trigger outcome normaliser } next } }`)
      ).tokenReport;

    expect(await report("1")).toEqual({
      tokenId: "1",
      metadata: { status: "current", uri: "https://meta.example/1" },
      issues: [],
      media: {
        image: {
          status: "skipped",
          reason: "not checked yet",
          width: null,
          height: null,
          bytes: null,
          format: null,
        },
        video: { status: "skipped" },
        animationUrl: { status: "skipped" },
      },
      versions: [{ number: 1, trigger: "rest", outcome: "updated", normaliser: NORMALISER }],
      next: null,
    });
    expect((await report("1", ", before: 1")).versions).toEqual([]);
    expect(await report("404")).toBeNull();
  });
});
