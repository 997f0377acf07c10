/** Requests of the client that fail, are repeated or carry what a URL may not. */

import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterEach, describe, expect, it } from "vitest";
import { createVitrine, VitrineError } from "../../clients/typescript/src/index.ts";
import {
  hangUp,
  json,
  refusal,
  type ScriptedService,
  type Step,
  silence,
  startScriptedService,
} from "./scripted-service.ts";

const HEROES = "0x5fbdb2315678afecb367f032d93f642f64180aa3";
const TOKEN = json(200, { token_id: "7" });
let service: ScriptedService;
afterEach(() => service.close());
const start = async (...steps: readonly Step[]): Promise<ScriptedService> => {
  service = await startScriptedService(...steps);
  return service;
};
const failure = (call: Promise<unknown>): Promise<VitrineError> =>
  call.then(
    () => {
      throw new Error("it succeeded");
    },
    (error) => error,
  );
const CHECK = { action: "list", items: [{ collection: HEROES, tokenId: 7n }] } as const;
const ROTATION = { path: { id: "app" }, body: {} } as const;

describe("an error", () => {
  it("carries the code, status, details, request id and wait of the response", async () => {
    const details = [{ path: "token_ids[3]", message: 'received "x"' }];
    const body = { message: "Invalid request", code: "INVALID_REQUEST", request_id: "7f0c", details };
    const client = (await start(json(400, body, { "retry-after": "7" }))).client();

    const error = await failure(client.token(HEROES, 7n));

    expect(error).toBeInstanceOf(VitrineError);
    expect(error).toMatchObject({
      code: "INVALID_REQUEST",
      status: 400,
      details,
      requestId: "7f0c",
      retryAfterMs: 7_000,
      message: 'Invalid request; token_ids[3]: received "x"',
    });
  });

  it.each([
    ["a page of a proxy", 404, "<h1>Not found</h1>"],
    ["JSON of another service", 400, '{"error":"nope"}'],
    ["JSON null", 400, "null"],
    ["nothing", 500, ""],
    ["a page in place of JSON", 200, "<h1>Welcome</h1>"],
  ])("is UNEXPECTED_RESPONSE for %s", async (_what, status, text) => {
    const client = (await start((_, response) => response.writeHead(status).end(text))).client();

    expect(await failure(client.token(HEROES, 7n))).toMatchObject({ code: "UNEXPECTED_RESPONSE", status });
  });
});

describe("an error body of something in front of the service", () => {
  const base = { code: "BAD", message: "no" };
  it.each([
    ["details null", { ...base, details: null }, "no"],
    ["details that are an object", { ...base, details: { path: "x" } }, "no"],
    ["details that are a text", { ...base, details: "because" }, "no"],
    ["details that hold anything", { ...base, details: [null, "because", 7, {}, ["x"]] }, "no"],
    ["a detail whose path is a number", { ...base, details: [{ path: 7, message: "wrong" }] }, "no"],
    ["a request id that is a number", { ...base, request_id: 7 }, "no"],
  ])("with %s is an error of its status, and isn't repeated", async (_what, body, message) => {
    const client = (await start(json(400, body, { "x-request-id": "7f0c" }))).client();

    expect(await failure(client.token(HEROES, 7n))).toMatchObject({
      name: "VitrineError",
      code: "BAD",
      status: 400,
      message,
      details: [],
      requestId: "7f0c",
    });
    expect(service.requests).toHaveLength(1);
  });

  it.each([
    ["a number", 7],
    ["a list", [base]],
    ["a code that is a number", { ...base, code: 7 }],
    ["a message that is an object", { ...base, message: {} }],
  ])("that is %s is UNEXPECTED_RESPONSE", async (_what, body) => {
    const client = (await start(json(502, body))).client({ retries: 0 });

    expect(await failure(client.token(HEROES, 7n))).toMatchObject({
      code: "UNEXPECTED_RESPONSE",
      status: 502,
    });
  });
});

