import { buildSchema, getOperationAST, parse } from "graphql";
import { describe, expect, it } from "vitest";
import { costError, operationCost } from "../../../src/api/graphql/gateway/cost.ts";

const schema = buildSchema(`
  type Query { things(limit: Int, where: String, orderBy: String, offset: Int): Things }
  type Things { totalCount: Int, items: [Thing] }
  type Thing { id: Int }
`);

function refuses(query: string): boolean {
  const document = parse(query);
  const definition = getOperationAST(document);
  if (!definition) throw new Error("no operation");
  return costError(operationCost(schema, { document, definition }, {}), { definition }) !== undefined;
}
/** Of a list with one argument, whose value is a variable. */
function costOf(value: unknown): number {
  const document = parse("query ($x: String) { things(limit: 0, where: $x) { items { id } } }");
  const definition = getOperationAST(document);
  if (!definition) throw new Error("no operation");
  return operationCost(schema, { document, definition }, { x: value });
}
const times = (count: number, fields: (nth: number) => string): string =>
  Array.from({ length: count }, (_, nth) => fields(nth)).join(" ");

describe("a list of Ponder's costs", () => {
  it.each([
    ["a thousand for its count, however few rows it answers", "limit: 0", "totalCount", 19, 20],
    ["one for each hundred rows that its offset skips", "limit: 0, offset: 100000", "items { id }", 19, 20],
    ["five hundred for each condition", 'limit: 0, where: "x", orderBy: "y"', "items { id }", 19, 20],
  ])("%s", async (_what, args, fields, passes, fails) => {
    const query = (count: number) => `{ ${times(count, (nth) => `a${nth}: things(${args}) { ${fields} }`)} }`;

    expect(refuses(query(passes))).toBe(false);
    expect(refuses(query(fails))).toBe(true);
  });

  it("the same through fragments, which are looked through once each", () => {
    const depth = 60;
    const fragments = times(
      depth,
      (nth) =>
        `fragment F${nth} on Things { ${nth === depth - 1 ? "totalCount" : `...F${nth + 1} ...F${nth + 1}`} }`,
    );
    const query = (count: number) =>
      `{ ${times(count, (nth) => `a${nth}: things(limit: 0) { ...F0 }`)} } ${fragments}`;

    expect(refuses(query(19))).toBe(false);
    expect(refuses(query(20))).toBe(true);
    expect(refuses(query(20).replace("totalCount", "__typename"))).toBe(false);
  });
});

describe("the values of a field's arguments", () => {
  const list = (entries: number) => Array.from({ length: entries }, () => 1);
  // Its limit and the list itself are values too.
  const FREE = 98;
  const plain = costOf(list(1));

  it.each([
    [FREE, 0],
    [FREE + 1, 1],
    [FREE + 1_000, 1_000],
    [19_000, 19_000 - FREE],
  ])("%i cost %i more", (entries, more) => {
    expect(costOf(list(entries)) - plain).toBe(more);
  });

  it("are counted in lists and objects, and a hundred characters of text are another one", () => {
    expect(costOf([list(FREE - 1)]) - plain).toBe(0);
    expect(costOf([{ a: list(FREE - 1) }]) - plain).toBe(1);
    expect(costOf([...list(FREE - 1), "x".repeat(99)]) - plain).toBe(0);
    expect(costOf([...list(FREE - 1), "x".repeat(100)]) - plain).toBe(1);
  });

  it.each([39_998, 39_999, 40_000, 90_000])(
    "cost more than an operation may, however many: %i",
    (entries) => {
      expect(costOf(list(entries))).toBeGreaterThan(20_000);
    },
  );
});
