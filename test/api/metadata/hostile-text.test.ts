/** Hostile characters, encodings and near-JSON: parsed by RFC 8259, or refused with a reason. */

import { describe, expect, it } from "vitest";
import { both, bytes, read, SOUND } from "./read-body.ts";

describe("text", () => {
  it("with NUL, lone surrogates and every control character is kept as PostgreSQL takes it", () => {
    const body = bytes(
      `{"name": "a\\u0000b\\ud800c\\udc00", "image": "\\ud83d\\ude00", "description": "\\u0001\\u2028"}`,
    );

    for (const result of both(body)) {
      expect(result).toMatchObject({
        metadata: { name: "a\ufffdb\ufffdc\ufffd", image: "😀", description: "\u0001\u2028" },
      });
    }
  });

  it.each(["\u0000", "\u0001", "\n", "\t"])("with a bare %j inside a string is no JSON", (character) => {
    expect(read(bytes(`{"name": "a${character}b"}`))).toMatchObject({ failure: "invalid_json" });
  });

  it("may start with one byte order mark and no more", () => {
    expect(read(bytes(`\ufeff{${SOUND}}`))).toMatchObject({ codes: [] });
    expect(read(bytes(`\ufeff\ufeff{${SOUND}}`))).toMatchObject({ failure: "invalid_json" });
  });
});

describe("encodings", () => {
  const text = `{"name": "Zo\u00eb", "image": "https://i.example"}`;
  const utf16be = Buffer.from(`\ufeff${text}`, "utf16le").swap16();

  it.each([
    { what: "latin1", body: bytes(text, "latin1"), says: "it is not UTF-8 (byte 12 is 0xeb)" },
    {
      what: "UTF-16, little end first",
      body: bytes(`\ufeff${text}`, "utf16le"),
      says: "its byte order mark says UTF-16",
    },
    { what: "UTF-16, big end first", body: utf16be, says: "its byte order mark says UTF-16" },
    {
      what: "overlong UTF-8",
      body: Buffer.concat([bytes('{"a": "'), Buffer.from([0xc0, 0xaf]), bytes('"}')]),
      says: "byte 7 is 0xc0",
    },
    {
      what: "a surrogate in UTF-8",
      body: Buffer.concat([bytes('{"a": "'), Buffer.from([0xed, 0xa0, 0x80]), bytes('"}')]),
      says: "byte 7 is 0xed",
    },
    { what: "a character cut in two", body: bytes('{"a": "\u00eb').subarray(0, 8), says: "byte 7 is 0xc3" },
    {
      what: "a bad byte behind a real U+FFFD",
      body: Buffer.concat([bytes('{"a": "\ufffd'), Buffer.from([0xff])]),
      says: "byte 10 is 0xff",
    },
  ])("$what is refused, and the first bad byte named", ({ body, says }) => {
    for (const result of both(body)) {
      expect(result).toMatchObject({ failure: "invalid_json", message: expect.stringContaining(says) });
    }
  });

  it("U+FFFD that the owner wrote is a character like any other", () => {
    expect(read(bytes('{"name": "\ufffd", "image": "https://i.example"}'))).toMatchObject({
      metadata: { name: "\ufffd" },
    });
  });
});

describe("what only looks like JSON", () => {
  it.each([
    "{'name': 'n'}",
    '{"name": "n",}',
    '{name: "n"}',
    '{"name": "n"} // comment',
    '/* comment */ {"name": "n"}',
    '{"name": "n"}\n{"name": "n"}',
    ")]}',\n{}",
    'callback({"name": "n"})',
    "<!doctype html><title>Just a moment...</title>",
    "\u0000",
    "undefined",
  ])("%j is refused with a message that can be stored", (text) => {
    for (const result of both(bytes(text))) {
      expect(result).toMatchObject({ failure: "invalid_json" });
      expect(result.message).not.toContain("\u0000");
      expect(result.message?.length).toBeLessThan(300);
    }
  });
});
