/** Pages of owners, activity and wallets. */

import { beforeAll, describe, expect, it } from "vitest";
import { createServingIndexes } from "../../../src/api/chain/index/serving-indexes.ts";
import { CHAIN_SCHEMA, checkpoint } from "../../support/database/database.ts";
import { FAR_CHAIN_ID, FAR_COLLECTION } from "../../support/processes/app.ts";
import { CHAIN_ID, COLLECTION } from "../../support/refresh/refresh.ts";
import { ALICE, BOB, createPagesWorld, HEROES, seen } from "./world.ts";

const world = await createPagesWorld();
const { get, test } = world;
await createServingIndexes(test.url, CHAIN_SCHEMA);

const NOBODY = `0x${"0".repeat(40)}`;
const HASH = `0x${"ab".repeat(32)}`;
const heroes = { chainId: CHAIN_ID, collectionAddress: COLLECTION };

const move = (block: number, tokenId: bigint, from: string, to: string) =>
  test.insert("tokenTransfer", {
    ...heroes,
    id: checkpoint({ chainId: CHAIN_ID, block, log: 0, timestamp: block }),
    tokenId,
    from,
    to,
    quantity: 1n,
    blockNumber: block,
    blockTimestamp: block,
    transactionHash: HASH,
    logIndex: 0,
  });

beforeAll(async () => {
  await test.insert("collectionState", { ...heroes, standard: "erc721", items: 30, owners: 2 });
  await test.insert("collectionHolder", { ...heroes, holder: ALICE, tokens: 28 });
  await test.insert("collectionHolder", { ...heroes, holder: BOB, tokens: 2 });
  for (let id = 1; id <= 30; id++) {
    await world.mint(String(id), { owner: id > 28 ? BOB : ALICE });
    await move(id, BigInt(id), NOBODY, ALICE);
  }
  await move(50, 29n, ALICE, BOB);
  await move(51, 30n, ALICE, BOB);
  await world.describe("29", { name: "<b>Bold</b>" });
});