describe("a list", () => {
  it.each([
    ["null", null],
    ["a text", "x"],
    ["no list of items", { items: null, next_cursor: null }],
    ["items that are no list", { items: 7, next_cursor: null }],
    ["a cursor that is a number", { items: [], next_cursor: 7 }],
  ])("is UNEXPECTED_RESPONSE where the page is %s", async (_what, body) => {
    const client = (await start(json(200, body))).client();

    expect(await failure(client.owners(HEROES).take(1))).toMatchObject({
      code: "UNEXPECTED_RESPONSE",
      status: 200,
    });
    expect(service.requests).toHaveLength(1);
  });
});

describe("a failed request", () => {
  it.each([
    ["429", refusal(429, "RATE_LIMITED", { "retry-after": "0" })],
    ["502 of a proxy", json(502, "bad gateway")],
    ["503", refusal(503, "UNAVAILABLE", { "retry-after": "0" })],
    ["504", json(504, "late")],
    ["a lost connection", hangUp],
  ])("is repeated after %s, and then succeeds", async (_what, step) => {
    const client = (await start(step, step, TOKEN)).client();

    expect(await client.token(HEROES, 7n)).toEqual({ token_id: "7" });
    expect(service.requests).toHaveLength(3);
  });

  it("is repeated after an attempt that took too long", async () => {
    const client = (await start(silence, TOKEN)).client({ timeoutMs: 200 });

    expect(await client.token(HEROES, 7n)).toEqual({ token_id: "7" });
  });

  it("ends at its time limit under a signal of the caller too, whatever the garbage collector does", async () => {
    setFlagsFromString("--expose-gc");
    const collect = runInNewContext("gc") as () => void;
    const client = (await start(silence)).client({ retries: 0, timeoutMs: 1_000 });
    const caller = new AbortController();
    const ended = failure(client.token(HEROES, 7n, { signal: caller.signal }));
    const collecting = setInterval(collect, 20);

    const error = await ended.finally(() => clearInterval(collecting));

    expect(error).toMatchObject({ code: "NETWORK", message: "No complete response within 1000 ms" });
    expect(caller.signal.aborted).toBe(false);
  });

  it("is repeated only as often as `retries` says", async () => {
    const client = (await start(hangUp)).client({ retries: 2 });

    expect(await failure(client.token(HEROES, 7n))).toMatchObject({ code: "NETWORK", status: 0 });
    expect(service.requests).toHaveLength(3);
  });

  it.each([400, 401, 403, 404, 500])("is not repeated after %d", async (status) => {
    const client = (await start(refusal(status, "INVALID_REQUEST"))).client();

    await failure(client.token(HEROES, 7n));
    expect(service.requests).toHaveLength(1);
  });

  it.each([
    ["503", refusal(503, "UNAVAILABLE", { "retry-after": "0" })],
    ["a lost connection", hangUp],
  ])("that creates something is not repeated after %s", async (_what, step) => {
    const client = (await start(step)).client();

    await failure(client.request("post", "/admin/keys/{id}/rotate", ROTATION));
    expect(service.requests).toHaveLength(1);
  });

  it("that creates something is repeated after 429, which did nothing", async () => {
    const step = refusal(429, "RATE_LIMITED", { "retry-after": "0" });
    const client = (await start(step, json(201, { key: "vk_new" }))).client();

    expect(await client.request("post", "/admin/keys/{id}/rotate", ROTATION)).toEqual({ key: "vk_new" });
  });

  it("that deletes has deleted what the next one finds gone, after an answer that was lost", async () => {
    const client = (await start(hangUp, refusal(404, "NOT_FOUND"))).client();

    await expect(client.webhooks.delete("one")).resolves.toBeUndefined();
  });

  it.each([
    ["at once", []],
    ["after 429, which did nothing", [refusal(429, "RATE_LIMITED", { "retry-after": "0" })]],
  ])("that deletes fails if there is nothing to delete, %s", async (_when, before) => {
    const client = (await start(...before, refusal(404, "NOT_FOUND"))).client();

    expect(await failure(client.webhooks.delete("one"))).toMatchObject({ status: 404, code: "NOT_FOUND" });
  });

  it("that checks trades is repeated, although it is a POST", async () => {
    const client = (await start(hangUp, json(200, { items: [] }))).client();

    expect(await client.checkTrades(CHECK)).toEqual([]);
  });

  it("throws at once where Retry-After is longer than the caller waits", async () => {
    const client = (await start(refusal(429, "RATE_LIMITED", { "retry-after": "3600" }))).client();

    expect(await failure(client.token(HEROES, 7n))).toMatchObject({ retryAfterMs: 3_600_000 });
    expect(service.requests).toHaveLength(1);
  });

  it.each([0, 100])("is repeated after its own delay, whatever Retry-After may last: %d ms", async (ms) => {
    const client = (await start(hangUp, TOKEN)).client({ maxRetryAfterMs: ms });

    expect(await client.token(HEROES, 7n)).toEqual({ token_id: "7" });
    expect(service.requests).toHaveLength(2);
  });

  it("waits until the date that Retry-After names", async () => {
    const soon = new Date(Date.now() + 2_000).toUTCString();
    const client = (await start(refusal(503, "UNAVAILABLE", { "retry-after": soon }), TOKEN)).client();

    await client.token(HEROES, 7n);
    expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(soon) - 5);
  });

  it("waits for a Retry-After of a month where the caller has no limit", async () => {
    const client = (await start(refusal(429, "RATE_LIMITED", { "retry-after": "2592000" }))).client({
      maxRetryAfterMs: Number.POSITIVE_INFINITY,
    });
    const abort = new AbortController();
    const call = failure(client.token(HEROES, 7n, { signal: abort.signal }));
    await new Promise((resolve) => setTimeout(resolve, 300));

    abort.abort(new Error("the user left"));

    expect((await call).message).toBe("the user left");
    expect(service.requests).toHaveLength(1);
  });

  it.each([
    ["a response", silence],
    ["a retry", refusal(429, "RATE_LIMITED", { "retry-after": "30" })],
  ])("ends with the signal's reason while it waits for %s", async (_what, step) => {
    const client = (await start(step)).client();
    const abort = new AbortController();
    const call = failure(client.token(HEROES, 7n, { signal: abort.signal }));
    while (service.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));

    abort.abort(new Error("the user left"));

    expect((await call).message).toBe("the user left");
    expect(service.requests).toHaveLength(1);
  });
});

