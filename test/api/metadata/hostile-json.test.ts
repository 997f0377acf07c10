/** JSON written to break parsers: a document or a failure, never an exception, a hang or a changed prototype. */

import { describe, expect, it } from "vitest";
import { readDocument } from "../../../src/api/metadata/uri/resolve.ts";
import { both, bytes, HEX_ID, ID, read, SOUND } from "./read-body.ts";

const BYTES_MAX = 2 * 1024 * 1024;

describe("depth", () => {
  const nested = (depth: number) => "[".repeat(depth) + "]".repeat(depth);
  const objects = (depth: number) => `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`;

  it.each([10_000, 100_000, 500_000])("of %d levels is read by either standard", (depth) => {
    for (const result of both(bytes(`{${SOUND}, "deep": ${nested(depth)}}`)))
      expect(result).toMatchObject({ metadata: { name: "n" }, codes: [] });
    for (const result of both(bytes(`{${SOUND}, "attributes": ${nested(depth)}}`)))
      expect(result).toMatchObject({ metadata: { traits: [] }, codes: ["entry_not_object"] });
    for (const result of both(bytes(`{${SOUND}, "properties": {"P": ${nested(depth)}}}`)))
      expect(result).toMatchObject({ metadata: { traits: [] }, codes: ["invalid_property"] });
  });

  it("of objects, too, and instead of every field", () => {
    const bomb = objects(20_000);

    for (const field of [
      "name",
      "image",
      "description",
      "attributes",
      "properties",
      "video",
      "animation_url",
    ])
      for (const result of both(bytes(`{"${field}": ${bomb}}`))) expect(result).toHaveProperty("metadata");
    for (const part of ["trait_type", "value", "display_type", "max_value"])
      for (const result of both(bytes(`{"attributes": [{"${part}": ${bomb}}]}`)))
        expect(result).toHaveProperty("metadata.traits", []);
  });

  it("at the root or without an end is refused", () => {
    for (const result of both(bytes(nested(500_000))))
      expect(result).toMatchObject({ failure: "not_an_object" });
    for (const result of both(bytes("[".repeat(BYTES_MAX))))
      expect(result).toMatchObject({ failure: "invalid_json" });
    for (const result of both(bytes('{"a":'.repeat(400_000))))
      expect(result).toMatchObject({ failure: "invalid_json" });
  });

  it("does not hide {id} from its replacement", () => {
    const body = bytes(
      `{${SOUND}, "deep": ${"[".repeat(100_000)}"{id}"${"]".repeat(100_000)}, "description": "{id}"}`,
    );

    expect(read(body, ID)).toMatchObject({ metadata: { description: HEX_ID } });
  });
});

describe("keys", () => {
  it("of another text, with a backslash, don't become this document's (nodejs/node#63785)", () => {
    const maker = bytes(`{${SOUND}, "properties": {"Type": "x", "\\u5c5e\\u6027": "ice"}}`);
    JSON.parse(`{"name":"n","image":"i","properties":{"Type":"x","\\\\u":1}}`);
    JSON.parse(`{${SOUND}, "properties": {"Type": "x", "\\\\u": 1}}`);

    expect(read(maker)).toMatchObject({
      metadata: { traits: [{ trait_type: "Type" }, { trait_type: "属性" }] },
    });
  });

  it("of every object's prototype are keys like any other, and change no prototype", () => {
    const keys = [
      "__proto__",
      "constructor",
      "prototype",
      "toString",
      "valueOf",
      "hasOwnProperty",
      "then",
      "toJSON",
    ];
    const stolen =
      '{"name": "stolen", "image": "stolen", "trait_type": "stolen", "value": "stolen", "polluted": "{id}"}';

    for (const key of keys) {
      for (const result of both(bytes(`{"${key}": ${stolen}, "attributes": [{"${key}": ${stolen}}]}`))) {
        expect(result).toMatchObject({
          metadata: { name: null, image: null, traits: [] },
          codes: ["missing_name", "missing_image", "missing_trait_type"],
        });
      }
    }
    for (const inert of [{}, [], () => {}, "", 0]) expect(inert).not.toHaveProperty("polluted");
    expect(Object.getOwnPropertyNames(Object.prototype)).not.toContain("name");
  });

  it("named __proto__ keep their text, with {id} replaced", () => {
    const body = bytes(`{${SOUND}, "properties": {"__proto__": "{id}", "constructor": "c"}}`);

    expect(read(body, ID)).toMatchObject({
      metadata: {
        traits: [
          { trait_type: "__proto__", value: HEX_ID },
          { trait_type: "constructor", value: "c" },
        ],
      },
    });
  });

  it("that come twice count by their last value", () => {
    expect(
      read(
        bytes('{"name": "a", "image": "https://i.example", "name": "b", "attributes": 1, "attributes": []}'),
      ),
    ).toMatchObject({
      metadata: { name: "b" },
      codes: [],
    });
    expect(read(bytes('{"name": "a", "image": "https://i.example", "name": null}'))).toMatchObject({
      codes: ["missing_name"],
    });
  });

  it("by the hundred thousand are read in one pass", () => {
    const many = Array.from({ length: 100_000 }, (_, index) => `"${index}k":"v"`).join();

    expect(read(bytes(`{${SOUND}, "properties": {${many}}}`), ID)).toMatchObject({
      codes: ["too_many_traits"],
    });
  });

  it("that are left out are named in few words", () => {
    const answer = readDocument(
      bytes(`{${SOUND}, "properties": {"${"k".repeat(100_000)}": null, "\\u0000\\ud800": null}}`),
      "",
    );

    if (answer.kind === "failed") throw new Error(answer.message);
    expect(answer.document.issues.map(({ path }) => path)).toEqual([
      `properties.${"k".repeat(80)}…`,
      "properties.\ufffd\ufffd",
    ]);
  });

  it("of display types are repeated in few words", () => {
    const entry = `{"trait_type": "T", "value": "v", "display_type": "${"d".repeat(100_000)}"}`;
    const answer = readDocument(bytes(`{${SOUND}, "attributes": [${entry}]}`), "");

    if (answer.kind === "failed") throw new Error(answer.message);
    expect(answer.document.issues[0]?.message.length).toBeLessThan(200);
  });
});

