/** Documents in data: URIs: every spelling that contracts use, within the limit of any document. */

import { describe, expect, it } from "vitest";
import { locate } from "../../../src/api/fetch/locate.ts";
import { abridged, readDataUri } from "../../../src/api/metadata/uri/data-uri.ts";
import { textOf, uris } from "./fixtures.ts";
import { read } from "./read-body.ts";

const LIMIT = 2 * 1024 * 1024;
const textIn = (uri: string): string => {
  const answer = readDataUri(uri, LIMIT);
  return answer.kind === "read" ? answer.body.toString() : answer.reason;
};
const base64 = (text: string): string => Buffer.from(text).toString("base64");

describe("the content", () => {
  it.each([
    { uri: `data:application/json;base64,${base64('{"name":"Zoë"}')}`, text: '{"name":"Zoë"}' },
    { uri: `DATA:;BASE64,${base64("{}")}`, text: "{}" },
    { uri: `data:application/json;charset=utf-8; base64 ,${base64("{}")}`, text: "{}" },
    { uri: `data:application/json;base64;charset=utf-8,${base64("{}")}`, text: "{}" },
    { uri: `data:application/json; base64 ;name=a.json;charset=utf-8,${base64("{}")}`, text: "{}" },
    { uri: "data:application/json;name=base64;base64=1;x;base64y,{}", text: "{}" },
    { uri: "data:;base64,eyJhIjoiPz8/In0", text: '{"a":"???"}' },
    { uri: "data:;base64,eyJhIjoiPz8_In0", text: '{"a":"???"}' },
    { uri: "data:;base64,e%33%30%3D", text: "{}" },
    { uri: "data:;base64, e3\n 0= ", text: "{}" },
    { uri: "data:,%7B%22a%22%3A%22%C3%A9%22%7d", text: '{"a":"é"}' },
    {
      uri: 'data:application/json;utf8,{"name":"Noun #39, 100% é +"}',
      text: '{"name":"Noun #39, 100% é +"}',
    },
    { uri: "data:,%zz%4%", text: "%zz%4%" },
    { uri: "data:,a,b;base64,c", text: "a,b;base64,c" },
    { uri: "data:application/json;base64x,{}", text: "{}" },
    { uri: "data:,", text: "" },
    { uri: "data:;base64,", text: "" },
  ])("of $uri is $text", ({ uri, text }) => {
    expect(textIn(uri)).toBe(text);
  });

  it("keeps bytes that are no text", () => {
    expect(readDataUri("data:,%ff%00%fe", LIMIT)).toEqual({
      kind: "read",
      body: Buffer.from([0xff, 0, 0xfe]),
    });
  });

  it.each([
    "data:",
    "data:application/json;base64",
    "data:;base64,{}",
    "data:;base64,e3=0",
    "data:;base64,é",
  ])("of %s is none", (uri) => {
    expect(textIn(uri)).toBe("invalid_uri");
  });

  it.each([
    ["base64", (bytes: number) => `data:;base64,${base64("x".repeat(bytes))}`],
    ["percent-encoded", (bytes: number) => `data:,${"%78".repeat(bytes)}`],
    ["plain", (bytes: number) => `data:,${"x".repeat(bytes)}`],
  ])("may hold 2 MiB when decoded, %s, and not a byte more", (_how, uriOf) => {
    expect(readDataUri(uriOf(LIMIT), LIMIT)).toMatchObject({ kind: "read", body: { length: LIMIT } });
    expect(readDataUri(uriOf(LIMIT + 1), LIMIT)).toEqual({
      kind: "refused",
      reason: "too_large",
      message: "the document has 2097153 bytes; the limit is 2097152",
    });
  });
});

describe("what public collections write", () => {
  const written = uris.map(textOf).filter((uri) => uri.startsWith("data:"));

  it("is read where data: is allowed, but for what is no JSON", () => {
    const names = written.map((uri) => {
      expect(locate(uri, [], new Set(["data"]))).toEqual({ kind: "inline" });
      const { metadata, failure } = read(Buffer.from(textIn(uri)));
      return metadata ? metadata.name : failure;
    });

    expect(names).toEqual([null, null, "invalid_json", "here for now", "Noun 39", "Bag #345", "Noun 35"]);
  });
});

describe("a URI that is kept", () => {
  it("is whole up to the limit, and beyond it says how much there was", () => {
    expect(abridged("data:,x", 7)).toBe("data:,x");
    const kept = abridged(`data:,${"x".repeat(10_000)}`, 8_192);
    expect(kept).toBe(`data:,${"x".repeat(194)}… (10006 characters)`);
  });
});
