/** Numbers as documents write them: what is shown, what is stored, and which issues their owner sees. */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isExact, numberSources } from "../../../src/api/metadata/document/number-source.ts";
import { readDocument } from "../../../src/api/metadata/uri/resolve.ts";
import { plainJson } from "../../../src/api/text/plain-json.ts";
import { bytes, ID, read, SOUND } from "./read-body.ts";

const RUNS = { numRuns: 2_000 };
const BYTES_MAX = 2 * 1024 * 1024;

/** The displayed value of a property, or undefined if it is left out. */
const shown = (json: string) =>
  read(bytes(`{${SOUND}, "properties": {"P": ${json}}}`)).metadata?.traits[0]?.value;
function entry(fields: string) {
  const answer = readDocument(bytes(`{${SOUND}, "attributes": [{"trait_type": "N", ${fields}}]}`), "");
  if (answer.kind === "failed") throw new Error(answer.message);
  const { metadata, issues } = answer.document;
  return {
    trait: metadata.traits[0],
    issues: issues.map(({ code, path }) => `${code} at ${path}`),
    all: issues,
  };
}
const number = (json: string) => entry(`"display_type": "number", "value": ${json}`);

describe("a property", () => {
  it.each([
    ["12345678901234567890"],
    ["9007199254740993"],
    ["115792089237316195423570985008687907853269984665640564039457584007913129639935"],
    ["1.10"],
    ["5.0"],
    ["-1.50"],
    ["1e3"],
    ["1E+3"],
    ["-0"],
    ["-0.0"],
    ["0"],
    ["0.1"],
    ["0.0000001"],
    ["0.1234567890123456789012"],
    ["1e-999"],
    [`1${"0".repeat(99)}`],
  ])("of %s is shown as it is written", (json) => {
    expect(shown(json)).toBe(json);
    expect(read(bytes(`{${SOUND}, "properties": {"P": ${json}}}`)).codes).toEqual([]);
  });

  it.each([
    [`1${"0".repeat(100)}`, "1e+100", []],
    [`0.${"1".repeat(100_000)}`, "0.1111111111111111", ["number_precision"]],
    [`1.${"0".repeat(1_000_000)}`, "1", []],
  ])("of more than 100 characters is shown as the double", (json, text, codes) => {
    expect(read(bytes(`{${SOUND}, "properties": {"P": ${json}}}`))).toMatchObject({
      metadata: { traits: [{ value: text }] },
      codes,
    });
  });

  it("that no double holds is left out, as before", () => {
    expect(shown("1e999")).toBeUndefined();
    expect(shown("9".repeat(400))).toBeUndefined();
  });

  it("of a token of ERC-1155 is shown as it is written as well", () => {
    const body = bytes(`{${SOUND}, "properties": {"{id}": 1.10, "Id": "{id}", "Big": 12345678901234567890}}`);

    const values = read(body, ID).metadata?.traits.map(({ value }) => value);
    expect(values).toEqual(["1.10", expect.stringMatching(/4cce0$/), "12345678901234567890"]);
  });
});

