import { getIntrospectionQuery, isObjectType, parse, printSchema, validate } from "graphql";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { introspect, mergeSchema } from "../../../src/api/graphql/gateway/merged-schema.ts";
import { ownSdl } from "./endpoint-harness.ts";
import { createPonderEndpoint, type PonderEndpoint } from "./ponder-endpoint.ts";

let ponder: PonderEndpoint;

beforeAll(async () => {
  ponder = await createPonderEndpoint();
});

afterAll(() => ponder.close());

describe("introspect", () => {
  it("learns Ponder's whole schema from one request", async () => {
    ponder.received.length = 0;

    const base = await introspect(ponder.handle);

    expect(ponder.received).toHaveLength(1);
    expect(Object.keys(base.getQueryType()?.getFields() ?? {})).toEqual([
      "block",
      "blocks",
      "collection",
      "collections",
      "token",
      "tokens",
      "_meta",
    ]);
    expect(base.getType("JSON")?.description).toContain("ECMA-404");
  });

  it.each([
    ["an error", () => Response.json({ errors: [{ message: "away" }] }), /refused introspection.*away/],
    ["another status", () => new Response("down", { status: 503 }), /answered 503: down/],
    ["something else than JSON", () => new Response("<html>"), /not valid JSON/],
  ])("says why it has no schema when the handler answers %s", async (_title, handle, reason) => {
    await expect(introspect(handle)).rejects.toThrow(reason);
  });

  it.each([
    ["a number", "7"],
    ["a word", '"seven"'],
    ["empty text", '""'],
    ["blank text", '"  "'],
    ["text that is blank around it", '" 7"'],
    ["hexadecimal", '"0x0b"'],
    ["octal", '"0o7"'],
    ["binary", '"0b1"'],
    ["a plus sign", '"+7"'],
    ["a fraction", '"7.0"'],
    ["more digits than a column has", `"${"7".repeat(79)}"`],
  ])("refuses %s as a BigInt before Ponder does, and says what to write", async (_title, written) => {
    const message = `a BigInt is a whole number in quotes, such as "7", with at most 78 digits; received ${written}`;
    const query = `{ token(id: ${written}) { id } }`;
    const base = await introspect(ponder.handle);

    expect(validate(base, parse(query))[0]?.message).toContain(message);
  });
});

describe("mergeSchema", () => {
  it("holds Ponder's fields and ours, with their descriptions", async () => {
    const merged = mergeSchema(await introspect(ponder.handle), ownSdl);

    const fields = merged.getQueryType()?.getFields() ?? {};
    expect(Object.keys(fields)).toEqual(expect.arrayContaining(["tokens", "_meta", "viewer", "item"]));
    expect(fields.viewer?.description).toBe("Who is asking.");
    expect(merged.getType("JSON")?.description).toContain("ECMA-404");
    expect(isObjectType(merged.getMutationType())).toBe(true);
    expect(printSchema(merged)).toContain("union Either = Item | Note");
    expect(validate(merged, parse(getIntrospectionQuery()))).toEqual([]);
  });

  it.each([
    [
      "a root field named as one of Ponder's",
      "extend type Query { tokens: Int }",
      /"Query.tokens" already exists/,
    ],
    ["a type named as one of Ponder's", "type token { id: Int }", /"token" already exists/],
    ["a scalar that Ponder declares", "scalar BigInt", /"BigInt" already exists/],
    [
      "a field on a type of Ponder's",
      "extend type token { price: Int }",
      /extends token.*only fields of Query/,
    ],
    [
      "an interface for Query",
      "interface I { a: Int } extend type Query implements I { a: Int }",
      /extends Query/,
    ],
    ["a type that is not there", "extend type Query { a: Nowhere }", /Unknown type "Nowhere"/],
  ])("refuses an SDL with %s", async (_title, sdl, reason) => {
    const base = await introspect(ponder.handle);

    expect(() => mergeSchema(base, sdl)).toThrow(reason);
  });
});
