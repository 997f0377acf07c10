/** GraphQL over HTTP as clients speak it: GET, media types with their statuses, and arrays of operations. */

import { getIntrospectionQuery } from "graphql";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { newIntrospectionLimit } from "../../../src/api/graphql/gateway/introspection.ts";
import { graphqlRoutes } from "../../../src/api/graphql/routes.ts";
import { anonymousGraphqlLimit } from "../../../src/api/http/limits/tiers.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import { createTestApp } from "../../support/processes/app.ts";
import { COLLECTION, emptyTables, readQueue } from "../../support/refresh/refresh.ts";
import { createOwnEndpoint } from "./own-endpoint.ts";
import { createSdkWorld } from "./sdk-world.ts";

const RESULT = "application/graphql-response+json";
const JSON_TYPE = "application/json";

const test = await createTestDatabase();
const inner = createTestApp(test);
const { endpoint } = await createOwnEndpoint(inner);
const routes = graphqlRoutes(endpoint, inner.rateLimits);
const { rateLimits, refresh } = inner;
const api = createTestApp(test, { rateLimits, refresh, graphql: routes });
const REFRESH = `mutation { refreshMetadata(tokenAddress: "${COLLECTION}", tokenId: "1") }`;

const get = (parameters: Record<string, string>, headers: Record<string, string> = { accept: JSON_TYPE }) =>
  api.call(`/graphql?${new URLSearchParams(parameters)}`, { headers });
const post = (body: unknown, accept = JSON_TYPE, from?: string) =>
  api.call("/graphql", { body, headers: { accept }, ...(from && { from }) });
const tokenName = (tokenId: string) =>
  `{ token(tokenAddress: "${COLLECTION}", tokenId: "${tokenId}") { name } }`;
const queued = () => readQueue(test.database);

beforeAll(async () => {
  await emptyTables(test.database);
  await createSdkWorld(test, inner.metadata);
});
beforeEach(() => test.database.query("truncate vitrine.refresh cascade"));

describe("GET /graphql", () => {
  it("refuses a misspelt parameter with the name it is close to", async () => {
    const { status, body } = await get({ query: "{ __typename }", varaibles: "{}" });

    expect(status).toBe(400);
    expect(JSON.stringify(body)).toContain("variables");
  });

  it("does so for POST, whose key would otherwise be missing without a word", async () => {
    const ask = (query: string) =>
      api.call(`/graphql?${query}`, { body: { query: "{ __typename }" }, headers: { accept: JSON_TYPE } });

    const { status, body } = await ask("apikey=vk_x");
    expect(status).toBe(400);
    expect(JSON.stringify(body)).toContain("apiKey");
    expect((await ask("operationName=One")).status).toBe(200);
  });

  const NAMED = `query One($id: String!) { token(tokenAddress: "${COLLECTION}", tokenId: $id) { name } } query Two { __typename }`;

  it("answers a query with its variables, operation name and extensions", async () => {
    const { status, body, headers } = await get({
      query: NAMED,
      operationName: "One",
      variables: '{"id":"2"}',
      extensions: '{"clientLibrary":{"name":"a client"}}',
    });

    expect([status, body]).toEqual([200, { data: { token: { name: "Adam" } } }]);
    expect(headers.get("content-type")).toBe(JSON_TYPE);
  });

  it.each([
    "*/*",
    "application/*",
    `${RESULT}, application/graphql+json, ${JSON_TYPE}, text/event-stream`,
    "",
  ])("answers a caller that accepts '%s'", async (accept) => {
    expect((await get({ query: tokenName("1") }, { accept })).body).toEqual({
      data: { token: { name: "Zoe the brave" } },
    });
  });

  it("shows the explorer to a browser, and a result to a program that would rather have JSON", async () => {
    const browser = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";
    const page = await get({ query: tokenName("1") }, { accept: browser });

    expect(page.text).toContain('id="graphiql"');
    expect(page.headers.get("vary")).toContain("Accept");
    const program = await get({ query: tokenName("1") }, { accept: `${JSON_TYPE}, text/html;q=0.9` });
    expect(program.body.data.token.name).toBe("Zoe the brave");
    expect(program.headers.get("vary")).toContain("Accept");
  });

  it("refuses mutations, in every type and under every name, and queues nothing", async () => {
    for (const query of [REFRESH, `query Q { __typename } ${REFRESH.replace("mutation", "mutation M")}`])
      for (const accept of [JSON_TYPE, RESULT, "*/*"]) {
        const { status, headers, body } = await get(
          { query, operationName: query === REFRESH ? "" : "M" },
          { accept },
        );

        expect([status, headers.get("allow")]).toEqual([405, "POST"]);
        expect(body.errors[0]).toMatchObject({
          message: "mutations need POST; GET answers queries only",
          extensions: { code: "METHOD_NOT_ALLOWED" },
        });
      }
    expect(await queued()).toEqual([]);
    // The same text over POST does what it says.
    expect((await post({ query: REFRESH })).body).toEqual({ data: { refreshMetadata: true } });
    expect(await queued()).toHaveLength(1);
  });

  it("is stored by no cache, answers and refusals alike, with and without a key", async () => {
    const key = await api.createKey();
    for (const query of [tokenName("1"), "{ nowhere }", REFRESH, "{"])
      for (const headers of [undefined, { accept: JSON_TYPE, "x-api-key": key }])
        expect((await get({ query }, headers)).headers.get("cache-control")).toBe("no-store");
  });

  it.each([
    ["no query", "", "query must be a string; received nothing"],
    ["two of a parameter", "query=%7Ba%7D&query=%7Bb%7D", "is given more than once"],
    ["variables that are not JSON", "query=%7Ba%7D&variables=%7B", "variables is not valid JSON"],
    [
      "variables of another type",
      "query=%7Ba%7D&variables=%5B1%5D",
      "variables must be an object; received an array",
    ],
    [
      "extensions of another type",
      "query=%7Ba%7D&extensions=7",
      "extensions must be an object; received a number",
    ],
    [
      "variables that are nested too deep",
      `query=%7Ba%7D&variables=${"%5B".repeat(101)}`,
      "variables has more than 100 objects",
    ],
  ])("is a bad request with %s", async (_title, parameters, message) => {
    for (const accept of [JSON_TYPE, RESULT]) {
      const { status, text } = await api.call(`/graphql?${parameters}`, { headers: { accept } });
      expect(status).toBe(400);
      expect(text).toContain(message);
    }
  });

  it("counts against the limits of POST, and refuses a key that is none", async () => {
    const { headers } = await get({ query: "{ __typename }" });

    expect(headers.get("ratelimit-limit")).toBe(String(anonymousGraphqlLimit.requests));
    expect((await get({ query: "{ __typename }" }, { "x-api-key": "nonsense" })).status).toBe(401);
  });

  it("leaves other methods with the names of its own", async () => {
    const { status, headers } = await api.call("/graphql", { method: "PUT", body: {} });

    expect([status, headers.get("allow")]).toEqual([405, "GET, HEAD, POST"]);
  });
});

