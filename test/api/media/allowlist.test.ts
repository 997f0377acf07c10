/** The format of allowlist entries, and the hosts that each covers. */

import { describe, expect, it } from "vitest";
import { hostMatches, parseHostPattern } from "../../../src/api/media/display/host-pattern.ts";

describe("entries", () => {
  it.each([
    { text: "example.com", pattern: "example.com" },
    { text: "CDN.Example.COM", pattern: "cdn.example.com" },
    { text: "example.com:8443", pattern: "example.com:8443" },
    { text: "*.example.com", pattern: "*.example.com" },
    { text: "*.example.com:8443", pattern: "*.example.com:8443" },
    { text: "localhost:3000", pattern: "localhost:3000" },
    { text: "127.0.0.1:3000", pattern: "127.0.0.1:3000" },
    { text: "xn--bcher-kva.example", pattern: "xn--bcher-kva.example" },
  ])("$text is kept as $pattern", ({ text, pattern }) => {
    expect(parseHostPattern(text)).toBe(pattern);
  });

  it.each([
    "",
    " ",
    "*",
    "*.",
    "**.example.com",
    "*example.com",
    "cdn.*.example.com",
    "example.*",
    "https://example.com",
    "example.com/",
    "example.com/path",
    "user@example.com",
    ".example.com",
    "example..com",
    "example.com.",
    "example.com:",
    "example.com:port",
    "example.com:123456",
    "example.com:65536",
    "example.com:0443",
    "127.1",
    "1.2.3.999",
    " example.com",
    "example.com\n",
    "a,b",
    "b\u00fccher.example",
  ])("%j is refused", (text) => {
    expect(parseHostPattern(text)).toBeUndefined();
  });
});

describe("coverage", () => {
  it.each([
    {
      pattern: "example.com",
      covers: ["example.com"],
      not: ["cdn.example.com", "example.com:8443", "example.co"],
    },
    {
      pattern: "example.com",
      covers: [],
      not: ["evilexample.com", "example.com.evil.net", "example.com.", ""],
    },
    { pattern: "example.com:8443", covers: ["example.com:8443"], not: ["example.com", "example.com:443"] },
    {
      pattern: "*.example.com",
      covers: ["cdn.example.com", "a.b.example.com"],
      not: ["example.com", ".example.com"],
    },
    {
      pattern: "*.example.com",
      covers: [],
      not: ["evilexample.com", "cdn.example.com.evil.net", "example.com.evil"],
    },
    {
      pattern: "*.example.com",
      covers: [],
      not: ["cdn.example.com:8443", "*.example.org", "cdn.example.com."],
    },
    {
      pattern: "*.example.com:8443",
      covers: ["cdn.example.com:8443"],
      not: ["cdn.example.com", "example.com:8443"],
    },
  ])("$pattern covers $covers and not $not", ({ pattern, covers, not }) => {
    expect(covers.filter((host) => !hostMatches(pattern, host))).toEqual([]);
    expect(not.filter((host) => hostMatches(pattern, host))).toEqual([]);
  });
});
