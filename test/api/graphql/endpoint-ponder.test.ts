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
  ponder.received.length = 0;
  harness.reported.length = 0;
});

afterAll(() => ponder.close());

describe("an operation of Ponder's alone", () => {
  it("is forwarded as it arrived and its answer given on as it came", async () => {
    const body = {
      operationName: "B",
      variables: { n: 2, unused: "x" },
      query: "query A { _meta { status } }\n# kept\nquery B($n: Int) { tokens(limit: $n) { items { id } } }",
    };
    const text = JSON.stringify(body, null, 2);

    const answer = await harness.endpoint.handle({ body: JSON.parse(text), text, context: { name: "Ann" } });

    expect(ponder.received).toEqual([text]);
    expect(answer).toEqual({
      status: 200,
      resultStatus: 200,
      json: '{"data":{"tokens":{"items":[{"id":"1"},{"id":"2"}]}}}',
    });
  });

  it("is forwarded without members that Ponder would refuse", async () => {
    const body = { query: "{ tokens(limit: 1) { items { id } } }", id: "abc", extensions: { a: 1 } };

    const answer = await harness.endpoint.handle({
      body,
      text: JSON.stringify(body),
      context: { name: "Ann" },
    });

    expect(JSON.parse(ponder.received[0] ?? "")).toEqual({ query: body.query });
    expect(JSON.parse(answer.json)).toEqual({ data: { tokens: { items: [{ id: "1" }] } } });
  });

  it("keeps the order of its fields, although Ponder orders them as they settle", async () => {
    const json = await harness.askForText(
      '{ tokens(limit: 1) { totalCount } token(id: "1") { id } __proto__: token(id: "9") { id } }',
    );

    expect(json).toBe('{"data":{"tokens":{"totalCount":5},"token":{"id":"1"},"__proto__":null}}');
  });

  it("is cut out of a document whose other operations are ours", async () => {
    const query = "query A { viewer } query B($n: Int) { tokens(limit: $n) { totalCount } }";

    const answer = await harness.ask({ query, operationName: "B", variables: { n: 1, other: 2 } });

    expect(answer).toEqual({ data: { tokens: { totalCount: 5 } } });
    expect(JSON.parse(ponder.received[0] ?? "").variables).toEqual({ n: 1 });
    expect(ponder.received[0]).not.toContain("viewer");
  });

  it("keeps what Ponder says about a request", async () => {
    const error = { message: "odd request", locations: [{ line: 1, column: 3 }] };
    const odd = await createHarness({
      handle: answerAfterIntrospection(ponder, () => Response.json({ errors: [error] })),
    });

    expect(await odd.ask("{ tokens { totalCount } }")).toEqual({
      errors: [{ ...error, extensions: { code: "INVALID_REQUEST" } }],
    });
    expect(odd.reported).toEqual([]);
  });

  it("does not say why a field failed in Ponder, but reports it", async () => {
    await ponder.run("alter table collection rename to away");

    const answer = await harness.ask("{ collections { totalCount } }");
    await ponder.run("alter table away rename to collection");

    expect(answer).toEqual({
      errors: [
        {
          message: "Internal server error",
          path: ["collections"],
          locations: [{ line: 1, column: 3 }],
          extensions: { code: "INTERNAL" },
        },
      ],
      data: null,
    });
    expect(harness.reported).toEqual([new Error('Ponder\'s GraphQL: relation "collection" does not exist')]);
  });

  it("is asked again for a field that failed, as one does while a reorg holds the table", async () => {
    let asked = 0;
    const failed = { message: "Unexpected error.", extensions: { code: "INTERNAL_SERVER_ERROR" } };
    const locked = await createHarness({
      handle: answerAfterIntrospection(ponder, (request) =>
        ++asked < 3 ? Response.json({ errors: [failed], data: null }) : ponder.handle(request),
      ),
    });

    const answer = await locked.ask("{ tokens { totalCount } }");
    const wrong = await locked.ask("{ tokens { nothing } }");

    expect(answer).toEqual({ data: { tokens: { totalCount: 5 } } });
    expect(locked.reported).toEqual([]);
    // A caller's mistake is not retried.
    expect(wrong.errors?.[0]?.extensions.code).toBe("INVALID_REQUEST");
    expect(asked).toBe(4);
  });

  it.each([
    ["throws", () => Promise.reject(new Error("connection refused to 10.0.0.7"))],
    ["answers another status", () => new Response("at db (/srv/pool.ts:3)", { status: 500 })],
    ["answers no JSON", () => new Response("<html>")],
    ["answers JSON that is not GraphQL's", () => Response.json({ secret: 1 })],
  ])("is an error at each of its fields when Ponder %s", async (_title, handle) => {
    const away = await createHarness({ handle: answerAfterIntrospection(ponder, handle) });

    const answer = await away.ask('{ a: token(id: "1") { id } _meta { status } }');

    const error = { message: "Internal server error", extensions: { code: "INTERNAL" } };
    expect(answer).toEqual({
      errors: [
        { ...error, path: ["a"] },
        { ...error, path: ["_meta"] },
      ],
      data: { a: null, _meta: null },
    });
    expect(away.reported).toHaveLength(1);
  });

  it("is redacted where Ponder has redacted it already, as it does in production", async () => {
    const redacted = {
      message: "Unexpected error.",
      locations: [{ line: 1, column: 3 }],
      extensions: { code: "INTERNAL_SERVER_ERROR" },
    };
    const production = await createHarness({
      handle: answerAfterIntrospection(ponder, () => Response.json({ errors: [redacted] })),
    });

    expect(await production.ask("{ tokens { totalCount } }")).toMatchObject({
      errors: [{ message: "Internal server error", extensions: { code: "INTERNAL" } }],
    });
    expect(production.reported).toHaveLength(1);
  });
});