describe("application/graphql-response+json", () => {
  it.each([
    ["a result", tokenName("1"), 200],
    [
      "a result with an error beside it",
      `{ a: __typename token(tokenAddress: "0x12", tokenId: "1") { name } }`,
      200,
    ],
    ["a query that does not parse", "{", 400],
    ["a query that is invalid", "{ nowhere }", 400],
    ["a variable that is missing", "query ($id: Int!) { erc721List(from: $id, size: 1) { erc } }", 400],
    ["an operation that is not there", "query A { __typename } query B { __typename }", 400],
    [
      "a cost over the limit",
      `{ ${Array.from({ length: 21 }, (_, n) => `a${n}: tokenMetadata(tokenAddress: "${COLLECTION}") { erc }`)} }`,
      400,
    ],
  ])("has the status of what happened: %s", async (_title, query, status) => {
    const result = await post({ query }, RESULT);

    expect([result.status, result.headers.get("content-type")]).toEqual([status, RESULT]);
    expect(status === 200).toBe(result.body.data !== undefined);
    // As application/json the status is that of the request, as before.
    const plain = await post({ query });
    expect([plain.status, plain.headers.get("content-type")]).toEqual([200, JSON_TYPE]);
    expect(plain.body).toEqual(result.body);
  });

  it.each([
    [`${RESULT}, ${JSON_TYPE}`, RESULT],
    [`${JSON_TYPE}, ${RESULT}`, JSON_TYPE],
    [`${JSON_TYPE};q=0.9, ${RESULT}`, RESULT],
    [`${RESULT};q=0.5, ${JSON_TYPE};q=0.6`, JSON_TYPE],
    [`${RESULT};q=0, ${JSON_TYPE}`, JSON_TYPE],
    [`${RESULT.toUpperCase()}; charset=utf-8`, RESULT],
    ["*/*", JSON_TYPE],
    ["image/png", JSON_TYPE],
  ])("is negotiated: '%s' gets %s", async (accept, type) => {
    expect((await post({ query: "{ __typename }" }, accept)).headers.get("content-type")).toBe(type);
  });
});

