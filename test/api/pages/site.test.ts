/** What stands around pages: search across collections, choices, what search engines read, neighbours and chains. */

import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import { chainName, explorerUrl } from "../../../src/api/pages/chains.ts";
import { CHAIN_ID, COLLECTION } from "../../support/refresh/refresh.ts";
import { ALICE, createPagesWorld, HEROES, seen } from "./world.ts";

const world = await createPagesWorld();
const { baseUrl } = world.api;

beforeAll(async () => {
  for (const id of ["1", "2", "3", "5", "8"]) {
    await world.mint(id, { burned: id === "3" });
    await world.describe(id, { description: `The story of hero ${id}, who said "<b>hello</b>".` });
  }
});

const meta = (html: string, name: string): string | undefined =>
  new RegExp(`<meta (?:name|property)="${name}" content="([^"]*)"`).exec(html)?.[1];
const canonical = (html: string): string | undefined =>
  /<link rel="canonical" href="([^"]*)"/.exec(html)?.[1];

describe("search across collections", () => {
  it("finds tokens by name, without script, and keeps the text in the box", async () => {
    const { status, text } = await world.get("/search?q=hero+5");

    expect(status).toBe(200);
    expect(seen(text)).toContain("Search for “hero 5”");
    expect(text).toContain(`href="${HEROES}/5"`);
    expect(text).toMatch(/id="site-search"[^>]* value="hero 5"/);
    expect(meta(text, "robots")).toBe("noindex");
  });

  it("suggests links as options of a list, escaped, with the whole search as the last", async () => {
    const { text, headers } = await world.get("/search?part=suggestions&q=hero");
    const options = [...text.matchAll(/<a role="option" id="([^"]*)" href="([^"]*)" tabindex="-1"/g)];

    expect(new Set(options.map(([, id]) => id)).size).toBe(options.length);
    // Both collections of the world are of heroes.
    expect(options.map(([, , href]) => href).slice(-5)).toEqual([
      ...["1", "2", "5", "8"].map((id) => `${HEROES}/${id}`),
      "/search?q=hero",
    ]);
    expect(headers.get("cache-control")).toBe("private, no-cache");
    const hostile = await world.get(`/search?part=suggestions&q=${encodeURIComponent('<img src=x>"')}`);
    expect(hostile.text).not.toContain("<img src=x");
  });

  it.each([
    [
      "an address leads to its wallet",
      `/search?q=${ALICE.toUpperCase().replace("0X", "0x")}`,
      200,
      `/wallets/${ALICE}`,
    ],
    ["nothing found is said", "/search?q=zebra", 200, "No collection or token has this name or id."],
    ["an empty search says what it takes", "/search?q=+", 200, "Type the name of a collection"],
    ["a text too long names its limit", `/search?q=${"x".repeat(201)}`, 400, "200"],
  ])("%s", async (_, path, status, text) => {
    const answer = await world.get(path);
    expect(answer.status).toBe(status);
    expect(answer.text).toContain(text);
  });
});

