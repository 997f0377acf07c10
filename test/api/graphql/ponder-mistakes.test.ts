import { parse, specifiedRules, validate } from "graphql";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createHarness, type Harness } from "./endpoint-harness.ts";
import { answerAfterIntrospection, createPonderEndpoint, type PonderEndpoint } from "./ponder-endpoint.ts";

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

const list = "totalCount";
const mistakes: [title: string, query: string, variables?: Record<string, unknown>][] = [
  ["an unknown field of a row", "{ tokens { items { viewer } } }"],
  ["an unknown argument", "{ tokens(first: 5) { totalCount } }"],
  ["an argument of another type", '{ tokens(limit: "5") { totalCount } }'],
  ["an argument that is missing", "{ token { id } }"],
  ["a number instead of a BigInt", "{ token(id: 7) { id } }"],
  ["a BigInt that is none", '{ tokens(where: { id: "seven" }) { totalCount } }'],
  ["an empty BigInt", '{ token(id: "") { id } }'],
  ["a BigInt that is blank around it", '{ token(id: " 7") { id } }'],
  ["a BigInt in a block", '{ token(id: """ 0x7""") { id } }'],
  ["a BigInt written with an escape", '{ token(id: "\\u0030x7") { id } }'],
  ["a BigInt with a plus sign", '{ token(id: "+7") { id } }'],
  ["a BigInt of too many digits", `{ token(id: "${"7".repeat(79)}") { id } }`],
  ["a hexadecimal BigInt as long as an address", `{ token(id: "0x${"0".repeat(40)}") { id } }`],
  ["a hexadecimal BigInt in a filter", '{ tokens(where: { id: "0x2" }) { totalCount } }'],
  ["an empty BigInt in a comparison", '{ tokens(where: { id_gt: "" }) { totalCount } }'],
  ["an empty BigInt in a list", '{ tokens(where: { id_in: ["1", ""] }) { totalCount } }'],
  [
    "a hexadecimal BigInt in a branch of a branch",
    '{ tokens(where: { AND: [{ OR: [{ lockCount: 1 }, { id_not: "0x1" }] }] }) { totalCount } }',
  ],
  [
    "a hexadecimal BigInt in a relation",
    '{ collections(limit: 2) { items { tokens(where: { id: "0x1" }) { totalCount } } } }',
  ],
  ["a hexadecimal BigInt in a fragment", '{ ...A } fragment A on Query { ... { token(id: "0x1") { id } } }'],
  [
    "a hexadecimal BigInt in an operation that is not asked for",
    'query A { tokens { totalCount } } query B { token(id: "0x1") { id } }',
  ],
  [
    "an empty BigInt in a list after a variable",
    'query ($id: BigInt) { tokens(where: { id_in: [$id, "0x1", ""] }) { totalCount } }',
    { id: "1" },
  ],
  [
    "a list of BigInts as a default",
    'query ($ids: [BigInt] = ["1", " "]) { tokens(where: { id_in: $ids }) { totalCount } }',
  ],
  ["an empty BigInt as a default", 'query ($id: BigInt! = "") { token(id: $id) { id } }'],
  [
    "a hexadecimal BigInt as a default in place of which a value is sent",
    'query ($id: BigInt! = "0x1") { token(id: $id) { id } }',
    { id: "1" },
  ],
  [
    "a hexadecimal BigInt in the default of a filter",
    'query ($where: tokenFilter = { OR: [{ id_in: ["0x1"] }] }) { tokens(where: $where) { totalCount } }',
  ],
  ["a BigInt for a directive", '{ tokens @skip(if: "0x1") { totalCount } }'],
  ["a number past 32 bits", "{ tokens(limit: 2147483648) { totalCount } }"],
  ["a number past 32 bits in a filter", "{ tokens(where: { lockCount: 2147483648 }) { totalCount } }"],
  ["text for an integer", '{ tokens(where: { lockCount: "1" }) { totalCount } }'],
  ["a number for an address", "{ collection(address: 7) { name } }"],
  ["a word for text", "{ collection(address: asc) { name } }"],
  ["an unknown argument in a branch", "{ tokens(where: { OR: [{ lockCont: 1 }] }) { totalCount } }"],
  ["an object without a selection", "{ tokens }"],
  ["a fragment that is not there", `{ tokens { ...Nowhere } token(id: "1") { id } }`],
  [
    "a fragment inside itself",
    `{ tokens { ...A } } fragment A on tokenPage { ${list} ...B } fragment B on tokenPage { ...A }`,
  ],
  ["a root fragment inside itself", `{ ...A } fragment A on Query { tokens { ${list} } ...A }`],
  ["a fragment on a type that is not there", "{ tokens { ...A } } fragment A on Nothing { totalCount }"],
  ["a fragment that nobody spreads", "{ tokens { totalCount } } fragment A on tokenPage { totalCount }"],
  ["a variable that is not defined", "{ tokens(limit: $n) { totalCount } }"],
  ["a variable that is not used", "query ($n: Int) { tokens { totalCount } }"],
  [
    "a variable of a type that is not there",
    "query ($n: Nothing) { tokens(limit: $n) { totalCount } }",
    { n: 1 },
  ],
  ["a directive that is not there", "{ tokens @nothing { totalCount } }"],
  ["a directive without its argument", "{ tokens @skip { totalCount } }"],
  ["two operations of one name", "query A { tokens { totalCount } } query A { tokens { totalCount } }"],
  ["two operations, one without a name", "query A { tokens { totalCount } } { tokens { totalCount } }"],
  ["two fields of one key", '{ a: tokens { totalCount } a: token(id: "1") { id } }'],
  ["a wrong field beside a limit out of bounds", "{ tokens(limit: -5) { nothing } }"],
  [
    "a wrong field beside a variable out of its type",
    "query ($n: Int) { tokens(limit: $n) { nothing } }",
    { n: "x" },
  ],
  [
    "a wrong field in what costs too much",
    `{ ${Array.from({ length: 25 }, (_, nth) => `a${nth}: tokens(limit: 1000) { totalCount items { nothing } }`).join(" ")} }`,
  ],
];