describe("a request", () => {
  it("sends token ids of 78 digits as they are, and escapes what a path may not hold", async () => {
    const client = (await start(TOKEN)).client();
    await client.token(HEROES, 2n ** 256n - 1n);
    await client.token("a/b?c", "7");

    expect(service.requests).toEqual([
      `GET /market/collections/${HEROES}/tokens/${2n ** 256n - 1n}`,
      "GET /market/collections/a%2Fb%3Fc/tokens/7",
    ]);
  });

  it("refuses a token id that is a number, before it is sent", async () => {
    const client = (await start(TOKEN)).client();

    expect(() => client.token(HEROES, 7 as unknown as bigint)).toThrow("token id 7 is a number");
    expect(service.requests).toEqual([]);
  });

  it("keeps the path of the base URL, as behind a proxy", async () => {
    await start(TOKEN);
    await createVitrine({ baseUrl: `${service.baseUrl}/vitrine/` }).token(HEROES, 7n);

    expect(service.requests).toEqual([`GET /vitrine/market/collections/${HEROES}/tokens/7`]);
    expect(service.headers[0]).not.toHaveProperty("x-api-key");
  });

  it.each([
    ["https://vitrine.example//", "https://vitrine.example"],
    ["https://vitrine.example///", "https://vitrine.example"],
    ["https://vitrine.example//other.example", "https://vitrine.example//other.example"],
    ["https://vitrine.example/%2F/?a=b#c", "https://vitrine.example/%2F"],
  ])("with the key stays at the host of the base URL %s", async (baseUrl, root) => {
    await start();
    const urls: string[] = [];
    const answer = async (url: unknown) => {
      urls.push(String(url));
      return Response.json({ token_id: "7" });
    };
    await createVitrine({ baseUrl, apiKey: "vk_test", fetch: answer }).token(HEROES, 7n, { chainId: 5 });

    expect(urls).toEqual([`${root}/market/collections/${HEROES}/tokens/7?chain_id=5`]);
  });

  it.each(["localhost:42069", "file:///vitrine"])("has no base URL %s", async (baseUrl) => {
    await start();
    expect(() => createVitrine({ baseUrl })).toThrow(
      new TypeError(`baseUrl is ${baseUrl}; it must begin with http:// or https://`),
    );
  });

  it.each([".", ".."])("refuses %s in a path, where it would name another route", async (value) => {
    const client = (await start(json(200, {}))).client();
    const refused = expect.objectContaining({
      name: "TypeError",
      message: expect.stringContaining(`"${value}"`),
    });

    expect(await failure(client.webhooks.delete(value))).toEqual(refused);
    expect(await failure(client.traitValues(HEROES, value))).toEqual(refused);
    expect(service.requests).toEqual([]);
    await client.traitValues(HEROES, "...");
    await client.traitValues(HEROES, "%2e%2e");
    expect(service.requests).toEqual([
      `GET /market/collections/${HEROES}/traits/.../values`,
      `GET /market/collections/${HEROES}/traits/%252e%252e/values`,
    ]);
  });

  it("writes conditions of any type as the service reads them", async () => {
    const client = (await start(json(200, { items: [], next_cursor: null, total: 0 }))).client();
    await client
      .tokens(HEROES, {
        traits: { Shiny: [true], Level: [0], "": [""] },
        ranges: { Level: { from: 0 }, Power: { to: 2n ** 64n } },
        locked: false,
      })
      .take(1);

    const query = new URL(service.requests[0]?.slice(4) ?? "", service.baseUrl).searchParams;
    expect(JSON.parse(query.get("criteria") ?? "")).toEqual([
      { name: "Shiny", values: ["true"] },
      { name: "Level", values: ["0"] },
      { name: "", values: [""] },
    ]);
    expect(JSON.parse(query.get("range_criteria") ?? "")).toEqual([
      { name: "Level", range: { from: "0" } },
      { name: "Power", range: { to: String(2n ** 64n) } },
    ]);
    expect(query.get("locked")).toBe("false");
  });
});

