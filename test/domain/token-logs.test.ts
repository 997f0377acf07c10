/** Decoding ends without throwing, whatever a log contains. */

import fc from "fast-check";
import { encodeAbiParameters, type Hex, toHex, zeroAddress } from "viem";
import { describe, expect, it } from "vitest";
import {
  readBatch,
  readConsecutive,
  readSingle,
  readTransfer,
  readUriToken,
} from "../../src/domain/token-logs.ts";
import { UINT256_MAX } from "../../src/domain/token-ref.ts";

const FROM = `0x${"a".repeat(40)}` as const;
const TO = `0x${"b".repeat(40)}` as const;
const word = (value: bigint | string): Hex => toHex(BigInt(value), { size: 32 });
const data = (...words: (bigint | string)[]): Hex => `0x${words.map((each) => word(each).slice(2)).join("")}`;
const log = (indexed: (bigint | string)[], rest: Hex = "0x") => ({
  topics: ["0x", ...indexed.map(word), null, null, null].slice(0, 4),
  data: rest,
});

describe("Transfer", () => {
  it.each([
    ["all indexed", log([FROM, TO, 7n])],
    ["the id in the data (AxieCore)", log([FROM, TO], data(7n))],
    ["nothing indexed (CryptoKitties)", log([], data(FROM, TO, 7n))],
    ["the id alone indexed", log([7n], data(FROM, TO))],
  ])("is read with %s", (_layout, each) => {
    expect(readTransfer(each)).toEqual({ from: FROM, to: TO, tokenId: 7n, quantity: 1n });
  });

  it.each([
    ["no data", log([FROM, TO])],
    ["data of 31 bytes", log([FROM, TO], `0x${"00".repeat(31)}`)],
    ["an address of 32 bytes", log([], data(UINT256_MAX, TO, 7n))],
  ])("with %s is not", (_fault, each) => {
    expect(readTransfer(each)).toBeUndefined();
  });
});

const arrays = [{ type: "uint256[]" }, { type: "uint256[]" }] as const;
const fromTo = [FROM, FROM, TO];

describe("TransferBatch", () => {
  it("is read with its addresses indexed, and with none", () => {
    const expected = { from: FROM, to: TO, ids: [1n, UINT256_MAX], values: [3n, 4n] };
    const [ids, values] = [expected.ids, expected.values];
    expect(readBatch(log(fromTo, encodeAbiParameters(arrays, [ids, values])))).toEqual(expected);
    const types = [{ type: "address" }, { type: "address" }, { type: "address" }, ...arrays] as const;
    expect(readBatch(log([], encodeAbiParameters(types, [FROM, FROM, TO, ids, values])))).toEqual(expected);
  });

  it.each([
    ["no data", "0x"],
    ["one array", encodeAbiParameters([{ type: "uint256[]" }], [[1n]])],
    ["more ids than values", encodeAbiParameters(arrays, [[1n, 2n], [1n]])],
    ["offsets beyond its end", data(2n ** 200n, 2n ** 255n)],
    ["an array of 2^256-1 ids", data(64n, 96n, UINT256_MAX, 0n)],
    ["an array of a million ids that are not there", data(64n, 64n, 1_000_000n, 1n)],
    ["offsets that point at themselves", data(32n, 32n)],
  ] as const)("with %s is not", (_fault, rest) => {
    expect(readBatch(log(fromTo, rest))).toBeUndefined();
  });
});

describe("ConsecutiveTransfer", () => {
  it.each([
    ["as ERC-2309 has it", log([0n, zeroAddress, TO], data(0n))],
    ["with nothing indexed", log([], data(0n, 0n, zeroAddress, TO))],
  ])("is read %s", (_layout, each) => {
    expect(readConsecutive(each)).toEqual({ first: 0n, last: 0n, from: zeroAddress, to: TO });
  });

  it("without its last id is not", () => {
    expect(readConsecutive(log([0n, zeroAddress, TO]))).toBeUndefined();
  });
});

describe("URI", () => {
  const string = encodeAbiParameters([{ type: "string" }], ["ipfs://x"]);
  it.each([
    ["the id indexed", log([7n], string)],
    ["the id indexed and a string that can't be read", log([7n], data(2n ** 255n))],
    ["both indexed", log([1n, 7n])],
    ["the string indexed", log([2n ** 250n], data(7n))],
    ["nothing indexed", log([], encodeAbiParameters([{ type: "string" }, { type: "uint256" }], ["x", 7n]))],
  ])("names its token with %s", (layout, each) => {
    // A single word beside an indexed one is the id, whatever else it may have meant.
    const expected = layout.includes("can't be read") ? 2n ** 255n : 7n;
    expect(readUriToken(each)).toBe(expected);
  });

  it("without anything names none", () => {
    expect(readUriToken(log([]))).toBeUndefined();
  });
});

it("nothing is thrown for any topics and any data", () => {
  const words = fc.oneof(fc.bigInt(0n, UINT256_MAX), fc.bigInt(0n, 200n));
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 200 }).map((each) => toHex(each)),
    fc.array(words, { maxLength: 12 }).map((each) => data(...each)),
  );
  fc.assert(
    fc.property(fc.array(words, { maxLength: 3 }), bytes, (indexed, rest) => {
      const each = log(indexed, rest);
      for (const read of [readTransfer, readSingle, readConsecutive, readUriToken]) read(each);
      const batch = readBatch(each);
      expect((batch?.ids.length ?? 0) * 64).toBeLessThanOrEqual(rest.length);
    }),
    { numRuns: 2_000 },
  );
});
