import { buildSchema, getOperationAST, parse } from "graphql";
import { describe, expect, it } from "vitest";
import { costError, operationCost } from "../../../src/api/graphql/gateway/cost.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import { createTestApp } from "../../support/processes/app.ts";
import { COLLECTION } from "../../support/refresh/refresh.ts";
import { createOwnEndpoint } from "./own-endpoint.ts";

const endpoint = await createOwnEndpoint(createTestApp(await createTestDatabase()));
const ADDRESS = `tokenAddress: "${COLLECTION}"`;
const TOO_MUCH = /^the cost is (\d+); it must be at most 20000: ask for fewer or smaller lists at once$/;

const errorOf = async (query: string, variables: Record<string, unknown> = {}) =>
  (await endpoint.ask(query, variables)).error?.message;
const list = (alias: string, fields: string, size: number | string = 50) =>
  `${alias}: erc721Tokens(${ADDRESS}, from: 0, size: ${size}) { ${fields} }`;
const lists = (count: number, fields: string) =>
  `{ ${Array.from({ length: count }, (_, index) => list(`a${index}`, fields)).join(" ")} }`;
const pagesOf1155 = (count: number, field: string) =>
  lists(count, `results { ${field} }`).replaceAll("erc721Tokens", "erc1155Tokens");

