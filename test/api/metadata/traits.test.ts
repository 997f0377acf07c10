/** Which trait entries are stored, of every kind of JSON, and the issues of the others. */

import { describe, expect, it } from "vitest";
import { createIssueList } from "../../../src/api/metadata/document/issues.ts";
import { readAttributes, valueText } from "../../../src/api/metadata/document/traits.ts";

/** Reads one entry written as JSON, as a host would send it. */
function read(json: string) {
  const issues = createIssueList();
  const traits = readAttributes([JSON.parse(json)], issues);
  return { traits, issues: issues.list().map(({ code, path }) => `${code} at ${path}`) };
}

const entry = (fields: Record<string, string>) =>
  `{${Object.entries({ trait_type: '"T"', ...fields })
    .map(([key, json]) => `"${key}": ${json}`)
    .join(", ")}}`;

describe("value and display_type", () => {
  const values = [
    '"text"',
    '""',
    '"0"',
    '"true"',
    "0",
    "-0.5",
    "1546360800",
    "1e21",
    "1e999",
    "true",
    "false",
    "null",
    "[]",
    '["text"]',
    "{}",
    '{"value": 1}',
  ];
  const strings = ['"text"', '""', '"0"', '"true"'];
  const rules = [
    { displayType: undefined, readAs: "string", keeps: strings },
    { displayType: "null", readAs: "string", keeps: strings },
    { displayType: '"string"', readAs: "string", keeps: strings },
    { displayType: '"number"', readAs: "number", keeps: ["0", "-0.5", "1546360800", "1e21"] },
    { displayType: '"date"', readAs: "date", keeps: ["0", "1546360800"] },
    { displayType: '"bool"', readAs: "bool", keeps: ["true", "false"] },
    ...[
      '""',
      '"Number"',
      '" number"',
      '"boost_number"',
      '"boolean"',
      '"__proto__"',
      "1",
      "false",
      "[]",
      "{}",
    ].map((displayType) => ({ displayType, readAs: undefined, keeps: [] as string[] })),
  ];
  const matrix = rules.flatMap((rule) => values.map((value) => ({ ...rule, value })));

  it.each(matrix)("display_type $displayType with $value", ({ displayType, readAs, keeps, value }) => {
    const { traits, issues } = read(entry({ ...(displayType && { display_type: displayType }), value }));

    if (keeps.includes(value)) {
      expect(traits).toEqual([{ trait_type: "T", display_type: readAs, value: JSON.parse(value) }]);
      expect(issues).toEqual(value === "1e21" ? ["number_precision at attributes[0].value"] : []);
      return;
    }
    expect(traits).toEqual([]);
    expect(issues).toHaveLength(1);
    expect(issues[0]).toMatch(
      readAs === undefined
        ? /^unknown_display_type at attributes\[0\].display_type$/
        : /^(value_mismatch|invalid_date) at attributes\[0\].value$/,
    );
  });

  it.each([undefined, '"string"', '"number"', '"date"', '"bool"'])(
    "display_type %s without a value",
    (displayType) => {
      expect(read(entry(displayType ? { display_type: displayType } : {}))).toEqual({
        traits: [],
        issues: ["missing_value at attributes[0].value"],
      });
    },
  );
});

describe("dates", () => {
  it.each(["0", "-1", "-2208988800", "1546360800", "1546360800.0", "99999999999", "-99999999999"])(
    "keeps %s, whole seconds before or after 1970",
    (value) => {
      expect(read(entry({ display_type: '"date"', value })).traits).toMatchObject([{ value: Number(value) }]);
    },
  );

  it.each(["0.5", "1546360800.25", "1e11", "1546360800000", "-1e11", "1.7e308"])(
    "ignores %s: a fraction, or what must be milliseconds",
    (value) => {
      const { traits, issues } = read(entry({ display_type: '"date"', value }));

      expect({ traits, issues }).toEqual({ traits: [], issues: ["invalid_date at attributes[0].value"] });
    },
  );
});

