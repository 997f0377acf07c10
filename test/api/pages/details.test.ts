import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { CHAIN_ID, COLLECTION, emptyTables, failed, recordOne, ref } from "../../support/refresh/refresh.ts";
import { ALICE, BOB, createPagesWorld, HEROES, seen } from "./world.ts";

const world = await createPagesWorld();
const { api, get, test } = world;
const { database, tables } = test;
const FILE = `${"ef".repeat(32)}.png`;
const LONG_ID = String(2n ** 256n - 1n);

const page = async (path = "7") => (await get(`${HEROES}/${path}`)).text;

beforeAll(async () => {
  // The allowlist is cached for two seconds, so it is written before it is read.
  await database.query(
    "insert into vitrine.allowed_host (pattern, collection, added_by) values ('play.example', '', 'tests')",
  );
});

beforeEach(async () => {
  await emptyTables(database);
  await database.query(
    `truncate ${tables.tokenState}, ${tables.tokenBalance}, ${tables.tokenTransfer}, vitrine.media`,
  );
  await world.mint("7");
});

describe("a token of many copies", () => {
  const setBalance = (holder: string, balance: bigint) =>
    test.insert("tokenBalance", {
      chainId: CHAIN_ID,
      collectionAddress: COLLECTION,
      tokenId: 9n,
      holder,
      balance,
    });

  it("names the ten wallets that hold most, with their whole amounts, each leading to its page", async () => {
    await world.mint("9", { standard: "erc1155", owner: null, supply: 10n ** 30n });
    for (let nth = 1; nth <= 10; nth++) await setBalance(`0x${String(nth).padStart(40, "0")}`, BigInt(nth));
    await setBalance(ALICE, 10n ** 30n + 1n);
    await setBalance(BOB, 0n);

    const html = await page("9");

    const holders = [...html.matchAll(/\/wallets\/(0x[0-9a-f]{40})"/g)].map(([, address]) => address);
    expect(holders).toEqual([
      ALICE,
      ...Array.from({ length: 9 }, (_, nth) => `0x${String(10 - nth).padStart(40, "0")}`),
    ]);
    expect(seen(html)).toContain("held by 11 wallets");
    expect(seen(html)).toContain("1,000,000,000,000,000,000,000,000,000,001");
  });
});

describe("what is long", () => {
  it("is there whole, to be marked or copied: ids, contracts, wallets and hashes", async () => {
    await world.mint(LONG_ID);
    await world.move(LONG_ID, ALICE, BOB, 1);

    const html = await page(LONG_ID);

    expect(html).toContain(`<code>${LONG_ID}</code>`);
    expect(html).toContain(`<code>${COLLECTION}</code>`);
    for (const value of [LONG_ID, COLLECTION, ALICE, BOB, `0x${"1".padStart(64, "0")}`])
      expect(html).toContain(`data-copy="${value}"`);
  });

  it("has an end: a page of transfers beyond the last says so", async () => {
    await world.move("7", ALICE, BOB, 1);
    expect(seen(await page("7?transfers=9"))).toContain("There is no such page.");
    expect(seen(await page("7?transfers=9"))).not.toContain("No transfers indexed");
  });

  it("has an end: a page of reads before the oldest says so", async () => {
    await world.describe("7", {});
    const html = seen(await page("7?before=1"));

    expect(html).toContain("History There is no such page.");
    expect(html).not.toContain("It has not been read yet.");
  });
});

describe("what is not known", () => {
  it("is not shown as if it were: a token whose every read failed has neither issues nor their absence", async () => {
    await database.transaction((tx) => recordOne(api.metadata, tx, ref("7"), "mint", failed("http_status")));

    const text = seen(await page());

    expect(text).toContain("Last read failed Heroes Token #7");
    expect(text).toContain("Not known: its document could not be read.");
    expect(text).not.toMatch(/No issues|no properties|No image/);
  });
});

describe("what is shown in its place", () => {
  it("is the image, for a visitor to whom an animation does not come", async () => {
    await world.describe("7", { animation_url: "https://play.example/7" });
    await world.cacheImage("7", FILE);

    const link = /If the animation doesn’t load, <a href="([^"]+)">/.exec(await page())?.[1] ?? "";
    const { text } = await get(link);

    expect(link).toBe(`${HEROES}/7?show=image`);
    expect(text).toContain(`<img src="/media/images/${FILE}" alt="Image of Hero 7"`);
    expect(text).not.toContain("<iframe");
    expect(text).toContain(`<a href="${HEROES}/7">Show the animation</a>`);
    // The script replaces what is shown where this differs.
    const what = (html: string) => /data-what="([^"]*)"/.exec(html)?.[1];
    expect(what(text)).not.toBe(what(await page()));
  });

  it.each([
    ["image_too_large: over 1048576 bytes, at most 1048576", "The image is over 1 MB. image_too_large"],
    [
      "image_too_small: 412x412, at least 480x480",
      "The image is smaller than 480x480 pixels in width or height (412x412, at least 480x480). image_too_small",
    ],
    ["timeout: no answer in 10 s", "No answer in 10 s. timeout"],
  ])("is a sentence, and the code beside it: %s", async (reason, sentence) => {
    await world.describe("7", {});
    await database.query(
      `insert into vitrine.media (kind, url_hash, url, host, status, reason)
       values ('image', sha256(convert_to($1, 'UTF8')), $1, 'img.example', 'rejected', $2)`,
      ["https://img.example/7.png", reason],
    );

    expect(seen(await page())).toContain(`The image is not shown. ${sentence}`);
  });

  it("is not the image that stays when its host no longer gives it", async () => {
    await world.describe("7", {});
    await world.cacheImage("7", FILE);
    await database.query("update vitrine.media set reason = 'http_status: the host answered 404'");

    const html = await page();

    expect(html).toContain(`<img src="/media/images/${FILE}"`);
    expect(seen(html)).toContain("The last good image stays. The host answered 404. http_status");
    expect(seen(html)).not.toContain("The image is not shown.");
  });

  it("is text that reads as it was written, controls of direction left out", async () => {
    await world.describe("7", { name: "\u202eevil\u202c", description: "\u202dx\u202a".repeat(3) });
    const html = await page();

    expect(html).not.toMatch(/[\u202a-\u202e]/);
    expect(html).toContain("<bdi>evil</bdi>");
  });
});
