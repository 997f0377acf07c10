/** How much a search over all collections says that it has found. */

import { beforeAll, describe, expect, it } from "vitest";
import { FAR_CHAIN_ID, FAR_COLLECTION } from "../../support/processes/app.ts";
import { CHAIN_ID, COLLECTION, found, recordOne, ref } from "../../support/refresh/refresh.ts";
import { ALICE, createPagesWorld, HEROES, seen } from "./world.ts";

const world = await createPagesWorld();

describe("a search that finds more than it shows", () => {
  const TEXT = "crowded";

  beforeAll(async () => {
    for (let id = 101; id <= 124; id++) {
      await world.mint(String(id));
      await world.describe(String(id), { name: `${TEXT} ${id}` });
    }
  });

  it("says so, and leads to the search of the collection", async () => {
    const one = seen((await world.get(`/search?q=${TEXT}`)).text);
    expect(one).toContain("0 collections, 24 tokens");
    expect(one).not.toContain("or more");
    await world.mint("125");
    await world.describe("125", { name: `${TEXT} 125` });

    const { text } = await world.get(`/search?q=${TEXT}`);

    expect(seen(text)).toContain("0 collections, 24 or more tokens");
    expect(text.match(/<a class="token"/g)).toHaveLength(24);
    expect(text).toContain(`href="${HEROES}?q=${TEXT}"`);
    const { text: suggested } = await world.get(`/search?part=suggestions&q=${TEXT}`);
    expect(suggested).toContain('data-said="0 collections, 5 or more tokens"');
    expect(suggested.match(/id="suggested-token-/g)).toHaveLength(5);
  });

  it("says so of tokens whose documents are too large for one page, too", async () => {
    for (let id = 201; id <= 206; id++) {
      await world.mint(String(id));
      await world.describe(String(id), { name: `bulky ${id}`, description: "x".repeat(1_900_000) });
    }

    const { text } = await world.get("/search?q=bulky");

    expect(seen(text)).toMatch(/0 collections, \d or more tokens/);
    expect(text).toContain(`href="${HEROES}?q=bulky"`);
  });

  it("counts the wallet of an address", async () => {
    expect(seen((await world.get(`/search?q=${ALICE}`)).text)).toContain("1 wallet, 0 collections, 0 tokens");
  });
});

it("a heading shows what was searched for without controls that reverse it, and apart", async () => {
  const { text } = await world.get(`/search?q=${encodeURIComponent("\u202eabc")}`);

  expect(/<h1>(.*?)<\/h1>/s.exec(text)?.[1]).toBe("<bdi>Search for “abc”</bdi>");
});

it("names the chain of tokens whose collection has its name on another chain, too, and of no others", async () => {
  const place = { startBlock: 0, standard: "erc721" } as const;
  const twins = await createPagesWorld({
    configured: [
      { ...place, chainId: CHAIN_ID, address: COLLECTION, name: "Heroes" },
      { ...place, chainId: FAR_CHAIN_ID, address: COLLECTION, name: "Heroes" },
      { ...place, chainId: CHAIN_ID, address: FAR_COLLECTION, name: "Solo" },
    ],
  });
  const { api, test } = twins;
  await test.setHead({ chainId: FAR_CHAIN_ID, block: 100 });
  for (const [chainId, collectionAddress, name] of [
    [CHAIN_ID, COLLECTION, "Twin A"],
    [FAR_CHAIN_ID, COLLECTION, "Twin B"],
    [CHAIN_ID, FAR_COLLECTION, "Twin C"],
  ] as const) {
    await twins.mint("7", { chainId, collectionAddress });
    await api.metadata.addKnownTokens(test.database, chainId, collectionAddress, new Map([["7", 1]]));
    const token = { ...ref("7"), chainId, collection: collectionAddress };
    await test.database.transaction((tx) => recordOne(api.metadata, tx, token, "rest", found({ name })));
  }
  const suggested = seen((await twins.get("/search?part=suggestions&q=twin")).text);
  expect(suggested).toContain("Twin A Heroes Anvil Twin B Heroes Ronin Twin C Solo All results");
  const cards = seen((await twins.get("/search?q=twin")).text);
  for (const card of ["Twin A #7 Anvil", "Twin B #7 Ronin", "Twin C #7 Owner"]) expect(cards).toContain(card);
});
