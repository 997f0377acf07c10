/** The operator's pages of the console, and how sessions end. */

import { form, get, type HttpRequest, page, post, type Request } from "../request.ts";
import { signIn, untilUsed } from "./console.ts";

const O = "/console/operator";
const operator = { as: "operator" } as const;
const heroes = "{{chain}}:{{heroes}}";
/** How much an app has used is counted every few seconds. */
const counts: HttpRequest["replace"] = [
  [/<rect[^>]*>(?:<\/rect>)?/g, ""],
  [/(most in one hour(?: were|:)) [\d,]+/g, "$1 <n>"],
  [/(<td[^>]*>)[\d,]+(<\/td>)/g, "$1<n>$2"],
];

const requests: HttpRequest[] = [
  ...signIn("operator", "{{operator_wallet}}"),
  page("/console", operator),
  page(O, { ...operator, save: { first_request: /requests\/([0-9a-f-]{36})\/approve/ } }),
  form(`${O}/requests/{{first_request}}/approve`, {}, operator),
  form(`${O}/requests/{{first_request}}/refuse`, {}, { ...operator, note: "decided before" }),
  page(`${O}?done=approved`, { ...operator, save: { next_request: /requests\/([0-9a-f-]{36})\/refuse/ } }),
  form(`${O}/requests/{{next_request}}/refuse`, {}, operator),
  form(`${O}/requests/{{id}}/approve`, {}, operator),
  form(`${O}/requests/x/approve`, {}, operator),
  form(`${O}/requests/{{id}}/approve`, {}, { as: "ada" }),
  page(`${O}?done=refused`, { ...operator, save: { tier_request: /requests\/([0-9a-f-]{36})\/approve/ } }),
  form(`${O}/requests/{{tier_request}}/approve`, {}, { ...operator, note: "a third" }),
  page("/console/apps/{{app}}/permissions", { as: "ada", note: "decided" }),
  get("/market/collections/{{items}}", {
    note: "the app of ada",
    headers: { "x-api-key": "{{revealed}}" },
    until: (_, { status }) => status === 200,
  }),
  page("/console/apps/{{app}}/limits", {
    as: "ada",
    note: "used",
    until: (text) => !text.includes("Nothing yet"),
    replace: counts,
  }),
];

const apps: HttpRequest[] = [
  page(`${O}/apps`, operator),
  page(`${O}/apps?q=shop`, operator),
  page(`${O}/apps?q={{ada}}`, operator),
  page(`${O}/apps?q=nobody`, operator),
  page(`${O}/apps?q=%25`, operator),
  page(`${O}/apps?after=x`, operator),
  page("/console/apps/{{app}}", { ...operator, ...untilUsed(2) }),
  page("/console/apps/{{app}}/permissions", operator),
  page("/console/apps/{{app}}/limits", { ...operator, replace: counts }),
  form("/console/apps/{{app}}/limits/set", { tier: "intermediate" }, operator),
  form("/console/apps/{{app}}/limits/set", { tier: "gold" }, { ...operator, note: "no tier" }),
  page("/console/apps/{{app}}/limits?done=granted", { ...operator, replace: counts }),
  form("/console/apps/{{app}}/permissions/withdraw/api", { subject: "market" }, operator),
  form(
    "/console/apps/{{app}}/permissions/withdraw/api",
    { subject: "market" },
    { ...operator, note: "again" },
  ),
  form("/console/apps/{{app}}/permissions/withdraw/collection", { subject: "{{chain}}:{{items}}" }, operator),
  form(
    "/console/apps/{{app}}/permissions/withdraw/collection",
    { subject: "x" },
    { ...operator, note: "no collection" },
  ),
  page("/console/apps/{{app}}/permissions?done=withdrawn", operator),
];

const content: HttpRequest[] = [
  page(`${O}/collections`, operator),
  page(`${O}/hosts`, operator),
  form(`${O}/hosts`, { pattern: "art.example", collection: "" }, operator),
  form(
    `${O}/hosts`,
    { pattern: "*.art.example", collection: heroes },
    { ...operator, note: "of a collection" },
  ),
  form(`${O}/hosts`, { pattern: "https://art.example", collection: heroes }, { ...operator, note: "a URL" }),
  form(
    `${O}/hosts`,
    { pattern: "art.example", collection: "31337:{{stranger}}" },
    { ...operator, note: "another collection" },
  ),
  form(`${O}/hosts`, {}, { ...operator, note: "nothing" }),
  form(`${O}/hosts`, { pattern: "art.example" }, { as: "ada" }),
  page(`${O}/hosts?done=host_added`, operator),
  form(`${O}/hosts/remove`, { pattern: "art.example", collection: "" }, operator),
  form(`${O}/hosts/remove`, { pattern: "art.example", collection: "" }, { ...operator, note: "again" }),
  page(`${O}/hosts?done=host_removed`, operator),
  page(`${O}/traits`, operator),
  form(`${O}/traits/approve`, { collection: heroes, trait_type: "Level", display_type: "string" }, operator),
  form(
    `${O}/traits/approve`,
    { collection: heroes, trait_type: "Level", display_type: "string" },
    { ...operator, note: "again" },
  ),
  form(
    `${O}/traits/approve`,
    { collection: heroes, trait_type: "Level", display_type: "boost" },
    { ...operator, note: "no display type" },
  ),
  form(
    `${O}/traits/approve`,
    { collection: "x", trait_type: "Level", display_type: "number" },
    { ...operator, note: "no collection" },
  ),
  form(
    `${O}/traits/approve`,
    { collection: heroes, trait_type: "Level", display_type: "number" },
    { ...operator, note: "back" },
  ),
  page(`${O}/traits?done=type_approved`, operator),
  page(`${O}/nothing`, operator),
];

/** The last thing of all: tokens of a collection are read again, and some half a minute later once more. */
export const queue: Request[] = [
  page(`${O}/refreshes`, { ...operator, prepare: async ({ settle }) => void (await settle()) }),
  form(`${O}/refreshes`, { collection: "31337:{{stranger}}" }, { ...operator, note: "another collection" }),
  form(`${O}/refreshes`, {}, { ...operator, note: "nothing" }),
  form(`${O}/refreshes`, { collection: "{{chain}}:{{items}}" }, operator),
  page(`${O}/refreshes?done=refresh_started`, { ...operator, body_as: "length" }),
];

const sessions: HttpRequest[] = [
  post("/admin/login_links", undefined, {
    isOperator: true,
    note: "for a browser",
    save: { link: /(vl_[0-9a-f]{64})/ },
  }),
  page("/console/login/{{link}}"),
  form("/console/login/{{link}}", {}, { as: "link" }),
  form("/console/login/{{link}}", {}, { as: "ben", note: "used before" }),
  page("/console", { as: "link" }),
  form("/console/apps", { name: "The operator's own" }, { as: "link" }),
  page(O, { as: "link", note: "by the link" }),
  form("/console/sign-out", {}, { as: "link" }),
  page(O, { as: "link", note: "signed out" }),
  form("/console/sign-out/everywhere", {}, { as: "ben" }),
  page("/console", { as: "ben", note: "signed out everywhere" }),
  page(`${O}/audit`, operator),
  page(`${O}/audit?before=5`, operator),
  page(`${O}/audit?before=x`, operator),
  page(`${O}/audit`, { as: "ada" }),
];

export const consoleOperator: Request[] = [...requests, ...apps, ...content, ...sessions];
