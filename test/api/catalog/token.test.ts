import { beforeEach, describe, expect, it } from "vitest";
import { createTestDatabase } from "../../support/database/database.ts";
import { createTestApp, FAR_CHAIN_ID, FAR_COLLECTION, GATEWAY } from "../../support/processes/app.ts";
import {
  ask,
  CHAIN_ID,
  COLLECTION,
  emptyTables,
  failed,
  found,
  recordOne,
  ref,
} from "../../support/refresh/refresh.ts";

const test = await createTestDatabase();
const { database, tables } = test;
const api = createTestApp(test);
const key = await api.createKey();
const ALICE = "0x00000000000000000000000000000000000000a1";
const LOCKER = "0x00000000000000000000000000000000000000c1";

beforeEach(async () => {
  await emptyTables(database);
  await database.query(`truncate ${tables.tokenState}, ${tables.lockEvent}`);
  await test.setHead({ chainId: CHAIN_ID, block: 100 });
  await test.setHead({ chainId: FAR_CHAIN_ID, block: 100 });
});

const insertToken = (row: Record<string, unknown> = {}) =>
  test.insert("tokenState", {
    chainId: CHAIN_ID,
    collectionAddress: COLLECTION,
    tokenId: 1n,
    standard: "erc721",
    owner: ALICE,
    burned: false,
    lockCount: 0,
    ...row,
  });
const record = (json: unknown, tokenId = "1") =>
  database.transaction((tx) => recordOne(api.metadata, tx, ref(tokenId), "rest", found(json)));
const read = (tokenId = "1", query = "", address = COLLECTION) =>
  api.call(`/market/collections/${address}/tokens/${tokenId}${query}`, { key });

describe("a token", () => {
  it("of ERC-721 is answered whole", async () => {
    await insertToken();
    await record({
      name: "Hero",
      description: "Brave",
      image: "ipfs://QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWnPbdG/1.png",
      external_url: "https://owner.example/secret-page",
      attributes: [{ trait_type: "Class", value: "Mage" }],
    });

    const { status, body, text } = await read();

    const image = `${GATEWAY}/ipfs/QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWnPbdG/1.png`;
    expect(status).toBe(200);
    expect(body).toEqual({
      chain_id: CHAIN_ID,
      collection_address: COLLECTION,
      token_id: "1",
      standard: "erc721",
      owner: ALICE,
      burned: false,
      name: "Hero",
      description: "Brave",
      image: {
        ...{ status: "pending", url: image, reason: null },
        ...{ width: null, height: null, bytes: null, format: null, placeholder: null, variants: [] },
      },
      display: {
        collection_page: { kind: "image", url: image },
        token_page: { kind: "image", url: image, skipped: [] },
      },
      traits: [
        {
          trait_type: "Class",
          display_type: "string",
          value: "Mage",
          max_value: null,
          count: 1,
          percentage: 100,
        },
      ],
      property_groups: [{ category: "Traits", traits: ["Class"] }],
      rarity: { rank: 1, score: 0, of: 1 },
      lock: { locked: false, lock_count: 0, standards: [], approved_contracts: [], since_block: null },
      tradable: true,
      opens_at: null,
      metadata: {
        status: "current",
        reason: null,
        version: 1,
        content_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
        verified: null,
        fetched_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
        issues: [],
      },
    });
    expect(text).not.toContain("owner.example");
  });

  it("of ERC-1155 has a supply, in decimal text, and no owner", async () => {
    const supply = 2n ** 256n - 1n;
    await insertToken({
      collectionAddress: FAR_COLLECTION,
      chainId: FAR_CHAIN_ID,
      standard: "erc1155",
      owner: null,
      supply,
    });

    const { body } = await read("1", "", FAR_COLLECTION);

    expect(body).toMatchObject({ chain_id: FAR_CHAIN_ID, standard: "erc1155", supply: supply.toString() });
    expect("owner" in body).toBe(false);
  });

  it("that is burned still answers, burned and not tradable", async () => {
    await insertToken({ burned: true, owner: null });
    await record({ name: "Hero", image: "https://img.example/1.png" });

    expect((await read()).body).toMatchObject({ burned: true, owner: null, tradable: false, name: "Hero" });
  });

  it("that is locked says since when and by whom, and is not tradable", async () => {
    await insertToken({ lockCount: 2, lockedSinceBlock: 90n });
    for (const [index, approvedContract] of [LOCKER, ALICE].entries()) {
      await test.insert("lockEvent", {
        id: `${index}`,
        chainId: CHAIN_ID,
        collectionAddress: COLLECTION,
        tokenId: 1n,
        standard: "erc721x",
        direction: "lock",
        approvedContract,
        countAfter: index + 1,
        flagCountAfter: 1,
        followsDefault: true,
        anomaly: false,
        blockNumber: 90n,
        blockTimestamp: 1n,
        transactionHash: "0xt",
        logIndex: index,
      });
    }

    expect((await read()).body).toMatchObject({
      lock: {
        locked: true,
        lock_count: 2,
        standards: ["erc721x"],
        approved_contracts: [LOCKER, ALICE],
        since_block: 90,
      },
      tradable: false,
    });
  });

  it("that only its contract has reported is known, and not tradable", async () => {
    await record({ name: "Early", image: "https://img.example/1.png" });

    expect((await read()).body).toMatchObject({
      name: "Early",
      owner: null,
      standard: "erc721",
      tradable: false,
    });
  });

  it("that nobody knows is not found", async () => {
    const { status, body } = await read("404");

    expect(status).toBe(404);
    expect(body).toMatchObject({ message: "Token not found", code: "TOKEN_NOT_FOUND" });
  });

  it("keeps ids up to 2^256-1 apart, and chains too", async () => {
    const max = 2n ** 256n - 1n;
    await insertToken({ tokenId: max });
    await insertToken({ tokenId: max - 1n, owner: LOCKER });

    expect((await read(max.toString())).body).toMatchObject({ token_id: max.toString(), owner: ALICE });
    expect((await read(max.toString(), `?chain_id=${FAR_CHAIN_ID}`)).status).toBe(404);
  });

  it.each(["01", "-1", "0x1", "1.0", (2n ** 256n).toString()])("has no id %s", async (tokenId) => {
    const { status, body } = await read(tokenId);

    expect(status).toBe(400);
    expect(body.details).toMatchObject([{ path: "token_id" }]);
  });
});

