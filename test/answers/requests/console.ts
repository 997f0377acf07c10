/** The console: signing in, apps, keys, permissions and limits, as their owners see them. */

import {
  form,
  get,
  type HttpRequest,
  head,
  page,
  post,
  type Request,
  type RunTools,
  type Visitor,
} from "../request.ts";

const MESSAGE = "/console/sign-in/message";
const SIGN_IN = "/console/sign-in";
const none = "{{id}}";

/** Uses of keys are written in batches: until a page shows so many keys as used. */
export const untilUsed = (keys: number) => ({
  until: (text: string) => text.match(/"Last used"><time/g)?.length === keys,
});

/** The signature of what was issued last. */
const signed =
  (who: "ada" | "ben" | "operator" | "owner") =>
  async ({ values, sign }: RunTools) => ({ signature: await sign(who, values.message ?? "") });

/** What a browser's script does to sign in. */
export const signIn = (who: "ada" | "ben" | "operator", wallet: string): HttpRequest[] => [
  post(
    MESSAGE,
    { address: wallet, chainId: 1 },
    { as: who, note: `for ${who}`, save: { message: "message" } },
  ),
  post(
    SIGN_IN,
    { message: "{{message}}", signature: "{{signature}}" },
    { as: who, note: `by ${who}`, prepare: signed(who) },
  ),
];

const signedOut: HttpRequest[] = [
  ...[
    "/console",
    "/console/",
    "/console/sign-in",
    `/console/apps/${none}`,
    "/console/operator",
    "/console/operator/audit",
    "/console/nothing",
  ].map((path) => page(path, { note: "signed out" })),
  head("/console/sign-in"),
  get("/console", { note: "JSON", headers: { accept: "application/json" } }),
  page("/console", { note: "another cookie", headers: { cookie: "vitrine_session=made.up" } }),
  form("/console/apps", { name: "Mine" }, { as: "ada", note: "signed out" }),
  form("/console/sign-out", {}, { as: "ada", note: "signed out" }),
  form("/console/apps", { name: "Mine" }, { note: "from nowhere" }),
  form(
    "/console/apps",
    { name: "Mine" },
    { note: "from elsewhere", headers: { origin: "https://shop.example" } },
  ),
  page("/console/login/vl_x"),
  form("/console/login/vl_x", {}, { as: "ada" }),
];

const wallets: HttpRequest[] = [
  post(MESSAGE, { address: "ada", chainId: 1 }, { as: "ada", note: "no address" }),
  post(MESSAGE, { address: "{{ada}}", chainId: 0 }, { as: "ada", note: "no chain" }),
  post(MESSAGE, {}, { as: "ada", note: "nothing" }),
  post(MESSAGE, "{", { as: "ada", note: "no JSON", headers: { "content-type": "application/json" } }),
  post(MESSAGE, "a=b", {
    as: "ada",
    note: "a form",
    headers: { "content-type": "application/x-www-form-urlencoded" },
  }),
  post(MESSAGE, { address: "{{ada}}", chainId: 1 }, { note: "from nowhere" }),
  post(SIGN_IN, { message: "hello", signature: "0x12" }, { as: "ada", note: "no message" }),
  post(SIGN_IN, { message: "hello" }, { as: "ada", note: "no signature" }),
  post(
    MESSAGE,
    { address: "{{ada}}", chainId: 1 },
    { as: "ada", note: "for another's signature", save: { message: "message" } },
  ),
  post(
    SIGN_IN,
    { message: "{{message}}", signature: "{{signature}}" },
    { as: "ada", note: "another's signature", prepare: signed("ben") },
  ),
  ...signIn("ada", "{{ada}}"),
  post(
    SIGN_IN,
    { message: "{{message}}", signature: "{{signature}}" },
    { as: "ben", note: "a message that was used" },
  ),
  ...signIn("ben", "{{ben}}"),
];

