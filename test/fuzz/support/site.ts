/** The pages and the console's forms, as found by a crawl. */

import type http from "node:http";
import type { Random } from "../../support/random.ts";
import { call, type FuzzRequest } from "./call.ts";
import { randomText } from "./hostile-values.ts";
import { encode, headerText } from "./rest.ts";

interface Form {
  readonly action: string;
  readonly fields: readonly string[];
}

export interface SiteContext {
  readonly port: number;
  readonly agent: http.Agent;
  readonly baseUrl: string;
  readonly operatorToken: string;
  readonly known: readonly string[];
}

// Never submitted: it would end the crawl's session.
const SKIPPED = /\/console\/sign-out/;
const PAGES_MAX = 80;
const TARGETS = [
  "/",
  "/nope",
  "/reference",
  "/graphql",
  "/openapi.json",
  "/metrics",
  "/status",
  "/health",
  "/ready",
  "/livez",
  "/media/images/x.png",
  "/assets/x",
];

/** Signs in by an operator's link, finds pages and forms, and makes requests from them. */
export async function createSiteFuzzer(context: SiteContext): Promise<(random: Random) => FuzzRequest> {
  const { port, agent, baseUrl, known } = context;
  const origin = new URL(baseUrl).origin;
  const cookie = await signIn(context);
  const html = { accept: "text/html", cookie, origin };

  const pages = new Set(["/collections", "/console", "/console/operator"]);
  const forms = new Map<string, Form>();
  await call(port, agent, {
    method: "POST",
    path: "/console/apps",
    headers: { ...html, "content-type": "application/x-www-form-urlencoded" },
    body: "name=Fuzz",
  });
  for (const page of pages) {
    if (pages.size > PAGES_MAX) break;
    const answer = await call(port, agent, { method: "GET", path: page, headers: html, body: undefined });
    if (typeof answer !== "object") continue;
    for (const [, href = ""] of answer.text.matchAll(/href="(\/(?:collections|console)[^"#]*)"/g))
      if (!href.includes("/files/")) pages.add(href.replaceAll("&amp;", "&"));
    for (const [, tag = "", inner = ""] of answer.text.matchAll(/<form([^>]*)>(.*?)<\/form>/gs)) {
      const action = /action="([^"]*)"/.exec(tag)?.[1] ?? page;
      const fields = [...inner.matchAll(/name="([^"]+)"/g)].map(([, name = ""]) => name);
      if (/method="post"/i.test(tag) && !SKIPPED.test(action)) forms.set(action, { action, fields });
    }
  }
  const [paths, all] = [[...pages, ...TARGETS], [...forms.values()]];
  if (all.length === 0) throw new Error("the crawl found no form of the console");

  return (random) => {
    const headers: Record<string, string> = { accept: random.chance(0.8) ? "text/html" : "application/json" };
    if (random.chance(0.9)) headers.cookie = cookie;
    else if (random.chance(0.5)) headers.cookie = headerText(`vitrine_session=${randomText(random)}`);
    if (random.chance(0.9)) headers.origin = origin;
    if (random.chance(0.5))
      return {
        method: random.chance(0.95) ? "GET" : "HEAD",
        path: page(random, random.pick(paths), known),
        headers,
        body: undefined,
      };
    const form = random.pick(all);
    const action = random.chance(0.8) ? form.action : page(random, form.action, known);
    const fields = [...new Set(form.fields)].filter(() => random.chance(0.9));
    const entries = fields.map((name) => `${name}=${encode(random, randomText(random, known))}`);
    if (random.chance(0.1))
      entries.push(`${encode(random, randomText(random))}=${encode(random, randomText(random))}`);
    headers["content-type"] = random.chance(0.95)
      ? "application/x-www-form-urlencoded"
      : random.pick([
          "multipart/form-data; boundary=x",
          "multipart/form-data",
          "application/json",
          "text/plain",
        ]);
    return { method: "POST", path: action, headers, body: entries.join("&") };
  };
}

/** A page's URL with a made-up part or parameter. */
function page(random: Random, path: string, known: readonly string[]): string {
  if (random.chance(0.3)) return path;
  const [route = "", query = ""] = path.split("?");
  const parts = route.split("/");
  if (random.chance(0.4) && parts.length > 2)
    parts[random.whole(2, parts.length - 1)] = encode(random, randomText(random, known));
  const search = new URLSearchParams(query);
  const names = [
    ...search.keys(),
    "q",
    "sort",
    "cursor",
    "trait:Class",
    "min:Level",
    "max:Level",
    "owner",
    "locked",
    "page",
    "before",
    "name",
    "grace",
    "notice",
    "query",
    "version",
  ];
  for (let n = random.whole(0, 3); n > 0; n--)
    search.set(random.pick(names), randomText(random, known).toWellFormed());
  return `${parts.join("/")}?${search}`;
}

async function signIn({ port, agent, baseUrl, operatorToken }: SiteContext): Promise<string> {
  const headers = { authorization: `Bearer ${operatorToken}` };
  const made = await call(port, agent, {
    method: "POST",
    path: "/admin/login_links",
    headers,
    body: undefined,
  });
  if (typeof made !== "object" || made.status !== 201)
    throw new Error(`no link to sign in: ${JSON.stringify(made)}`);
  const path = new URL((JSON.parse(made.text) as { url: string }).url).pathname;
  const origin = new URL(baseUrl).origin;
  const signed = await call(port, agent, { method: "POST", path, headers: { origin }, body: "" });
  const cookie = typeof signed === "object" ? signed.headers["set-cookie"]?.[0]?.split(";")[0] : undefined;
  if (!cookie) throw new Error(`not signed in: ${JSON.stringify(signed)}`);
  return cookie;
}
