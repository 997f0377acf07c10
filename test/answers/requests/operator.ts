/** The operator's API: keys, hosts, locks, display types, refreshes, sign-in links. */

import { del, each, get, type HttpRequest, head, post, put, type Request } from "../request.ts";

/** Uses of keys are written in batches: until so many keys are shown as used. */
const untilUsed = (keys: number) => ({
  until: (text: string) => text.match(/"last_used_at":"/g)?.length === keys,
});

const keys: HttpRequest[] = [
  get("/admin/keys", { note: "no token", isOperator: false }),
  get("/admin/keys", {
    note: "a wrong token",
    isOperator: false,
    headers: { authorization: "Bearer wrong" },
  }),
  get("/admin/keys", { note: "another scheme", isOperator: false, headers: { authorization: "Basic eDp5" } }),
  get("/admin/keys", { note: "an API key", isOperator: false, key: "full" }),
  get("/admin/keys", {
    note: "another origin",
    headers: { origin: "https://shop.example" },
    ...untilUsed(4),
  }),
  get("/admin/keys"),
  head("/admin/keys"),
  post("/admin/keys", { app: "Recorded", apis: ["market"] }, { save: { made_key: "key", made_id: "id" } }),
  get("/market/collections/{{heroes}}", {
    isOperator: false,
    note: "the new key",
    headers: { "x-api-key": "{{made_key}}" },
  }),
  post(
    "/admin/keys",
    { app: "Recorded", apis: ["market-partner"], collections: ["{{chain}}:{{items}}"] },
    { note: "the same app again" },
  ),
  post("/admin/keys", { app: "", apis: [] }, { note: "nothing" }),
  post("/admin/keys", { app: "x".repeat(101), apis: ["market"] }, { note: "a long name" }),
  post("/admin/keys", { app: "Other", apis: ["everything"] }, { note: "another API" }),
  post("/admin/keys", { app: "Other", apis: ["market"], collections: [] }, { note: "no collections" }),
  post(
    "/admin/keys",
    { app: "Other", apis: ["market"], collections: ["1:{{stranger}}"] },
    { note: "another collection" },
  ),
  post("/admin/keys", { app: "Other", apis: ["market"], collections: "some" }, { note: "some collections" }),
  post("/admin/keys", { app: "Other", apis: ["market"], tier: "gold" }, { note: "an unknown field" }),
  post("/admin/keys", "{", { note: "no JSON", headers: { "content-type": "application/json" } }),
  post("/admin/keys", "app=x", {
    note: "a form",
    headers: { "content-type": "application/x-www-form-urlencoded" },
  }),
  post(
    "/admin/keys/{{made_id}}/rotate",
    { grace_seconds: 3600 },
    { save: { next_key: "key", next_id: "id" } },
  ),
  get("/market/collections/{{heroes}}", {
    isOperator: false,
    note: "the old key",
    headers: { "x-api-key": "{{made_key}}" },
  }),
  get("/market/collections/{{heroes}}", {
    isOperator: false,
    note: "the rotated key",
    headers: { "x-api-key": "{{next_key}}" },
  }),
  post(
    "/admin/keys/{{next_id}}/rotate",
    { grace_seconds: 0 },
    { note: "at once", save: { last_key: "key", last_id: "id" } },
  ),
  get("/market/collections/{{heroes}}", {
    isOperator: false,
    note: "a key that has ended",
    headers: { "x-api-key": "{{next_key}}" },
    until: (_, { status }) => status === 401,
  }),
  post("/admin/keys/{{made_id}}/rotate", { grace_seconds: -1 }, { note: "no time at all" }),
  post("/admin/keys/{{made_id}}/rotate", { grace_seconds: 2_592_001 }, { note: "too long" }),
  post("/admin/keys/{{id}}/rotate", {}),
  post("/admin/keys/x/rotate", {}),
  del("/admin/keys/{{last_id}}"),
  del("/admin/keys/{{last_id}}", undefined, { note: "again" }),
  get("/market/collections/{{heroes}}", {
    isOperator: false,
    note: "a revoked key",
    headers: { "x-api-key": "{{last_key}}" },
    until: (_, { status }) => status === 401,
  }),
  del("/admin/keys/{{id}}"),
  del("/admin/keys/x"),
  get("/admin/keys", { note: "after all this", ...untilUsed(6) }),
  post("/admin/login_links"),
  post("/admin/login_links", undefined, { note: "no token", isOperator: false }),
];

const host = (pattern: unknown, collection?: unknown) => ({
  pattern,
  ...(collection !== undefined && { collection }),
});
const hosts: HttpRequest[] = [
  get("/admin/allowlist"),
  post("/admin/allowlist", host("play.example")),
  post("/admin/allowlist", host("*.play.example", "{{chain}}:{{heroes}}"), { note: "of a collection" }),
  post("/admin/allowlist", host("{{host_name}}"), {
    note: "the metadata host",
    prepare: async ({ values }) => ({ host_name: new URL(values.host ?? "").host }),
  }),
  get("/market/collections/{{heroes}}/tokens/4", {
    isOperator: false,
    key: "full",
    note: "a game that may be shown",
  }),
  post("/admin/allowlist", host("play.example"), { note: "again" }),
  post("/admin/allowlist", host("https://play.example/x"), { note: "a URL" }),
  post("/admin/allowlist", host("*"), { note: "everything" }),
  post("/admin/allowlist", host(7), { note: "a number" }),
  post("/admin/allowlist", host("a.example", "{{stranger}}"), { note: "another collection" }),
  post("/admin/allowlist", {}, { note: "nothing" }),
  get("/admin/allowlist", { note: "three" }),
  del("/admin/allowlist", host("play.example")),
  del("/admin/allowlist", host("play.example"), { note: "again" }),
  del("/admin/allowlist", host("*.play.example"), { note: "of every collection" }),
  del("/admin/allowlist", host("*.play.example", "{{chain}}:{{heroes}}"), { note: "of a collection" }),
  del("/admin/allowlist", {}, { note: "nothing" }),
  get("/admin/allowlist", { note: "one" }),
  get("/admin/allowlist", { note: "no token", isOperator: false }),
];

const locks: HttpRequest[] = [
  post("/admin/locks/reconcile", {}, { note: "the first collection" }),
  post("/admin/locks/reconcile", { collection: "{{heroes}}", limit: 10 }, { note: "ten of them" }),
  post(
    "/admin/locks/reconcile",
    { collection: "{{chain}}:{{heroes}}", after_token_id: "40" },
    { note: "the rest" },
  ),
  post("/admin/locks/reconcile", { collection: "{{items}}" }, { note: "no locks" }),
  post("/admin/locks/reconcile", { collection: "{{stranger}}" }, { note: "another collection" }),
  post("/admin/locks/reconcile", { limit: 501 }, { note: "too many" }),
  post("/admin/locks/reconcile", { after_token_id: "x" }, { note: "no id" }),
  post("/admin/locks/reconcile", {}, { note: "no token", isOperator: false }),
];

const approve = "/admin/traits/approve";
const level = (display_type: string, trait_type = "Serial", collection = "{{heroes}}") => ({
  collection,
  trait_type,
  display_type,
});
const traits: HttpRequest[] = [
  get("/admin/traits/pending"),
  post(
    "/market-partner/collections/{{heroes}}/refresh_metadata?wait=10",
    { token_ids: ["20"] },
    {
      isOperator: false,
      key: "full",
      note: "another display type",
      prepare: async ({ world }) =>
        void world.host.patch("heroes", 20, {
          attributes: [
            { trait_type: "Level", display_type: "string", value: "twelve" },
            { trait_type: "Class", value: "Mage" },
          ],
        }),
    },
  ),
  get("/market/collections/{{heroes}}/tokens/20", { isOperator: false, key: "full" }),
  get("/admin/traits/pending", { note: "one waits" }),
  get("/admin/traits/pending?collection={{heroes}}"),
  get("/admin/traits/pending?collection={{chain}}:{{items}}"),
  get("/admin/traits/pending?collection={{stranger}}"),
  get("/admin/traits/pending?colour=red"),
  post(approve, level("number")),
  post(approve, level("string", "Nothing"), { note: "no such trait" }),
  post(approve, level("boost", "Level"), { note: "no display type" }),
  post(approve, level("string", ""), { note: "no trait" }),
  post(approve, level("string", "Level", "{{stranger}}"), { note: "another collection" }),
  post(approve, level("string", "Level"), { note: "approved" }),
  get("/admin/traits/pending", { note: "the others wait" }),
  get("/market/collections/{{heroes}}/traits", { isOperator: false, key: "full", note: "Level is text" }),
  post(approve, level("number", "Level"), { note: "back" }),
  get("/admin/traits/pending", { note: "as before" }),
  get("/admin/traits/pending", { note: "no token", isOperator: false }),
];

const refreshes: HttpRequest[] = [
  get("/admin/refreshes", { varies: ["queue.oldest_seconds"] }),
  post(
    "/admin/refreshes",
    { collection_address: "{{heroes}}", token_ids: ["2", "38", "999"] },
    { save: { operator_refresh: "refresh_id" } },
  ),
  get("/admin/refreshes/{{operator_refresh}}", { until: (text) => text.includes('"done":true') }),
  post(
    "/admin/refreshes",
    { collection_address: "{{heroes}}", token_ids: ["11"], accept: true },
    { note: "accepted", save: { operator_refresh: "refresh_id" } },
  ),
  get("/admin/refreshes/{{operator_refresh}}", {
    note: "accepted",
    until: (text) => text.includes('"done":true'),
  }),
  get("/market/collections/{{heroes}}/tokens/11", { isOperator: false, key: "full", note: "accepted" }),
  post("/admin/refreshes", {}, { note: "nothing" }),
  post("/admin/refreshes", { collection_address: "{{stranger}}" }, { note: "another collection" }),
  post("/admin/refreshes", { collection_address: "{{heroes}}", chain_id: 9 }, { note: "another chain" }),
  post("/admin/refreshes", { collection_address: "{{heroes}}", token_ids: [] }, { note: "no ids" }),
  post("/admin/refreshes", { collection_address: "{{heroes}}", token_ids: ["x"] }, { note: "no id" }),
  post("/admin/refreshes", { collection_address: "{{heroes}}", accept: "yes" }, { note: "yes for true" }),
  get("/admin/refreshes/{{id}}"),
  get("/admin/refreshes/x"),
  get("/admin/refreshes", { note: "no token", isOperator: false }),
  get("/admin/metadata/renormalise"),
  post("/admin/metadata/renormalise"),
  get("/admin/metadata/renormalise", { note: "done", until: (text) => text.includes('"finished_at":"') }),
  post("/admin/metadata/renormalise", undefined, { note: "no token", isOperator: false }),
  get("/admin/nothing"),
  put("/admin/keys", {}),
];

export const operator: Request[] = each({ isOperator: true }, [
  ...keys,
  ...hosts,
  ...locks,
  ...traits,
  ...refreshes,
]);