describe("a number attribute", () => {
  it.each([
    ["9007199254740993", 9007199254740992],
    ["-9007199254740993", -9007199254740992],
    ["12345678901234567890", 12345678901234567000],
    ["0.1234567890123456789012", 0.12345678901234568],
    ["1e-999", 0],
    ["1.2345e-320", 1.2347e-320],
    ["1.00000000000000000001", 1],
    [`0.${"1".repeat(100_000)}`, 0.1111111111111111],
  ])("of %s keeps its double and reports both numbers", (json, kept) => {
    const { trait, issues, all } = number(json);

    expect(trait).toMatchObject({ value: kept });
    expect(issues).toEqual(["number_precision at attributes[0].value"]);
    expect(all[0]).toMatchObject({
      level: "warning",
      message: expect.stringMatching(new RegExp(` and kept as ${kept}[,;]`)),
    });
    expect(all[0]?.message).toContain(`written as ${json.slice(0, 80)}`);
    expect(all[0]?.message.length).toBeLessThan(200);
  });

  it.each([
    ["0"],
    ["-0"],
    ["0.1"],
    ["1.10"],
    ["5.0"],
    ["1e3"],
    ["0e99"],
    ["9007199254740991"],
    ["9007199254740992"],
    ["-9007199254740992"],
    ["9.007199254740992e15"],
    ["0.30000000000000004"],
    ["3.14159265358979"],
    ["5e-324"],
    [`1.${"0".repeat(1_000)}`],
  ])("of %s is kept as the number that it is, and nothing is said", (json) => {
    expect(number(json)).toMatchObject({ trait: { value: Number(json) }, issues: [] });
  });

  it.each([
    ["9007199254740994"],
    ["-9007199254740994"],
    ["1000000000000000000"],
    ["12345678901234567000"],
    ["1e23"],
    ["1.7976931348623157e308"],
  ])("of %s is beyond 2^53, which is reported although the number is kept exactly", (json) => {
    const { trait, issues, all } = number(json);

    expect(trait).toMatchObject({ value: Number(json) });
    expect(issues).toEqual(["number_precision at attributes[0].value"]);
    expect(all[0]).toMatchObject({ level: "warning", message: expect.stringContaining("beyond 2^53") });
    expect(entry(`"display_type": "number", "value": -1e99, "max_value": ${json}`).issues).toContain(
      "number_precision at attributes[0].max_value",
    );
  });

  it("reports its ceiling as of its value, and of neither when the entry or the ceiling is left out", () => {
    const big = "9007199254740993";

    expect(entry(`"display_type": "number", "value": 1, "max_value": ${big}`).issues).toEqual([
      "number_precision at attributes[0].max_value",
    ]);
    expect(entry(`"display_type": "number", "value": ${big}, "max_value": 1`).issues).toEqual([
      "number_precision at attributes[0].value",
      "invalid_max_value at attributes[0].max_value",
    ]);
    expect(entry(`"display_type": "bool", "value": ${big}`).issues).toEqual([
      "value_mismatch at attributes[0].value",
    ]);
  });

  it("reports a date whose fraction is too small for a double", () => {
    expect(entry('"display_type": "date", "value": 1700000000.00000000001')).toMatchObject({
      trait: { value: 1700000000 },
      issues: ["number_precision at attributes[0].value"],
    });
    expect(entry('"display_type": "date", "value": 1.7e9').issues).toEqual([]);
  });

  it("stands beside others in any order, each with its own text", () => {
    const level = (json: string) => `{"trait_type": "L", "display_type": "number", "value": ${json}}`;
    const body = bytes(`{${SOUND}, "attributes": [${["1", "9007199254740993", "2.50", "null"].map(level)}]}`);

    const answer = readDocument(body, "");

    expect(answer).toMatchObject({
      document: {
        metadata: { traits: [{ value: 1 }, { value: 9007199254740992 }, { value: 2.5 }] },
        issues: [
          { code: "number_precision", path: "attributes[1].value" },
          { code: "value_mismatch", path: "attributes[3].value" },
        ],
      },
    });
  });
});

describe("hostile documents", () => {
  const properties = (json: string) =>
    read(bytes(`{${SOUND}, "properties": {${json}}}`)).metadata?.traits.map(({ trait_type, value }) => [
      trait_type,
      value,
    ]);

  it("write equal keys, of which the last one counts, whatever it holds", () => {
    expect(properties('"P": 1.10, "P": 1.20')).toEqual([["P", "1.20"]]);
    expect(properties('"P": 1.10, "P": "text"')).toEqual([["P", "text"]]);
    expect(properties('"P": "text", "\\u0050": 1.30')).toEqual([["P", "1.30"]]);
    const twice = bytes(`{${SOUND}, "properties": {"P": 1.10}, "properties": {"Q": 1.50}}`);
    expect(read(twice).metadata?.traits).toMatchObject([{ trait_type: "Q", value: "1.50" }]);
  });

  it("name keys after what every object has", () => {
    expect(properties('"__proto__": 1.10, "constructor": 1e3, "toString": -0')).toEqual([
      ["__proto__", "1.10"],
      ["constructor", "1e3"],
      ["toString", "-0"],
    ]);
  });

  it("write text that looks like numbers, quotes and escapes", () => {
    const texts = ["1.10", '", 1.10', "\\", '\\"', '\\\\", "X": 1.10, "', "\u2028-0", "[-0]", ': 1e3, "'];
    const json = texts.map((text, index) => `"T${index}": ${JSON.stringify(text)}`);

    expect(properties([...json, '"N": 1.10'].join())).toEqual([
      ...texts.map((text, index) => [`T${index}`, text]),
      ["N", "1.10"],
    ]);
  });

  it("nest half a million arrays and objects around and beside a number", () => {
    const deep = `${"[".repeat(500_000)}1.10${"]".repeat(500_000)}`;
    expect(properties(`"P": 1.10, "Q": ${deep}`)).toEqual([["P", "1.10"]]);
    expect(
      read(bytes(`{${SOUND}, "deep": ${'{"a":'.repeat(200_000)}-0${"}".repeat(200_000)}}`), ID),
    ).toMatchObject({
      codes: [],
    });
  });

  it.each([
    ["numbers", "-0,"],
    ["long numbers", `${"1".repeat(64)},`],
    ["strings of backslashes", `"${"\\".repeat(512)}",`],
    ["quotes", '"\\"",'],
    ["exponents", "1e5,"],
    ["dots in a string", `"${",1.1.1.1".repeat(32)}",`],
    ["spaces", "-0           ,          "],
  ])("of 2 MiB of %s are read", (_what, part) => {
    const items = part.repeat((BYTES_MAX - 128) / part.length).replace(/,\s*$/, "");

    expect(properties(`"N": 1.10, "A": [${items}]`)).toEqual([["N", "1.10"]]);
  });

  it("of one string or one number as long as a document are read", () => {
    expect(properties(`"S": "${"\\\\".repeat(BYTES_MAX / 2 - 128)}", "N": 1.10`)).toHaveLength(2);
    expect(number(`1${"0".repeat(200_000)}1e-200001`)).toMatchObject({ trait: { value: 1 } });
  });
});

