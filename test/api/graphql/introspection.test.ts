/** Introspection over the whole schema: what a stranger may make this service render and hold in memory. */

import { readFileSync } from "node:fs";
import { buildSchema, getIntrospectionQuery, graphql, parse } from "graphql";
import { describe, expect, it, vi } from "vitest";
import { costError, operationCost } from "../../../src/api/graphql/gateway/cost.ts";
import { createGraphqlEndpoint } from "../../../src/api/graphql/gateway/endpoint.ts";
import { newIntrospectionLimit } from "../../../src/api/graphql/gateway/introspection.ts";
import { operationsOf } from "../../../src/api/graphql/gateway/split-operation.ts";

const whole = buildSchema(readFileSync(new URL("../../../schema.graphql", import.meta.url), "utf8"));

/** The endpoint over the whole schema as if all of it were Ponder's, with a counter of what it rendered. */
async function createEndpoint(extra: Record<string, () => unknown> = {}) {
  const fields = Object.keys(extra).map((name) => `${name}: JSON`);
  const endpoint = await createGraphqlEndpoint<undefined>({
    ponder: async (request) => {
      const { query: source } = (await request.json()) as { query: string };
      return Response.json(await graphql({ schema: whole, source }));
    },
    ownSdl: fields.length > 0 ? `extend type Query { ${fields.join(" ")} }` : "directive @own on FIELD",
    rootValue: {
      Query: extra as Record<string, () => unknown>,
      Mutation: Object.fromEntries(
        Object.keys(whole.getMutationType()?.getFields() ?? {}).map((name) => [name, () => null]),
      ),
    },
    redactError: () => ({ message: "Internal server error", code: "INTERNAL" }),
  });
  const ask = (query: string, operationName?: string) => {
    const body = { query, operationName };
    return endpoint.handle({ body, text: JSON.stringify(body), context: undefined });
  };
  const errorOf = async (query: string) => JSON.parse((await ask(query)).json).errors?.[0];
  return { ask, errorOf };
}

const standard = getIntrospectionQuery();
const attack = (() => {
  const aliases = Array.from({ length: 30 }, (_, n) => `a${n}: __schema { ...S }`).join(" ");
  return `{ ${aliases} } fragment S on __Schema { types { fields { name args { name description type { name } } } } }`;
})();

