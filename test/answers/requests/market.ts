/** Reads of a marketplace: collections, tokens, search, traits, trade checks, delegations, pictures. */

import { each, get, type HttpRequest, head, options, post, type Request } from "../request.ts";

const H = "/market/collections/{{heroes}}";
const I = "/market/collections/{{items}}";
const criteria = (...of: unknown[]): string => `criteria=${encodeURIComponent(JSON.stringify(of))}`;
const ranges = (...of: unknown[]): string => `range_criteria=${encodeURIComponent(JSON.stringify(of))}`;

const collections: HttpRequest[] = [
  get("/market/collections"),
  get("/market/collections", { key: "market", note: "another key" }),
  get("/market/collections", { key: "partner" }),
  get("/market/collections", { key: "broken" }),
  get("/market/collections", { key: undefined, note: "no key" }),
  get("/market/collections?apiKey={{key_full}}", { key: undefined, note: "key in the query" }),
  get("/market/collections", { key: undefined, note: "no key at all", headers: { "x-api-key": "" } }),
  get("/market/collections", {
    key: undefined,
    note: "text for a key",
    headers: { "x-api-key": "let me in" },
  }),
  get("/market/collections", { note: "accepts HTML only", headers: { accept: "text/html" } }),
  get("/market/collections", { note: "another origin", headers: { origin: "https://shop.example" } }),
  head("/market/collections"),
  options("/market/collections", { key: undefined }),
  options("/market/collections", {
    key: undefined,
    note: "preflight",
    headers: {
      origin: "https://shop.example",
      "access-control-request-method": "GET",
      "access-control-request-headers": "x-api-key",
    },
  }),
  get("/market/collections?limit=1"),
  get(H),
  get(I),
  get("/market/collections/{{checksummed}}"),
  get(`${H}?chain_id=31337`),
  get(`${H}?chain_id=1`),
  get(`${H}?chain_id=x`),
  get(`${H}?chainId=31337`),
  get("/market/collections/vitrine-heroes"),
  get("/market/collections/{{stranger}}"),
  get("/market/collections/0x12"),
  get("/market/collections/{{heroes}}", { key: undefined, note: "no key" }),
];

const tokens: HttpRequest[] = [
  ...[
    1, 3, 4, 5, 6, 7, 8, 9, 10, 12, 16, 21, 25, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47,
    48,
  ].map((id) => get(`${H}/tokens/${id}`)),
  ...[1, 2, 4, 11, 12, 16].map((id) => get(`${I}/tokens/${id}`)),
  get(`${H}/tokens/999`),
  get(`${H}/tokens/007`),
  get(`${H}/tokens/-1`),
  get(`${H}/tokens/abc`),
  get(`${H}/tokens/115792089237316195423570985008687907853269984665640564039457584007913129639935`),
  get(`${H}/tokens/115792089237316195423570985008687907853269984665640564039457584007913129639936`),
  get(`${H}/tokens/1?chain_id=2020`),
  get(`${H}/tokens/1`, { key: undefined, note: "no key" }),
  get(`${H}/tokens/1`, { key: "partner" }),
  head(`${H}/tokens/1`),
  get(`${H}/tokens/1`, { note: "an old ETag", headers: { "if-none-match": '"old"' } }),
  get("/market/collections/{{stranger}}/tokens/1"),
];

