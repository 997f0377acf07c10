import { describe, expect, it } from "vitest";
import { makeKey } from "../../../src/api/access/keys/keys.ts";
import { openApiDocument } from "../../../src/api/app/openapi.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import { createTestApp, type Sent } from "../../support/processes/app.ts";
import { COLLECTION } from "../../support/refresh/refresh.ts";
import { OPERATOR_TOKEN } from "../../support/service-key.ts";

const test = await createTestDatabase();
const api = createTestApp(test);

interface Route {
  readonly method: string;
  readonly path: string;
  /** The path with every parameter filled in. */
  readonly url: string;
  readonly security: readonly Record<string, unknown>[];
}

const samples: Record<string, string> = {
  collection_address: COLLECTION,
  token_id: "1",
  refresh_id: "00000000-0000-4000-8000-000000000001",
  id: "00000000-0000-4000-8000-000000000001",
};

const document = openApiDocument(api.app, [{ url: "http://localhost" }]);
const routes: Route[] = Object.entries(document.paths ?? {}).flatMap(([path, operations]) =>
  Object.entries(operations as Record<string, { security?: Record<string, unknown>[] }>).map(
    ([method, operation]) => ({
      method: method.toUpperCase(),
      path,
      url: path.replace(/\{(\w+)\}/g, (_match, name: string) => samples[name] ?? `no sample of ${name}`),
      security: operation.security ?? [],
    }),
  ),
);
// An optional scheme is not required.
const needs = (scheme: string) =>
  routes
    .filter(({ security }) => security.every((each) => Object.keys(each).length > 0))
    .filter(({ security }) => security.some((each) => scheme in each));
const keyed = needs("ApiKeyAuth").map((route) => [`${route.method} ${route.path}`, route] as const);
const operated = needs("OperatorToken").map((route) => [`${route.method} ${route.path}`, route] as const);
const apiOf = ({ path }: Route): string => path.split("/")[1] ?? "";

const send = (route: Route, sent: Sent = {}, query = "") =>
  api.call(`${route.url}${query}`, {
    method: route.method,
    ...(route.method !== "GET" && { body: { token_ids: ["1"] } }),
    ...sent,
    // A stream has no end to wait for; like any route, it refuses an unreadable header.
    headers: { "last-event-id": "none", ...sent.headers },
  });

/** Neither refused as a caller nor an internal error; what the route itself says is its own business. */
const isThrough = (status: number): boolean => status < 500 && ![401, 403, 429].includes(status);

const key = await api.createKey();

describe("the document", () => {
  it("asks for a key on every gateway route and for the operator's token on every /admin route", () => {
    expect(keyed.length).toBeGreaterThanOrEqual(5);
    expect(operated.length).toBeGreaterThanOrEqual(6);
    for (const route of routes) {
      if (["market", "market-partner"].includes(apiOf(route)))
        expect(route.security).toEqual([{ ApiKeyAuth: [] }, { ApiKeyQuery: [] }]);
      if (apiOf(route) === "admin") expect(route.security).toEqual([{ OperatorToken: [] }]);
    }
  });

  it("names the scheme as the interactive reference does", () => {
    expect(document.components?.securitySchemes?.ApiKeyAuth).toMatchObject({
      type: "apiKey",
      in: "header",
      name: "X-API-Key",
    });
    expect(document.components?.securitySchemes?.ApiKeyQuery).toMatchObject({
      type: "apiKey",
      in: "query",
      name: "apiKey",
    });
  });
});

