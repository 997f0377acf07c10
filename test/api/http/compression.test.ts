import { describe, expect, it } from "vitest";
import { allowsEncoding, encodingOf } from "../../../src/api/http/compression.ts";

describe("the encoding of an answer", () => {
  it.each([
    [undefined, undefined],
    ["", undefined],
    ["identity", undefined],
    ["deflate", undefined],
    ["gzip", "gzip"],
    ["br", "br"],
    ["gzip, deflate, br, zstd", "br"],
    ["br;q=0.1, gzip;q=0.2", "gzip"],
    ["BR ; Q=1", "br"],
    ["*", "br"],
    ["br;q=0, *", "gzip"],
    ["gzip;q=0", undefined],
    ["*;q=0", undefined],
    ["br;q=x, gzip", "gzip"],
    [";;;,,,", undefined],
  ])("for %j is %s", (accepted, encoding) => {
    expect(encodingOf(accepted)).toBe(encoding);
  });
});

it.each([
  ["br, gzip", true],
  ["*", true],
  ["gzip;q=0", false],
  ["gzip;q=0, *", false],
  ["gzipped", false],
  [undefined, false],
])("%j allows gzip: %s", (accepted, isAllowed) => {
  expect(allowsEncoding(accepted, "gzip")).toBe(isAllowed);
});
