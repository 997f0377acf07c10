/** Identifiers of contracts and tokens: one spelling each, or none. */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  collectionKey,
  parseAddress,
  parseCollectionKey,
  parseTokenId,
  tokenKey,
  UINT256_MAX,
} from "../../src/domain/token-ref.ts";

const ADDRESS = "0xabcdef0123456789abcdef0123456789abcdef01";

describe("addresses", () => {
  it.each([ADDRESS, `0x${ADDRESS.slice(2).toUpperCase()}`, "0xAbCdEf0123456789aBcDeF0123456789AbCdEf01"])(
    "reads %s in lower case",
    (text) => {
      expect(parseAddress(text)).toBe(ADDRESS);
    },
  );

  it.each([
    "",
    "0x",
    ADDRESS.slice(2),
    ADDRESS.slice(0, -1),
    `${ADDRESS}0`,
    ADDRESS.replace("0x", "0X"),
    ADDRESS.replace("a", "g"),
    ` ${ADDRESS}`,
    `${ADDRESS}\n`,
    "vitalik.eth",
  ])("refuses %j", (text) => {
    expect(parseAddress(text)).toBeUndefined();
  });
});

describe("token ids", () => {
  it.each([
    "",
    " 1",
    "1 ",
    "1\n",
    "01",
    "00",
    "-1",
    "+1",
    "-0",
    "1.0",
    "1e3",
    "0x1",
    "1_000",
    "1,000",
    "١",
    "NaN",
    String(2n ** 256n),
    "9".repeat(78),
    "1".repeat(80),
  ])("refuses %j", (text) => {
    expect(parseTokenId(text)).toBeUndefined();
  });

  it("reads every uint256 from its decimal text, both ends included", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: UINT256_MAX }), (id) => {
        expect(parseTokenId(String(id))).toBe(id);
      }),
      { examples: [[0n], [UINT256_MAX]] },
    );
  });

  it("has one text per id: what is read is written the same", () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[-+ 0-9.exX]{0,80}$/), (text) => {
        const id = parseTokenId(text);
        expect(id === undefined || String(id) === text).toBe(true);
      }),
    );
  });
});

describe("keys", () => {
  it.each([
    ["a configured collection", collectionKey({ chainId: 1, address: "0xa" }), "1:0xa"],
    ["the collection of a row", collectionKey({ chainId: 1, collection: "0xa" }), "1:0xa"],
    ["a token", tokenKey({ chainId: 1, collection: "0xa", tokenId: "0" }), "1:0xa:0"],
  ])("name %s", (_what, key, expected) => {
    expect(key).toBe(expected);
  });

  it.each([
    ["1:0xa", { chainId: 1, address: "0xa" }],
    ["1", { chainId: 1, address: "" }],
    ["", { chainId: 0, address: "" }],
    ["a:0xa:b", { chainId: Number.NaN, address: "0xa" }],
  ])("%j is taken apart, whatever it says", (key, parts) => {
    expect(parseCollectionKey(key)).toEqual(parts);
  });
});
