import { beforeAll, describe, expect, it } from "vitest";
import { createDatabase } from "../../../src/api/db/database.ts";
import { anonymousGraphqlLimit } from "../../../src/api/http/limits/tiers.ts";
import { silentLogger } from "../../../src/api/logging/logger.ts";
import { policyOrigin } from "../../../src/api/ui/site.ts";
import { createTestApp } from "../../support/processes/app.ts";
import { CHAIN_ID, COLLECTION } from "../../support/refresh/refresh.ts";
import { createPagesWorld, HEROES, seen } from "./world.ts";

const world = await createPagesWorld();
const { get } = world;
const html = { accept: "text/html" };

describe("what is not there", () => {
  it.each([
    [
      "a collection that nobody configured",
      `/collections/${CHAIN_ID}/0x${"1".repeat(40)}`,
      "No collection at this address",
    ],
    ["a chain that has not the collection", `/collections/1/${COLLECTION}`, "No collection at this address"],
    ["what is no address", `/collections/${CHAIN_ID}/<script>`, "No collection at this address"],
    ["a token that nobody knows", `${HEROES}/404`, "This token doesn’t exist"],
    ["what is no token id", `${HEROES}/01`, "This token doesn’t exist"],
    ["a longer path", `${HEROES}/1/2/3`, "This page doesn’t exist"],
  ])("is a page that says so: %s", async (_, path, text) => {
    const { status, text: page, headers } = await get(path);

    expect([status, headers.get("content-type")]).toEqual([404, "text/html; charset=UTF-8"]);
    expect(seen(page)).toContain(text);
    expect(page).toContain('href="/collections"');
    expect(page).not.toContain("Try again");
    expect(headers.get("content-security-policy")).toContain("default-src 'none'");
  });

  it.each([undefined, "application/json, text/html;q=0.1"])(
    "is the API's error for programs: Accept %s",
    async (accept) => {
      const headers: Record<string, string> = accept === undefined ? {} : { accept };
      const { status, body } = await world.api.call(`${HEROES}/404`, { headers });
      expect([status, body]).toMatchObject([
        404,
        { code: "TOKEN_NOT_FOUND", request_id: expect.any(String) },
      ]);
    },
  );

  it("is refused in an address: a cursor of another order", async () => {
    const { status, text } = await get(`${HEROES}?cursor=nonsense`);
    expect([status, seen(text)]).toEqual([
      400,
      expect.stringContaining("cursor is not one that an answer gave"),
    ]);
  });
});

describe("what fails", () => {
  it("is a page that says whose fault it is, without a word of the fault itself", async () => {
    const away = createDatabase("postgres://nobody:secret@127.0.0.1:1/none", silentLogger);
    const dead = createTestApp({ ...world.test, database: away });
    const broken = createTestApp({
      ...world.test,
      tables: { ...world.test.tables, tokenState: "no_such_table" },
    });

    const [noDatabase, noTable] = await Promise.all(
      [dead, broken].map((api) => api.call(HEROES, { headers: html })),
    );
    await away.close();

    expect([noDatabase?.status, noTable?.status]).toEqual([503, 500]);
    expect(seen(noDatabase?.text ?? "")).toContain("The database is unreachable. Nothing is lost");
    expect(seen(noTable?.text ?? "")).toContain("The fault is ours and has been logged.");
    for (const answer of [noDatabase, noTable])
      expect(answer?.text).toContain(`<a class="button primary" href="${HEROES}">Try again</a>`);
    expect(`${noDatabase?.text}${noTable?.text}`).not.toMatch(/127\.0\.0\.1|secret|no_such_table/);
  });

  it("is one visitor's alone, once he has asked too often, over GraphQL or by pages", async () => {
    const { requests } = anonymousGraphqlLimit;
    const from = "203.0.113.40";
    const ask = (nth: number) =>
      nth % 2
        ? world.api.call("/graphql", { body: { query: "{ __typename }" }, from })
        : world.api.call("/collections/nowhere", { from });
    await Promise.all(Array.from({ length: requests + 100 }, (_, nth) => ask(nth)));

    const { status, text, headers } = await get("/collections", { from });

    expect([status, headers.has("retry-after")]).toEqual([429, true]);
    expect(seen(text)).toContain("Your address has sent too many requests.");
    expect(text).toContain('href="/collections">Try again</a>');
    expect((await get("/collections", { from: "203.0.113.41" })).status).toBe(200);
  });
});

describe("hostile metadata", () => {
  const BIDI = "\u202eevil\u202c \u2066x";
  const MARKUP = `"><script>alert(1)</script><img src=x onerror=alert(1)>`;

  beforeAll(async () => {
    await world.mint("1");
    await world.describe("1", {
      name: `${MARKUP}${BIDI}`,
      description: "x".repeat(100_000),
      image: "javascript:alert(1)",
      animation_url: "https://a;script-src.example/x",
      attributes: [
        { trait_type: MARKUP, value: MARKUP },
        { trait_type: "Blank", value: "\u200b" },
      ],
    });
  });

  it.each([
    HEROES,
    `${HEROES}/1`,
    `${HEROES}?is:x=${encodeURIComponent(MARKUP)}&q=${encodeURIComponent(MARKUP)}`,
  ])("stays text on %s", async (path) => {
    const { text, headers } = await get(path);

    expect(text).not.toMatch(/<script>|onerror=alert\(1\)>[^&]*<img|<img src=x|(?:src|href)="javascript:/);
    expect(seen(text)).toContain("<script>alert(1)</script>");
    const nonce = /'nonce-([^']+)'/.exec(headers.get("content-security-policy") ?? "")?.[1];
    for (const [tag] of text.matchAll(/<script[^>]*>/g)) expect(tag).toContain(`nonce="${nonce}"`);
    expect(text).not.toMatch(/ style=| on[a-z]+="/);
    expect(headers.get("content-security-policy")).not.toMatch(/unsafe|script-src\.example/);
  });

  it("can't turn the writing direction of what stands beside it", async () => {
    const { text } = await get(`${HEROES}/1`);

    expect(/<title>(.*?)<\/title>/.exec(text)?.[1]).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/);
    expect(text).not.toMatch(/[\u202a-\u202e]/);
    for (const [, around = ""] of text.matchAll(/(<[a-z]+[^<]*>)[^<]*\u2066/g)) expect(around).toBe("<bdi>");
  });

  it("is shown in part where it is long, and so it says", async () => {
    const { text } = await get(`${HEROES}/1`);

    expect(text.length).toBeLessThan(60_000);
    expect(seen(text)).toContain("80,000 more characters are left out here.");
  });

  it("is named where it can't be read", async () => {
    expect(seen((await get(`${HEROES}/1`)).text)).toContain("Blank empty");
  });
});

it("names no origin in a policy that would say more than an origin", () => {
  expect(policyOrigin("https://img.example:8080/x?y")).toBe("https://img.example:8080");
  expect(policyOrigin("http://[::1]:80/x")).toBe("http://[::1]");
  for (const url of [
    "https://a;script-src.example/",
    "https://a,b.example/",
    "javascript:x",
    "data:,",
    "blob:https://a.example/x",
    "nonsense",
  ])
    expect(policyOrigin(url), url).toBeUndefined();
});
