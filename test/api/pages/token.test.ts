import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { BASE_URL, FAR_CHAIN_ID, FAR_COLLECTION } from "../../support/processes/app.ts";
import { CHAIN_ID, COLLECTION, emptyTables, failed, recordOne, ref } from "../../support/refresh/refresh.ts";
import { ALICE, BOB, createPagesWorld, HEROES, LOCKED_BLOCK, LOCKER, MAY_SECONDS, seen } from "./world.ts";

const world = await createPagesWorld();
const { api, get, test } = world;
const { database, tables } = test;
const FILE = `${"cd".repeat(32)}.png`;
const NOBODY = `0x${"0".repeat(40)}`;

const page = async (tokenId = "7", query = "") => (await get(`${HEROES}/${tokenId}${query}`)).text;
const policy = async () =>
  (await get(`${HEROES}/7`)).headers.get("content-security-policy")?.split("; ") ?? [];

beforeAll(async () => {
  // The allowlist is cached for two seconds, so it is written before it is read.
  await database.query(
    `insert into vitrine.allowed_host (pattern, collection, added_by)
     select pattern, '', 'tests' from unnest($1::text[]) as pattern`,
    [["play.example", "cdn.play.example", "cdn.play.example:8443"]],
  );
});

beforeEach(async () => {
  await emptyTables(database);
  await database.query(
    `truncate ${tables.tokenState}, ${tables.lockEvent}, ${tables.tokenTransfer}, vitrine.media, vitrine.collection_information`,
  );
  await world.mint("7");
});

describe("what is shown of a token", () => {
  it("is its animation, in a frame without power over the page, its host alone let in", async () => {
    await world.describe("7", {
      animation_url: "https://play.example/7",
      video: "https://play.example/7.mp4",
    });

    const text = await page();

    expect(text).toMatch(
      /<iframe src="https:\/\/play\.example\/7"[^>]* sandbox="allow-scripts" referrerpolicy="no-referrer"/,
    );
    expect(text).not.toContain("<video");
    expect(await policy()).toContain("frame-src https://play.example");
    expect((await policy()).join()).not.toContain("media-src");
  });

  it("is its video where it has no animation, with the image before it plays", async () => {
    await world.describe("7", { video: "https://play.example/7.mp4" });
    await world.cacheImage("7", FILE);

    expect(await page()).toMatch(
      new RegExp(`<video src="https://play.example/7.mp4" poster="/media/images/${FILE}"`),
    );
    expect(await policy()).toContain("media-src https://play.example");
  });

  it.each([
    ["animation_url", "animation", "frame-src"],
    ["video", "video", "media-src"],
  ] as const)("may lead to another allowed host: its %s", async (field, kind, directive) => {
    const leadTo = (url: string, host: string) =>
      database.query(
        `insert into vitrine.media (kind, url_hash, url, host, status, leads_to)
         values ($1, sha256(convert_to($2, 'UTF8')), $2, 'play.example', 'accepted', $3)
         on conflict (kind, url_hash) do update set status = 'accepted', leads_to = excluded.leads_to`,
        [kind, url, host],
      );
    const policyOf = async (url: string, host: string) => {
      await world.describe("7", { [field]: url });
      await leadTo(url, host);
      return policy();
    };

    expect(await policyOf("https://play.example/7", "cdn.play.example:8443")).toContain(
      `${directive} https://play.example https://cdn.play.example:8443`,
    );
    // Browsers take the secure address for the other one.
    expect(await policyOf("http://play.example/8", "cdn.play.example")).toContain(
      `${directive} http://play.example http://cdn.play.example`,
    );
    expect((await policyOf("https://play.example/9", "elsewhere.example")).join()).not.toContain(directive);
  });

  it("may be of a gateway that leads to a name for each content", async () => {
    const cid = `bafybei${"a".repeat(52)}`;
    const policyOf = async (url: string) => {
      await world.describe("7", { animation_url: url });
      return policy();
    };

    expect(await policyOf(`https://play.example/ipfs/${cid}/7.html`)).toContain(
      "frame-src https://play.example https://*.ipfs.play.example",
    );
    expect(await policyOf("https://play.example/ipfs/7.html")).toContain("frame-src https://play.example");
  });

  it("is its image where nothing else may be shown, and why is said", async () => {
    await world.describe("7", { animation_url: "https://elsewhere.example/7" });
    await world.cacheImage("7", FILE);

    const text = await page();

    expect(text).toMatch(
      new RegExp(`<img src="/media/images/${FILE}" alt="Image of Hero 7" width="480" height="480"`),
    );
    expect(text).not.toContain("<iframe");
    expect(seen(text)).toContain(
      "The animation is not shown. The operator has not allowed its host, elsewhere.example.",
    );
    expect((await policy()).join()).not.toMatch(/frame-src|elsewhere/);
  });
});