describe("a visitor's choices", () => {
  const choose = (body: string, headers: Record<string, string> = {}) =>
    world.api.call("/preferences", {
      method: "POST",
      body,
      headers: {
        "content-type": "application/x-www-form-urlencoded",
        accept: "text/html",
        "sec-fetch-site": "same-origin",
        ...headers,
      },
    });

  it.each([
    ["the host that was asked", "gallery.example", "https://gallery.example", `${HEROES}?q=x`],
    ["that of BASE_URL, where a proxy asks by another name", "indexer:42069", baseUrl, `${HEROES}?q=x`],
    ["another", "gallery.example", "https://evil.example", "/"],
    ["BASE_URL's, with a path that names another", "indexer:42069", `${baseUrl}//evil.example`, "/"],
  ])("lead back to the page if its host is %s", async (_what, host, origin, location) => {
    const answer = await choose("theme=dark", { host, referer: `${origin}${HEROES}?q=x` });

    expect([answer.status, answer.headers.get("location")]).toEqual([303, location]);
  });

  it("are cookies that pages are drawn with, console and reference included", async () => {
    const answer = await choose("theme=dark", {
      referer: `${baseUrl}${HEROES}?q=x`,
      host: new URL(baseUrl).host,
    });

    expect(answer.status).toBe(303);
    expect(answer.headers.get("location")).toBe(`${HEROES}?q=x`);
    const cookie = answer.headers.get("set-cookie") ?? "";
    expect(cookie).toMatch(/^vitrine_theme=dark; Max-Age=31536000; Path=\/; (?:Secure; )?SameSite=Lax$/);
    for (const path of ["/", HEROES, "/console/sign-in", "/reference"]) {
      const { text } = await world.get(path, {
        headers: { cookie: "vitrine_theme=dark; vitrine_density=dense" },
      });
      expect(text).toMatch(/<html lang="en" data-theme="dark" data-density="dense">/);
      expect(text).toContain('name="color-scheme" content="dark"');
    }
  });

  it.each([
    ["nobody chose", ""],
    ["the cookie is of something else", "vitrine_theme=<script>; vitrine_density=huge"],
  ])("follow the system where %s", async (_, cookie) => {
    const { text } = await world.get("/", { headers: { cookie } });
    expect(text).toContain('<html lang="en"><head>');
    expect(text).toContain('content="light dark"');
  });

  it.each([
    ["a choice that there is not", "theme=blue", {}, 400, "must be one of system, light, dark"],
    [
      "multipart that is none",
      "theme=dark",
      { "content-type": "multipart/form-data; boundary=x" },
      400,
      "the body is not a form",
    ],
    ["more than a choice takes", `theme=${"x".repeat(5_000)}`, {}, 413, "the limit is 4096 bytes"],
    ["a form of another site", "theme=dark", { "sec-fetch-site": "cross-site" }, 403, "another site"],
  ])("refuse %s", async (_, body, headers, status, text) => {
    const answer = await choose(body, headers);
    expect(answer.status).toBe(status);
    expect(seen(answer.text)).toContain(text);
    expect(answer.headers.get("set-cookie")).toBeNull();
  });

  it("are the visitor's mistake, not ours, where a form is too large or an address takes forms only", async () => {
    const form = (bytes: number) => `theme=dark&other=${"x".repeat(bytes - "theme=dark&other=".length)}`;
    expect((await choose(form(4_096))).status).toBe(303);
    const tooLarge = await choose(form(4_097));
    const { status, text } = await world.get(`${HEROES}/5/refresh`);

    expect(tooLarge.text).toContain("<h1>Too much text</h1>");
    expect(status).toBe(405);
    expect(text).toContain("<h1>Nothing to open here</h1>");
  });

  it.each(["https://evil.example/x", "http://[", `${baseUrl}//evil.example/`, ""])(
    "lead back to this site only, whatever the referrer: %s",
    async (referer) => {
      const { headers } = await choose("density=dense", { referer, host: new URL(baseUrl).host });
      expect(headers.get("location")).toBe("/");
    },
  );
});

