import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Call, createHarness, type Harness } from "./endpoint-harness.ts";
import { createPonderEndpoint, type PonderEndpoint } from "./ponder-endpoint.ts";

let ponder: PonderEndpoint;
let harness: Harness;

beforeAll(async () => {
  ponder = await createPonderEndpoint();
  harness = await createHarness(ponder, {
    ownSdl: "extend type Query { ours(limit: Int, offset: Int): Int }",
    rootValue: { Query: { ours: ({ limit }: { limit: number }) => limit }, Mutation: {} },
  });
});

afterAll(() => ponder.close());

const LIMIT_5 = "limit is -5; it must be between 0 and 1000";
const LIMIT_1001 = "limit is 1001; it must be between 0 and 1000";
const OFFSET_1 = "offset is -1; it must be at least 0";

const refused: [title: string, call: Call, messages: string[]][] = [
  ["a negative literal", { query: "{ tokens(limit: -5) { totalCount } }" }, [LIMIT_5]],
  ["a literal above 1000", { query: "{ tokens(limit: 1001) { totalCount } }" }, [LIMIT_1001]],
  ["a negative offset", { query: "{ tokens(offset: -1) { totalCount } }" }, [OFFSET_1]],
  [
    "a variable",
    { query: "query ($n: Int) { tokens(limit: $n) { totalCount } }", variables: { n: -5 } },
    [LIMIT_5],
  ],
  [
    "the default of a variable",
    { query: "query ($n: Int = -5) { tokens(limit: $n) { totalCount } }" },
    [LIMIT_5],
  ],
  [
    "a variable that replaces a good default",
    { query: "query ($n: Int = 5) { tokens(limit: $n) { totalCount } }", variables: { n: 1001 } },
    [LIMIT_1001],
  ],
  [
    "a nested list",
    { query: '{ collection(address: "0xaa") { tokens(limit: -5, offset: -1) { totalCount } } }' },
    [LIMIT_5, OFFSET_1],
  ],
  [
    "a fragment on Query",
    { query: "{ ...A } fragment A on Query { ... { tokens(limit: -5) { totalCount } } }" },
    [LIMIT_5],
  ],
  [
    "a fragment below the root, through a variable",
    {
      query:
        "query ($n: Int = 1001) { collections { items { ...C } } } fragment C on collection { tokens(limit: $n) { totalCount } }",
    },
    [LIMIT_1001],
  ],
  ["a mixed operation", { query: "{ ours tokens(limit: -5) { totalCount } }" }, [LIMIT_5]],
  [
    "a field that is skipped",
    { query: "{ ours tokens(limit: -5) @skip(if: true) { totalCount } }" },
    [LIMIT_5],
  ],
  [
    "one of several aliases",
    { query: "{ a: tokens(limit: 5) { totalCount } b: tokens(limit: -5) { totalCount } }" },
    [LIMIT_5],
  ],
];

const allowed: [title: string, call: Call][] = [
  ["0", { query: "{ tokens(limit: 0) { items { id } } }" }],
  ["1000", { query: "{ tokens(limit: 1000, offset: 0) { items { id } } }" }],
  ["null, for which Ponder has a default", { query: "{ tokens(limit: null) { items { id } } }" }],
  [
    "a variable that is left out",
    { query: "query ($n: Int) { tokens(limit: $n) { items { id } } }", variables: {} },
  ],
  [
    "a variable that mends a bad default",
    { query: "query ($n: Int = -5) { tokens(limit: $n) { items { id } } }", variables: { n: 5 } },
  ],
  [
    "what another operation of the document asks for",
    {
      query: "query A { tokens(limit: 5) { items { id } } } query B { tokens(limit: -5) { items { id } } }",
      operationName: "A",
    },
  ],
  ["a field of ours that has an argument of that name", { query: "{ ours(limit: -5, offset: -1) }" }],
];

describe("the bounds of limit and offset", () => {
  it.each(refused)("refuse %s, and Ponder is not asked", async (_title, call, messages) => {
    ponder.received.length = 0;

    const { errors, data } = await harness.ask(call);

    expect(errors?.map((error) => error.message)).toEqual(messages);
    expect(errors?.[0]).toMatchObject({
      locations: [{ line: 1, column: expect.any(Number) }],
      extensions: { code: "INVALID_REQUEST" },
    });
    expect(data).toBeUndefined();
    expect(ponder.received).toEqual([]);
  });

  it.each(allowed)("allow %s", async (_title, call) => {
    const { errors, data } = await harness.ask(call);

    expect(errors).toBeUndefined();
    expect(data).toBeTruthy();
  });

  it("do not let a value of another type through as no value", async () => {
    const { errors } = await harness.ask({
      query: "query ($n: Int) { tokens(limit: $n) { items { id } } }",
      variables: { n: "-5" },
    });

    expect(errors?.[0]?.message).toContain("Int cannot represent non-integer value");
  });
});

describe("values that no column holds", () => {
  it.each([
    [
      "a fraction of a chain id",
      '{ block(chainId: 1.5, number: "7") { chainId } }',
      {},
      "chainId is 1.5; it must be a whole number of 32 bits",
    ],
    [
      "a chain id past all",
      '{ block(chainId: 1e300, number: "7") { chainId } }',
      {},
      "chainId is 1e+300; it must be a whole number of 32 bits",
    ],
    [
      "U+0000 in a key",
      "query ($a: String!) { collection(address: $a) { name } }",
      { a: "0x\0" },
      'address is "0x\0"; it must be text without U+0000',
    ],
    [
      "U+0000 in a filter",
      "query ($w: tokenFilter) { tokens(where: $w) { totalCount } }",
      { w: { OR: [{ collectionAddress_contains: "\0" }] } },
      'where.OR.collectionAddress_contains is "\0"; it must be text without U+0000',
    ],
    [
      "U+0000 in a list",
      '{ tokens(where: { collectionAddress_in: ["0xaa", "\\u0000"] }) { totalCount } }',
      {},
      'where.collectionAddress_in is "\0"; it must be text without U+0000',
    ],
  ])("are refused: %s", async (_title, query, variables, message) => {
    const { errors } = await harness.ask({ query, variables });

    expect(errors).toMatchObject([{ message, extensions: { code: "INVALID_REQUEST" } }]);
  });

  it("leave every other row to be found", async () => {
    const { data } = await harness.ask(
      '{ block(chainId: 1, number: "7") { chainId } none: block(chainId: -1, number: "7") { chainId } tokens(where: { collectionAddress_in: ["0xaa"] }) { totalCount } }',
    );

    expect(data).toEqual({ block: { chainId: 1 }, none: null, tokens: { totalCount: 5 } });
  });
});
