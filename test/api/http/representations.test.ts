/** One resource in several codings: what of them caches may take for the same (RFC 9110, 8.8.3 and 12.5.5). */

import { Hono } from "hono";
import { describe, expect, it } from "vitest";
import { compressAnswers } from "../../../src/api/http/compression.ts";
import { keepHeadersOfHead } from "../../../src/api/http/headers.ts";
import { revalidateJson } from "../../../src/api/http/revalidation.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import { createTestApp } from "../../support/processes/app.ts";
import { OPERATOR_TOKEN } from "../../support/service-key.ts";

const api = createTestApp(await createTestDatabase());
const key = await api.createKey();
/** The answer as it is, whose text may be compressed. */
const ask = async (path: string, init: RequestInit): Promise<Response> =>
  api.app.request(path, init, { incoming: { socket: { remoteAddress: "127.0.0.1" } } });
const codings = ["identity", "gzip", "br", "gzip, br", "br;q=0.5, gzip;q=0.1", "*"];

describe("an ETag", () => {
  it.each([
    ["/assets/ui.css", {}],
    ["/assets/icon.svg", {}],
    ["/assets/share.png", {}],
    ["/openapi.json", {}],
    ["/reference/reference.js", {}],
    ["/reference/scalar.js", {}],
    ["/graphiql/page.css", {}],
    ["/collections/files/pages.css", {}],
    ["/market/collections", { "x-api-key": key }],
  ])("of %s is of one coding or weak, and the same where nothing is sent again", async (path, given) => {
    const encodingsOf = new Map<string, Set<string | null>>();
    for (const coding of codings) {
      const headers = { ...given, "accept-encoding": coding };
      const whole = await ask(path, { headers });
      const tag = whole.headers.get("etag") ?? "";
      encodingsOf.set(tag, (encodingsOf.get(tag) ?? new Set()).add(whole.headers.get("content-encoding")));

      for (const method of ["GET", "HEAD"]) {
        const again = await ask(path, { method, headers: { ...headers, "if-none-match": tag } });
        expect([coding, again.status, again.headers.get("etag")]).toEqual([coding, 304, tag]);
        expect(again.headers.get("vary")).toBe(whole.headers.get("vary"));
      }
      const head = await ask(path, { method: "HEAD", headers });
      expect([head.status, head.headers.get("etag")]).toEqual([200, tag]);
    }
    for (const [tag, encodings] of encodingsOf) if (!tag.startsWith("W/")) expect(encodings.size).toBe(1);
  });
});

describe("an answer that is compressed for some", () => {
  it.each([
    ["/market/collections", { "x-api-key": key }],
    ["/reference", {}],
    ["/graphql", { accept: "text/html" }],
    ["/collections", {}],
  ])("says so to all: %s", async (path, given) => {
    for (const method of ["GET", "HEAD"])
      for (const coding of codings) {
        const { status, headers } = await ask(path, {
          method,
          headers: { ...given, "accept-encoding": coding },
        });
        expect([coding, status]).toEqual([coding, 200]);
        expect(headers.get("vary")?.match(/accept-encoding/gi)).toHaveLength(1);
      }
  });

  it("is announced in the same coding to HEAD", async () => {
    for (const path of ["/reference", "/assets/ui.css"])
      for (const coding of codings) {
        const headers = { "accept-encoding": coding };
        const [get, head] = [await ask(path, { headers }), await ask(path, { method: "HEAD", headers })];
        expect(head.status).toBe(get.status);
        expect(head.headers.get("content-encoding")).toBe(get.headers.get("content-encoding"));
        expect(head.headers.get("vary")).toBe(get.headers.get("vary"));
      }
  });

  it("is announced so of a key's answer, too, and varies where it is plain or not sent again", async () => {
    const app = new Hono()
      .use(
        keepHeadersOfHead,
        compressAnswers(() => false),
        revalidateJson,
      )
      .get("/", (c) => c.json({ text: "x".repeat(2_000) }));
    for (const method of ["GET", "HEAD"])
      for (const [coding, encoding] of [
        ["identity", null],
        ["gzip", "gzip"],
        ["br", "br"],
      ] as const) {
        const askAgain = (headers = {}) =>
          app.request("/", { method, headers: { "accept-encoding": coding, ...headers } });
        const whole = await askAgain();
        expect([whole.status, whole.headers.get("content-encoding")]).toEqual([200, encoding]);
        expect(whole.headers.get("vary")).toBe("Accept-Encoding");
        const again = await askAgain({ "if-none-match": whole.headers.get("etag") });
        expect([again.status, again.headers.get("vary")]).toEqual([304, "Accept-Encoding"]);
      }
  });

  it("is not compressed where it holds secrets", async () => {
    const headers = { authorization: `Bearer ${OPERATOR_TOKEN}`, "accept-encoding": "gzip" };
    for (const method of ["GET", "HEAD"])
      expect((await ask("/admin/keys", { method, headers })).headers.get("content-encoding")).toBeNull();
  });
});