describe("the properties of a token", () => {
  const attributes = [
    { trait_type: "Class", value: "Mage" },
    { trait_type: "Level", display_type: "number", value: 0, max_value: 50 },
    { trait_type: "Power", display_type: "number", value: 7.25 },
    { trait_type: "Born", display_type: "date", value: MAY_SECONDS },
    { trait_type: "Shiny", display_type: "bool", value: false },
  ];
  const categories = (html: string): string[] =>
    [...html.matchAll(/<div class="category"><h3>(.*?)<\/ul>/gs)].map(([, body = ""]) => seen(body).trim());

  it("come in the usual categories, each with how many tokens share it, numbers with their ceiling", async () => {
    await world.mint("8");
    await world.describe("7", { attributes });
    await world.describe("8", {
      attributes: [attributes[0], { trait_type: "Power", display_type: "number", value: 9 }],
    });

    expect(categories(await page())).toEqual([
      "Traits Born 1 May 2024 1 token · 50% Class Mage 2 tokens · 100% Shiny No 1 token · 50%",
      "Others Level 0 of 50 1 token · 50% Power 7.25 of 9 1 token · 50%",
    ]);
  });

  it("come in the makers' groups, and the rest in Others", async () => {
    await world.describe("7", { attributes });
    const key = await api.createKey(undefined, "Makers");
    await api.call(`/market-partner/collections/${COLLECTION}/information?chain_id=${CHAIN_ID}`, {
      key,
      method: "PUT",
      body: {
        name: "Heroes",
        trait_groups: [{ name: "Story", traits: [{ name: "Shiny" }, { name: "Born" }] }],
      },
    });

    expect(categories(await page()).map((text) => text.split(" ")[0])).toEqual(["Story", "Others"]);
    expect(categories(await page())[0]).toMatch(/Shiny No .*Born 1 May 2024/);
  });

  it("lead to the tokens that have the same", async () => {
    await world.describe("7", { attributes });
    const links = [...(await page()).matchAll(/<a class="trait" href="([^"]+)"/g)];

    expect(links).toHaveLength(attributes.length);
    for (const [, href = ""] of links) {
      const { text } = await get(href.replaceAll("&amp;", "&"));
      expect(text, href).toContain(`href="${HEROES}/7"`);
    }
  });
});

it("a value that is too long for a URL is shown, and is no link", async () => {
  const path = `${HEROES}?is%3ATale+1=`;
  const spare = 4_000 - path.length - 9 * 400;
  await world.describe("7", {
    attributes: [spare, spare + 1].map((count, nth) => ({
      trait_type: `Tale ${nth}`,
      value: "語".repeat(400) + "x".repeat(count),
    })),
  });

  const html = await page();

  expect([...html.matchAll(/<(a|div) class="trait"/g)].map(([, tag]) => tag)).toEqual(["a", "div"]);
  expect(html.length).toBeLessThan(40_000);
});

describe("the chain's side of a token", () => {
  it("is its owner, whether it may be traded, and since when not", async () => {
    expect(seen(await page())).toMatch(/Tradable .*Owner 0x0000…00a1/);

    await database.query(
      `update ${tables.tokenState} set lock_count = 1, locked_since_block = ${LOCKED_BLOCK}`,
    );
    await world.lock("7");

    const text = seen(await page());
    expect(text).toContain("Locked since 2024-05-01 00:00 UTC");
    expect(text).toContain(`Lock 1 lock since block 5 Lock standard ERC-721x Locked by ${LOCKER}`);
    expect(text).not.toContain("Tradable");
  });

  it("is how it moved, newest first, a page at a time", async () => {
    await world.move("7", NOBODY, ALICE, 1);
    for (let nth = 2; nth <= 12; nth++)
      await world.move("7", nth % 2 ? BOB : ALICE, nth % 2 ? ALICE : BOB, nth);

    const first = await page();
    expect(seen(first)).toMatch(
      /12 transfers .*Transferred 0x0000…00a1 0x0000…00b2 2024-05-01 00:00 UTC 0x00000000…/,
    );
    expect(first).toContain(`href="${HEROES}/7?transfers=2#transfers"`);
    expect(seen(await page("7", "?transfers=2"))).toMatch(/Minted none 0x0000…00a1 .* Newer/);
  });
});