const search: HttpRequest[] = [
  get(`${H}/tokens`),
  get(`${I}/tokens`),
  get(`${I}/tokens?limit=100`),
  get(`${H}/tokens?limit=3`, { save: { cursor: "next_cursor" } }),
  get(`${H}/tokens?limit=3&cursor={{cursor}}`),
  get(`${H}/tokens?limit=3&cursor={{cursor}}&sort=id_desc`),
  get(`${H}/tokens?limit=3&cursor=nonsense`),
  get(`${H}/tokens?limit=5&sort=rarity`),
  get(`${H}/tokens?limit=5&group=document`),
  get(`${H}/tokens?group=owner`),
  get(`${H}/tokens?limit=5&owner={{ben}}&owner={{checksummed}}`),
  get(`${H}/tokens?limit=5&owner={{ben}}&include_delegated=true`),
  get(`${H}/tokens?include_delegated=true`),
  get(`${H}/traits/Class/values?prefix=m`),
  get(`${H}/traits/Level/values?prefix=1&limit=3`),
  get(`${H}/traits/Nothing/values`),
  get(`${H}/traits/Class/values?limit=0`),
  get("/market/search?q=hero&limit=3"),
  get("/market/search?q=7&limit=3"),
  get("/market/search"),
  get(`${H}/tokens?limit=0`),
  get(`${H}/tokens?limit=101`),
  get(`${H}/tokens?limit=ten`),
  ...[
    "id_desc",
    "name_asc",
    "name_desc",
    "latest",
    "trait:Level:asc",
    "trait:Level:desc",
    "trait:Born:asc",
  ].map((sort) => get(`${H}/tokens?limit=5&sort=${sort}`)),
  get(`${H}/tokens?limit=100&sort=updated`, { unordered: ["items"] }),
  get(`${H}/tokens?limit=2&sort=trait:Nothing:asc`),
  get(`${H}/tokens?limit=2&sort=price`),
  get(`${H}/tokens?limit=5&q=mage`),
  get(`${H}/tokens?limit=5&q=lantern`),
  get(`${H}/tokens?limit=5&q=nobodyhasthis`),
  get(`${H}/tokens?limit=5&q=`),
  get(`${H}/tokens?q=${"x".repeat(201)}`),
  get(`${H}/tokens?limit=5&owner={{ada}}`),
  get(`${H}/tokens?limit=5&owner={{stranger}}`),
  get(`${H}/tokens?owner=ada`),
  get(`${H}/tokens?locked=true`),
  get(`${H}/tokens?limit=2&locked=false`),
  get(`${H}/tokens?locked=maybe`),
  get(`${H}/tokens?limit=5&${criteria({ name: "Awakened", values: ["true"] })}`),
  get(
    `${H}/tokens?limit=5&${criteria({ name: "Rarity", values: ["Common", "Rare"] }, { name: "Founder", values: ["true"] })}`,
  ),
  get(`${H}/tokens?limit=5&${criteria({ name: "Title", values: [""] })}`),
  get(`${H}/tokens?limit=5&${ranges({ name: "Level", range: { from: "10", to: "40" } })}`),
  get(`${H}/tokens?limit=5&${ranges({ name: "Wins", range: { to: "0" } })}`),
  get(`${H}/tokens?limit=5&${ranges({ name: "Level", range: { from: "many" } })}`),
  get(`${H}/tokens?limit=5&${ranges({ name: "Level", range: {} })}`),
  get(`${H}/tokens?criteria=nonsense`),
  get(`${H}/tokens?criteria=%7B%7D`),
  get(`${H}/tokens?${criteria({ values: ["x"] })}`),
  get(`${H}/tokens?colour=red`),
  get(`${H}/tokens`, { key: undefined, note: "no key" }),
  get(`${H}/traits`),
  get(`${I}/traits`),
  get(`${H}/traits?locked=true`),
  get(`${H}/traits?${criteria({ name: "Awakened", values: ["true"] })}`),
  get(`${H}/traits?q=mage&owner={{ben}}`),
  get(`${H}/traits?locked=1`),
  get(`${H}/traits?chain_id=1`),
  get(`${H}/traits`, { key: "broken" }),
];

