import { buildSchema, getIntrospectionQuery, parse, validate } from "graphql";
import { describe, expect, it } from "vitest";
import { resultSizeError } from "../../../src/api/graphql/gateway/answer-size.ts";
import { findMistakes } from "../../../src/api/graphql/gateway/find-mistakes.ts";
import { countEqualNames, linesError, linesOf, sizeRule } from "../../../src/api/graphql/gateway/limits.ts";

const schema = buildSchema("type Query { node: Node } type Node { node: Node fields: Node id: ID }");

const messages = (text: string): string[] =>
  validate(schema, parse(text), [sizeRule]).map((error) => error.message);

/** Nested fields, `levels` in all. */
const nested = (levels: number, inner = "id"): string =>
  levels === 1 ? inner : `node { ${nested(levels - 1, inner)} }`;

/** `count` aliases of one field. */
const aliases = (count: number, prefix = "a"): string =>
  Array.from({ length: count }, (_, n) => `${prefix}${n}: id`).join(" ");

describe("sizeRule", () => {
  it.each([
    ["12 levels", `{ ${nested(12)} }`],
    ["30 aliases", `{ node { ${aliases(30)} } }`],
    ["an alias of 200 characters", `{ node { ${aliases(1, "a".repeat(199))} } }`],
    ["fields of ours named as introspection's lists are", `{ node { fields { fields { fields { id } } } } }`],
    ["the standard introspection query", getIntrospectionQuery()],
    [
      "the standard introspection query with every option",
      getIntrospectionQuery({
        inputValueDeprecation: true,
        specifiedByUrl: true,
        schemaDescription: true,
        directiveIsRepeatable: true,
      }),
    ],
    ["two levels of introspection lists", "{ __schema { types { fields { type { fields { name } } } } } }"],
  ])("lets %s pass", (_title, text) => {
    expect(messages(text)).toEqual([]);
  });

  it.each([
    ["13 levels", `{ ${nested(13)} }`, "depth is 13; it must be at most 12"],
    [
      "levels inside inline fragments",
      `{ ... on Query { ${nested(13)} } }`,
      "depth is 13; it must be at most 12",
    ],
    [
      "levels hidden in fragments",
      `{ ${nested(7, "...A")} } fragment A on Node { ${nested(7)} }`,
      "depth is 13; it must be at most 12",
    ],
    ["31 aliases", `{ node { ${aliases(31)} } }`, "the number of aliases is 31; it must be at most 30"],
    [
      "an alias of 201 characters, in a fragment",
      `{ node { ...A } } fragment A on Node { ${aliases(1, "a".repeat(200))} }`,
      "the length of an alias is 201; it must be at most 200",
    ],
    [
      "aliases multiplied by spreads",
      `{ node { ...A node { ...A } } } fragment A on Node { ${aliases(16)} }`,
      "the number of aliases is 32; it must be at most 30",
    ],
    [
      "introspection lists nested until they explode",
      "{ __schema { types { ...T } } } fragment T on __Type { fields { type { fields { type { fields { name } } } } } }",
      "the nesting of introspection lists is 3; it must be at most 2",
    ],
    [
      "the same below __type",
      '{ __type(name: "Node") { possibleTypes { interfaces { fields { name } } } } }',
      "the nesting of introspection lists is 3; it must be at most 2",
    ],
  ])("refuses %s", (_title, text, message) => {
    expect(messages(text)).toEqual([message]);
  });

  it("measures every operation of a document", () => {
    expect(messages(`query A { node { id } } query B { ${nested(14)} }`)).toEqual([
      "depth is 14; it must be at most 12",
    ]);
  });

  it("measures fragments that double each other in no more time than it takes to read them", () => {
    const chain = Array.from(
      { length: 60 },
      (_, n) => `fragment F${n} on Node { ...F${n + 1} ...F${n + 1} }`,
    );
    const text = `{ node { ...F0 } } ${chain.join(" ")} fragment F60 on Node { a: id }`;

    const started = performance.now();
    expect(messages(text)[0]).toMatch(/^the number of aliases is/);
    expect(performance.now() - started).toBeLessThan(1000);
  });

  it("ends on a fragment that contains itself, which another rule refuses", () => {
    const text =
      "{ node { ...A } } fragment A on Node { node { ...B } } fragment B on Node { node { ...A } }";

    expect(messages(text)).toEqual([]);
    expect(validate(schema, parse(text))[0]?.message).toContain("Cannot spread fragment");
  });
});