const as = (who: Visitor) => ({ as: who });
const apps: HttpRequest[] = [
  page("/console", as("ada")),
  page("/console/sign-in", as("ada")),
  page("/console/login/vl_x", as("ada")),
  page("/console/operator", as("ada")),
  page("/console/operator/apps", as("ada")),
  page("/console/nothing", as("ada")),
  ...["", " ", "x".repeat(101), "<b>Bold</b>", "-dash"].map((name) =>
    form("/console/apps", { name }, { as: "ada", note: `the name ${JSON.stringify(name)}` }),
  ),
  form("/console/apps", {}, { as: "ada", note: "no name" }),
  post("/console/apps", "x", {
    as: "ada",
    note: "no form",
    headers: { "content-type": "multipart/form-data" },
  }),
  form(
    "/console/apps",
    { name: "Ada’s shop" },
    { as: "ada", note: "an app", save: { app: /apps\/([0-9a-f-]{36})/ } },
  ),
  form("/console/apps", { name: "Ada’s shop" }, { as: "ada", note: "the same again" }),
  page("/console", { as: "ada", note: "one app" }),
  page("/console/apps/{{app}}?done=created", {
    as: "ada",
    save: { key_id: /keys\/([0-9a-f-]{36})\/reveal/ },
  }),
  page("/console/apps/{{app}}?done=nonsense", as("ada")),
  page("/console/apps/{{app}}", as("ben")),
  page("/console/apps/x", as("ada")),
  page(`/console/apps/${none}`, as("ada")),
  page("/console/apps/{{app}}/nothing", as("ada")),
  form("/console/apps/{{app}}/keys", {}, { as: "ada", note: "a key that is there" }),
  form("/console/apps/{{app}}/keys/{{key_id}}/reveal", {}, { as: "ada", save: { revealed: "key" } }),
  form("/console/apps/{{app}}/keys/{{key_id}}/reveal", {}, as("ben")),
  form(`/console/apps/{{app}}/keys/${none}/reveal`, {}, as("ada")),
  get("/market/collections", {
    note: "an app without permissions",
    headers: { "x-api-key": "{{revealed}}" },
  }),
  form("/console/apps/{{app}}/keys/{{key_id}}/rotate", { grace: "60" }, { as: "ada", note: "another time" }),
  form("/console/apps/{{app}}/keys/{{key_id}}/rotate", {}, { as: "ada", note: "no time" }),
  form("/console/apps/{{app}}/keys/{{key_id}}/rotate", { grace: "3600" }, as("ada")),
  page("/console/apps/{{app}}?done=rotated", {
    as: "ada",
    ...untilUsed(1),
    save: { second_key: /keys\/([0-9a-f-]{36})\/reveal/ },
  }),
  form("/console/apps/{{app}}/keys/{{key_id}}/revoke", {}, as("ada")),
  form("/console/apps/{{app}}/keys/{{second_key}}/revoke", {}, as("ada")),
  page("/console/apps/{{app}}?done=revoked", as("ada")),
  form("/console/apps/{{app}}/keys/{{key_id}}/reveal", {}, { as: "ada", note: "revoked" }),
  form("/console/apps/{{app}}/keys", {}, { as: "ada", note: "a new key" }),
  page("/console/apps/{{app}}?done=key_made", {
    as: "ada",
    save: { third_key: /keys\/([0-9a-f-]{36})\/reveal/ },
  }),
  form("/console/apps/{{app}}/keys/{{third_key}}/reveal", {}, { as: "ada", save: { revealed: "key" } }),
];

const P = "/console/apps/{{app}}/permissions";
const collection = "{{chain}}:{{items}}";
const permissions: HttpRequest[] = [
  page(P, as("ada")),
  page(P, as("ben")),
  form(`${P}/ask/api`, { subject: "market" }, as("ada")),
  form(`${P}/ask/api`, { subject: "market" }, { as: "ada", note: "again" }),
  form(`${P}/ask/api`, { subject: "market-partner" }, { as: "ada", note: "another API" }),
  form(`${P}/ask/api`, { subject: "everything" }, { as: "ada", note: "no API" }),
  form(`${P}/ask/api`, {}, { as: "ada", note: "nothing" }),
  form(`${P}/ask/collection`, { subject: collection }, as("ada")),
  form(`${P}/ask/collection`, { subject: "31337:{{stranger}}" }, { as: "ada", note: "another collection" }),
  form(`${P}/withdraw/api`, { subject: "market" }, as("ada")),
  form(`${P}/ask/api`, { subject: "market" }, as("ben")),
  page(`${P}?done=requested`, { as: "ada", note: "three wait" }),
  post(
    `${P}/prove/message`,
    { address: "{{owner}}", chainId: 31337, collection: "x" },
    { as: "ada", note: "no collection" },
  ),
  post(`${P}/prove/message`, { collection }, { as: "ada", note: "no address" }),
  post(
    `${P}/prove/message`,
    { address: "{{ada}}", chainId: 31337, collection },
    { as: "ada", note: "by a stranger", save: { message: "message" } },
  ),
  post(
    `${P}/prove`,
    { message: "{{message}}", signature: "{{signature}}", collection },
    { as: "ada", note: "by a stranger", prepare: signed("ada") },
  ),
  post(
    `${P}/prove/message`,
    { address: "{{owner}}", chainId: 31337, collection },
    { as: "ada", note: "by the owner", save: { message: "message" } },
  ),
  post(
    `${P}/prove`,
    { message: "{{message}}", signature: "0x12", collection },
    { as: "ada", note: "no signature" },
  ),
  post(
    `${P}/prove`,
    { message: "{{message}}", signature: "{{signature}}", collection: "{{chain}}:{{heroes}}" },
    { as: "ada", note: "of another collection", prepare: signed("owner") },
  ),
  post(
    `${P}/prove`,
    { message: "{{message}}", signature: "{{signature}}", collection },
    { as: "ada", note: "by the owner" },
  ),
  post(
    `${P}/prove`,
    { message: "{{message}}", signature: "{{signature}}", collection },
    { as: "ada", note: "again" },
  ),
  page(`${P}?done=proved`, { as: "ada", note: "proved" }),
];

const L = "/console/apps/{{app}}/limits";
const limits: HttpRequest[] = [
  page(L, as("ada")),
  form(`${L}/ask`, { tier: "advanced" }, as("ada")),
  form(`${L}/ask`, { tier: "gold" }, { as: "ada", note: "no tier" }),
  form(`${L}/set`, { tier: "advanced" }, as("ada")),
  page(`${L}?done=requested`, { as: "ada", note: "asked" }),
  page(L, as("ben")),
];

export const console: Request[] = [...signedOut, ...wallets, ...apps, ...permissions, ...limits];
