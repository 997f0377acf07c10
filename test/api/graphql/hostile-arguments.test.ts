/** Values of types that no argument accepts: each is refused by name, and none is an internal error. */

import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { graphqlRoutes } from "../../../src/api/graphql/routes.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import { createTestApp } from "../../support/processes/app.ts";
import { COLLECTION } from "../../support/refresh/refresh.ts";
import { createHarness, type Harness } from "./endpoint-harness.ts";
import { createOwnEndpoint } from "./own-endpoint.ts";
import { createPonderEndpoint, type PonderEndpoint } from "./ponder-endpoint.ts";

let ponder: PonderEndpoint;
let harness: Harness;
beforeAll(async () => {
  ponder = await createPonderEndpoint();
  harness = await createHarness(ponder);
});
beforeEach(() => {
  harness.reported.length = 0;
});
afterAll(() => ponder.close());

const test = await createTestDatabase();
let statements = 0;
const query: typeof test.database.query = (...statement) => {
  statements++;
  return test.database.query(...statement);
};
const own = await createOwnEndpoint(createTestApp({ ...test, database: { ...test.database, query } }));

describe("arguments of Ponder's fields", () => {
  it.each([
    ["limit", "{ tokens(limit: {a: 1}) { totalCount } }"],
    ["limit", "{ tokens(limit: [1]) { totalCount } }"],
    ["offset", "{ tokens(offset: {}) { totalCount } }"],
    ["orderBy", "{ tokens(orderBy: {a: 1}) { totalCount } }"],
    ["orderDirection", "{ tokens(orderDirection: {a: 1}) { totalCount } }"],
    ["orderDirection", "{ tokens(orderDirection: [{}]) { totalCount } }"],
    ["before", '{ tokens(before: {null: null, true: "x"}) { totalCount } }'],
    ["after", '{ tokens(orderBy: "id", after: [[{a: 1}]]) { totalCount } }'],
    ["__proto__", '{ tokens(__proto__: "x") { totalCount } }'],
    ["__defineGetter__", '{ tokens(__defineGetter__: "x") { totalCount } }'],
    ["where", "{ tokens(where: 7) { totalCount } }"],
    ["where", '{ tokens(where: {AND: "x"}) { totalCount } }'],
    ["where", "{ tokens(where: {AND: [[1]]}) { totalCount } }"],
    ["chainId", '{ block(chainId: {}, number: "7") { number } }'],
    ["chainId", '{ block(chainId: ["Mage", {}], number: "7") { number } }'],
    ["id", "{ token(id: {a: {a: 1}}) { id } }"],
  ])("%s is refused in %s", async (_name, query) => {
    const { errors = [] } = await harness.ask(query);

    expect(errors.length).toBeGreaterThan(0);
    for (const error of errors) expect(error.extensions.code).toBe("INVALID_REQUEST");
    expect(harness.reported).toEqual([]);
  });

  it.each([
    ["a backslash at the end", "name_ends_with", "\\", ["0x01"]],
    ["three, whatever the case", "name_ends_with_nocase", "B\\\\\\", ["0x01"]],
    ["two, which are not one", "name_contains", "b\\\\a", []],
    ["an underscore, which is no letter", "name_starts_with", "a_", ["0x02"]],
    ["a per cent sign, which is no text", "name_contains", "a%c", ["0x03"]],
    ["either where it is left out", "name_not_contains", "%", ["0x01", "0x02", "0x04", "0xaa"]],
    ["an address in capitals", "address_starts_with", "0XA", ["0xaa"]],
    ["part of one that is left out", "address_not_ends_with", "AA", ["0x01", "0x02", "0x03", "0x04"]],
  ])("text is found as it is written: %s", async (_what, field, text, addresses) => {
    await ponder.run(`insert into collection values
      ('0x01', 'ab\\\\\\'), ('0x02', 'a_c'), ('0x03', 'a%c'), ('0x04', 'abc')`);
    const query = `query ($text: String) { collections(where: { ${field}: $text }) { items { address } } }`;
    const answer = await harness.ask({ query, variables: { text } });
    await ponder.run("delete from collection where address < '0x1'");

    expect(answer).toEqual({
      data: { collections: { items: addresses.map((address) => ({ address })) } },
    });
    expect(harness.reported).toEqual([]);
  });

  it.each([
    ["a named fragment", "{ tokens { ...P } } fragment P on tokenPage { count: totalCount items { id } }"],
    ["an inline fragment", "{ tokens { ... on tokenPage { count: totalCount } } }"],
    [
      "fragments in fragments, beside a field of ours",
      "{ viewer ...Q } fragment Q on Query { tokens { ...P } } fragment P on tokenPage { ... { count: totalCount } }",
    ],
  ])("a count is made that is asked for in %s", async (_what, query) => {
    const { data, errors } = await harness.ask(query);

    expect(errors).toBeUndefined();
    expect(Object.keys(data?.tokens as object)).not.toContain("totalCount");
    expect(data?.tokens).toMatchObject({ count: 5 });
  });
});

