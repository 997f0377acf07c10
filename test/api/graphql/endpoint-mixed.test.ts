import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createHarness, type Harness, rootValue } from "./endpoint-harness.ts";
import { answerAfterIntrospection, createPonderEndpoint, type PonderEndpoint } from "./ponder-endpoint.ts";

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

describe("a mixed operation", () => {
  it("answers both sides in the order of its fields, under their aliases", async () => {
    const json = await harness.askForText(
      '{ z: tokens(limit: 1) { totalCount } viewer __typename a: token(id: "1") { lockCount } item(id: 1) { id } z: tokens(limit: 1) { items { id } } }',
    );

    expect(json).toBe(
      '{"data":{"z":{"totalCount":5,"items":[{"id":"1"}]},"viewer":"Ann","__typename":"Query","a":{"lockCount":1},"item":{"id":1}}}',
    );
  });

  it("leaves out what directives skip, and orders the rest by its first mention that counts", async () => {
    const query = `
      query ($yes: Boolean!, $no: Boolean!) {
        viewer @skip(if: $yes)
        ...Both @include(if: $no)
        tokens(limit: 0) @include(if: $no) { totalCount }
        token(id: "1") { id }
        ...Both
        viewer
      }
      fragment Both on Query { total tokens(limit: 0) @include(if: $yes) { items { id } } item(id: 1) @skip(if: true) { id } }
    `;

    const json = await harness.askForText({ query, variables: { yes: true, no: false } });

    expect(json).toBe('{"data":{"token":{"id":"1"},"total":4,"tokens":{"items":[]},"viewer":"Ann"}}');
  });

  it("gives each side the variables that it uses", async () => {
    const answer = await harness.ask({
      query:
        "query Q($id: Int!, $n: Int, $from: Int = 7) { item(id: $id) { id } tokens(limit: $n) { items { id } } total(from: $from) }",
      variables: { id: 3, n: 1, stray: true },
    });

    expect(answer).toEqual({ data: { item: { id: 3 }, tokens: { items: [{ id: "1" }] }, total: 8 } });
    expect(JSON.parse(ponder.received[0] ?? "").variables).toEqual({ n: 1 });
  });

  it("answers introspection beside data, from the merged schema", async () => {
    const { data, errors } = await harness.ask(
      "{ tokens(limit: 0) { __typename } __schema { queryType { name } mutationType { name } } }",
    );

    expect(errors).toBeUndefined();
    expect(data).toEqual({
      tokens: { __typename: "tokenPage" },
      __schema: { queryType: { name: "Query" }, mutationType: { name: "Mutation" } },
    });
  });

  it("keeps Ponder's answer when ours fails, and ours when Ponder's field fails", async () => {
    const failing = await createHarness({ handle: answerAfterIntrospection(ponder, fail) });

    const ours = await harness.ask('{ broken token(id: "1") { id } }');
    const theirs = await failing.ask('{ viewer first: token(id: "1") { id } }');

    expect(ours.data).toEqual({ broken: null, token: { id: "1" } });
    expect(theirs).toEqual({
      errors: [{ message: "Internal server error", path: ["first"], extensions: { code: "INTERNAL" } }],
      data: { viewer: "Ann", first: null },
    });
    expect(failing.reported).toEqual([new Error("connection refused to 10.0.0.7")]);
  });

  it.each([
    ["Ponder's", "{ viewer tokens { totalCount } }"],
    ["ours", '{ required token(id: "1") { id } }'],
  ])("has null for data when a field of %s fails that may not be null", async (_title, query) => {
    const failing = await createHarness({ handle: answerAfterIntrospection(ponder, fail) });

    const { data, errors } = await failing.ask(query);

    expect(data).toBeNull();
    expect(errors).not.toHaveLength(0);
  });

  it("runs both sides at once", async () => {
    const meet = createMeeting(2);
    const handle: PonderEndpoint["handle"] = async (request) => {
      await meet();
      return ponder.handle(request);
    };
    const { ask } = await createHarness(
      { handle: answerAfterIntrospection(ponder, handle) },
      { rootValue: { ...rootValue, Query: { ...rootValue.Query, viewer: () => meet().then(() => "Ann") } } },
    );

    expect(await ask("{ viewer tokens { totalCount } }")).toEqual({
      data: { viewer: "Ann", tokens: { totalCount: 5 } },
    });
  });
});

/** Each call waits until `guests` have arrived: if the sides ran in sequence, it would wait forever. */
function createMeeting(guests: number): () => Promise<void> {
  let missing = guests;
  let begin: () => void;
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  return () => {
    missing -= 1;
    if (missing === 0) begin();
    return begun;
  };
}

const fail = (): Promise<Response> => Promise.reject(new Error("connection refused to 10.0.0.7"));
