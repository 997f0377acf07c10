import { describe, expect, it } from "vitest";
import { parseUrl } from "../../../src/api/text/parse-url.ts";

describe("a URL", () => {
  it("is parsed the same however often it was before", () => {
    // What V8 optimises after some thousand calls once went wrong with such a host.
    const hosts = Array.from({ length: 20_000 }, () => parseUrl("https://b\u00fccher.example/")?.host);

    expect(new Set(hosts)).toEqual(new Set(["xn--bcher-kva.example"]));
  });

  it.each(["", "b\u00fccher", "https://", "https://a b/", "//host/path"])(
    "that can't be parsed is none: %j",
    (text) => {
      expect(parseUrl(text)).toBeUndefined();
    },
  );

  it("may be relative to another", () => {
    expect(parseUrl("../b", "https://x.example/a/c")?.href).toBe("https://x.example/b");
  });
});
