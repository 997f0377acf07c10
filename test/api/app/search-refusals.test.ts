import { describe, expect, it } from "vitest";
import { createTestDatabase } from "../../support/database/database.ts";
import { createTestApp } from "../../support/processes/app.ts";
import { COLLECTION } from "../../support/refresh/refresh.ts";

const api = createTestApp(await createTestDatabase());
const key = await api.createKey();

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

describe("a bad parameter", () => {
  it.each([
    ["limit", "limit=20&limit=20"],
    ["chain_id", "chainId=1&chainId=2"],
    ["q", "q=a&q=b"],
    ["locked", "locked=true&locked=true"],
    ["sort", "sort=id&sort=id"],
    ["criteria", "criteria=[]&criteria=[]"],
  ])("is refused in the same words as over GraphQL where %s is given twice", async (path, query) => {
    const { status, body } = await api.call(`/market/collections/${COLLECTION}/tokens?${query}`, { key });

    expect([status, body.details]).toEqual([400, [{ path, message: "is given more than once" }]]);
  });

  it("repeats no half of a character", async () => {
    const { body } = await get("tokens", { criteria: "💩" });

    expect(body.details).toEqual([{ path: "criteria", message: expect.stringContaining('"💩" is not') }]);
    expect(body.details[0].message).toSatisfy((text: string) => text.isWellFormed());
  });

  it("of the wrong kind has no number of entries", async () => {
    const { body } = await get("tokens", { criteria: JSON.stringify("x".repeat(5_000)) });

    expect(body.details).toEqual([{ path: "criteria", message: "must be an array; it is a string" }]);
  });

  it("is named, with the limit and what arrived, and so is every other one", async () => {
    const many = Array.from({ length: 21 }, () => ({ name: "A", range: { from: 1 } }));

    const { status, body } = await get("tokens", {
      criteria: [
        { name: "", values: [] },
        { name: 1, values: Array.from({ length: 101 }, () => "x") },
        { name: "A", values: [null, {}], or: true },
        "Class",
      ],
      range_criteria: many,
      q: "🦄".repeat(201),
      owner: "alice",
      locked: "yes",
      sort: "price_asc",
      limit: 101,
      chain_id: "0",
    });

    expect([status, body.code]).toEqual([400, "INVALID_REQUEST"]);
    const messages = body.details.map(
      ({ path, message }: { path: string; message: string }) => `${path}: ${message}`,
    );
    expect(messages.toSorted()).toEqual(
      [
        'chain_id: must be a chain id: a positive decimal number; it is "0"',
        "criteria[0].name: must not be empty",
        "criteria[0].values: must contain at least one value",
        "criteria[1].name: must be a string; it is a number",
        "criteria[1].values: has 101 values; the limit is 100",
        'criteria[2]: has no field "or"',
        "criteria[2].values[0]: must be a string; it is null",
        "criteria[2].values[1]: must be a string; it is an object",
        "criteria[3]: must be an object with name and values; it is a string",
        'limit: must be a whole number from 1 to 100; it is "101"',
        'locked: must be true or false; it is "yes"',
        'owner: "alice" is not an address: 0x and 40 hex digits',
        "q: has 201 characters; the limit is 200",
        "range_criteria: has 21 ranges; the limit is 20",
        'sort: must be id_asc, id_desc, name_asc, name_desc, latest, updated, rarity or trait:<name>:asc or :desc; it is "price_asc"',
      ].toSorted(),
    );
  });

  it.each<[string, string, Asked]>([
    ["criteria", "must be JSON", { criteria: "[" }],
    ["criteria", "must be an array; it is an object", { criteria: { name: "A", values: ["x"] } }],
    ["range_criteria[0].range", "needs from, to or both", { range_criteria: [{ name: "A", range: {} }] }],
    [
      "range_criteria[0].range.from",
      'must be a number or its text; it is "ten"',
      { range_criteria: [{ name: "A", range: { from: "ten" } }] },
    ],
    [
      "range_criteria[0].range.to",
      'must be a number or its text; it is ""',
      { range_criteria: [{ name: "A", range: { to: "" } }] },
    ],
    [
      "range_criteria[0].range.to",
      "must be a number or its text; it is true",
      { range_criteria: [{ name: "A", range: { to: true } }] },
    ],
    [
      "criteria[0].values[1]",
      "must be a string; it is a number too large to hold",
      { criteria: '[{"name":"A","values":[1e300,1e999]}]' },
    ],
    ["sort", "must be", { sort: "toString" }],
    ["sort", "must be", { sort: "trait::asc" }],
    ["cursor", "", { cursor: "nonsense" }],
  ])("%s is answered with %s", async (path, message, parameters) => {
    const { status, body } = await get("tokens", parameters);

    expect(status).toBe(400);
    expect(body.details).toEqual([{ path, message: expect.stringContaining(message) }]);
  });

  it("is one that is given twice", async () => {
    const path = `/market/collections/${COLLECTION}/tokens?sort=latest&sort=updated`;

    expect((await api.call(path, { key })).body.details).toMatchObject([{ path: "sort" }]);
  });

  it("spoils the distribution as well", async () => {
    expect((await get("traits", { criteria: "x", locked: "1" })).body.details).toMatchObject([
      { path: "criteria" },
      { path: "locked" },
    ]);
  });
});
