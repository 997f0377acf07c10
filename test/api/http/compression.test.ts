import { describe, expect, it } from "vitest";
import { encodingOf } from "../../../src/api/http/compression.ts";

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