describe("introspection", () => {
  it("answers the standard query in full, with every option", async () => {
    const { ask } = await createEndpoint();
    const options = { inputValueDeprecation: true, specifiedByUrl: true, schemaDescription: true };

    for (const query of [standard, getIntrospectionQuery({ ...options, directiveIsRepeatable: true })]) {
      const { data, errors } = JSON.parse((await ask(query)).json);
      expect(errors).toBeUndefined();
      expect(data.__schema.types.length).toBeGreaterThan(50);
    }
  });

  it("is one per operation: thirty aliases of `__schema` are refused", async () => {
    const { errorOf } = await createEndpoint();

    expect(await errorOf(attack)).toMatchObject({
      message: "the number of __schema and __type fields is 30; it must be at most 1",
      extensions: { code: "INVALID_REQUEST" },
    });
  });

  it.each([
    [
      "a fragment and a field",
      "{ __schema { ...A } ...B } fragment A on __Schema { types { name } } fragment B on Query { b: __schema { types { name } } }",
    ],
    ["both kinds", '{ __schema { types { name } } __type(name: "Query") { name } }'],
    ["inline fragments", "{ ... { __schema { types { name } } } ... { a: __schema { types { name } } } }"],
  ])("is counted in %s", async (_what, query) => {
    const { errorOf } = await createEndpoint();

    expect((await errorOf(query))?.message).toBe(
      "the number of __schema and __type fields is 2; it must be at most 1",
    );
  });

  it("costs what it answers: the same part of the schema under many names is refused", async () => {
    const { errorOf } = await createEndpoint();
    const types = (names: number) =>
      `{ __schema { ${Array.from({ length: names }, (_, n) => `a${n}: types { fields { args { name description type { name } } } inputFields { name description type { name } } }`).join(" ")} } }`;

    expect(await errorOf(types(1))).toBeUndefined();
    expect((await errorOf(types(12)))?.message).toMatch(/^the cost is 20001; it must be at most 20000/);
  });

  it("costs half of what an operation may for the whole schema, and little for one type", () => {
    const costOf = (query: string, beside: number): boolean => {
      // `tokens` of 1,000 rows cost a little more than 1,000.
      const lists = Array.from(
        { length: beside },
        (_, n) => `l${n}: tokenStates(limit: 1000) { items { tokenId } }`,
      );
      const document = parse(query.replace("{", `{ ${lists.join(" ")} `));
      const [definition] = operationsOf(document);
      if (!definition) throw new Error("no operation");
      return costError(operationCost(whole, { document, definition }, {}), { definition }) === undefined;
    };

    expect([costOf(standard, 9), costOf(standard, 11)]).toEqual([true, false]);
    expect(costOf('{ __type(name: "Token") { fields { name } } }', 19)).toBe(true);
  });

  it("is rendered once, and the same bytes are sent to all who ask", async () => {
    const { ask } = await createEndpoint();

    const [first, second] = [await ask(standard), await ask(standard)];
    expect(first.bytes).toBeInstanceOf(Uint8Array);
    expect(second.bytes).toBe(first.bytes);
    expect(new TextDecoder().decode(first.bytes)).toBe(first.json);
    expect((await ask(`query A { __typename } ${standard}`, "IntrospectionQuery")).json).toBe(first.json);
  });

  it("that is new each time is limited for all together; what was asked before is not", async () => {
    const { ask, errorOf } = await createEndpoint();
    const first = await ask(standard);
    const fresh = (n: number) => `{ a${n}: __schema { queryType { name } } }`;

    for (let n = 1; n < newIntrospectionLimit.requests; n++) expect(await errorOf(fresh(n))).toBeUndefined();
    expect(await errorOf(fresh(0))).toMatchObject({
      message: expect.stringMatching(
        /^Limit: 20 new introspection queries per 10 seconds per process; retry in \d+ s$/,
      ),
      extensions: { code: "RATE_LIMITED", retryAfter: expect.any(Number) },
    });
    expect((await ask(standard)).bytes).toBe(first.bytes);
  });

  it("with variables, or beside other fields, is never kept", async () => {
    const { ask } = await createEndpoint({ viewer: () => Math.random() });

    const beside = "{ viewer __schema { queryType { name } } }";
    expect((await ask(beside)).json).not.toBe((await ask(beside)).json);
    expect(
      (await ask("query ($a: Boolean = true) { __schema @include(if: $a) { queryType { name } } }")).bytes,
    ).toBe(undefined);
  });
});

describe("an answer", () => {
  it("that is too large is refused with its size", async () => {
    const { ask, errorOf } = await createEndpoint({
      large: () => "é".repeat(4_200_000),
      fits: () => "e".repeat(8_300_000),
    });

    expect(await errorOf("{ large }")).toMatchObject({
      message:
        "the answer has 8400021 bytes; it may have at most 8388608: ask for fewer or smaller lists at once",
      extensions: { code: "INVALID_REQUEST" },
    });
    expect(JSON.parse((await ask("{ large }")).json).data).toBeUndefined();
    expect(await errorOf("{ fits }")).toBeUndefined();
  });

  it("that is far too large is refused without being written", async () => {
    const { errorOf } = await createEndpoint({ fits: () => "e".repeat(8_300_000) });
    const written = vi.spyOn(JSON, "stringify");
    try {
      const three = await errorOf("{ a: fits b: fits c: fits }");

      expect(three).toMatchObject({
        message:
          "the answer has over 16777216 bytes; it may have at most 8388608: ask for fewer or smaller lists at once",
        extensions: { code: "INVALID_REQUEST" },
      });
      expect(
        written.mock.results.map(({ value }) => value?.length ?? 0).filter((length) => length > 1_000),
      ).toEqual([]);
    } finally {
      written.mockRestore();
    }
  });
});