describe("an array of operations", () => {
  const names = (...ids: readonly string[]) => ids.map((id) => ({ query: tokenName(id) }));
  const errorsOf = (body: { errors?: { message: string }[] }[]) =>
    body.map(({ errors }) => errors?.[0]?.message);

  it("is answered by an array in its order, each operation for itself", async () => {
    const { status, body, headers } = await post(
      [
        ...names("2"),
        { query: "{" },
        7,
        { query: "query ($i: String!) { token(tokenAddress: $i, tokenId: $i) { name } }" },
        ...names("1"),
      ],
      `${RESULT}, ${JSON_TYPE}`,
    );

    expect([status, headers.get("content-type")]).toEqual([200, JSON_TYPE]);
    expect(body[0]).toEqual({ data: { token: { name: "Adam" } } });
    expect(body[4]).toEqual({ data: { token: { name: "Zoe the brave" } } });
    expect(errorsOf(body)).toEqual([
      undefined,
      "Syntax Error: Expected Name, found <EOF>.",
      "operation 2 must be a JSON object; received a number",
      'Variable "$i" of required type "String!" was not provided.',
      undefined,
    ]);
  });

  it("holds 1 to 10 operations", async () => {
    expect((await post(names(..."1231231231"))).body).toHaveLength(10);
    for (const [count, body] of [
      [0, []],
      [11, names(..."12312312312")],
    ] as const) {
      const refused = await post(body);
      expect(refused.status).toBe(400);
      expect(refused.body.details[0].message).toBe(`an array holds 1 to 10 operations; received ${count}`);
    }
  });

  it("costs the sum, and runs nothing above the limit of one operation", async () => {
    const eleven = Array.from(
      { length: 11 },
      (_, n) => `a${n}: tokenMetadata(tokenAddress: "${COLLECTION}") { erc }`,
    );
    const half = { query: `{ ${eleven} }` };

    expect((await post([half])).body[0].errors).toBeUndefined();
    const { body } = await post([half, { query: REFRESH }, { query: "{" }, half]);

    const tooMuch = expect.stringMatching(
      /^the cost of the 3 operations is 2\d{4}; together it must be at most 20000: send them separately$/,
    );
    expect(errorsOf(body)).toEqual([tooMuch, tooMuch, "Syntax Error: Expected Name, found <EOF>.", tooMuch]);
    expect(await queued()).toEqual([]);
  });

  it("introspects once, whether the answer is cached or not", async () => {
    const once = { query: getIntrospectionQuery() };
    const message = "the number of operations with __schema or __type is 2; it must be at most 1 per request";

    expect((await post([once, ...names("1")])).body[0].data.__schema).toBeDefined();
    expect(errorsOf((await post([once, once, ...names("1")])).body)).toEqual([message, message, message]);
    const other = { query: '{ __type(name: "Query") { name } }' };
    expect(errorsOf((await post([other, once])).body)).toEqual([message, message]);
  });

  it("counts each operation as a request, and runs none above the rate limit", async () => {
    const from = "203.0.113.77";
    const { requests } = anonymousGraphqlLimit;
    const remaining = async () =>
      Number((await post(names("1"), JSON_TYPE, from)).headers.get("ratelimit-remaining"));
    const before = await remaining();
    await post(names(..."1231231231"), JSON_TYPE, from);
    expect(before - (await remaining())).toBe(11);

    for (let sent = 12; sent + 10 <= requests; sent += 10)
      await post(names(..."1231231231"), JSON_TYPE, from);
    const refused = await post([...names(..."123123123"), { query: REFRESH }], JSON_TYPE, from);
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(await queued()).toEqual([]);
  });
});

// The last, since it uses up what all requests of a process may introspect.
describe("a refusal by a limit", () => {
  it("says when a refused operation may be sent again, in the header too if nothing was run", async () => {
    const fresh = (n: number) => ({ query: `{ a${n}: __schema { queryType { name } } }` });
    for (let n = 1; n < newIntrospectionLimit.requests; n++) await post(fresh(n));
    await post(fresh(0));

    const refused = await post(fresh(newIntrospectionLimit.requests), RESULT);
    const { code, retryAfter } = refused.body.errors[0].extensions;
    expect([refused.status, code]).toEqual([429, "RATE_LIMITED"]);
    expect(retryAfter).toBeGreaterThanOrEqual(1);
    expect(retryAfter).toBeLessThanOrEqual(newIntrospectionLimit.seconds);
    expect(refused.headers.get("retry-after")).toBe(String(retryAfter));
    const plain = await post(fresh(newIntrospectionLimit.requests));
    expect([plain.status, plain.headers.get("retry-after")]).toEqual([200, null]);
    expect(plain.body.errors[0].extensions).toEqual({ code, retryAfter: expect.any(Number) });
  });
});
