import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { makeKey } from "../../../src/api/access/keys/keys.ts";
import { hideUrl, redactSecrets, redactText } from "../../../src/api/logging/redact.ts";
import { createMemoryLogger } from "../../support/processes/worker.ts";

const { key, start } = makeKey();

describe("text that is logged", () => {
  it.each([
    ["a key by itself", key, `${start}…`],
    ["a key in a sentence", `the key ${key} was refused`, `the key ${start}… was refused`],
    ["a key in a query", `/market?apiKey=${key}&chain_id=1`, "/market?apiKey=…&chain_id=1"],
    ["text in the place of a key", "/market?apiKey=hunter2", "/market?apiKey=…"],
    ["a header", "X-API-Key: hunter2", "X-API-Key: …"],
    ["a bearer token", "authorization: Bearer hunter2hunter2", "authorization: …"],
    ["a password", "Authorization: Basic dXNlcjpw YXNz\nnext: line", "Authorization: …\nnext: line"],
    ["a bearer token in a sentence", "it sent Bearer hunter2hunter2 twice", "it sent Bearer … twice"],
    ["a cookie", "cookie: vitrine_session=abc.def", "cookie: …"],
    ["several cookies", "Cookie: a=hunter2; b=hunter3", "Cookie: …"],
    ["a header in JSON", '{"cookie":"a=1; b=hunter2","host":"x"}', '{"cookie":…,"host":"x"}'],
    [
      "a header in JSON in a string",
      '"{\\"authorization\\":\\"Basic hunter2\\"}"',
      '"{\\"authorization\\":…',
    ],
    ["a login link", `/console/login/vl_${"ab".repeat(32)}`, "/console/login/vl_ababab…"],
    ["a ciphertext in a row that PostgreSQL refuses", `(1, \\x${"ab".repeat(40)}, x)`, "(1, \\x…, x)"],
  ])("keeps nothing of %s", (_what, text, redacted) => {
    expect(redactText(text)).toBe(redacted);
  });

  it("keeps what is no secret", () => {
    const text =
      "vk_ is a prefix; 0x5fbdb2315678afecb367f032d93f642f64180aa3 an address; ?chain_id=1 a query";

    expect(redactText(text)).toBe(text);
  });
});

describe("a URL that is hidden", () => {
  const secret = "0123456789abcdef0123";
  it.each([
    [`https://rpc.example/v3/${secret}`, `https://rpc.example/v3/${secret}`, "https://rpc.example/…"],
    [`https://RPC.example/v3/${secret}`, `https://rpc.example/v3/${secret}`, "https://rpc.example/…"],
    ["https://rpc.example/v2?k=hunter2", "https://rpc.example/v2?k=hunter2", "https://rpc.example/…"],
    [
      "https://me:hunter2@rpc.example:8545",
      "https://me:hunter2@rpc.example:8545",
      "https://rpc.example:8545",
    ],
    ["https://me:hunter2@rpc.example/v3", "https://rpc.example/v3", "https://rpc.example/…"],
    [`https://rpc.example/v3/${secret}`, `Cannot POST /v3/${secret}`, "Cannot POST …"],
    [`https://rpc.example/v3/${secret}?chain=1`, `no project ${secret}`, "no project …"],
    [`https://rpc.example/?k=${secret}`, `the key "${secret}" has ended`, 'the key "…" has ended'],
    [
      `https://rpc.example/ethereum-mainnet/${secret}`,
      "ethereum-mainnet.example is down",
      "ethereum-mainnet.example is down",
    ],
    [`https://rpc.example/v5/${"7".repeat(16)}`, `no project ${"7".repeat(16)}`, "no project …"],
    [
      `https://rpc.example/v6/${"8".repeat(15)}`,
      `no project ${"8".repeat(15)}`,
      `no project ${"8".repeat(15)}`,
    ],
    ["https://rpc.example", "https://rpc.example", "https://rpc.example"],
    ["https://rpc.example/", "at https://rpc.example/v2", "at https://rpc.example/v2"],
    [
      "https://rpc.example/v2",
      "https://other.example/v2 of ipfs.io/v2",
      "https://other.example/v2 of ipfs.io/v2",
    ],
  ])("%s keeps its host in %s", (url, text, redacted) => {
    hideUrl(url);

    expect(redactText(text)).toBe(redacted);
  });
});

describe("a logger that redacts", () => {
  it("shows nothing of what lies deeper than it looks, such as the last of many causes", () => {
    const { logger, entries } = createMemoryLogger();
    let error = new Error(`refused ${key}`);
    for (let causes = 0; causes < 12; causes++) error = new Error("because of another", { cause: error });

    redactSecrets(logger).warn({ msg: "failed", error });

    expect(inspect(entries, { depth: 40 })).not.toContain(key);
    expect(inspect(entries, { depth: 40 })).toContain("because of another");
  });

  it("cuts keys out of fields, nested ones, errors, stacks and causes, on every level", () => {
    const { logger, entries } = createMemoryLogger();
    const redacted = redactSecrets(logger);
    const error = new TypeError(`bad ${key}`, { cause: new Error(`because of ${key}`) });
    Object.assign(error, { detail: { request: `?apiKey=${key}` } });

    for (const level of ["debug", "info", "warn", "error"] as const) {
      redacted[level]({
        msg: `msg ${key}`,
        error,
        list: [key],
        headers: { cookie: "vitrine_session=secret" },
      });
    }

    expect(entries).toHaveLength(4);
    for (const entry of entries) {
      const { error: logged } = entry as unknown as { error: Error & { detail: unknown } };
      const all = [
        JSON.stringify(entry),
        logged.message,
        logged.stack,
        String((logged.cause as Error).stack),
      ];
      expect([...all, JSON.stringify(logged.detail)].join("\n")).not.toContain(key.slice(9));
      expect(JSON.stringify(entry)).not.toContain("secret");
      expect(logged).toBeInstanceOf(TypeError);
      expect(logged.message).toBe(`bad ${start}…`);
    }
    expect(error.message).toContain(key);
  });

  it("reports errors that keep what they say to themselves, also as a cause", () => {
    const { logger, entries } = createMemoryLogger();
    const timeout = new DOMException(`no answer with ${key}`, "TimeoutError");

    redactSecrets(logger).error({ msg: "x", error: timeout });
    redactSecrets(logger).error({ msg: "y", error: new Error("outer", { cause: timeout }) });

    const [first, second] = entries as unknown as { error: Error }[];
    for (const logged of [first?.error, second?.error.cause as Error])
      expect([logged?.name, logged?.message]).toEqual(["TimeoutError", `no answer with ${start}…`]);
  });

  it("leaves dates, buffers and numbers as they are", () => {
    const { logger, entries } = createMemoryLogger();
    const entry = { msg: "x", at: new Date(0), bytes: Buffer.of(1), count: 0, none: null };

    redactSecrets(logger).info(entry);

    expect(entries).toEqual([{ level: "info", ...entry }]);
  });
});
