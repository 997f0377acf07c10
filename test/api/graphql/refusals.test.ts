/** Refusals of GraphQL: as small as their causes allow, whatever they repeat, and in the log of requests. */

import { describe, expect, it } from "vitest";
import { shortened } from "../../../src/api/graphql/errors.ts";
import { graphqlRoutes } from "../../../src/api/graphql/routes.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import { createTestApp } from "../../support/processes/app.ts";
import { createOwnEndpoint } from "./own-endpoint.ts";

const test = await createTestDatabase();
const inner = createTestApp(test);
const { endpoint } = await createOwnEndpoint(inner);
const api = createTestApp(test, { graphql: graphqlRoutes(endpoint, inner.rateLimits) });

const MESSAGE_CHARACTERS_MAX = 500;
// A hundred errors of the longest messages, in characters of which JSON needs two, and their places.
const REFUSAL_BYTES_MAX = 200_000;

/** Fifty mistakes, each error of which quotes the whole value. */
const withUnknownFields = (name: string) => ({
  query: 'query ($c: [SearchCriteria!]) { traits(tokenAddress: "heroes", criteria: $c) { total } }',
  variables: { c: [{ name, ...Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`f${n}`, 0])) }] },
});
const unknownFields = withUnknownFields("\\".repeat(50_000));

/** A hundred errors, each of which names the operation. */
const unusedVariables = {
  query: `query ${"A".repeat(100_000)}(${Array.from({ length: 120 }, (_, n) => `$v${n}:Int`).join("")}){__typename}`,
};

interface Answer {
  readonly errors: readonly { readonly message: string }[];
}

const post = async (body: object) => {
  const { status, text } = await api.call("/graphql", { body });
  expect(status).toBe(200);
  return { bytes: Buffer.byteLength(text), answer: JSON.parse(text) };
};

function expectShort({ errors }: Answer): void {
  for (const { message } of errors) expect(message.length).toBeLessThanOrEqual(MESSAGE_CHARACTERS_MAX);
}

describe("the size of a refusal", () => {
  it("is bounded where each error would repeat a long variable, and says what is wrong", async () => {
    const { bytes, answer } = await post(unknownFields);

    expectShort(answer);
    expect(answer.errors[0].message).toMatch(
      /^Variable "\$c" got invalid value .*….*Field "f0" is not defined by type "SearchCriteria"\.$/,
    );
    expect(bytes).toBeLessThan(REFUSAL_BYTES_MAX);
  });

  it("has fewer errors, the larger a body is: to write each takes as long as to read the body", async () => {
    const countErrors = async (name: string) => (await post(withUnknownFields(name))).answer.errors.length;

    expect(await countErrors("Class")).toBe(50);
    expect(await countErrors("C".repeat(8_000))).toBe(50);
    // And one that says that there are more.
    expect(await countErrors("C".repeat(100_000))).toBe(4 + 1);
  });

  it("is bounded where each error would repeat a long name", async () => {
    const { bytes, answer } = await post(unusedVariables);

    expect(answer.errors.length).toBeGreaterThan(90);
    expectShort(answer);
    expect(answer.errors[0].message).toMatch(/^Variable "\$v0" is never used in operation "A+…A+"\.$/);
    expect(bytes).toBeLessThan(REFUSAL_BYTES_MAX);
  });

  it("is bounded in an array of which nothing is run", async () => {
    const introspection = { query: "{ __schema { queryType { name } } }" };
    const { bytes, answer } = await post([introspection, introspection, unknownFields]);

    answer.forEach(expectShort);
    expect(answer[0].errors[0].message).toMatch(/^the number of operations with __schema or __type is 2;/);
    expect(bytes).toBeLessThan(REFUSAL_BYTES_MAX);
  });

  it.each(["", "x"])("cuts no character in half, after %j", async (start) => {
    const { answer } = await post({
      query: "query ($b: Boolean!) { __typename @skip(if: $b) }",
      variables: { b: start + "😀".repeat(3_000) },
    });

    const [{ message }] = answer.errors;
    expect(message).toMatch(/^Variable "\$b" got invalid value "x?(?:😀)+…(?:😀)+".?$/u);
    expect(message).not.toMatch(/\p{Cs}|\ufffd/u);
  });
});

it.each([499, 500, 501])(
  "a message of %i characters has at most 500, and lacks its middle if it had more",
  (length) => {
    const message = `a${"x".repeat(length - 2)}z`;
    const short = shortened(message);
    expect(short).toHaveLength(Math.min(length, MESSAGE_CHARACTERS_MAX));
    expect(short).toMatch(/^a.*z$/);
    expect(short.includes("…")).toBe(length > MESSAGE_CHARACTERS_MAX);
  },
);

it.each([
  ["an operation", { query: "{ nothing }" }],
  ["an array", [{ query: "{ __typename }" }, { query: "{ nothing }" }]],
  ["an array of which nothing is run", Array(2).fill({ query: "{ __schema { queryType { name } } }" })],
])("the error of %s is in its app's log of requests", async (_what, body) => {
  const key = await api.createKey();
  await test.database.query("truncate vitrine.request_log");

  const { text } = await api.call("/graphql", { body, key });
  await api.usage.flush();

  const [{ message }] = [JSON.parse(text)].flat().flatMap(({ errors = [] }) => errors);
  const rows = await test.database.query("select status, code, error from vitrine.request_log");
  expect(rows).toEqual([{ status: 200, code: "INVALID_REQUEST", error: message }]);
});
