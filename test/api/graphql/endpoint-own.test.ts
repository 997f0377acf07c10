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