describe("max_value", () => {
  const number = (value: string, maxValue: string) =>
    read(entry({ display_type: '"number"', value, max_value: maxValue }));

  it.each([
    { value: "5", max: "10" },
    { value: "5", max: "5" },
    { value: "-5", max: "-5" },
    { value: "-5", max: "0" },
    { value: "0.1", max: "0.1" },
  ])("is kept when $max is at least the value $value", ({ value, max }) => {
    expect(number(value, max)).toEqual({
      traits: [{ trait_type: "T", display_type: "number", value: Number(value), max_value: Number(max) }],
      issues: [],
    });
  });

  it.each(["4", "-6", "0.30", '"100"', "true", "[10]", "{}", '""', "1e999"])(
    "is ignored, and the entry kept, when it is %s",
    (max) => {
      expect(number("5", max)).toEqual({
        traits: [{ trait_type: "T", display_type: "number", value: 5 }],
        issues: ["invalid_max_value at attributes[0].max_value"],
      });
    },
  );

  it("counts as not given when it is null", () => {
    expect(number("5", "null")).toEqual({
      traits: [{ trait_type: "T", display_type: "number", value: 5 }],
      issues: [],
    });
  });

  it.each([
    { type: '"string"', value: '"5"' },
    { type: "null", value: '"5"' },
    { type: '"date"', value: "5" },
    { type: '"bool"', value: "true" },
  ])("is not read on an entry of display_type $type", ({ type, value }) => {
    const { traits, issues } = read(entry({ display_type: type, value, max_value: '"nonsense"' }));

    expect(traits).toHaveLength(1);
    expect(traits[0]).not.toHaveProperty("max_value");
    expect(issues).toEqual([]);
  });
});

describe("entries", () => {
  it.each(["null", "0", '"T"', "true", "[]", '[{"trait_type": "T", "value": "v"}]'])(
    "ignores %s, which is no object",
    (json) => {
      expect(read(json)).toEqual({ traits: [], issues: ["entry_not_object at attributes[0]"] });
    },
  );

  it.each([undefined, "null", '""', '" "', "0", "[]", "{}", "true"])(
    "ignores one whose trait_type is %s",
    (json) => {
      expect(read(json ? entry({ trait_type: json, value: '"v"' }) : '{"value": "v"}')).toEqual({
        traits: [],
        issues: ["missing_trait_type at attributes[0].trait_type"],
      });
    },
  );

  it("disregards every other key", () => {
    const { traits, issues } = read(
      entry({ value: '"v"', count: "7", order: '"first"', nested: '{"value": 1}' }),
    );

    expect({ traits, issues }).toEqual({
      traits: [{ trait_type: "T", display_type: "string", value: "v" }],
      issues: [],
    });
  });

  it("reads no key from the prototype, and makes none", () => {
    const { traits } = read('{"__proto__": {"trait_type": "T", "value": "v"}}');

    expect(traits).toEqual([]);
    expect(({} as Record<string, unknown>).trait_type).toBeUndefined();
  });

  it("keeps the valid ones in the document's order, equal ones twice", () => {
    const issues = createIssueList();
    const text = (value: string) => ({ trait_type: "T", value });

    const traits = readAttributes([text("b"), 1, text("a"), text("b")], issues);

    expect(traits.map(({ value }) => value)).toEqual(["b", "a", "b"]);
    expect(issues.list().map(({ path }) => path)).toEqual(["attributes[1]"]);
  });
});

it.each([
  { value: "text", text: "text" },
  { value: "", text: "" },
  { value: 0, text: "0" },
  { value: 1.5, text: "1.5" },
  { value: 1e21, text: "1e+21" },
  { value: false, text: "false" },
])("filters find $value by the text $text", ({ value, text }) => {
  expect(valueText(value)).toBe(text);
});