describe("a list", () => {
  const page = (ids: readonly string[], next: string | null): Step =>
    json(200, { items: ids.map((token_id) => ({ token_id })), next_cursor: next, total: 3 });

  it("yields every item of every page, empty pages included", async () => {
    const client = (await start(page(["1"], "a"), page([], "b&c"), page(["2", "3"], null))).client();
    const ids: string[] = [];
    for await (const { token_id } of client.tokens(HEROES)) ids.push(token_id);

    expect(ids).toEqual(["1", "2", "3"]);
    expect(service.requests[2]).toContain("cursor=b%26c");
  });

  it("asks for no page that the caller doesn't come to", async () => {
    const client = (await start(page(["1", "2"], "a"))).client();

    expect(await client.tokens(HEROES).take(2)).toHaveLength(2);
    expect(await client.tokens(HEROES).take(0)).toEqual([]);
    expect(service.requests).toHaveLength(1);
  });

  it("follows the Link header where the response is an array", async () => {
    const link =
      '<https://other.example/a,b>; rel=first, <https://other.example/registry/v2/0x1?limit=1&cursor=x%3D1>; title=","; rel="next"';
    const client = (
      await start(json(200, [{ type: "ALL" }], { link }), json(200, [{ type: "ERC20" }]))
    ).client();
    const types: string[] = [];
    for await (const { type } of client.delegations(HEROES)) types.push(type);

    expect(types).toEqual(["ALL", "ERC20"]);
    expect(service.requests[1]).toBe(`GET /registry/v2/${HEROES}?cursor=x%3D1`);
  });

  it("starts at the first page again in a second loop", async () => {
    const client = (await start(page(["1"], null))).client();
    const tokens = client.tokens(HEROES);

    expect([await tokens.take(9), await tokens.take(9)]).toEqual([[{ token_id: "1" }], [{ token_id: "1" }]]);
  });
});