describe("the cost of an operation", () => {
  it.each([
    ["14 full pages of the SDK's largest list", lists(14, "total results { tokenId name owner }")],
    ["30 totals, for which no token is read", lists(30, "total")],
    ["13 pages without their owners", pagesOf1155(13, "name")],
    ["introspection", "{ __schema { types { fields { args { name type { name } } } } } }"],
  ])("lets %s pass", async (_what, query) => {
    expect(await errorOf(query)).toBeUndefined();
  });

  it.each([
    ["more pages than that", lists(30, "results { tokenId }")],
    [
      "pages in a fragment that is spread again and again",
      `{ ${Array.from({ length: 25 }, (_, index) => `${list(`a${index}`, "...P")}`).join(" ")} } fragment P on Erc721Tokens { results { tokenId } }`,
    ],
    [
      "histories of every token of many pages",
      lists(10, "results { transferHistory(from: 0, size: 50) { results { to } } }"),
    ],
    ["the number of owners of every token of many pages", pagesOf1155(13, "totalOwners")],
    [
      "one distribution after another",
      `{ ${Array.from({ length: 21 }, (_, index) => `a${index}: traits(${ADDRESS}) { total }`).join(" ")} }`,
    ],
  ])("refuses %s", async (_what, query) => {
    expect(await errorOf(query)).toMatch(TOO_MUCH);
  });

  it("counts conditions, each of which looks through the collection", async () => {
    const fields = Array.from({ length: 11 }, (_, index) => {
      return `a${index}: searchTokens(${ADDRESS}, limit: 1, rangeCriteria: $ranges) { total }`;
    });
    const query = `query ($ranges: [RangeSearchCriteria!]) { ${fields.join(" ")} }`;
    const ranges = (count: number) => ({
      ranges: Array(count).fill({ name: "Level", range: { from: "1" } }),
    });

    expect(await errorOf(query, ranges(20))).toMatch(TOO_MUCH);
    expect(await errorOf(query, ranges(1))).toBeUndefined();
  });

  it.each([
    ["searchAll", 1_000, 3],
    ["collections", 1_000, 19],
    ["collections", 1_000_000, 1],
    ["tokens", 1_000, 3],
    ["tokens(tokenAddresses: [])", 1_000, 3],
    ["tokens(tokenAddresses: null)", 1_000, 3],
    ['tokens(tokenAddresses: ["a", "b"])', 1_000_000, 200],
    ['tokens(tokenAddresses: "a")', 1_000_000, 400],
  ])("counts %s for each of %i collections: %i of them are within it", (field, collections, most) => {
    const schema = buildSchema(
      "type Query { searchAll: SearchResults collections: [Item] tokens(tokenAddresses: [String!]): OwnedTokens } type SearchResults { id: Int } type OwnedTokens { id: Int } type Item { id: Int }",
    );
    const isTooMuch = (count: number): boolean => {
      const document = parse(
        `{ ${Array.from({ length: count }, (_, nth) => `a${nth}: ${field} { id }`).join(" ")} }`,
      );
      const definition = getOperationAST(document);
      if (!definition) throw new Error("no operation");
      return (
        costError(operationCost(schema, { document, definition }, {}, collections), { definition }) !==
        undefined
      );
    };

    expect(isTooMuch(most)).toBe(false);
    expect(isTooMuch(most + 1)).toBe(true);
  });

  it("counts the tokens that are to be refreshed", async () => {
    const fields = ["a", "b", "c"].map(
      (alias) => `${alias}: requestMetadataRefresh(${ADDRESS}, tokenIds: $ids) { id }`,
    );
    const query = `mutation ($ids: [String!]!) { ${fields.join(" ")} }`;
    const ids = (count: number) => ({ ids: Array.from({ length: count }, (_, id) => String(id)) });

    expect(await errorOf(query, ids(100))).toMatch(TOO_MUCH);
  });

  it("counts the values of variables, and their defaults", async () => {
    const fields = Array.from({ length: 20 }, (_, index) => list(`a${index}`, "results { tokenId }", "$n"));
    const query = (declaration: string) => `query (${declaration}) { ${fields.join(" ")} }`;

    expect(await errorOf(query("$n: Int!"), { n: 50 })).toMatch(TOO_MUCH);
    expect(await errorOf(query("$n: Int!"), { n: 1 })).toBeUndefined();
    expect(await errorOf(query("$n: Int! = 50"))).toMatch(TOO_MUCH);
  });

  it("counts null for a limit as the default, which it stands for", async () => {
    const pages = (limit: string) =>
      `${limit.includes("$n") ? "query ($n: Int) " : ""}{ ${Array.from(
        { length: 30 },
        (_, index) =>
          `a${index}: searchTokens(${ADDRESS}, criteria: [{}, {}, {}]${limit}) { items { tokenId } }`,
      ).join(" ")} }`;
    const usual = await errorOf(pages(""));

    expect(usual).toMatch(TOO_MUCH);
    expect(await errorOf(pages(", limit: 20"))).toBe(usual);
    expect(await errorOf(pages(", limit: null"))).toBe(usual);
    expect(await errorOf(pages(", limit: $n"), { n: null })).toBe(usual);
    expect(await errorOf(pages(", limit: $n"))).toBe(usual);
    expect(await errorOf(pages(", limit: 1"))).not.toMatch(TOO_MUCH);
  });

  it("leaves what is out of bounds to the field, which names the bound", async () => {
    const query = `{ ${list("a", "results { tokenId }", 1_000_000)} }`;

    expect(await errorOf(query)).toContain("size: must be less than or equal to 50; it is 1000000");
    expect(await errorOf(`{ ${list("a", "total", -1_000_000)} }`)).toContain("size: must be greater");
    expect(await errorOf(`{ searchTokens(${ADDRESS}, limit: 1000000) { items { tokenId } } }`)).toContain(
      "limit: must be",
    );
  });

  it("is that of the operation that runs, not of those beside it", async () => {
    const document = `query A { a: tokenData(${ADDRESS}) { erc } } ${lists(30, "results { tokenId }").replace("{", "query B {")}`;
    expect(parse(document).definitions).toHaveLength(2);
    const body = { query: document, operationName: "A" };

    expect(JSON.parse(await endpoint.answer(body)).errors).toBeUndefined();
    expect(JSON.parse(await endpoint.answer({ ...body, operationName: "B" })).errors).toMatchObject([
      { message: expect.stringMatching(TOO_MUCH) },
    ]);
  });
});