describe("a query of Ponder's alone that is wrong", () => {
  it.each(mistakes)(
    "is refused for %s in the words of one schema, and nothing is reported",
    async (_title, query, variables) => {
      const expected = validate(harness.endpoint.schema, parse(query), specifiedRules);
      expect(expected.length).toBeGreaterThan(0);

      const answer = await harness.ask({ query, ...(variables && { variables }) });
      const again = await harness.ask({ query, ...(variables && { variables }) });

      expect(answer).toEqual({
        errors: expected.map((error) => ({ ...error.toJSON(), extensions: { code: "INVALID_REQUEST" } })),
      });
      expect(again).toEqual(answer);
      expect(harness.reported).toEqual([]);
    },
  );

  it("is refused the same where Ponder gives no reason, as in production", async () => {
    const redacted = {
      message: "Unexpected error.",
      locations: [{ line: 1, column: 3 }],
      extensions: { code: "INTERNAL_SERVER_ERROR" },
    };
    const production = await createHarness({
      handle: answerAfterIntrospection(ponder, () => Response.json({ errors: [redacted] })),
    });

    const { errors } = await production.ask("{ token(id: 7) { id } }");

    expect(errors).toHaveLength(1);
    expect(errors?.[0]?.message).toContain(
      'a BigInt is a whole number in quotes, such as "7", with at most 78 digits; received 7',
    );
    expect(errors?.[0]?.extensions).toEqual({ code: "INVALID_REQUEST" });
    expect(production.reported).toEqual([]);
  });

  it.each(["", "  ", "0x0b", "0b1", "+7", "7n", "7".repeat(79), 1.5, true, [7]])(
    "is refused in the variables as in the document when it is %j",
    async (id) => {
      ponder.received.length = 0;

      const { errors } = await harness.ask({
        query: "query ($id: BigInt!) { token(id: $id) { id } }",
        variables: { id },
      });

      expect(errors).toHaveLength(1);
      expect(errors?.[0]?.message).toContain('a BigInt is a whole number in quotes, such as "7"');
      expect(errors?.[0]?.extensions).toEqual({ code: "INVALID_REQUEST" });
      expect(ponder.received).toEqual([]);
    },
  );

  it.each(["3", "003", 3])("is a whole number, with zeros before it too: %j", async (id) => {
    const answer = await harness.ask({
      query: 'query ($id: BigInt!) { token(id: $id) { id } none: token(id: "-3") { id } }',
      variables: { id },
    });

    expect(answer).toEqual({ data: { token: { id: "3" }, none: null } });
  });

  it("is refused for a number in the variables that JSON has rounded: it would be another id", async () => {
    ponder.received.length = 0;
    const query = "query ($id: BigInt!) { token(id: $id) { id } }";

    const { errors } = await harness.ask({ query, variables: { id: 2 ** 53 } });

    expect(errors).toHaveLength(1);
    expect(errors?.[0]?.message).toContain("it was read as 9007199254740992; send it as a string");
    expect(errors?.[0]?.extensions).toEqual({ code: "INVALID_REQUEST" });
    expect(ponder.received).toEqual([]);
  });

  it.each([
    [
      "deep",
      `{ tokens { items { ${"collection { tokens { items { ".repeat(4)} id ${"} } }".repeat(4)} } } }`,
      "depth is 15; it must be at most 12",
    ],
    [
      "full of aliases",
      `{ ${Array.from({ length: 31 }, (_, nth) => `a${nth}: _meta { status }`).join(" ")} }`,
      "the number of aliases is 31; it must be at most 30",
    ],
  ])("is refused when it is too %s, and Ponder is not asked", async (_title, query, message) => {
    ponder.received.length = 0;

    const { errors } = await harness.ask(query);

    expect(errors?.map((error) => error.message)).toEqual([message]);
    expect(ponder.received).toEqual([]);
  });
});
