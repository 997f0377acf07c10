import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createHarness, type Harness } from "./endpoint-harness.ts";
import { createPonderEndpoint, type PonderEndpoint } from "./ponder-endpoint.ts";

let ponder: PonderEndpoint;
let harness: Harness;

beforeAll(async () => {
  ponder = await createPonderEndpoint();
  harness = await createHarness(ponder);
});

beforeEach(() => {
  ponder.received.length = 0;
  harness.reported.length = 0;
});

afterAll(() => ponder.close());

describe("an operation of ours alone", () => {
  it("runs without asking Ponder", async () => {
    const answer = await harness.ask(
      "{ viewer item(id: 4) { label } pair { ... on Item { id } ... on Note { text } } total }",
    );

    expect(answer).toEqual({
      data: { viewer: "Ann", item: { label: "item 4" }, pair: [{ id: 1 }, { text: "two" }], total: 4 },
    });
    expect(ponder.received).toEqual([]);
  });

  it("may be a mutation", async () => {
    const answer = await harness.ask({
      query: "mutation ($id: Int!) { touch(id: $id) }",
      variables: { id: 1 },
    });

    expect(answer).toEqual({ data: { touch: true } });
  });

  it("gives on the errors that callers may read, with their code", async () => {
    expect(await harness.ask('{ viewer broken(with: "no such token") }')).toEqual({
      errors: [
        {
          message: "no such token",
          path: ["broken"],
          locations: [{ line: 1, column: 10 }],
          extensions: { code: "TOKEN_NOT_FOUND" },
        },
      ],
      data: { viewer: "Ann", broken: null },
    });
  });

  it.each([
    ["what a resolver threw", "{ broken }"],
    ["a value that no type of a union fits", "{ wrong { ... on Item { id } } }"],
  ])("reveals nothing about %s", async (_title, query) => {
    const json = await harness.askForText(query);

    expect(JSON.parse(json).errors).toMatchObject([
      { message: "Internal server error", extensions: { code: "INTERNAL" } },
    ]);
    expect(json).not.toMatch(/hunter2|stack|at \w|typename/);
    expect(harness.reported).toHaveLength(1);
  });

  it("takes null for an argument's default, given as it is or by a variable", async () => {
    const query = "query ($n: Int) { total a: total(from: null) b: total(from: $n) c: total(from: 8) }";

    for (const variables of [{ n: null }, {}])
      expect(await harness.ask({ query, variables })).toEqual({ data: { total: 4, a: 4, b: 4, c: 9 } });
  });

  it("gives null on where an argument has no default", async () => {
    const own = await createHarness(ponder, {
      ownSdl: "extend type Query { ours(text: String, more: Nested): String } input Nested { limit: Int }",
      rootValue: { Query: { ours: (args: object) => JSON.stringify(args) }, Mutation: {} },
    });

    expect(await own.ask("{ a: ours(text: null, more: { limit: null }) b: ours }")).toEqual({
      data: { a: '{"text":null,"more":{"limit":null}}', b: "{}" },
    });
  });

  it("refuses null for an argument that must not be null, whatever its default", async () => {
    const own = await createHarness(ponder, {
      ownSdl: "extend type Query { ours(limit: Int! = 7): Int }",
      rootValue: { Query: { ours: ({ limit }: { limit: number }) => limit }, Mutation: {} },
    });

    expect(await own.ask("{ ours }")).toEqual({ data: { ours: 7 } });
    for (const [query, variables] of [
      ["{ ours(limit: null) }", {}],
      ["query ($n: Int = 3) { ours(limit: $n) }", { n: null }],
    ] as const) {
      const { errors } = await own.ask({ query, variables });
      expect(errors?.[0]?.extensions.code).toBe("INVALID_REQUEST");
    }
  });

  it("blames the request for an argument that only its variables spoil", async () => {
    const { errors } = await harness.ask({
      query: "query ($skip: Boolean = false) { viewer @skip(if: $skip) }",
      variables: { skip: null },
    });

    expect(errors?.[0]).toMatchObject({
      message: 'Argument "if" of non-null type "Boolean!" must not be null.',
      extensions: { code: "INVALID_REQUEST" },
    });
    expect(harness.reported).toEqual([]);
  });
});
