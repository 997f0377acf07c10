/** A known document is requested by its ETag if the ETag is unambiguous. */

import { afterAll, beforeEach, expect, it } from "vitest";
import { createGuardedFetch } from "../../../src/api/fetch/guarded-fetch.ts";
import { createResolve, isUriOfVersion } from "../../../src/api/metadata/uri/resolve.ts";
import { startLocalServer } from "../../support/servers/local-server.ts";
import { BLOCK, TOKEN } from "./resolve-harness.ts";

const CID = "QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWnPbdG";
const HASH = "hash of what is served";
const conditions: (string | undefined)[] = [];
let etag: string | undefined;
const server = await startLocalServer(({ url = "", headers }, response) => {
  conditions.push(headers["if-none-match"]);
  if (url === "/moved") return response.writeHead(302, { location: "/elsewhere" }).end();
  if (etag !== undefined) response.setHeader("etag", etag);
  if (etag !== undefined && headers["if-none-match"] === etag) return response.writeHead(304).end();
  response.end('{"name":"Hero","image":"https://img.example/1.png"}');
});
afterAll(() => server.close());
beforeEach(() => {
  conditions.length = 0;
  etag = '"1"';
});

const fetch = createGuardedFetch(new Set([server.host]), "test");
const resolve = (uri: string, known?: { uri: string; etag: string; hash: string }) =>
  createResolve({
    readUri: async () => ({ kind: "read", uri, standard: "erc1155" }),
    fetch,
    fetchFromGateway: fetch,
    gateways: [server.url],
  })(TOKEN, "erc1155", BLOCK, { known });

it("a document under its own URL has a strong ETag, and is not sent again to a client that has it", async () => {
  const uri = `${server.url}/1`;

  expect(await resolve(uri)).toMatchObject({ kind: "document", document: { etag: '"1"' } });
  expect(await resolve(uri, { uri, etag: '"1"', hash: HASH })).toMatchObject({
    kind: "not_modified",
    hash: HASH,
    uri,
    host: server.host,
  });
  expect(conditions).toEqual([undefined, '"1"']);
});

it("another document, or the same one under another ETag, is sent", async () => {
  const uri = `${server.url}/1`;

  const answer = await resolve(uri, { uri, etag: '"0"', hash: HASH });

  expect(answer).toMatchObject({ kind: "document", document: { etag: '"1"' } });
  expect(conditions).toEqual(['"0"']);
});

it("a contract that answers another URI meanwhile makes the fetch unconditional", async () => {
  const known = { uri: `${server.url}/1`, etag: '"1"', hash: HASH };

  expect(await resolve(`${server.url}/2`, known)).toMatchObject({ kind: "document" });
  expect(conditions).toEqual([undefined]);
});

it("{id} is filled in before URIs are compared", async () => {
  const known = {
    uri: `${server.url}/${BigInt(TOKEN.tokenId).toString(16).padStart(64, "0")}`,
    etag: '"1"',
    hash: HASH,
  };

  expect(await resolve(`${server.url}/{id}`, known)).toMatchObject({ kind: "not_modified" });
});

it("a weak ETag is not kept: it may name other bytes as well", async () => {
  etag = 'W/"1"';

  const answer = await resolve(`${server.url}/1`);

  expect(answer.kind === "document" && answer.document.etag).toBeUndefined();
});

it("an ETag behind a redirect is not kept, and one that a redirect's target knows proves nothing", async () => {
  const uri = `${server.url}/moved`;

  const answer = await resolve(uri);
  expect(answer.kind === "document" && answer.document.etag).toBeUndefined();

  expect(await resolve(uri, { uri, etag: '"1"', hash: HASH })).toMatchObject({ kind: "document" });
});

it("content that several gateways may answer is asked for unconditionally, and its ETag is not kept", async () => {
  const uri = `ipfs://${CID}/1`;

  const answer = await resolve(uri, { uri, etag: '"1"', hash: HASH });

  expect(answer.kind === "document" && answer.document.etag).toBeUndefined();
  expect(conditions).toEqual([undefined]);
});

it.each([
  { read: "https://a.example/1", version: "https://a.example/1", is: true },
  { read: "https://a.example/1", version: "https://a.example/2", is: false },
  { read: "https://a.example/{id}", version: `https://a.example/${"0".repeat(63)}7`, is: true },
  {
    read: `https://a.example/${"x".repeat(9_000)}`,
    version: `https://a.example/${"x".repeat(8_174)}`,
    is: true,
  },
  { read: `data:,${"x".repeat(9_000)}`, version: `data:,${"x".repeat(194)}… (9006 characters)`, is: true },
  { read: `data:,${"x".repeat(9_000)}`, version: `data:,${"x".repeat(194)}… (9007 characters)`, is: false },
  { read: "", version: "", is: true },
])("a version read from $version is the answer $read: $is", ({ read, version, is }) => {
  expect(isUriOfVersion({ kind: "read", uri: read, standard: "erc1155" }, "7", version)).toBe(is);
});
