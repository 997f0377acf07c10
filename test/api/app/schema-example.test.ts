/** Samples of requests are values that the schemas allow. */

import { expect, it } from "vitest";
import { type Schema, schemaExample } from "../../../src/api/app/schema-example.ts";

const exampleOf = (schema: Schema, schemas: Readonly<Record<string, Schema>> = {}): unknown =>
  schemaExample({ schemas, text: "<id>" }, schema);

it.each<[what: string, schema: Schema, example: unknown]>([
  ["its example", { type: "string", example: "one", default: "two" }, "one"],
  ["the first of its examples", { type: "string", examples: ["one", "two"] }, "one"],
  ["its default, which may be false", { type: "boolean", default: false }, false],
  ["the first value of an enum", { type: "string", enum: ["a", "b"] }, "a"],
  ["a list of one", { type: "array", items: { type: "integer" } }, [1]],
  ["the given text", { type: ["string", "null"] }, "<id>"],
  [
    "what an object requires",
    { type: "object", required: ["a"], properties: { a: { type: "string" }, b: { type: "string" } } },
    { a: "<id>" },
  ],
  [
    "of a choice between required fields, the one with an example",
    {
      type: "object",
      anyOf: [{ required: ["a"] }, { required: ["b"] }],
      properties: { a: { type: "string" }, b: { type: "string", example: "shown" } },
    },
    { b: "shown" },
  ],
])("is %s", (_, schema, example) => {
  expect(exampleOf(schema)).toEqual(example);
});

it("ends for a schema that requires itself", () => {
  const node: Schema = {
    type: "object",
    required: ["child"],
    properties: { child: { $ref: "#/components/schemas/Node" } },
  };

  expect(JSON.stringify(exampleOf(node, { Node: node }))).toMatch(/^(\{"child":)+null\}+$/);
});
