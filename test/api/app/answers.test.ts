import { Hono } from "hono";
import { cors } from "hono/cors";
import { describe, expect, it } from "vitest";
import { createTestApp, OPERATOR_TOKEN } from "../../support/app.ts";
import { createTestDatabase } from "../../support/database.ts";
import { COLLECTION } from "../../support/refresh.ts";
import { createMemoryLogger } from "../../support/worker.ts";

const test = await createTestDatabase();
const api = createTestApp(test);
const key = await api.createKey();
const operator = { headers: { authorization: `Bearer ${OPERATOR_TOKEN}` } };

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
    ["400", `/market/collections/nonsense`, { key }],
    ["401 without a key", "/market/collections", {}],
    ["401 with a wrong one", "/market/collections", { key: "x" }],
    ["404 of a path", "/nowhere/at/all", {}],
    ["404 of a gateway path", "/market/nowhere", { key }],
    ["404 of an /admin path", "/admin/nowhere", operator],
    ["404 of a token", `/market/collections/${COLLECTION}/tokens/1`, { key }],
    ["404 of a method", "/market/collections", { key, method: "DELETE" }],
    ["405 of GraphQL", "/graphql", {}],
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

describe("below Ponder, which allows every origin and answers faults with their text", () => {
  const outer = new Hono()
    .use(cors({ origin: "*", maxAge: 86400 }))
    .get("/ready", (c) => c.text("ready"))
    .route("/", api.app)
    .onError((error, c) => c.text(error.stack ?? "", 500));

  it("other origins may read the gateway, and nothing under /admin", async () => {
    const origin = { origin: "https://evil.example" };
    const allowed = await outer.request("/market/collections", { headers: { "x-api-key": key, ...origin } });
    const admin = [
      await outer.request("/admin/keys", { headers: { ...operator.headers, ...origin } }),
      await outer.request("/admin/keys", { headers: origin }),
      await outer.request("/admin/keys", { headers: { authorization: "Bearer wrong", ...origin } }),
      await outer.request("/admin/nowhere", { headers: { ...operator.headers, ...origin } }),
      await outer.request("/admin/keys", { method: "POST", headers: { ...operator.headers, ...origin } }),
    ];

    expect(allowed.headers.get("access-control-allow-origin")).toBe("*");
    expect(admin.map(({ status }) => status)).toEqual([200, 404, 401, 404, 415]);
    for (const { headers } of admin) expect(headers.get("access-control-allow-origin")).toBeNull();
  });

  it("errors keep the contract's shape", async () => {
    const answer = await outer.request("/market/collections");

    expect(answer.status).toBe(401);
    expect(await answer.json()).toMatchObject({
      code: "KEY_MISSING",
      request_id: answer.headers.get("x-request-id"),
    });
  });

  it("what is not found is answered in the contract's shape, and Ponder's own paths stay Ponder's", async () => {
    expect(await (await outer.request("/nowhere")).json()).toMatchObject({ code: "NOT_FOUND" });
    expect(await (await outer.request("/ready")).text()).toBe("ready");
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
