/** What a partner does: refreshes, receipts, reports, documents tried out, information of collections. */

import { each, get, type HttpRequest, head, patch, post, put, type Request } from "../request.ts";

const P = "/market-partner";
const H = `${P}/collections/{{heroes}}`;
const I = `${P}/collections/{{items}}`;
const refresh = `${H}/refresh_metadata`;
const ids = (...token_ids: unknown[]) => ({ token_ids });

const reports: HttpRequest[] = [
  ...[1, 6, 12, 33, 34, 36, 37, 38, 39, 40, 45, 46, 48].map((id) => get(`${H}/tokens/${id}/report`)),
  ...[1, 11, 16].map((id) => get(`${I}/tokens/${id}/report`)),
  get(`${H}/tokens/1/report?limit=1`),
  get(`${H}/tokens/1/report?limit=0`),
  get(`${H}/tokens/1/report?limit=101`),
  get(`${H}/tokens/1/report?cursor=x`),
  get(`${H}/tokens/1/report?chain_id=5`),
  get(`${H}/tokens/1/report?colour=red`),
  get(`${H}/tokens/999/report`),
  get(`${H}/tokens/x/report`),
  get(`${P}/collections/{{stranger}}/tokens/1/report`),
  get(`${H}/tokens/1/report`, { key: undefined, note: "no key" }),
  get(`${H}/tokens/1/report`, { key: "market" }),
  get(`${H}/tokens/1/report`, { key: "heroes" }),
  get(`${I}/tokens/1/report`, { key: "heroes" }),
  get(`${H}/tokens/1/report`, { key: "broken" }),
  head(`${H}/tokens/1/report`),
];

const refreshes: HttpRequest[] = [
  post(`${refresh}?wait=10`, ids("2"), { note: "unchanged" }),
  post(`${refresh}?wait=10`, ids("3", "38", "999", "6", "3"), {
    note: "a document that is gone, no such token, a burned one, one twice",
    // Read or not by the time that the last document is.
    varies: ["tokens.0.image"],
    save: { refresh_id: "refresh_id" },
  }),
  get(`${P}/refreshes/{{refresh_id}}`, { until: (text) => !text.includes('"pending"') }),
  get(`${P}/refreshes/{{refresh_id}}`, { key: "partner", note: "of another app" }),
  get(`${P}/refreshes/{{id}}`),
  get(`${P}/refreshes/1`),
  get(`${P}/refreshes/{{refresh_id}}`, { key: undefined, note: "no key" }),
  post(`${refresh}?wait=10`, ids("10"), {
    note: "changed",
    prepare: async ({ world }) => void world.host.patch("heroes", 10, { name: "Another name" }),
  }),
  get("/market/collections/{{heroes}}/tokens/10"),
  get(`${H}/tokens/10/report`),
  get(`${H}/tokens/10/report?limit=1`, { save: { versions_next: "next_cursor" } }),
  get(`${H}/tokens/10/report?limit=1&cursor={{versions_next}}`),
  post(`${refresh}?wait=10`, ids("11"), {
    note: "less complete than before",
    prepare: async ({ world }) => void world.host.patch("heroes", 11, { image: null }),
  }),
  get("/market/collections/{{heroes}}/tokens/11"),
  post(`${refresh}?wait=10`, ids("13"), {
    note: "no JSON any more",
    prepare: async ({ world }) => void world.host.set("heroes", 13, { body: "<html>" }),
  }),
  get(`${H}/tokens/13/report`),
  post(refresh, ids("1"), { note: "not waited for", save: { refresh_id: "refresh_id" } }),
  get(`${P}/refreshes/{{refresh_id}}`, {
    note: "until it is done",
    until: (text) => text.includes('"done":true'),
  }),
  post(`${I}/refresh_metadata?wait=10`, ids("1", "16")),
  post(refresh, ids(), { note: "no ids" }),
  post(refresh, ids(...Array.from({ length: 101 }, (_, id) => String(id))), { note: "101 ids" }),
  post(refresh, ids(1), { note: "a number for an id" }),
  post(refresh, ids("1", "x", "01"), { note: "no ids at all" }),
  post(refresh, ids("998", "999"), { note: "no such tokens" }),
  post(refresh, {}, { note: "no token_ids" }),
  post(refresh, [], { note: "a list" }),
  post(refresh, "{", { note: "no JSON", headers: { "content-type": "application/json" } }),
  post(refresh, "x", { note: "text", headers: { "content-type": "text/plain" } }),
  post(`${refresh}?wait=11`, ids("1")),
  post(`${refresh}?wait=soon`, ids("1")),
  post(`${refresh}?wait=0&chain_id=31337`, ids("999")),
  post(`${refresh}?chain_id=1`, ids("1")),
  post(`${P}/collections/{{stranger}}/refresh_metadata`, ids("1")),
  post(`${P}/collections/0x1/refresh_metadata`, ids("1")),
  post(`${P}/collections/vitrine-heroes/refresh_metadata`, ids("999")),
  post(refresh, ids("1"), { key: undefined, note: "no key" }),
  post(refresh, ids("1"), { key: "market" }),
  post(refresh, ids("1"), { key: "broken" }),
  post(refresh, ids("999"), { key: "heroes" }),
  post(refresh, ids("1".repeat(100_000)), { note: "100 kB" }),
  get(refresh),
  patch(refresh, ids("1")),
];