describe("the state of its metadata", () => {
  it("is none before anyone asked, and pending until the first fetch has ended", async () => {
    await insertToken();
    expect((await read()).body.metadata).toMatchObject({ status: "none", version: null, fetched_at: null });

    await ask(database, ["1"]);
    expect((await read()).body.metadata.status).toBe("pending");
  });

  it("is none for a burned token, whose recheck fetches nothing", async () => {
    await insertToken({ burned: true, owner: null });
    await ask(database, ["1"], { trigger: "recheck" });

    expect((await read()).body.metadata.status).toBe("none");
  });

  it("is that of the last fetch from then on, though another is queued", async () => {
    await insertToken();
    await record({ name: "Hero", image: "https://img.example/1.png" });
    await ask(database, ["1"]);
    expect((await read()).body.metadata).toMatchObject({ status: "current", version: 1 });

    await database.transaction((tx) => recordOne(api.metadata, tx, ref("1"), "rest", failed("invalid_json")));
    expect((await read()).body).toMatchObject({
      name: "Hero",
      metadata: { status: "failed", reason: "invalid_json: so it was", version: 1 },
    });
  });
});

describe("what each page shows", () => {
  it("skips video and animation from hosts that are not allowed, and lists them", async () => {
    await insertToken();
    await record({
      name: "Hero",
      image: "https://img.example/1.png",
      video: "https://cdn.example/1.mp4",
      animation_url: "https://anim.example/1.html",
    });
    await database.query(
      "insert into vitrine.allowed_host (pattern, added_by) values ('cdn.example', 'tests')",
    );

    expect(
      (await createTestApp(test).call(`/market/collections/${COLLECTION}/tokens/1`, { key })).body.display,
    ).toEqual({
      collection_page: { kind: "image", url: "https://img.example/1.png" },
      token_page: {
        kind: "video",
        url: "https://cdn.example/1.mp4",
        skipped: [{ kind: "animation", host: "anim.example", reason: "host_not_allowed" }],
      },
    });
  });

  it("is nothing for a token without an image", async () => {
    await insertToken();
    await record({ name: "Hero" });

    expect((await read()).body).toMatchObject({
      image: { status: "none", url: null },
      display: { collection_page: { kind: "none", url: null }, token_page: { kind: "none", url: null } },
    });
  });
});
