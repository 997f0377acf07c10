/** Which bodies are read as JSON: by their type, and as UTF-8 alone (RFC 8259, 8.1). */

import { describe, expect, it } from "vitest";
import { createTestDatabase } from "../../support/database/database.ts";
import { requestOf, serveGuarded } from "../../support/http/guarded.ts";
import { exchange } from "../../support/http/raw-http.ts";
import { createTestApp } from "../../support/processes/app.ts";
import { COLLECTION } from "../../support/refresh/refresh.ts";

const api = createTestApp(await createTestDatabase());
const key = await api.createKey();
const path = `/market-partner/collections/${COLLECTION}/information`;
const bytesOf = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);
const put = (type: string, body = bytesOf('{"name":"Café"}')) =>
  api.call(path, { method: "PUT", key, headers: { "content-type": type }, body });
const ask = (type: string, body = bytesOf('{"query":"{ __typename }"}')) =>
  api.call("/graphql", { method: "POST", headers: { "content-type": type }, body });

describe("a JSON body", () => {
  it.each([
    "application/json",
    "Application/JSON",
    "application/json;",
    "application/json ; charset=utf-8",
    "application/json; charset=utf-8;",
    'application/json; charset="UTF-8"',
    "application/json;charset=utf8",
    "application/json; profile=x; charset=utf-8",
    "application/vnd.a2+json",
    "application/a+b+json",
  ])("is read where its type is %s", async (type) => {
    const { status, body } = await put(type);
    expect([status, body.information?.name]).toEqual([200, "Café"]);
    expect((await ask(type)).status).toBe(200);
  });

  it.each([
    "application/json; charset=iso-8859-1",
    "application/json; charset=utf-16",
    'application/json; profile=x; CHARSET="windows-1252"',
    "application/json; charset=",
    "application/json; charset=us-ascii; charset=utf-8",
  ])("is refused where its charset isn't UTF-8: %s", async (type) => {
    for (const { status, body } of [await put(type), await ask(type)]) {
      expect([status, body.code]).toEqual([415, "UNSUPPORTED_MEDIA_TYPE"]);
      const message = `must have no charset but UTF-8; received "${type}"`;
      expect(body.details).toEqual([{ path: "content-type", message }]);
    }
  });

  it("is refused where its bytes aren't UTF-8, and nothing of it is stored", async () => {
    await put("application/json");
    const latin = Uint8Array.from(Buffer.from('{"name":"Caf\xe9"}', "latin1"));
    const { status, body } = await put("application/json", latin);
    expect([status, body.code]).toEqual([400, "INVALID_REQUEST"]);
    expect(body.details).toEqual([{ path: "", message: "the body is not valid UTF-8" }]);
    expect((await api.call(path, { key })).body.information.name).toBe("Café");

    const query = Uint8Array.from(Buffer.from('{"query":"{ __typename } # \xe9"}', "latin1"));
    const refused = await ask("application/json", query);
    expect([refused.status, refused.body.details]).toEqual([400, body.details]);
  });

  it("is read alike on Node's server, whole and in chunks", async () => {
    const port = await serveGuarded(api.app);
    const sent = { "X-API-Key": key, "Content-Type": "application/vnd.a2+json ;", Connection: "close" };
    const [good, bad] = ['{"name":"Caf\xc3\xa9"}', '{"name":"Caf\xe9"}'];
    const statusOf = async (headers: Record<string, string>, body: string) =>
      (await exchange(port, Buffer.from(requestOf("PUT", path, { ...sent, ...headers }) + body, "latin1")))
        .status;
    const whole = (body: string) => statusOf({ "Content-Length": String(body.length) }, body);
    const chunked = (body: string) =>
      statusOf({ "Transfer-Encoding": "chunked" }, `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`);
    expect([await whole(good), await chunked(good)]).toEqual([200, 200]);
    expect([await whole(bad), await chunked(bad)]).toEqual([400, 400]);
  });
});
