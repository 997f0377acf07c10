import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { getRequestListener } from "@hono/node-server";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestDatabase } from "../../support/database/database.ts";
import { createTestApp } from "../../support/processes/app.ts";
import { createMemoryLogger } from "../../support/processes/worker.ts";
import { COLLECTION } from "../../support/refresh/refresh.ts";
import { OPERATOR_TOKEN } from "../../support/service-key.ts";

const test = await createTestDatabase();
const api = createTestApp(test);
const key = await api.createKey();
const operator = { headers: { authorization: `Bearer ${OPERATOR_TOKEN}` } };

describe("a path that nothing serves", () => {
  it("is a page for browsers, under a page's policy, and JSON for programs", async () => {
    const browser = await api.call("/nowhere/at/all", { headers: { accept: "text/html,*/*;q=0.8" } });
    const program = await api.call("/nowhere/at/all");

    expect(browser.status).toBe(404);
    expect(browser.text).toContain("<h1>Nothing here</h1>");
    expect(browser.headers.get("content-security-policy")).toContain("default-src 'none'");
    expect(program.status).toBe(404);
    expect(program.body).toMatchObject({ code: "NOT_FOUND" });
  });

  it.each(["application/json, text/html;q=0.1", "application/json, text/html", "text/html;q=0, */*"])(
    "is JSON for a program that reads pages at most as well: %s",
    async (accept) => {
      const { status, body } = await api.call("/nowhere/at/all", { headers: { accept } });
      expect([status, body.code]).toEqual([404, "NOT_FOUND"]);
    },
  );

  it("of another method is no page", async () => {
    const headers = { accept: "text/html" };

    expect((await api.call("/nowhere", { method: "POST", headers })).body).toMatchObject({
      code: "NOT_FOUND",
    });
  });
});

describe("every answer", () => {
  it("carries a request id of its own", async () => {
    const answers = [
      await api.call("/market/collections", { key }),
      await api.call("/market/collections", { key }),
      await api.call("/nowhere"),
      await api.call("/openapi.json"),
    ];

    const ids = answers.map(({ headers }) => headers.get("x-request-id"));
    expect(new Set(ids).size).toBe(4);
    for (const id of ids) expect(id).toMatch(/^[0-9a-f-]{36}$/);
  });

  it.each([
    ["400", `/market/collections/0x12`, { key }],
    ["401 without a key", "/market/collections", {}],
    ["401 with a wrong one", "/market/collections", { key: "x" }],
    ["404 of a path", "/nowhere/at/all", {}],
    ["404 of a gateway path", "/market/nowhere", { key }],
    ["404 of an /admin path", "/admin/nowhere", operator],
    ["404 of a token", `/market/collections/${COLLECTION}/tokens/1`, { key }],
    ["405 of a method", "/market/collections", { key, method: "DELETE" }],
    ["405 of GraphQL", "/graphql", { method: "PUT" }],
    ["406", "/market/collections", { key, headers: { accept: "text/html" } }],
    ["415", `/admin/keys`, { ...operator, method: "POST" }],
  ])("that is an error has message, code and that request id: %s", async (what, path, sent) => {
    const { status, headers, body } = await api.call(path, sent);

    expect(status).toBe(Number(what.slice(0, 3)));
    expect(body).toMatchObject({
      message: expect.stringMatching(/^[A-Z]/),
      code: expect.stringMatching(/^[A-Z_]+$/),
      request_id: headers.get("x-request-id"),
    });
    expect(headers.get("content-type")).toContain("application/json");
    const { message, code, request_id, details, ...rest } = body;
    expect(rest).toEqual({});
    expect([message, code, request_id]).not.toContain(undefined);
    if (details !== undefined) {
      for (const detail of details) expect(Object.keys(detail).sort()).toEqual(["message", "path"]);
    }
  });
});

describe("an unexpected fault", () => {
  const secret = "password authentication failed for user vitrine at /srv/app/src/api/db/database.ts";

  it("is answered without its text, which only the log gets", async () => {
    const { logger, entries } = createMemoryLogger();
    const failing = createTestApp(test, {
      logger,
      catalogModule: {
        ...api.catalogModule,
        catalog: { ...api.catalog, findToken: () => Promise.reject(new Error(secret)) },
      },
    });

    const { status, body, text, headers } = await failing.call(`/market/collections/${COLLECTION}/tokens/1`, {
      key,
    });

    expect(status).toBe(500);
    expect(body).toEqual({
      message: "Internal server error",
      code: "INTERNAL",
      request_id: headers.get("x-request-id"),
    });
    expect(text).not.toContain("vitrine");
    expect(entries).toMatchObject([
      { level: "error", request_id: body.request_id, error: { message: secret } },
    ]);
  });

  it("in finding the app of a key lets nobody in", async () => {
    const failing = createTestApp(test, {
      access: { ...api.access, findApp: () => Promise.reject(new Error(secret)) },
    });

    const { status, text } = await failing.call("/market/collections", { key });

    expect(status).toBe(500);
    expect(text).not.toContain(secret);
  });
});