/** JSON text with numbers of every form, and whitespace wherever allowed. */
const digits = fc.string({ unit: fc.constantFrom(..."0123456789"), minLength: 1, maxLength: 24 });
const whole = digits.map((text) => text.replace(/^0+(?=\d)/, ""));
const numberText = fc
  .tuple(
    fc.constantFrom("", "-"),
    whole,
    fc.oneof(
      fc.constant(""),
      digits.map((text) => `.${text}`),
    ),
    fc.oneof(
      { weight: 3, arbitrary: fc.constant("") },
      fc.tuple(fc.constantFrom("e", "E", "e+", "e-"), fc.nat(320)).map(([e, power]) => `${e}${power}`),
    ),
  )
  .map((parts) => parts.join(""));

describe("for every document", () => {
  it("the values are those of JSON.parse, and each number's source names it", () => {
    const json = fc.letrec<{ value: string }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        numberText,
        fc.oneof(fc.string(), fc.string({ unit: "binary" }), numberText).map((text) => JSON.stringify(text)),
        fc.constantFrom("true", "false", "null"),
        fc.array(tie("value"), { maxLength: 4 }).map((items) => `[${items.join(" , ")}]`),
        fc
          .array(fc.tuple(fc.oneof(fc.string(), fc.constantFrom("a", "__proto__")), tie("value")), {
            maxLength: 4,
          })
          .map((pairs) => `{${pairs.map(([key, item]) => `${JSON.stringify(key)} :\n${item}`).join()}}`),
      ),
    })).value;
    const same = (value: unknown, source: unknown): boolean => {
      if (typeof value === "number")
        return Object.is(Number(source), value) || (value === 0 && Number(source) === 0);
      if (typeof value !== "object" || value === null) return value === source;
      const keys = Object.keys(value);
      const at = (from: unknown, key: string): unknown => (from as Record<string, unknown>)[key];
      return (
        JSON.stringify(Object.keys(source as object)) === JSON.stringify(keys) &&
        keys.every((key) => same(at(value, key), at(source, key)))
      );
    };

    fc.assert(
      fc.property(json, (text) => {
        const read = plainJson(`[${text}]`);
        expect(same(read.value, numberSources(read))).toBe(true);
      }),
      RUNS,
    );
  });

  it("a property shows the very text of its number", () => {
    fc.assert(
      fc.property(
        numberText.filter((text) => Number.isFinite(Number(text))),
        fc.constantFrom("", " ", "\n\t"),
        (text, space) => {
          expect(shown(`${space}${text}${space}`)).toBe(text);
        },
      ),
      RUNS,
    );
  });

  it("a number is exact where exact arithmetic says that its double is shown as what was written", () => {
    /** The number times 10^400, without rounding. */
    const scaled = (text: string): bigint => {
      const [, sign, wholePart = "", fraction = "", power = "0"] =
        /^(-?)(\d+)\.?(\d*)[eE]?([+-]?\d*)$/.exec(text) ?? [];
      const value = BigInt(wholePart + fraction) * 10n ** BigInt(400 + Number(power) - fraction.length);
      return sign ? -value : value;
    };

    fc.assert(
      fc.property(
        numberText.filter((text) => Number.isFinite(Number(text))),
        (text) => {
          const kept = Number(text);
          expect(isExact(text, kept)).toBe(scaled(text) === scaled(String(kept)));
        },
      ),
      RUNS,
    );
  });

  it("of strings and plain numbers nothing is read twice", () => {
    fc.assert(
      fc.property(fc.array(fc.integer()), fc.array(fc.integer({ min: -999_999, max: 999_999 })), (a, b) => {
        const value = { a, b: b.map((each) => each / 100), name: "Hero", image: "https://img.example/1.png" };
        const read = plainJson(JSON.stringify(value));
        expect(numberSources(read)).toBe(read.value);
      }),
      RUNS,
    );
  });
});
