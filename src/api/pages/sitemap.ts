/** `/robots.txt` (RFC 9309) and the sitemap (sitemaps.org): what search engines may read, and where it is. */

import { type CollectionRef, collectionKey } from "../../domain/token-ref.ts";
import { createPromiseCache } from "../async/promise-cache.ts";
import { ApiError } from "../http/errors.ts";
import { collectionOf, collectionPath, namesOf, type PagesContext, type Site, tokenPath } from "./env.ts";
import { readListedIds, readStarts } from "./listed-store.ts";

/** Fewer than the 50,000 of the protocol, so that one file is a moment's work. */
const SITEMAP_TOKENS = 10_000;
const SITEMAPS_MAX = 50_000;
const HOUR_SECONDS = 3_600;
/** Collections; each takes an id per file. */
const STARTS_KEPT_MAX = 10_000;

// Answers for programs, forms, and pages without an end.
const FORBIDDEN = [
  "/admin",
  "/console",
  "/graphql",
  "/market/",
  "/market-partner/",
  "/preferences",
  "/registry/",
  "/search",
];

export function robots({ baseUrl, to }: Site, c: PagesContext): Response {
  c.header("Cache-Control", `public, max-age=${HOUR_SECONDS}`);
  return c.text(
    [
      "User-agent: *",
      ...FORBIDDEN.map((path) => `Disallow: ${to(path)}`),
      // A collection's page has one address; each combination of filters is a page of its own.
      `Disallow: ${to("/collections/*?")}`,
      `Sitemap: ${baseUrl}/sitemap.xml`,
      "",
    ].join("\n"),
  );
}

/** The index, and the files that it names for each collection's tokens. */
export function createSitemaps() {
  // Going through a million tokens takes a while, and search engines come once a day.
  const kept = createPromiseCache<string, readonly string[]>({
    max: STARTS_KEPT_MAX,
    ttlMs: HOUR_SECONDS * 1_000,
  });
  const startsOf = ({ database }: Site, collection: CollectionRef): Promise<readonly string[]> =>
    kept.get(collectionKey(collection), () => readStarts(database, collection, SITEMAP_TOKENS));

  return {
    /** One file for collections, and as many for each collection's tokens as it takes. */
    async index(site: Site, c: PagesContext): Promise<Response> {
      const all = [`${site.baseUrl}/sitemaps/collections.xml`];
      for (const { chainId, address } of site.collections.all) {
        const { length } = await startsOf(site, { chainId, collection: address });
        for (let nth = 1; nth <= length && all.length < SITEMAPS_MAX; nth++)
          all.push(`${site.baseUrl}/sitemaps/${chainId}/${address}/${nth}.xml`);
      }
      return xml(c, "sitemapindex", "sitemap", all);
    },

    /** The listed ones among the nth ten thousand tokens of a collection, by id. Throws NOT_FOUND past the last. */
    async tokens(site: Site, c: PagesContext): Promise<Response> {
      const collection = await collectionOf(site, c);
      const [, nth] = /^([1-9]\d{0,5})\.xml$/.exec(c.req.param("file") ?? "") ?? [];
      if (nth === undefined) throw new ApiError("NOT_FOUND");
      const { chainId, address } = collection;
      const ref = { chainId, collection: address };
      const starts = await startsOf(site, ref);
      // The first file is there as soon as the first token is.
      const from = nth === "1" ? "0" : starts[Number(nth) - 1];
      if (from === undefined) throw new ApiError("NOT_FOUND");
      const part = { from, before: starts[Number(nth)], limit: SITEMAP_TOKENS };
      const ids = await readListedIds(site.database, site.tables, ref, part);
      if (ids === undefined) throw new ApiError("NOT_FOUND");
      const named = namesOf(collection);
      return xml(
        c,
        "urlset",
        "url",
        ids.map((id) => `${site.baseUrl}${tokenPath({ ...named, token_id: id })}`),
      );
    },
  };
}

/** The home page, the list, and each collection. */
export function collectionsSitemap({ baseUrl, collections }: Site, c: PagesContext): Response {
  const paths = ["/", "/collections", ...collections.all.map((each) => collectionPath(namesOf(each)))];
  return xml(
    c,
    "urlset",
    "url",
    paths.slice(0, SITEMAPS_MAX).map((path) => `${baseUrl}${path}`),
  );
}

/** The URLs have no character that XML gives a meaning: paths are ids and addresses, and BASE_URL has no query. */
function xml(c: PagesContext, root: string, entry: string, urls: readonly string[]): Response {
  c.header("Cache-Control", `public, max-age=${HOUR_SECONDS}`);
  c.header("Content-Type", "application/xml; charset=utf-8");
  const entries = urls.map((url) => `<${entry}><loc>${url.replaceAll("&", "&amp;")}</loc></${entry}>`);
  return c.body(
    `<?xml version="1.0" encoding="UTF-8"?>\n<${root} xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${entries.join("\n")}\n</${root}>\n`,
  );
}
