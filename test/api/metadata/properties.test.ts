/** Traits in `properties` are always strings. */

import { describe, expect, it } from "vitest";
import { createIssueList } from "../../../src/api/metadata/document/issues.ts";
import type { JsonObject } from "../../../src/api/metadata/document/json.ts";
import { numberSources } from "../../../src/api/metadata/document/number-source.ts";
import { readProperties, TRAITS_MAX } from "../../../src/api/metadata/document/traits.ts";
import { plainJson } from "../../../src/api/text/plain-json.ts";

describe("properties", () => {
  const properties = (json: string) => {
    const issues = createIssueList();
    const read = plainJson(json);
    const traits = readProperties(read.value as JsonObject, issues, numberSources(read));
    return { traits, issues: issues.list().map(({ code, path }) => `${code} at ${path}`) };
  };

  it.each([
    { json: '"text"', shown: "text" },
    { json: '""', shown: "" },
    { json: "0", shown: "0" },
    { json: "-1.50", shown: "-1.50" },
    { json: "5.0", shown: "5.0" },
    { json: "1e21", shown: "1e21" },
  ])("shows $json as the string $shown", ({ json, shown }) => {
    expect(properties(`{"P": ${json}}`)).toEqual({
      traits: [{ trait_type: "P", display_type: "string", value: shown }],
      issues: [],
    });
  });

  it.each(["true", "false", "null", "[]", "{}", '{"value": "v"}', "1e999"])("ignores %s", (json) => {
    expect(properties(`{"P": ${json}}`)).toEqual({
      traits: [],
      issues: ["invalid_property at properties.P"],
    });
  });

  it("reads none beyond the first 1,000", () => {
    const many: Record<string, unknown> = {};
    for (let nth = 0; nth < TRAITS_MAX; nth++) many[`P${nth}`] = "v";
    const beyond = () => {
      throw new Error("it was read");
    };
    Object.defineProperty(many, "beyond", { get: beyond, enumerable: true });
    const issues = createIssueList();

    expect(readProperties(many, issues)).toHaveLength(TRAITS_MAX);
    expect(issues.list().map(({ message }) => message)).toEqual([
      "properties holds 1001 entries; the first 1000 are read",
    ]);
  });

  it("ignores one without a name", () => {
    expect(properties('{"": "v", " ": 1}').issues).toEqual([
      "invalid_property at properties.",
      "invalid_property at properties. ",
    ]);
  });

  it("may be called anything, keys of every object included", () => {
    const names = ["__proto__", "constructor", "toString", "hasOwnProperty"];

    const { traits } = properties(`{${names.map((name) => `"${name}": "v"`).join()}}`);

    expect(traits.map(({ trait_type }) => trait_type)).toEqual(names);
  });
});