const validate = `${P}/metadata/validate`;
const good = {
  name: "One",
  image: "https://art.example/1.png",
  attributes: [{ trait_type: "Level", display_type: "number", value: 3 }],
};
const documents: HttpRequest[] = [
  post(validate, { document: good }, { note: "good" }),
  post(validate, { document: { name: "", attributes: {} } }, { note: "no image, blank name" }),
  post(validate, { document: 7 }, { note: "no object" }),
  post(validate, { document: null }, { note: "null" }),
  post(
    validate,
    {
      document: {
        ...good,
        animation_url: "https://play.example/1",
        attributes: [
          { trait_type: "A", display_type: "number", value: "1" },
          { trait_type: "B", display_type: "date", value: 1e15 },
          { trait_type: "C", display_type: "bool", value: "yes" },
          { trait_type: "D", display_type: "boost", value: 1 },
          { value: "nameless" },
          "no object",
          { trait_type: "A", value: "again" },
        ],
      },
    },
    { note: "faulty attributes" },
  ),
  post(
    validate,
    { document: good, collection_address: "{{heroes}}", chain_id: 31337 },
    { note: "of a collection" },
  ),
  post(validate, { uri: "{{host}}/heroes/1" }, { note: "a URI" }),
  post(validate, { uri: "{{host}}/heroes/38" }, { note: "a URI that answers 404" }),
  post(validate, { uri: "{{host}}/items/{id}.json", token_id: "1" }, { note: "a template" }),
  post(validate, { uri: "http://10.0.0.1/1" }, { note: "a private host" }),
  post(validate, { uri: "ftp://art.example/1" }, { note: "another scheme" }),
  post(validate, { uri: "not a URI" }, { note: "no URI" }),
  post(validate, { uri: "{{host}}/heroes/1", document: good }, { note: "both" }),
  post(validate, {}, { note: "neither" }),
  post(validate, { document: good, colour: "red" }, { note: "an unknown field" }),
  post(validate, { document: good, collection_address: "{{stranger}}" }, { note: "another collection" }),
  post(validate, { document: good, token_id: "x" }, { note: "no id" }),
  post(validate, "{", { note: "no JSON", headers: { "content-type": "application/json" } }),
  post(validate, { document: good }, { key: undefined, note: "no key" }),
  post(validate, { document: good }, { key: "market" }),
];

const informationPath = `${H}/information`;
const information = {
  name: "Heroes of the answers",
  slug: "heroes-of-answers",
  description: "Forty-eight of them.",
  creator_name: "Studio",
  avatar: "{{host}}/art/heroes/1.png",
  banner: "{{host}}/art/heroes/banner.png",
  website: "https://heroes.example",
  discord: "https://discord.example/heroes",
  x: "https://x.example/heroes",
  show_at: "2020-01-01T00:00:00Z",
  trait_groups: [
    { name: "Fight", traits: [{ name: "Power" }, { name: "Level" }] },
    { name: "Past", traits: [{ name: "Born" }, { name: "Nothing" }] },
  ],
};
const makers: HttpRequest[] = [
  get(informationPath, { note: "no information yet" }),
  put(informationPath, information),
  get(informationPath, { note: "saved" }),
  get("/market/collections/{{heroes}}"),
  get("/market/collections/{{heroes}}/tokens/1"),
  get("/market/collections/heroes-of-answers"),
  put(informationPath, { ...information, tradable_at: "2099-01-01T00:00:00Z" }, { note: "not open yet" }),
  get("/market/collections/{{heroes}}/tokens/1", { note: "not open yet" }),
  post("/market/trade_checks", {
    action: "trade",
    items: [{ collection_address: "{{heroes}}", token_id: "1" }],
  }),
  put(informationPath, { name: "Only a name" }, { key: "heroes", note: "an app of this collection" }),
  put(`${I}/information`, { name: "Items" }, { key: "heroes", note: "an app of another collection" }),
  put(`${I}/information`, { name: "Items", trait_groups: [] }),
  put(informationPath, {}, { note: "no name" }),
  put(informationPath, { name: " " }, { note: "a blank name" }),
  put(
    informationPath,
    { name: 7, slug: "No Slug", avatar: "javascript:1", show_at: "soon", trait_groups: [{ name: "x" }] },
    { note: "wrong fields" },
  ),
  put(informationPath, { name: "x".repeat(101), description: "y".repeat(1001) }, { note: "too long" }),
  put(informationPath, { name: "x", colour: "red" }, { note: "an unknown field" }),
  put(
    informationPath,
    {
      name: "x",
      trait_groups: [
        { name: "A", traits: [{ name: "Power" }] },
        { name: "A", traits: [{ name: "Power" }] },
      ],
    },
    { note: "a group twice" },
  ),
  put(
    informationPath,
    { name: "x", website: "https://user:secret@site.example" },
    { note: "credentials in a link" },
  ),
  put(informationPath, "{", { note: "no JSON", headers: { "content-type": "application/json" } }),
  put(informationPath, information, { key: undefined, note: "no key" }),
  put(informationPath, information, { key: "market" }),
  put(`${P}/collections/{{stranger}}/information`, information),
  get(`${P}/collections/{{stranger}}/information`),
  get(`${informationPath}?chain_id=2`),
  get(informationPath, { key: undefined, note: "no key" }),
  post(informationPath, information),
  put(informationPath, information, { note: "saved again" }),
];

export const partner: Request[] = each({ key: "full" }, [...reports, ...refreshes, ...documents, ...makers]);