describe("the metadata of a token", () => {
  it("is reported with its state, where it was read, its issues, and what every read found", async () => {
    await world.describe("7", {
      attributes: [{ trait_type: "Level", display_type: "number", value: "12" }],
    });
    await database.transaction((tx) =>
      recordOne(api.metadata, tx, ref("7"), "graphql", failed("http_status")),
    );

    const text = seen(await page());

    expect(text).toMatch(/State Last read failed .*Version 1 Document https:\/\/meta\.example\/7/);
    expect(text).toContain("The last read found nothing better. So it was. http_status");
    expect(text).toContain(
      "warning value must be a number for display_type number; it is a string value_mismatch at attributes[0].value",
    );
    expect(text).toMatch(/2 Failed So it was. http_status A GraphQL request .*1 Updated A partner’s request/);
  });
});

describe("the refresh button", () => {
  const own = { origin: BASE_URL };
  const press = (headers: Record<string, string>, tokenId = "7") =>
    get(`${HEROES}/${tokenId}/refresh`, { method: "POST", headers });

  it("queues a refresh as a caller without a key, and leads to a page that shows its progress and outcome", async () => {
    const { status, headers } = await press(own);
    const location = headers.get("location") ?? "";

    expect([status, location]).toEqual([303, expect.stringMatching(/\/7\?refresh=[0-9a-f-]{36}#refresh$/)]);
    const path = location.replace(/#.*/, "");
    expect(seen((await get(path)).text)).toContain("Queued Reading Done Waiting in the queue.");
    const [row] = await database.query<{ trigger: string; anonymous: boolean }>(
      "select trigger, anonymous from vitrine.refresh",
    );
    expect(row).toEqual({ trigger: "page", anonymous: true });

    await database.query(
      "update vitrine.receipt_token set status = 'failed', reason = 'timeout: <b>slow</b>'",
    );
    const part = await get(`${path}&part=refresh`);
    expect(part.text).toMatch(/^<div id="refresh" class="refresh" data-state="done">/);
    expect(seen(part.text)).toContain(
      "Queued Reading Failed Failed: the document could not be read. <b>slow</b>. timeout",
    );
  });

  it.each([
    [403, "another site's page", { origin: "https://evil.example" }],
    [
      403,
      "another site's page, which a browser reports",
      { origin: BASE_URL, "sec-fetch-site": "cross-site" },
    ],
    [403, "a program that sends neither header", {}],
    [
      303,
      "this page under another name of the machine",
      { origin: "http://127.0.0.1:42069", "sec-fetch-site": "same-origin" },
    ],
  ])("answers %i to %s", async (status, _, headers) => {
    const answer = await press(headers as Record<string, string>);

    const queued = await database.query("select from vitrine.refresh");
    expect([answer.status, queued.length]).toEqual([status, status === 303 ? 1 : 0]);
  });

  it("is not offered for a burned token, of which nothing is read", async () => {
    await world.mint("6", { owner: null, burned: true });

    const hidden = async (id: string) =>
      /<div id="refresh"[^>]*>/.exec(await page(id))?.[0].includes("hidden");
    expect([await hidden("6"), await hidden("7")]).toEqual([true, false]);
  });

  it("finds no token that neither the chain nor the contract has", async () => {
    expect((await press(own, "404")).status).toBe(404);
  });

  it.each([
    ["chain", FAR_CHAIN_ID, COLLECTION],
    ["collection", FAR_CHAIN_ID, FAR_COLLECTION],
  ])("shows no refresh of the same id of another %s", async (_, chainId, collectionAddress) => {
    await world.mint("7", { chainId, collectionAddress });
    const answer = await get(`/collections/${chainId}/${collectionAddress}/7/refresh`, {
      method: "POST",
      headers: own,
    });
    const [, query] = /(\?refresh=[0-9a-f-]{36})#/.exec(answer.headers.get("location") ?? "") ?? [];

    expect(answer.status).toBe(303);
    expect(await page("7", query)).toContain('data-state="idle"');
  });

  it("shows nobody the refreshes of apps", async () => {
    const key = await api.createKey(undefined, "Private");
    const { body } = await api.call(
      `/market-partner/collections/${COLLECTION}/refresh_metadata?chain_id=${CHAIN_ID}`,
      {
        key,
        body: { token_ids: ["7"] },
      },
    );

    expect(await page("7", `?refresh=${body.refresh_id}`)).toContain('data-state="idle"');
  });
});

it("shows in its history what new rules made of a stored document", async () => {
  await world.describe("7", {});
  await database.query("update vitrine.version set trigger = 'renormalise'");

  expect(await page()).toContain("Read again by new rules");
});
