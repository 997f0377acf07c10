/** What no client should send, at every kind of route, and the limits that it runs into. */

import {
  del,
  get,
  type HttpRequest,
  head,
  options,
  page,
  patch,
  post,
  put,
  type Request,
} from "../request.ts";

const key = { key: "full" } as const;
const H = "/market/collections/{{heroes}}";
const methods: HttpRequest[] = [
  ...[post, put, patch, del].map((send) => send(H, {}, key)),
  ...[
    "/market-partner/refreshes/{{id}}",
    "/registry/v2/{{ada}}",
    "/livez",
    "/openapi.json",
    "/reference",
    "/media/images/x.png",
    "/",
  ].map((path) => del(path, undefined, key)),
  patch("/collections/31337/{{heroes}}", {}),
  put("/console", {}, { as: "ada" }),
  del("/admin/keys", undefined, { isOperator: true }),
  ...[
    "/market/trade_checks",
    "/admin/keys",
    "/console",
    "/registry/v2/check/all",
    "/metrics",
    "/assets/ui.css",
  ].map((path) => options(path)),
  ...[
    "/market/trade_checks",
    "/metrics",
    "/health",
    "/ready",
    "/status",
    "/admin/allowlist",
    "/console",
    "/nope",
  ].map((path) => head(path)),
  { method: "TRACE", path: "/livez" },
  { method: "PROPFIND", path: "/collections" },
];

const paths: HttpRequest[] = [
  ...[
    "/market//collections",
    "/market/collections/",
    "/MARKET/collections",
    "/market/%63ollections",
    "/market/collections/%zz",
    "/market/./collections",
    "/market/collections;x=1",
    "/market/collections?",
    "/market/collections?=&&",
  ].map((path) => get(path, key)),
  get(`/nope/${"x".repeat(5_000)}`),
  get(`/nope?${"x".repeat(20_000)}`),
  page("/collections/%zz"),
  page("/collections/31337/{{heroes}}/%00"),
  page("/collections/31337/{{heroes}}?q=%00"),
  get(`${H}/tokens?q=%00`, key),
  get(`${H}/tokens?q=%ff`, key),
  get(`${H}/tokens?limit=1&limit=2`, key),
  get(`${H}/tokens?limit=1.5`, key),
  get(`${H}/tokens?limit=1e1`, key),
];

const headers: HttpRequest[] = [
  get(H, { ...key, note: "accepts an image", headers: { accept: "image/png" } }),
  get(H, { ...key, note: "accepts nothing", headers: { accept: "" } }),
  get(H, { ...key, note: "accepts JSON least", headers: { accept: "text/html, application/json;q=0.1" } }),
  get(H, { ...key, note: "accepts no JSON", headers: { accept: "application/json;q=0" } }),
  get(H, { ...key, note: "a bearer token", headers: { authorization: "Bearer x" } }),
  get(`${H}?apiKey={{key_market}}`, { key: "partner", note: "two keys" }),
  get(`${H}?apikey={{key_full}}`, { note: "in lower case" }),
  get(H, { note: "a key twice", headers: { "x-api-key": "{{key_full}}, {{key_full}}" } }),
  get(H, { ...key, note: "a long header", headers: { "x-long": "x".repeat(20_000) } }),
  get("/livez", { note: "another host", headers: { host: "evil.example" } }),
  page("/reference", { note: "another host", headers: { host: "evil.example" } }),
  get("/livez", { note: "a request id", headers: { "x-request-id": "mine" } }),
  post("/market/trade_checks", "{}", {
    ...key,
    note: "JSON as text",
    headers: { "content-type": "text/plain" },
  }),
  post("/market/trade_checks", "{}", { ...key, note: "JSON of no type" }),
  post("/market/trade_checks", '{"a":1}', {
    ...key,
    note: "JSON in Latin-1",
    headers: { "content-type": "application/json; charset=latin1" },
  }),
  post("/market/trade_checks", `{"action":"${"x".repeat(2_000_000)}"}`, {
    ...key,
    note: "2 MB",
    headers: { "content-type": "application/json" },
  }),
  post("/admin/keys", `{"app":"${"x".repeat(2_000_000)}"}`, {
    isOperator: true,
    note: "2 MB",
    headers: { "content-type": "application/json" },
  }),
  post("/market/trade_checks", `${"[".repeat(2_000)}${"]".repeat(2_000)}`, {
    ...key,
    note: "deeply nested",
    headers: { "content-type": "application/json" },
  }),
  post("/market/trade_checks", '{"action":"trade","action":"list","items":[]}', {
    ...key,
    note: "a field twice",
    headers: { "content-type": "application/json" },
  }),
  post("/market/trade_checks", '{"__proto__":{"x":1},"action":"trade","items":[]}', {
    ...key,
    note: "a prototype",
    headers: { "content-type": "application/json" },
  }),
];

/** More than a limit allows, all from one address; the last one is recorded. */
const past = (count: number, request: HttpRequest): HttpRequest => ({
  ...request,
  prepare: async ({ ask }) => {
    const { prepare: _, until: __, ...plain } = request;
    await Promise.all(Array.from({ length: count }, () => ask(plain)));
    return undefined;
  },
  until: (_, { status }) => status === 429,
  replace: [[/try again in \d+ s/g, "try again in <n> s"]],
});

const limits: HttpRequest[] = [
  past(40, get("/registry/v2/{{hot}}", { from: "192.0.2.1", note: "past the limit" })),
  get("/registry/v2/{{hot}}", { from: "192.0.2.1", note: "with a key, past the limit", key: "full" }),
  past(
    12,
    get("/admin/keys", {
      from: "192.0.2.2",
      note: "many wrong tokens",
      headers: { authorization: "Bearer wrong" },
    }),
  ),
  get("/admin/keys", {
    from: "192.0.2.2",
    note: "the right token, after",
    isOperator: true,
    replace: [[/try again in \d+ s/g, "try again in <n> s"]],
  }),
  past(
    70,
    post(
      "/console/sign-in/message",
      { address: "x" },
      { from: "192.0.2.3", as: "ben", note: "past the limit" },
    ),
  ),
];

export const errors: Request[] = [...methods, ...paths, ...headers, ...limits];

export const metrics: Request[] = [
  get("/metrics", { body_as: "metrics" }),
  get("/metrics", { note: "with a key", key: "full", body_as: "length" }),
];