describe("what is refused before validation, which would take time by the square of it", () => {
  const messageOf = (text: string) => {
    const found = countEqualNames(parse(text));
    return typeof found === "number" ? found : found.message;
  };

  it.each([
    ["\n", 2_001],
    ["\r", 2_001],
    ["\r\n", 2_001],
  ])("lines that end with %j", (end, lines) => {
    expect(linesOf(end.repeat(2_000))).toBe(lines);
    expect(linesError(lines)?.message).toBe(`the number of lines is ${lines}; it must be at most 2000`);
    expect(linesError(2_000)).toBeUndefined();
  });

  const tooMany = "the number of fields named id in one place is 51; it must be at most 50";
  const all = (count: number, text: string) => text.repeat(count);
  /** 9,998 selections, and more: 99 fields, in each a spread of 98 more, which also count by themselves. */
  const multiplied = (more: string) => {
    const fields = (count: number, text: string) =>
      Array.from({ length: count }, (_, n) => `a${n}: ${text}`).join(" ");
    return `{ ${fields(99, "node { ...F }")} ${more} } fragment F on Node { ${fields(98, "id")} }`;
  };

  it.each([
    ["one name 50 times", `{ ${all(50, "id ")} }`, 50],
    ["51 times", `{ ${all(51, "id ")} }`, tooMany],
    ["under one alias", `{ ${all(51, "id: node ")} }`, tooMany],
    [
      "in fragments of the same place",
      `{ ${all(26, "... { id } ")} ... on Query { ${all(25, "id ")} } }`,
      tooMany,
    ],
    ["in a fragment with a name", `{ ...A } fragment A on Query { ${all(51, "id ")} }`, tooMany],
    [
      "in a fragment and beside it",
      `{ ...A ${all(26, "id ")} } fragment A on Query { ${all(25, "id ")} }`,
      tooMany,
    ],
    ["below another field", `{ node { ${all(51, "id ")} } }`, tooMany],
    ["below fields that are merged", `{ ${all(3, `node { ${all(17, "id ")} } `)} }`, tooMany],
    ["at 51 places", `{ ${Array.from({ length: 51 }, (_, n) => `a${n}: node { id }`).join(" ")} }`, 1],
    [
      "in a fragment that is spread twice in one place",
      `{ ...A ...A } fragment A on Query { ${all(30, "id ")} }`,
      30,
    ],
    ["in a fragment that nothing spreads", `{ id } fragment A on Query { ${all(51, "id ")} }`, tooMany],
    ["in a fragment that contains itself", "{ ...A } fragment A on Query { id ...A }", 2],
    ["in fragments that multiply a document to 10,000 selections", multiplied("c: id d: id"), 1],
    [
      "to one more",
      multiplied("c: id d: id e: id"),
      "the number of selections is 10001; it must be at most 10000",
    ],
    [
      "in fragments that multiply each other",
      `{ ...F0 } ${Array.from({ length: 40 }, (_, n) => `fragment F${n} on Node { a: node { ...F${n + 1} } b: node { ...F${n + 1} } }`).join(" ")} fragment F40 on Node { id }`,
      "the number of selections is 10001; it must be at most 10000",
    ],
  ])("%s", (_what, text, expected) => {
    expect(messageOf(text)).toBe(expected);
  });

  it("a mistake has its first ten places, on their lines", () => {
    const text = `{\n${Array.from({ length: 10 }, (_, n) => `  a: node { id }\n  a: id # ${n}`).join("\n")}\n}`;
    const document = parse(text);

    const [first] = findMistakes(schema, document);

    expect(first?.locations).toHaveLength(2);
    expect(first?.locations?.[0]?.column).toBe(3);
    expect(first?.locations?.[1]?.line).toBeGreaterThan(2);
    expect(document.loc?.source.body).toBe(text);
    const merged = findMistakes(schema, parse(`{ ${all(2, `node { ${all(7, "a: id a: node ")} } `)} }`));
    expect(merged.every(({ nodes = [] }) => nodes.length <= 10)).toBe(true);
    expect(merged.length).toBeGreaterThan(0);
  });
});

it("the results of one request count together before they are written, and those of another don't", () => {
  const [request, other] = [{}, {}];
  const result = { data: { text: "x".repeat(9_000_000) } };

  expect(resultSizeError(result, request)).toBeUndefined();
  expect(resultSizeError(result, other)).toBeUndefined();
  expect(resultSizeError(result, request)?.message).toContain("over 16777216 bytes");
  expect(resultSizeError({ data: null }, request)?.message).toContain("over 16777216 bytes");
  // The object counts as one character.
  const of = (length: number) => resultSizeError({ text: "x".repeat(length - 1) }, {});
  expect([of(16_777_216), of(16_777_217)?.message]).toEqual([undefined, expect.stringContaining("over")]);
});