const trades = "/market/trade_checks";
const item = (token_id: string, collection_address = "{{heroes}}") => ({ collection_address, token_id });
const checks: HttpRequest[] = [
  post(
    trades,
    { action: "trade", items: ["1", "6", "7", "8", "9", "999"].map((id) => item(id)) },
    { note: "free, burned, locked, unknown" },
  ),
  post(trades, { action: "list", items: [item("1")], wallet: "{{ada}}" }, { note: "the owner" }),
  post(trades, { action: "list", items: [item("1")], wallet: "{{hot}}" }, { note: "a delegate" }),
  post(trades, { action: "transfer", items: [item("1")], wallet: "{{stranger}}" }, { note: "a stranger" }),
  post(
    trades,
    { action: "transfer", items: [item("1"), item("2", "{{items}}")], verify: "chain" },
    { note: "tried on the chain" },
  ),
  post(`${trades}?chain_id=31337`, { action: "trade", items: [item("1")] }),
  post(`${trades}?chain_id=1`, { action: "trade", items: [item("1")] }),
  post(trades, { action: "steal", items: [item("1")] }, { note: "another action" }),
  post(trades, { action: "trade", items: [] }, { note: "no items" }),
  post(
    trades,
    { action: "trade", items: Array.from({ length: 101 }, () => item("1")) },
    { note: "too many items" },
  ),
  post(
    trades,
    { action: "trade", items: [{ collection_address: "x", token_id: "y" }] },
    { note: "no address, no id" },
  ),
  post(trades, { action: "trade", items: [item("1", "{{stranger}}")] }, { note: "another collection" }),
  post(trades, { action: "trade", items: [item("1")], verify: "twice" }, { note: "another way to verify" }),
  post(trades, { action: "trade", items: [item("1")], colour: "red" }, { note: "an unknown field" }),
  post(trades, "{", { note: "no JSON", headers: { "content-type": "application/json" } }),
  post(trades, "a=b", { note: "a form", headers: { "content-type": "application/x-www-form-urlencoded" } }),
  post(trades, undefined, { note: "no body" }),
  post(trades, { action: "trade", items: [item("1")] }, { key: undefined, note: "no key" }),
  post(trades, { action: "trade", items: [item("1")] }, { key: "partner" }),
  get(trades),
];

const wallets: HttpRequest[] = [
  ...["ada", "ben", "cy", "dot", "hot", "stranger"].map((who) =>
    get(`/market/wallets/{{${who}}}/delegations`),
  ),
  get("/market/wallets/{{ada}}/delegations?to={{hot}}"),
  get("/market/wallets/{{ada}}/delegations?to={{stranger}}"),
  get("/market/wallets/{{ada}}/delegations?to=x"),
  get("/market/wallets/{{ada}}/delegations?chain_id=5"),
  get("/market/wallets/me/delegations"),
  get("/market/wallets/{{ada}}/delegations", { key: undefined, note: "no key" }),
];

const pictures: HttpRequest[] = [
  get(`${H}/tokens/2`, { save: { picture: /(\/media\/images\/[^"]+)"/ } }),
  get("{{picture}}", {
    key: undefined,
    body_as: "length",
    save: { picture_tag: /"etag":"\\"([^"\\]+)\\""/ },
  }),
  head("{{picture}}", { key: undefined }),
  get("{{picture}}", {
    key: undefined,
    note: "not modified",
    headers: { "if-none-match": '"{{picture_tag}}"' },
  }),
  get("{{picture}}", { key: undefined, note: "a part", headers: { range: "bytes=0-9" }, body_as: "length" }),
  post("{{picture}}", undefined, { key: undefined }),
];

const stream: HttpRequest[] = [
  get("/market/events", { note: "accepts JSON only", headers: { accept: "application/json" } }),
  get("/market/events", { key: undefined, note: "no key" }),
  get("/market/events", { key: "partner" }),
  get("/market/events?type=nonsense"),
  get("/market/events?collection_address=x"),
  get("/market/events?collection_address={{stranger}}"),
  get("/market/events?last_event_id=x"),
  get("/market/events?chain_id=9"),
];

export const market: Request[] = each({ key: "full" }, [
  ...collections,
  ...tokens,
  ...search,
  ...checks,
  ...wallets,
  ...pictures,
  ...stream,
]);
