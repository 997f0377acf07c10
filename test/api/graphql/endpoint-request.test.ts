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

describe("the request", () => {
  it.each([
    ["an array", '[{ "query": "{ viewer }" }]', "the body must be a JSON object; received an array"],
    ["null", "null", "the body must be a JSON object; received null"],
    ["an object without a query", "{}", "query must be a string; received nothing"],
    [
      // https://www.apollographql.com/docs/apollo-server/performance/apq: clients then send the query.
      "one with the hash of a query in its place",
      '{ "extensions": { "persistedQuery": { "version": 1, "sha256Hash": "ecf4" } } }',
      "PersistedQueryNotSupported",
    ],
    ["one whose query is no string", '{ "query": 7 }', "query must be a string; received a number"],
    [
      "one whose variables are an array",
      '{ "query": "{ viewer }", "variables": [] }',
      "variables must be an object; received an array",
    ],
    [
      "one whose operation name is an object",
      '{ "query": "{ viewer }", "operationName": {} }',
      "operationName must be a string; received an object",
    ],
  ])("is answered 400 when its body is %s", async (_title, text, message) => {
    const answer = await harness.endpoint.handle({ body: JSON.parse(text), text, context: { name: "Ann" } });

    expect(answer.status).toBe(400);
    expect(JSON.parse(answer.json)).toEqual({
      errors: [{ message, extensions: { code: "INVALID_REQUEST" } }],
    });
  });

  it.each([
    ["does not parse", { query: "{ viewer" }, "Syntax Error: Expected Name, found <EOF>."],
    ["is empty", { query: "" }, "Syntax Error: Unexpected <EOF>."],
    [
      "names no field of either side",
      { query: "{ nowhere }" },
      'Cannot query field "nowhere" on type "Query".',
    ],
    ["holds too many tokens", { query: `{ ${"viewer ".repeat(1000)} }` }, "more that 1000 tokens"],
    [
      "lacks a variable",
      { query: "query ($id: Int!) { item(id: $id) { id } tokens { totalCount } }" },
      'Variable "$id" of required type "Int!" was not provided.',
    ],
    [
      "has several operations and names none",
      { query: "query A { viewer } query B { viewer }" },
      "the query has 2 operations; operationName must name one of them",
    ],
    [
      "names an operation that is not there",
      { query: "query A { viewer }", operationName: "C" },
      'the query has no operation named "C"',
    ],
    ["has no operation", { query: "fragment A on Query { viewer }" }, 'Fragment "A" is never used.'],
    ["subscribes", { query: "subscription { viewer }" }, "subscriptions are not served"],
  ])("is answered 200 with errors and no data when it %s", async (_title, call, message) => {
    const { errors, data } = await harness.ask(call);

    expect(errors?.[0]?.message).toContain(message);
    expect(errors?.[0]?.extensions.code).toBe("INVALID_REQUEST");
    expect(data).toBeUndefined();
    expect(ponder.received).toEqual([]);
  });
});