const linkIn = (text: string, words: string): string => {
  const [, href = ""] = new RegExp(`href="([^"]*)"[^>]*>\\s*${words}\\s*<`).exec(text) ?? [];
  return href.replaceAll("&amp;", "&").replace(/#.*/, "");
};

describe("owners of a collection", () => {
  it("are listed with the most first, each linked to its wallet", async () => {
    const { status, text } = await get(`${HEROES}/owners`);

    expect(status).toBe(200);
    expect(seen(text)).toMatch(/2 owners .*at block 100.*28.*2/);
    expect(text).toContain(`href="/wallets/${ALICE}"`);
    expect(text.indexOf(ALICE)).toBeLessThan(text.indexOf(BOB));
  });

  it("are those at the end of a block, which the form keeps", async () => {
    const { text } = await get(`${HEROES}/owners?at_block=50`);

    expect(seen(text)).toMatch(/2 owners .*at block 50.*29.*1/);
    expect(text).toContain('value="50"');
    expect(seen((await get(`${HEROES}/owners?at_block=`)).text)).toContain("at block 100");
  });

  it.each([
    ["101", "block 101 is not indexed yet"],
    ["1,5", "must be a block number"],
    ["1,00", "must be a block number"],
    ["ten", "must be a block number"],
  ])("at_block=%s is corrected in the form, which keeps what was typed", async (block, message) => {
    const { status, text } = await get(`${HEROES}/owners?${new URLSearchParams({ at_block: block })}`);

    expect(status).toBe(400);
    expect(text).toMatch(new RegExp(`<input [^>]*value="${block}"[^>]*aria-invalid="true"`));
    expect(text).toMatch(new RegExp(`<p class="error"[^>]*>${message}`));
  });

  it.each([
    ["1,000", "1000"],
    ["1 000 000", "1000000"],
  ])("at_block=%s is a number with separators, as the page writes it", async (block, number) => {
    const { text } = await get(`${HEROES}/owners?${new URLSearchParams({ at_block: block })}`);

    expect(seen(text)).toContain(`block ${number} is not indexed yet`);
  });

  it.each([
    ["at_block=101", "block 101 is not indexed yet"],
    ["at_block=x", "must be a block number"],
    ["cursor=x", "cursor is not one"],
  ])("?%s is refused", async (query, message) => {
    const { status, text } = await get(`${HEROES}/owners?${query}`);
    expect([status, seen(text)]).toEqual([400, expect.stringContaining(message)]);
  });
});

describe("activity", () => {
  it("of a collection goes from page to page without a gap", async () => {
    const times: string[] = [];
    for (let path = `${HEROES}/activity`; path !== ""; ) {
      const { status, text } = await get(path);
      expect(status).toBe(200);
      times.push(
        ...[...text.matchAll(/data-label="Token"><[^>]*><a href="[^"]*\/(\d+)"/g)].map(([, id = ""]) => id),
      );
      path = linkIn(text, "Older");
    }
    expect(times.filter((id) => Number(id) > 0).length).toBeGreaterThanOrEqual(32);
    expect(times.slice(0, 3).sort()).toContain("29");
  });

  it("of one type is only that", async () => {
    const { text } = await get(`${HEROES}/activity?type=transfer`);
    const rows = [...text.matchAll(/data-label="What">([^<]*)</g)].map(([, what]) => what);
    expect(rows).toEqual(["Transferred", "Transferred"]);
    expect(text).toMatch(/aria-current="page"[^>]*>Transferred/);
    expect((await get(`${HEROES}/activity?type=sale`)).status).toBe(400);
  });

  it("of a token is linked from its page, and shows the name as text", async () => {
    const { text: page } = await get(`${HEROES}/29`);
    expect(page).toContain(`href="${HEROES}/29/activity"`);

    const { status, text } = await get(`${HEROES}/29/activity`);
    expect(status).toBe(200);
    expect(text).not.toContain("<b>Bold");
    expect(seen(text)).toMatch(/Transferred.*Minted/);
    expect((await get(`${HEROES}/999/activity`)).status).toBe(404);
    expect((await get(`${HEROES}/x/activity`)).status).toBe(404);
  });

  it("and owners are linked from the collection's page", async () => {
    const { text } = await get(HEROES);
    for (const name of ["owners", "activity"]) expect(text).toContain(`href="${HEROES}/${name}"`);
  });
});

describe("/wallets/{address}", () => {
  it("shows the wallet's tokens, page by page, and its activity", async () => {
    const first = await get(`/wallets/${ALICE}`);
    expect(first.status).toBe(200);
    expect(seen(first.text)).toMatch(/28 tokens/);
    expect([...first.text.matchAll(/class="token"/g)]).toHaveLength(24);
    const second = await get(linkIn(first.text, "More"));
    expect([...second.text.matchAll(/class="token"/g)]).toHaveLength(4);

    const { text } = await get(`/wallets/${BOB}`);
    expect(seen(text)).toMatch(/2 tokens.*Transferred.*Transferred/);
    expect(text).toContain(`href="${HEROES}/29"`);
  });

  it("says how many it holds of each token that several can have, and names no owner", async () => {
    const holder = "0x00000000000000000000000000000000000000c3";
    const items = { chainId: FAR_CHAIN_ID, collectionAddress: FAR_COLLECTION };
    const item = { ...items, standard: "erc1155", burned: false, lockCount: 0 };
    await test.insert("tokenState", { ...item, tokenId: 1n, supply: 1_500n });
    await test.insert("tokenBalance", { ...items, tokenId: 1n, holder, balance: 1_200n });
    await test.insert("collectionHolder", { ...items, holder, tokens: 1 });

    const { text } = await get(`/wallets/${holder}`);
    expect(seen(text)).toContain("Holds 1,200 of 1,500");
    const heroes = await get(`/wallets/${BOB}`);
    const [grid = ""] = /<ul class="tokens".*?<\/ul>/s.exec(heroes.text) ?? [];
    expect(grid).toContain(`href="${HEROES}/29"`);
    expect(grid).not.toContain(`href="/wallets/`);
  });

  it("of a wallet without anything says so", async () => {
    const { status, text } = await get(`/wallets/0x${"9".repeat(40)}`);
    expect([status, seen(text)]).toEqual([200, expect.stringContaining("It owns no token")]);
    expect(seen(text)).toContain("No activity indexed");
  });

  it("has one address in lower case, and refuses what is none", async () => {
    const upper = `0x${BOB.slice(2).toUpperCase()}`;
    const { status, headers } = await get(`/wallets/${upper}`);
    expect([status, headers.get("location")]).toEqual([301, `/wallets/${BOB}`]);
    const { headers: asked } = await get(`/wallets/${upper}?type=mint&cursor=x%26y`);
    expect(asked.get("location")).toBe(`/wallets/${BOB}?type=mint&cursor=x%26y`);
    expect((await get("/wallets/nobody")).status).toBe(400);
    expect((await get("/wallets")).status).toBe(404);
  });
});

it("every page of several collections says so while an index is still being built", async () => {
  const paths = ["/", "/collections", "/search?q=hero", `/wallets/${ALICE}`];
  const said = async () =>
    (await Promise.all(paths.map((path) => get(path)))).map(({ text }) =>
      seen(text).includes("still being built"),
    );
  const far = { chainId: FAR_CHAIN_ID, block: 100 };
  await test.setHead(far);

  expect(await said()).toEqual([false, false, false, false]);
  await test.setHead({ ...far, ready: false });
  expect(await said()).toEqual([true, true, true, true]);
});