describe("arguments of our own fields", () => {
  it.each([
    ["an object", "{a: 1}", "an object"],
    ["a list", "[{}]", "an array"],
    ["a number with a fraction", "1.5", "1.5"],
    ["nothing but letters", '"seven"', '"seven"'],
  ])("a token id that is %s is refused by name", async (_what, tokenId, shown) => {
    const query = `{ erc1155Token(tokenAddress: "${COLLECTION}", tokenId: ${tokenId}) { tokenId } }`;

    expect((await own.ask(query)).error?.message).toContain(
      `tokenId: ${shown} is not a token id: a decimal number from 0 to 2^256-1`,
    );
  });
});

describe("a long list", () => {
  const ALICE = `0x${"a1".repeat(20)}`;
  const TOO_MUCH = /^the cost is \d+; it must be at most 20000/;
  const many = (count: number, field: (nth: number) => string) =>
    Array.from({ length: count }, (_, nth) => field(nth)).join(" ");
  const long = (count: number) => Array.from({ length: count }, (_, nth) => `x${nth}`);

  it.each([
    [
      "owned tokens",
      (nth: number) => `a${nth}: tokens(owner: "${ALICE}", from: 0, size: 1, tokenAddresses: $t) { total }`,
    ],
    ["activity", (nth: number) => `a${nth}: walletActivity(address: "${ALICE}", types: $t) { nextCursor }`],
    [
      "offers",
      (nth: number) =>
        `a${nth}: sentOffers(from: 0, size: 1, collectibleFilters: { tokenAddresses: $t }) { total }`,
    ],
    [
      "values of a trait",
      (nth: number) =>
        `a${nth}: searchTokens(tokenAddress: "${COLLECTION}", criteria: [{ name: "a", values: $t }]) { total }`,
    ],
  ])(
    "that many fields use is counted for each of them, before anything is read: %s",
    async (_what, field) => {
      statements = 0;
      const { error } = await own.ask(`query ($t: [String!]) { ${many(30, field)} }`, { t: long(2_000) });

      expect(error?.message).toMatch(TOO_MUCH);
      expect(statements).toBe(0);
    },
  );

  it("is refused for its length, not for each of its entries", async () => {
    const refusal = async (field: string) =>
      (await own.ask(`query ($t: [String!]) { ${field} }`, { t: long(101) })).error?.message;

    expect(await refusal(`tokens(owner: "${ALICE}", from: 0, size: 1, tokenAddresses: $t) { total }`)).toBe(
      "Invalid request; tokenAddresses: has 101 collections; the limit is 100",
    );
    expect(await refusal(`walletActivity(address: "${ALICE}", types: $t) { nextCursor }`)).toBe(
      "Invalid request; types: has 101 types; the limit is 100",
    );
    expect(
      await refusal("sentOffers(from: 0, size: 1, collectibleFilters: { tokenAddresses: $t }) { total }"),
    ).toBe("Invalid request; collectibleFilters.tokenAddresses: has 101 collections; the limit is 100");
  });

  it("may have a hundred entries, repeated ones included", async () => {
    const types = Array.from({ length: 100 }, () => "transfer");
    const field = `walletActivity(address: "${ALICE}", types: $t) { nextCursor }`;
    const { data, error } = await own.ask(`query ($t: [String!]) { ${field} }`, { t: types });

    expect(error).toBeUndefined();
    expect(data.walletActivity).toEqual({ nextCursor: null });
  });

  it("of slugs is looked up by one statement", async () => {
    statements = 0;
    const owned = `tokens(owner: "${ALICE}", from: 0, size: 1, tokenAddresses: $t) { total }`;
    const { error } = await own.ask(`query ($t: [String!]) { ${owned} }`, { t: long(100) });

    expect(error?.extensions.code).toBe("COLLECTION_NOT_FOUND");
    expect(statements).toBe(1);
  });

  it.each([
    [
      "many times in one filter",
      `{ tokens(where: { OR: [${many(50, () => "{ id_in: $x }")}] }) { totalCount } }`,
    ],
    [
      "in many filters",
      `{ ${many(30, (nth) => `a${nth}: tokens(limit: 0, where: { id_in: $x }) { items { id } }`)} }`,
    ],
    [
      "of texts",
      `{ ${many(16, (nth) => `a${nth}: tokens(limit: 0, where: { collectionAddress_contains: $s }) { items { id } }`)} }`,
    ],
  ])("costs what it holds in Ponder's lists, which are not asked: %s", async (_what, selection) => {
    ponder.received.length = 0;
    const variables = { x: long(1_000).map((_, nth) => String(nth)), s: "x".repeat(90_000) };
    const declared = selection.includes("$s") ? "$s: String" : "$x: [BigInt]";

    const { errors } = await harness.ask({
      query: `query (${declared}) ${selection}`,
      variables,
    });

    expect(errors?.[0]?.message).toMatch(TOO_MUCH);
    expect(ponder.received).toEqual([]);
    expect(harness.reported).toEqual([]);
  });

  it("of a thousand ids is answered by Ponder, in several lists", async () => {
    const lists = many(5, (nth) => `a${nth}: tokens(where: { id_in: $x }) { items { id } }`);
    const variables = { x: long(1_000).map((_, nth) => String(nth)) };

    const { data, errors } = await harness.ask({ query: `query ($x: [BigInt]) { ${lists} }`, variables });

    expect(errors).toBeUndefined();
    expect(Object.keys(data ?? {})).toHaveLength(5);
  });
});

