/** One token from its URI to its document: every fault of a host or an owner is a result, never an exception. */

import { createHash } from "node:crypto";
import fc from "fast-check";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { readDocument } from "../../../src/api/metadata/uri/resolve.ts";
import { hostOf } from "../../support/long-host.ts";
import {
  BLOCK,
  type HostAnswer,
  type ResolveHarness,
  startResolveHarness,
  TOKEN,
} from "./resolve-harness.ts";

const CID = "QmXoypizjW3WknFiJnKLwHCnL72vedxjQkDDP1mXWo6uco";
const ID = TOKEN.tokenId;
const HEX_ID = "000000000000000000000000000000000000000000000000000000000004cce0";
const SOUND = JSON.stringify({
  name: "Hero {id}",
  image: "https://img.example/{id}",
  attributes: [{ trait_type: "{id}", value: "{id}{id}" }],
});

const sound: HostAnswer = (response) => response.end(SOUND);

let harness: ResolveHarness;
beforeAll(async () => {
  harness = await startResolveHarness();
});
beforeEach(() => {
  harness.answers.splice(0, 3, sound, sound, sound);
});
afterAll(() => harness.close());

describe("a sound document", () => {
  it("comes with its bytes, their hash, what is kept of it, and where and when it was read", async () => {
    const resolution = await harness.resolveUri(`${harness.urlOf(0)}/1`);

    expect(resolution).toMatchObject({
      kind: "document",
      uri: `${harness.urlOf(0)}/1`,
      block: BLOCK,
      document: {
        body: Buffer.from(SOUND),
        hash: createHash("sha256").update(SOUND).digest("hex"),
        metadata: {
          name: "Hero {id}",
          image: "https://img.example/{id}",
          traits: [{ trait_type: "{id}", value: "{id}{id}" }],
        },
        issues: [],
        complete: true,
      },
    });
    expect(resolution.durationMs).toBeGreaterThanOrEqual(0);
  });

  it("took no time that a clock was set forward or back by meanwhile", async () => {
    onTestFinished(() => void vi.useRealTimers());
    vi.useFakeTimers({ toFake: ["Date"] });
    for (const days of [30, -30]) {
      harness.answers[0] = (response) => {
        vi.setSystemTime(Date.now() + days * 86_400_000);
        response.end(SOUND);
      };

      const { durationMs } = await harness.resolveUri(`${harness.urlOf(0)}/1`);

      expect(durationMs).toBeGreaterThanOrEqual(0);
      // A column of PostgreSQL's integers holds 24 days.
      expect(durationMs).toBeLessThan(60_000);
      expect(durationMs).toBe(Math.round(durationMs));
    }
  });

  it("of an ERC-1155 token has its id filled in, in the URI and in every string value", async () => {
    const paths: string[] = [];
    harness.answers[0] = (response, path) => {
      paths.push(path);
      response.end(SOUND);
    };

    expect(await harness.resolveUri(`${harness.urlOf(0)}/{id}/{id}.json`, "erc1155")).toMatchObject({
      uri: `${harness.urlOf(0)}/${HEX_ID}/${HEX_ID}.json`,
      document: {
        body: Buffer.from(SOUND),
        metadata: {
          name: `Hero ${HEX_ID}`,
          image: `https://img.example/${HEX_ID}`,
          traits: [{ trait_type: HEX_ID, value: HEX_ID + HEX_ID }],
        },
      },
    });
    expect(paths).toEqual([`/${HEX_ID}/${HEX_ID}.json`]);
  });

  it("may lack what is required: it is given with its issues", async () => {
    harness.answers[0] = (response) => response.end('\uFEFF {"name": "Hero"}\n');

    expect(await harness.resolveUri(harness.urlOf(0))).toMatchObject({
      kind: "document",
      document: {
        metadata: { name: "Hero", image: null },
        issues: [{ code: "missing_image" }],
        complete: false,
      },
    });
  });

  it("keeps the keys of its objects, whatever they hold", () => {
    const body = Buffer.from(
      '{"name": "n", "image": "https://i.example", "properties": {"{id}": "{id}", "__proto__": "p"}}',
    );

    expect(readDocument(body, ID)).toMatchObject({
      document: {
        metadata: {
          traits: [
            { trait_type: "{id}", value: HEX_ID },
            { trait_type: "__proto__", value: "p" },
          ],
        },
      },
    });
  });
});