describe("numbers", () => {
  const entry = (value: string, more = "") =>
    bytes(
      `{${SOUND}, "attributes": [{"trait_type": "N", "display_type": "number", "value": ${value}${more}}]}`,
    );

  it.each([
    { json: "1e999", kept: undefined },
    { json: "-1e999", kept: undefined },
    { json: "1e308", kept: 1e308 },
    { json: "5e-324", kept: 5e-324 },
    { json: "1e-999", kept: 0 },
    { json: "9007199254740993", kept: 9007199254740992 },
    { json: "9".repeat(300), kept: 1e300 },
    { json: "9".repeat(400), kept: undefined },
    { json: `0.${"1".repeat(100_000)}`, kept: 0.1111111111111111 },
  ])("$json is kept as the double it is, or left out", ({ json, kept }) => {
    const { metadata, codes } = read(entry(json));

    expect(metadata?.traits.map(({ value }) => value)).toEqual(kept === undefined ? [] : [kept]);
    const isExact = kept === 5e-324;
    expect(codes).toEqual(kept === undefined ? ["value_mismatch"] : isExact ? [] : ["number_precision"]);
  });

  it("-0 is stored and filtered as 0, and shown as it is written in properties", () => {
    expect(JSON.stringify(read(entry("-0")).metadata?.traits)).toContain('"value":0');
    expect(read(bytes(`{${SOUND}, "properties": {"N": -0}}`))).toMatchObject({
      metadata: { traits: [{ value: "-0" }] },
    });
  });

  it("beyond every double are no ceiling", () => {
    expect(read(entry("1", ', "max_value": 1e999'))).toMatchObject({
      metadata: { traits: [{ value: 1 }] },
      codes: ["invalid_max_value"],
    });
  });

  it.each(["NaN", "Infinity", "-Infinity", "0x10", "01", "+1", ".5", "1.", "1e", "1_000"])(
    "%s is no JSON",
    (json) => {
      expect(read(entry(json))).toMatchObject({ failure: "invalid_json" });
    },
  );
});

describe("size", () => {
  const filled = (count: number, part: string) =>
    bytes(JSON.stringify({ name: part.repeat(count), image: "https://i.example" }));
  const growth = HEX_ID.length - "{id}".length;
  const fitting = Math.floor((BYTES_MAX - 30) / (growth + 4));

  it("with {id} replaced is read up to 2 MiB and refused above", () => {
    const { length } = JSON.stringify({ name: "", image: "https://i.example" });
    const exact = (BYTES_MAX - length) % HEX_ID.length;
    const body = (pad: number) =>
      bytes(
        JSON.stringify({
          name: "{id}".repeat((BYTES_MAX - length - exact) / HEX_ID.length) + "a".repeat(pad),
          image: "https://i.example",
        }),
      );

    expect(read(body(exact), ID)).toMatchObject({ codes: [] });
    expect(read(body(exact + 1), ID)).toMatchObject({ failure: "too_large" });
    expect(read(body(exact + 1))).toMatchObject({ codes: [] });
  });

  it("counts {id} however it is written", () => {
    expect(read(filled(fitting * 2, "{id}"), ID)).toMatchObject({ failure: "too_large" });
    const escaped = `{"name": "${"\\u007bid}".repeat(fitting * 2)}", "image": "https://i.example"}`;
    expect(read(bytes(escaped), ID)).toMatchObject({ failure: "too_large" });
  });

  it("of 2 MiB is read whatever it is made of", () => {
    for (const part of ["[],", "{},", '"",', "0,", '{"a":0},', "[[[[[[[[]]]]]]]],", '"{id",']) {
      const items = part.repeat((BYTES_MAX - 64) / part.length).replace(/,$/, "");
      for (const result of both(bytes(`{${SOUND}, "attributes": [${items}]}`)))
        expect(result).toMatchObject({ metadata: { traits: [] } });
    }
  });
});