describe("on Node's server", () => {
  // As the service runs it: headers take another way through Node's own response.
  const server = createServer(getRequestListener(api.app.fetch, { overrideGlobalObjects: false }));
  let baseUrl = "";
  beforeAll(async () => {
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => void server.close());

  const send = (path: string, init?: RequestInit): Promise<Response> => fetch(`${baseUrl}${path}`, init);
  const origin = { origin: "https://evil.example" };

  it.each([
    ["an answer", "/market/collections", { "x-api-key": key }, 200],
    ["a refusal", "/market/collections", {}, 401],
    ["a path that doesn't exist", "/nowhere", {}, 404],
    ["a page", "/collections", {}, 200],
    ["a file of the pages", "/assets/nothing.js", {}, 404],
  ])("other origins may read %s, with each header once", async (_what, path, headers, status) => {
    const answer = await send(path, { headers: { ...headers, ...origin } });
    const text = await answer.text();

    expect(answer.status).toBe(status);
    expect(answer.headers.get("access-control-allow-origin")).toBe("*");
    expect(answer.headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
    expect(text).not.toBe("");
  });

  it("other origins may not read anything under /admin and /console", async () => {
    const answers = [
      await send("/admin/keys", { headers: { ...operator.headers, ...origin } }),
      await send("/admin/keys", { headers: origin }),
      await send("/admin/keys", { headers: { authorization: "Bearer wrong", ...origin } }),
      await send("/admin/nowhere", { headers: { ...operator.headers, ...origin } }),
      await send("/admin/keys", { method: "POST", headers: { ...operator.headers, ...origin } }),
      await send("/console", { headers: origin, redirect: "manual" }),
    ];

    expect(answers.map(({ status }) => status)).toEqual([200, 404, 401, 404, 415, 303]);
    for (const { headers } of answers) expect(headers.get("access-control-allow-origin")).toBeNull();
  });

  it("a preflight allows every origin, and the headers that it names", async () => {
    const { status, headers } = await send("/market/collections", {
      method: "OPTIONS",
      headers: {
        ...origin,
        "access-control-request-method": "GET",
        "access-control-request-headers": "x-api-key",
      },
    });

    expect(status).toBe(204);
    expect(headers.get("access-control-allow-origin")).toBe("*");
    expect(headers.get("access-control-allow-headers")).toBe("x-api-key");
  });

  it("HEAD is answered with the headers of GET", async () => {
    const { Request, Response } = globalThis;
    // As in the service: with its own `Request` and `Response` in place of Node's.
    const own = createServer(getRequestListener(api.app.fetch)).listen(0, "127.0.0.1");
    try {
      await once(own, "listening");
      const url = `http://127.0.0.1:${(own.address() as AddressInfo).port}/reference`;
      const headers = { "accept-encoding": "identity" };
      const [head, get] = [await fetch(url, { method: "HEAD", headers }), await fetch(url, { headers })];

      const ofConnection = ["connection", "content-length", "keep-alive"];
      const named = (answer: globalThis.Response) =>
        [...answer.headers.keys()].filter((name) => !ofConnection.includes(name));
      expect(head.status).toBe(200);
      expect(named(get)).toContain("content-security-policy");
      expect(named(head)).toEqual(named(get));
    } finally {
      own.close();
      Object.assign(globalThis, { Request, Response });
    }
  });

  it("errors keep the contract's shape", async () => {
    const answer = await send("/market/collections");

    expect(answer.status).toBe(401);
    expect(await answer.json()).toMatchObject({
      code: "KEY_MISSING",
      request_id: answer.headers.get("x-request-id"),
    });
  });

  it("what is not found is answered in the contract's shape", async () => {
    expect(await (await send("/nowhere")).json()).toMatchObject({ code: "NOT_FOUND" });
  });
});

describe("content negotiation", () => {
  it.each([
    undefined,
    "*/*",
    "application/json",
    "application/*",
    "text/html, */*;q=0.1",
    "APPLICATION/JSON",
    "application/json charset=utf-8",
    "application/json text/plain */*",
    "application/*+json",
  ])("takes accept: %s", async (accept) => {
    const { status } = await api.call("/market/collections", { key, ...(accept && { headers: { accept } }) });

    expect(status).toBe(200);
  });

  it.each(["text/html", "image/png", "application/xml"])("refuses accept: %s", async (accept) => {
    const { status, body } = await api.call("/market/collections", { key, headers: { accept } });

    expect(status).toBe(406);
    expect(body).toMatchObject({ code: "NOT_ACCEPTABLE", details: [{ path: "accept" }] });
  });
});