describe("bodies that are nested", () => {
  const post = async (body: string) => {
    const app = graphqlRoutes(
      {
        handle: async () => ({ status: 200, json: '{"data":{}}' }),
        handleBatch: async () => ({ status: 200, json: "[]" }),
      },
      { clientAddress: () => "127.0.0.1", permissionsPage: () => "" },
    );
    app.onError((error, c) =>
      c.json({ details: (error as { details?: unknown }).details ?? String(error) }, 400),
    );
    const answer = await app.request("/graphql", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body,
    });
    return { status: answer.status, text: await answer.text() };
  };
  const nested = (levels: number, open: string, close: string) =>
    `{"query":"{ x }","variables":{"v":${open.repeat(levels)}1${close.repeat(levels)}}}`;

  it.each([
    ["lists", "[", "]", 45_000],
    ["objects", '{"a":', "}", 15_000],
  ])("deeper than 100 levels are refused, as many as a body holds: %s", async (_what, open, close, most) => {
    expect((await post(nested(most, open, close))).status).toBe(400);
    const { text } = await post(nested(99, open, close));
    expect(text).toContain("the body has more than 100 objects and lists inside each other");
    expect((await post(nested(98, open, close))).status).toBe(200);
  });

  it("count what is in text for nothing", async () => {
    expect((await post(`{"query":"${'[{\\"'.repeat(500)}"}`)).status).toBe(200);
  });
});