describe.each(keyed)("%s", (_name, route) => {
  const otherApi = apiOf(route) === "market" ? "market-partner" : "market";

  it("refuses a request without a key", async () => {
    const { status, body, headers } = await send(route);

    expect(status).toBe(401);
    expect(body).toMatchObject({ message: "No API key found in request", code: "KEY_MISSING" });
    expect(headers.get("www-authenticate")).toMatch(/^Key /);
  });

  it("takes an empty key for none", async () => {
    expect((await send(route, { key: "" }, "?apiKey=")).body.message).toBe("No API key found in request");
  });

  it("refuses a key that is given twice in one place, the same or another", async () => {
    const answers = [
      await send(route, { headers: { "x-api-key": `${key}, ${key}` } }),
      await send(route, {}, `?apiKey=${key}&apiKey=${key}`),
      await send(route, {}, `?apiKey=nonsense&apiKey=${key}`),
    ];

    for (const { status, body, headers } of answers) {
      expect(status).toBe(401);
      expect(body).toMatchObject({ message: "Invalid authentication credentials", code: "KEY_INVALID" });
      expect(headers.get("www-authenticate")).toMatch(/^Key /);
    }
  });

  it("shows an app how much of its limit is left, and takes nothing from it for a refused key", async () => {
    const app = await api.createKey(undefined, `Limit of ${route.method} ${route.path}`);
    const first = await send(route, { key: app });
    await send(route, { key: `${app}0` });
    const second = await send(route, { key: app });

    const left = (answer: typeof first) => Number(answer.headers.get("ratelimit-remaining"));
    expect(left(first)).toBeGreaterThan(0);
    expect(left(second)).toBe(left(first) - 1);
  });

  it.each([
    ["text that is no key", "nonsense"],
    ["a key that was never made", makeKey().key],
    ["a key with a character too many", `${key}0`],
  ])("refuses %s, in the header and in the query", async (_what, wrong) => {
    for (const answer of [await send(route, { key: wrong }), await send(route, {}, `?apiKey=${wrong}`)]) {
      expect(answer.status).toBe(401);
      expect(answer.body).toMatchObject({
        message: "Invalid authentication credentials",
        code: "KEY_INVALID",
      });
    }
  });

  it("refuses a revoked key, whichever way it is sent", async () => {
    const { id, key: revoked } = await api.access.createKey(
      { name: "Gone", apis: ["market", "market-partner"], collections: null },
      "tests",
    );
    await createTestApp(test).access.revokeKey(id, "tests");

    const answers = [await send(route, { key: revoked }), await send(route, {}, `?apiKey=${revoked}`)];

    expect(answers.map(({ status }) => status)).toEqual([401, 401]);
  });

  it("refuses the key of an app that may use another API only", async () => {
    const other = await api.createKey([otherApi], `Only ${otherApi}`);

    const { status, body } = await send(route, { key: other });

    expect(status).toBe(403);
    expect(body).toMatchObject({ message: "You cannot consume this service", code: "NOT_ALLOWED" });
  });

  it("lets a good key through, whichever way it is sent and in any case of the header's name", async () => {
    const answers = [
      await send(route, { key }),
      await send(route, { headers: { "X-API-KEY": key } }),
      await send(route, {}, `?apiKey=${key}`),
    ];

    for (const { status } of answers) expect(isThrough(status), String(status)).toBe(true);
  });

  it("reads the header first, whatever the query says", async () => {
    expect((await send(route, { key: "nonsense" }, `?apiKey=${key}`)).status).toBe(401);
    expect(isThrough((await send(route, { key }, "?apiKey=nonsense")).status)).toBe(true);
    expect(isThrough((await send(route, { key: "" }, `?apiKey=${key}`)).status)).toBe(true);
  });

  it("takes the operator's token for no key", async () => {
    expect((await send(route, { headers: { authorization: `Bearer ${OPERATOR_TOKEN}` } })).status).toBe(401);
  });

  it("refuses a caller that can't take JSON", async () => {
    const { status, body } = await send(route, { key, headers: { accept: "text/html" } });

    expect(status).toBe(406);
    expect(body.code).toBe("NOT_ACCEPTABLE");
  });
});

describe.each(operated)("%s", (name, route) => {
  // One client per route, since wrong tokens are counted by address.
  const from = `10.0.0.${operated.findIndex(([each]) => each === name)}`;

  it("does not exist for those who send no token, nor a key instead", async () => {
    for (const sent of [
      {},
      { key },
      { headers: { authorization: key } },
      { headers: { authorization: "Basic b3A6b3A=" } },
    ]) {
      const { status, body } = await send(route, sent);
      expect(status).toBe(404);
      expect(body).toMatchObject({ message: "Not found", code: "NOT_FOUND" });
    }
  });

  it("refuses a wrong token", async () => {
    for (const wrong of [
      "wrong",
      `${OPERATOR_TOKEN}x`,
      OPERATOR_TOKEN.slice(0, -1),
      OPERATOR_TOKEN.toUpperCase(),
    ]) {
      const { status, body, headers } = await send(route, {
        from,
        headers: { authorization: `Bearer ${wrong}` },
      });
      expect(status).toBe(401);
      expect(headers.get("www-authenticate")).toMatch(/^Bearer /);
      expect(body.code).toBe("KEY_INVALID");
    }
  });

  it("does not exist at all while no token is configured", async () => {
    const closed = createTestApp(test, { operatorToken: undefined });
    for (const token of [OPERATOR_TOKEN, "undefined", ""]) {
      const { status } = await closed.call(route.url, {
        method: route.method,
        headers: { authorization: `Bearer ${token}` },
      });
      expect(status).toBe(404);
    }
  });

  it("lets the operator through", async () => {
    const { status, body } = await send(route, { headers: { authorization: `Bearer ${OPERATOR_TOKEN}` } });

    expect(isThrough(status), String(status)).toBe(true);
    if (status === 404) expect(body.details).toBeDefined();
  });
});