describe("what is no document", () => {
  it.each([
    { body: "", reason: "invalid_json" },
    { body: "<html></html>", reason: "invalid_json" },
    { body: "{'name': 1}", reason: "invalid_json" },
    { body: '{"name": "Hero"', reason: "invalid_json" },
    { body: "NaN", reason: "invalid_json" },
    { body: '{"a": 1}{"b": 2}', reason: "invalid_json" },
    { body: "[".repeat(100_000), reason: "invalid_json" },
    { body: "[]", reason: "not_an_object" },
    { body: '[{"name": "Hero"}]', reason: "not_an_object" },
    { body: '"{}"', reason: "not_an_object" },
    { body: "null", reason: "not_an_object" },
    { body: `${"[".repeat(100_000)}${"]".repeat(100_000)}`, reason: "not_an_object" },
  ])("is the token's fault: $reason", async ({ body, reason }) => {
    harness.answers[0] = (response) => response.end(body);

    expect(await harness.resolveUri(harness.urlOf(0))).toMatchObject({
      kind: "failed",
      reason,
      transient: false,
      uri: harness.urlOf(0),
    });
  });

  it("is refused above 2 MiB and read up to there", async () => {
    const sized = (bytes: number) => JSON.stringify({ name: "a".repeat(bytes - 11) });
    harness.answers[0] = (response, path) => response.end(sized(Number(path.slice(1))));

    expect(await harness.resolveUri(`${harness.urlOf(0)}/${2 * 1024 * 1024}`)).toMatchObject({
      kind: "document",
    });
    expect(await harness.resolveUri(`${harness.urlOf(0)}/${2 * 1024 * 1024 + 1}`)).toMatchObject({
      reason: "too_large",
    });
  });

  it("is reported in text that PostgreSQL takes", async () => {
    harness.answers[0] = (response) => response.end("\u0000oops");

    const invalid = await harness.resolveUri(`${harness.urlOf(0)}/\u0000\ud800`);
    const unlocated = await harness.resolveUri("\u0000x");

    expect(invalid).toMatchObject({ reason: "invalid_json", uri: `${harness.urlOf(0)}/\ufffd\ufffd` });
    expect(unlocated).toMatchObject({ reason: "invalid_uri", uri: "\ufffdx" });
    expect(JSON.stringify([invalid, unlocated])).not.toContain("\\u0000");
  });
});

describe("what the contract or the node says", () => {
  it.each([
    {
      read: { kind: "reverted", message: "tokenURI(1) reverted" },
      reason: "token_reverted",
      transient: false,
    },
    {
      read: { kind: "unavailable", message: "busy", answered: false },
      reason: "rpc_unavailable",
      transient: true,
    },
    {
      read: { kind: "unavailable", message: "too long", answered: true },
      reason: "rpc_unavailable",
      transient: true,
    },
  ] as const)("$read.kind is $reason", async ({ read, reason, transient }) => {
    const said = { kind: "failed", reason, message: read.message, transient, uri: null, block: BLOCK };
    const failure = "answered" in read ? { ...said, nodeAnswered: read.answered } : said;

    expect(await harness.resolveRead(read)).toMatchObject(failure);
  });

  it.each([
    { uri: "", reason: "empty_uri" },
    { uri: "not a URI", reason: "invalid_uri" },
    { uri: "ipfs://nothing", reason: "invalid_uri" },
    { uri: "data:application/json,{}", reason: "unsupported_scheme" },
    { uri: "ar://tx", reason: "unsupported_scheme" },
    { uri: "http://169.254.169.254/latest", reason: "host_refused" },
    { uri: "https://user:password@host.example/", reason: "invalid_url" },
  ])("$uri is $reason, and nobody is asked", async ({ uri, reason }) => {
    const before = harness.asked();

    expect(await harness.resolveUri(uri)).toMatchObject({ kind: "failed", reason, transient: false, uri });
    expect(harness.asked()).toEqual(before);
  });
});

it("never throws, whatever URI and bytes arrive", async () => {
  const uri = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.string().map((text) => `ipfs://${CID}/${text}`),
  );

  await fc.assert(
    fc.asyncProperty(
      uri,
      fc.uint8Array(),
      fc.constantFrom("erc721" as const, "erc1155" as const),
      async (text, bytes, standard) => {
        harness.answers.fill((response) => response.end(bytes));

        expect((await harness.resolveUri(text, standard)).block).toBe(BLOCK);
        expect(["document", "failed"]).toContain(readDocument(Buffer.from(bytes), ID).kind);
      },
    ),
  );
});

describe("bounds on what a stranger makes us hold", () => {
  it("refuse a URI over 8,192 characters and store no more of it", async () => {
    const resolution = await harness.resolveUri(`${harness.urlOf(0)}/${"a".repeat(9_000)}`);

    expect(resolution).toMatchObject({ kind: "failed", reason: "invalid_uri", transient: false });
    expect(resolution.uri).toHaveLength(8_192);
  });

  it("refuse a host over 253 characters, of the URI or of a redirect, and name none", async () => {
    harness.answers[0] = (response) => response.writeHead(302, { location: `https://${hostOf(254)}/` }).end();

    const [ofUri, ofRedirect] = [
      await harness.resolveUri(`https://${hostOf(6_000)}/1.json`),
      await harness.resolveUri(`${harness.urlOf(0)}/1.json`),
    ];

    expect(ofUri).toMatchObject({ kind: "failed", reason: "invalid_uri", transient: false });
    expect(ofUri.host).toBeUndefined();
    expect(ofRedirect).toMatchObject({ kind: "failed", reason: "invalid_url", transient: false });
  });

  it("refuse a document that {id} would grow beyond 2 MiB", () => {
    const body = Buffer.from(JSON.stringify({ name: "{id}".repeat(40_000), image: "x" }));

    expect(readDocument(body, "1")).toMatchObject({ kind: "failed", reason: "too_large" });
    expect(readDocument(body, "")).toMatchObject({ kind: "document" });
  });
});
