/** The pages for people: collections and tokens, rendered on the server; they work without script. */

import { readFile } from "node:fs/promises";
import { type Context, Hono } from "hono";
import { createMiddleware } from "hono/factory";
import { parseAddress } from "../../domain/token-ref.ts";
import { variesByEncoding } from "../http/compression.ts";
import { ApiError } from "../http/errors.ts";
import { isRead } from "../http/headers.ts";
import { perClient } from "../http/limits/count-requests.ts";
import { rateLimit } from "../http/limits/rate-limit.ts";
import { answerUnrouted } from "../http/not-found.ts";
import { requireOwnOrigin } from "../http/own-origin.ts";
import { limitBody } from "../http/router.ts";
import { withoutTrailing } from "../text/without-trailing.ts";
import { assetRoutes } from "../ui/assets.ts";
import { pageHeaders, pathsUnder } from "../ui/site.ts";
import { collectionList } from "./collection/collection-list.tsx";
import { collectionPage } from "./collection/collection-page.tsx";
import type { PagesContext, PagesDeps, PagesEnv, Site } from "./env.ts";
import { answerProblem } from "./frame.tsx";
import { homePage } from "./home.tsx";
import { activityPage } from "./lists/activity-page.tsx";
import { ownersPage } from "./lists/owners-page.tsx";
import { walletPage } from "./lists/wallet-page.tsx";
import { keepPreferences } from "./preferences.ts";
import { searchPage } from "./search/search-page.tsx";
import { collectionsSitemap, createSitemaps, robots } from "./sitemap.ts";
import { requestRefresh } from "./token/refresh.tsx";
import { tokenPage } from "./token/token-page.tsx";

const CHOICE_BYTES_MAX = 4 * 1024;

const own = (name: string) => () => readFile(new URL(`./client/${name}`, import.meta.url));

const files = {
  "pages.css": { type: "text/css", load: own("pages.css") },
  "collection.js": { type: "text/javascript", load: own("collection.js") },
  "token.js": { type: "text/javascript", load: own("token.js") },
  "copy.js": { type: "text/javascript", load: own("copy.js") },
  "swap.js": { type: "text/javascript", load: own("swap.js") },
} as const;

/**
 * A form of another site would use up the visitor's limit. A visitor may know this service under another name than
 * `baseUrl`; a program that sends neither header can use the GraphQL endpoint.
 */
const ownOriginOf = ({ baseUrl }: Site) => requireOwnOrigin(baseUrl, { what: "page", underAnyName: true });

/** Everything under `/collections`. */
export function createPages(deps: PagesDeps): Hono<PagesEnv> {
  const site: Site = { ...deps, to: pathsUnder(deps.baseUrl) };
  const pages = new Hono<PagesEnv>();

  pages.onError((error, c) => answerProblem(error, c, site));
  pages.route("/files", assetRoutes<PagesEnv>(files));
  const { anonymousGraphql, clientAddress } = site.rateLimits;
  pages.use(variesByEncoding, pageHeaders(deps), rateLimit(perClient(anonymousGraphql, clientAddress)));
  pages.use(withoutSlash(site));
  pages.get("/", (c) => collectionList(site, c));
  pages.use("/:chain/:address/*", lowerCase(site));
  pages.get("/:chain/:address", (c) => collectionPage(site, c));
  pages.get("/:chain/:address/owners", (c) => ownersPage(site, c));
  pages.get("/:chain/:address/activity", (c) => activityPage(site, c));
  pages.get("/:chain/:address/:token/activity", (c) => activityPage(site, c));
  pages.get("/:chain/:address/:token", (c) => tokenPage(site, c));
  pages.post("/:chain/:address/:token/refresh", ownOriginOf(site), (c) => requestRefresh(site, c));
  pages.all("*", answerUnrouted(pages));
  return pages;
}

/** Pages outside of `/collections`: home, search, wallets, a visitor's choices, and what search engines read. */
export function createOtherPages(deps: PagesDeps): Hono<PagesEnv> {
  const site: Site = { ...deps, to: pathsUnder(deps.baseUrl) };
  const { anonymousGraphql, clientAddress } = site.rateLimits;
  const limit = rateLimit<PagesEnv>(perClient(anonymousGraphql, clientAddress));
  const limitCacheable = rateLimit<PagesEnv>(perClient(anonymousGraphql, clientAddress), {
    isCacheable: true,
  });
  const pages = new Hono<PagesEnv>();
  pages.onError((error, c) => answerProblem(error, c, site));
  type Answer = (site: Site, c: PagesContext) => Response | Promise<Response>;
  const get = (path: string, answer: Answer, limited = limit) =>
    pages.get(path, variesByEncoding, pageHeaders(deps), limited, (c) => answer(site, c));
  get("/", homePage);
  for (const path of ["/search/", "/wallets/:wallet/"]) get(path, redirectWithoutSlash);
  get("/search", searchPage);
  get("/wallets/:wallet", walletPage);
  get("/robots.txt", robots, limitCacheable);
  const sitemaps = createSitemaps();
  get("/sitemap.xml", sitemaps.index, limitCacheable);
  get("/sitemaps/collections.xml", collectionsSitemap, limitCacheable);
  get("/sitemaps/:chain/:address/:file", sitemaps.tokens, limitCacheable);
  pages.post("/preferences", pageHeaders(deps), limit, ownOriginOf(site), limitBody(CHOICE_BYTES_MAX), (c) =>
    keepPreferences(site, c),
  );
  return pages;
}

/** The page for browsers at a path that nothing serves. Throws RATE_LIMITED over the limit of pages. */
export function createLostPage(deps: PagesDeps): (c: Context) => Promise<Response> {
  const site: Site = { ...deps, to: pathsUnder(deps.baseUrl) };
  const { anonymousGraphql, clientAddress } = site.rateLimits;
  const limit = rateLimit(perClient(anonymousGraphql, clientAddress));
  const headers = pageHeaders(deps);
  return async (c) => {
    const show = async (): Promise<void> => {
      c.res = await answerProblem(new ApiError("NOT_FOUND"), c, site);
    };
    const showUnder = async (): Promise<void> => void (await headers(c, show));
    await limit(c, async () => void (await variesByEncoding(c, showUnder)));
    return c.res;
  };
}

/** One address per page: those that end in a slash redirect to the same without it. */
const withoutSlash = (site: Site) =>
  createMiddleware<PagesEnv>(async (c, next) =>
    c.req.path.endsWith("/") && isRead(c.req) ? redirectWithoutSlash(site, c) : next(),
  );

function redirectWithoutSlash({ to }: Site, c: PagesContext): Response {
  const { pathname, search } = new URL(c.req.url);
  return c.redirect(`${to(withoutTrailing(pathname, "/"))}${search}`, 301);
}

/** One address per page: checksummed addresses redirect to the lower-case form that all answers use. */
const lowerCase = ({ to }: Site) =>
  createMiddleware<PagesEnv>(async (c, next) => {
    const address = c.req.param("address") ?? "";
    const canonical = parseAddress(address);
    if (canonical === undefined || canonical === address || !isRead(c.req)) return next();
    const { pathname, search } = new URL(c.req.url);
    return c.redirect(`${to(pathname.replace(address, canonical))}${search}`, 301);
  });