describe("waiting for a refresh", () => {
  const receipt = (done: boolean): Step => json(200, { refresh_id: "r", created_at: "", done, tokens: [] });

  it("polls the receipt until it is done", async () => {
    const client = (await start(json(200, { refresh_id: "r" }), receipt(false), receipt(true))).client();

    expect(await client.refreshAndWait(HEROES, [1n])).toMatchObject({ done: true });
    expect(service.requests).toHaveLength(3);
    expect(service.requests[0]).toContain("wait=10");
  });

  it("returns what there is when the time is up", async () => {
    const client = (await start(json(200, { refresh_id: "r" }), receipt(false))).client();

    expect(await client.refreshAndWait(HEROES, [1n], { timeoutMs: 1_000 })).toMatchObject({ done: false });
  });

  it("returns the last receipt when the time is up, whatever the next request waits for", async () => {
    const client = (await start(json(200, { refresh_id: "r" }), receipt(false), silence)).client();

    expect(await client.refreshAndWait(HEROES, [1n], { timeoutMs: 1_000 })).toMatchObject({ done: false });
  });

  const later = refusal(503, "UNAVAILABLE", { "retry-after": "55" });
  it.each<[string, readonly Step[]]>([
    ["its request is not answered", [silence]],
    ["its request is to be repeated later", [later]],
    ["no receipt is answered", [json(200, { refresh_id: "r" }), silence]],
    ["its receipt is to be read later", [json(200, { refresh_id: "r" }), later]],
  ])("throws when the time is up and %s", async (_what, steps) => {
    const client = (await start(...steps)).client();

    expect(await failure(client.refreshAndWait(HEROES, [1n], { timeoutMs: 500 }))).toMatchObject({
      code: "NETWORK",
      message: "No receipt within 500 ms",
    });
  });

  it("ends with the caller's reason, with and without a receipt", async () => {
    for (const step of [receipt(false), silence]) {
      const client = (await start(json(200, { refresh_id: "r" }), step)).client();
      const abort = new AbortController();
      const call = failure(client.refreshAndWait(HEROES, [1n], { signal: abort.signal }));
      while (service.requests.length < 2) await new Promise((resolve) => setTimeout(resolve, 5));
      abort.abort(new Error("the user left"));

      expect((await call).message).toBe("the user left");
      service.close();
    }
  });

  it.each([
    [20_000, "wait=10"],
    [19_999, "wait=9"],
    [2_000, "wait=1"],
    [1_999, "refresh_metadata"],
  ])("asks the service to wait for half of its limits of %d ms", async (timeoutMs, end) => {
    const client = (await start(json(200, { refresh_id: "r" }), receipt(true))).client();
    await client.refreshAndWait(HEROES, [1n], { timeoutMs });
    expect(service.requests[0]).toMatch(new RegExp(`${end}$`));
    service.close();

    const impatient = (await start(json(200, { refresh_id: "r" }), receipt(true))).client({ timeoutMs });
    await impatient.refreshAndWait(HEROES, [1n]);
    expect(service.requests[0]).toMatch(new RegExp(`${end}$`));
  });

  it("waits for longer than a timer runs", async () => {
    const client = (await start(json(200, { refresh_id: "r" }), receipt(false), receipt(true))).client({
      timeoutMs: Number.POSITIVE_INFINITY,
    });

    const call = client.refreshAndWait(HEROES, [1n], { timeoutMs: 2 ** 31 });
    expect(await call).toMatchObject({ done: true });
  });
});