describe("what search engines and previews read", () => {
  it("is a description, an address and a picture on each page, in one form", async () => {
    const { text } = await world.get(`${HEROES}/5?transfers=1`);

    expect(canonical(text)).toBe(`${baseUrl}${HEROES}/5`);
    expect(meta(text, "og:url")).toBe(`${baseUrl}${HEROES}/5`);
    expect(meta(text, "og:title")).toMatch(/^Hero 5 · /);
    expect(meta(text, "description")).toBe(
      "The story of hero 5, who said &quot;&lt;b&gt;hello&lt;/b&gt;&quot;.",
    );
    expect(meta(text, "og:image")).toBe(`${baseUrl}/assets/share.png`);
    expect(meta(text, "og:image:alt")).toBe(meta(text, "og:title"));
    for (const path of ["/", "/collections", HEROES, `${HEROES}/owners`, `${HEROES}/activity`])
      expect(canonical((await world.get(path)).text)).toBe(`${baseUrl}${path}`);
    expect(canonical((await world.get(`${HEROES}?q=hero&sort=name_asc`)).text)).toBe(`${baseUrl}${HEROES}`);
    expect(canonical((await world.get("/nope")).text)).toBeUndefined();
    expect(meta((await world.get(`/wallets/${ALICE}`)).text, "robots")).toBe("noindex");
  });

  it("is the name of a token whose description is blank, which its page leaves out", async () => {
    await world.describe("8", { description: " \n\u200b " });
    const { text } = await world.get(`${HEROES}/8`);

    expect(meta(text, "description")).toMatch(/^Hero 8 · /);
    expect(meta(text, "og:description")).toBe(meta(text, "description"));
    expect(text).not.toContain('class="prose"');
  });

  it("is forbidden for console and APIs, and names the sitemap", async () => {
    const { text, headers } = await world.get("/robots.txt");

    expect(headers.get("content-type")).toMatch(/^text\/plain/);
    expect(text).toMatch(/^User-agent: \*\n/);
    for (const path of ["/console", "/admin", "/market/", "/market-partner/", "/graphql", "/registry/"])
      expect(text).toContain(`Disallow: ${path}\n`);
    expect(text).not.toContain("Disallow: /collections\n");
    expect(text).toContain(`Sitemap: ${baseUrl}/sitemap.xml\n`);
  });

  it("is a sitemap of all pages: an index, the collections, and listed tokens by id", async () => {
    const locations = async (path: string) => {
      const { text, headers } = await world.get(path);
      expect(headers.get("content-type")).toBe("application/xml; charset=utf-8");
      return [...text.matchAll(/<loc>([^<]*)<\/loc>/g)].map((match) => match[1] ?? "");
    };
    const all = await locations("/sitemap.xml");
    expect(all[0]).toBe(`${baseUrl}/sitemaps/collections.xml`);
    expect(all).toContain(`${baseUrl}/sitemaps/${CHAIN_ID}/${COLLECTION}/1.xml`);
    expect(await locations("/sitemaps/collections.xml")).toContain(`${baseUrl}${HEROES}`);
    expect(await locations(`/sitemaps/${CHAIN_ID}/${COLLECTION}/1.xml`)).toEqual(
      ["1", "2", "5", "8"].map((id) => `${baseUrl}${HEROES}/${id}`),
    );
    for (const file of ["2.xml", "0.xml", "1", "x.xml"])
      expect((await world.get(`/sitemaps/${CHAIN_ID}/${COLLECTION}/${file}`)).status).toBe(404);
  });

  it.each([
    ["/favicon.ico", "image/x-icon", [0, 0, 1, 0]],
    ["/apple-touch-icon.png", "image/png", [0x89, 0x50, 0x4e, 0x47]],
    ["/assets/figtree-5.3.0.woff2", "font/woff2", [0x77, 0x4f, 0x46, 0x32]],
  ])("%s comes with its type", async (path, type, start) => {
    const answer = await world.api.app.request(path);
    expect(answer.headers.get("content-type")).toBe(type);
    expect([...new Uint8Array(await answer.arrayBuffer()).slice(0, 4)]).toEqual(start);
  });

  it("keeps the font's version in step with vendor, because browsers never ask for it again", () => {
    const read = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), "utf8");
    const version = /figtree\) (\d+\.\d+\.\d+)/.exec(read("vendor/figtree/README.md"))?.[1];
    expect(version).toBeDefined();
    for (const file of ["src/api/ui/fonts.ts", "src/api/ui/ui.css"])
      expect(read(file)).toContain(`figtree-${version}.woff2`);
  });
});

it("a token leads to the listed ones before and after it, and none past the ends", async () => {
  const links = async (id: string) => {
    const { text } = await world.get(`${HEROES}/${id}`);
    return ["prev", "next"].map(
      (rel) => new RegExp(`rel="${rel}" href="[^"]*/(\\d+)"`).exec(text)?.[1] ?? null,
    );
  };
  // Token 3 is burned.
  expect(await links("2")).toEqual(["1", "5"]);
  expect(await links("1")).toEqual([null, "2"]);
  expect(await links("8")).toEqual(["5", null]);
  expect(await links("3")).toEqual(["2", "5"]);
});

it.each([
  [1, "Ethereum", "https://etherscan.io/tx/0x1"],
  [2020, "Ronin", "https://app.roninchain.com/tx/0x1"],
  [2021, "Ronin Saigon Testnet", "https://saigon-explorer.roninchain.com/tx/0x1"],
  [987_654_321_987, "Chain 987654321987", undefined],
])("chain %i is %s", (id, name, url) => {
  expect(chainName(id)).toBe(name);
  expect(explorerUrl(id, "tx", "0x1")).toBe(url);
});
