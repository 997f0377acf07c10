/** Tokens that were read before: what is kept of them must never be older than the request. */

import { beforeEach, describe, expect, it, vi } from "vitest";
import { createTokenCache, type Kept, type TokenCache } from "../../../src/api/catalog/tokens/token-cache.ts";
import { forgetToken } from "../../../src/api/metadata/records/store.ts";
import { createTraitApproval } from "../../../src/api/metadata/traits/trait-approval.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import { createTestApp } from "../../support/processes/app.ts";
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
import { OPERATOR_TOKEN } from "../../support/service-key.ts";

const test = await createTestDatabase();
const { database, tables } = test;
const api = createTestApp(test);
const key = await api.createKey();
const PATH = `/market/collections/${COLLECTION}/tokens`;
const IMAGE = "https://img.example/1.png";
const ALICE = "0x00000000000000000000000000000000000000a1";

beforeEach(async () => {
  await emptyTables(database);
  await database.query(
    `truncate ${tables.tokenState}, ${tables.lockEvent}, vitrine.media, vitrine.media_file, vitrine.collection_information cascade`,
  );
  await test.setHead({ chainId: CHAIN_ID, block: 100 });
  for (const tokenId of [1n, 2n, 3n]) {
    await test.insert("tokenState", {
      chainId: CHAIN_ID,
      collectionAddress: COLLECTION,
      tokenId,
      standard: "erc721",
      owner: ALICE,
      burned: false,
      lockCount: 0,
    });
  }
  await record("1", hero("Ada", "Mage"));
  await record("2", hero("Ben", "Mage"));
  await record("3", { attributes: [] });
});

const hero = (name: string, value: unknown, display_type?: string) => ({
  name,
  image: IMAGE,
  attributes: [{ trait_type: "Class", value, ...(display_type && { display_type }) }],
});
const record = (tokenId: string, json: unknown) =>
  database.transaction((tx) => recordOne(api.metadata, tx, ref(tokenId), "rest", found(json)));
const change = (set: string, tokenId: string) =>
  database.query(`update ${tables.tokenState} set ${set} where token_id = $1`, [tokenId]);
let block = 100;
const mine = () => test.setHead({ chainId: CHAIN_ID, block: ++block });
const insertImage = () =>
  database.query(
    `insert into vitrine.media (kind, url_hash, url, host) values ('image', sha256(convert_to($1, 'UTF8')), $1, 'img.example')`,
    [IMAGE],
  );

/** The tokens as this service answers them, and as one answers that has kept nothing. */
async function readBoth(ids = ["1", "2", "3"]) {
  const asNew = createTestApp(test);
  const read = async (app: typeof api) =>
    Promise.all(
      ids.map(async (tokenId) => {
        const { request_id: _, ...answer } = (await app.call(`${PATH}/${tokenId}`, { key })).body;
        return answer;
      }),
    );
  // Twice, so that what the first one kept is used.
  await read(api);
  return { kept: await read(api), asNew: await read(asNew) };
}

const changes: Record<string, () => Promise<unknown>> = {
  "a lock": () => change("lock_count = 1, locked_since_block = 5", "1"),
  "a sale": () => change("owner = '0x00000000000000000000000000000000000000b2'", "1"),
  "another token's burn, which the counts follow": async () => {
    await change("burned = true", "2");
    await mine();
  },
  "another token's burn that a reorg has undone, before the next block": () =>
    test.revert((tx) => tx.query(`update ${tables.tokenState} set burned = false where token_id = 3`)),
  "the same document, fetched later": () => record("1", hero("Ada", "Mage")),
  "another document": () => record("1", hero("Eve", "Rogue")),
  "another token's document, which the counts follow": () => record("2", hero("Ben", "Rogue")),
  "a fetch that failed": () =>
    database.transaction((tx) => recordOne(api.metadata, tx, ref("1"), "rest", failed("timeout"))),
  "a display type that is approved": () =>
    createTraitApproval(database).approve(
      { chainId: CHAIN_ID, collection: COLLECTION },
      "Class",
      "number",
      async () => undefined,
    ),
  "a probe of the image that was refused": async () => {
    await insertImage();
    await database.query("update vitrine.media set status = 'rejected', reason = 'image_too_small: 10 x 10'");
  },
  "groups of traits": () =>
    database.query(
      `insert into vitrine.collection_information (chain_id, collection, body, updated_by)
       values ($1, $2, $3, 'test')`,
      [
        CHAIN_ID,
        COLLECTION,
        JSON.stringify({
          name: "Heroes",
          slug: null,
          tradable_at: null,
          trait_groups: [{ category: "Looks", traits: [{ name: "Class" }] }],
        }),
      ],
    ),
  "a reorg that takes the token back": () =>
    database.transaction(async (tx) => {
      await tx.query(`delete from ${tables.tokenState} where token_id = 1`);
      await forgetToken(tx, ref("1"));
    }),
  "an index that has just been rebuilt": () => test.setHead({ chainId: CHAIN_ID, block: 100, ready: false }),
};

describe("a token that was read before is answered as by a service that starts now, after", () => {
  it.each(Object.entries(changes))("%s", async (_name, apply) => {
    if (_name.includes("undone")) await change("burned = true", "3");
    if (_name.startsWith("a display type")) await record("2", hero("Ben", 5, "number"));
    const before = await readBoth();
    expect(before.kept).toEqual(before.asNew);

    await apply();

    const after = await readBoth();
    expect(after.kept).toEqual(after.asNew);
    expect(after.kept).not.toEqual(before.kept);
  });

  it("each state of its cached picture", async () => {
    const update = (sql: string) => database.query(sql);
    await insertImage();
    await readBoth();
    for (const sql of [
      `insert into vitrine.media_file (name, source_hash, format, width, height) values ('a.png', 'hash', 'PNG', 480, 480)`,
      "update vitrine.media set status = 'accepted', file = 'a.png', format = 'PNG', width = 480, height = 480, bytes = 9",
      "update vitrine.media_file set placeholder = 'abc'",
      `insert into vitrine.media_variant (file, name, type, width, height, bytes) values ('a.png', 'b.webp', 'image/webp', 240, 240, 5)`,
      `insert into vitrine.media_variant (file, name, type, width, height, bytes) values ('a.png', 'c.webp', 'image/webp', 120, 120, 3)`,
      "update vitrine.media_variant set unused_since = now() where name = 'b.webp'",
      "delete from vitrine.media_variant where name = 'c.webp'",
    ]) {
      await update(sql);
      const { kept, asNew } = await readBoth();
      expect(kept, sql).toEqual(asNew);
    }
  });

  it("a request to read a token that has no document yet, and its end", async () => {
    await test.insert("tokenState", {
      chainId: CHAIN_ID,
      collectionAddress: COLLECTION,
      tokenId: 4n,
      standard: "erc721",
      owner: ALICE,
      burned: false,
      lockCount: 0,
    });
    const statusOf = async () => (await readBoth(["4"])).kept[0].metadata.status;
    expect(await statusOf()).toBe("none");

    await ask(database, ["4"]);

    expect(await statusOf()).toBe("pending");
    await record("4", hero("Dan", "Mage"));
    expect(await statusOf()).toBe("current");
  });

  it("a host whose video may be shown, and no longer", async () => {
    await record("1", { ...hero("Ada", "Mage"), video: "https://films.example/1.mp4" });
    const operator = { headers: { authorization: `Bearer ${OPERATOR_TOKEN}` } };
    const body = { pattern: "films.example" };
    const kindOf = async () => {
      const { kept, asNew } = await readBoth(["1"]);
      expect(kept).toEqual(asNew);
      return kept[0].display.token_page.kind;
    };
    expect(await kindOf()).toBe("image");

    await api.call("/admin/allowlist", { ...operator, body });
    expect(await kindOf()).toBe("video");

    await api.call("/admin/allowlist", { ...operator, method: "DELETE", body });
    expect(await kindOf()).toBe("image");
  });

  it("it was forgotten while the chain still has it: no document, and no image either", async () => {
    await insertImage();
    await readBoth();
    await readBoth();
    await forgetToken(database, ref("1"));
    const { kept, asNew } = await readBoth(["1"]);
    expect(kept).toEqual(asNew);
    expect(kept[0]).toMatchObject({ name: null, image: { status: "none", url: null } });
  });

  it("everything was emptied and written anew", async () => {
    await readBoth();
    await emptyTables(database);
    await record("1", hero("Zoe", "Bard"));
    const { kept, asNew } = await readBoth(["1"]);
    expect(kept).toEqual(asNew);
    expect(kept[0]).toMatchObject({ name: "Zoe", traits: [{ value: "Bard", count: 1 }] });
  });
});

it("is never answered older than what was committed before the request, while others read", async () => {
  const nameNow = async () => (await api.call(`${PATH}/1`, { key })).body;
  let isOver = false;
  const others = Array.from({ length: 4 }, async () => {
    while (!isOver) await nameNow();
  });
  for (let nth = 1; nth <= 60; nth++) {
    const value = `Class ${nth % 7}`;
    await record("1", hero(String(nth), value));
    if (nth % 3 === 0) await record("2", hero("Ben", value));
    if (nth % 5 === 0) await mine();
    const [answer] = await Promise.all([nameNow(), nameNow()]);
    expect(answer).toMatchObject({ name: String(nth), traits: [{ value, count: nth % 3 === 0 ? 2 : 1 }] });
  }
  isOver = true;
  await Promise.all(others);
});

/** The first reads of a collection, at once, discard each other's. */
const readOften = async () => {
  for (let round = 0; round < 3; round++) await readBoth();
};

it("costs one statement and nothing of the search index while nothing changes", async () => {
  await readOften();
  const statements = vi.spyOn(database, "query");
  const counted = vi.spyOn(api.search, "countTraits");
  const confirmed = vi.spyOn(api.search, "countsStamp");
  await api.call(`${PATH}/1`, { key });

  const own = statements.mock.calls.filter(([sql]) => sql.includes("token"));
  expect([own.length, counted.mock.calls.length, confirmed.mock.calls.length]).toEqual([1, 0, 0]);
  vi.restoreAllMocks();
});

it("asks once after a block whether counts have changed, and not for each token", async () => {
  await readOften();
  const counted = vi.spyOn(api.search, "countTraits");
  const confirmed = vi.spyOn(api.search, "countsStamp");
  await mine();

  for (const tokenId of ["1", "2", "1"]) await api.call(`${PATH}/${tokenId}`, { key });

  expect([counted.mock.calls.length, confirmed.mock.calls.length]).toEqual([0, 1]);
  vi.restoreAllMocks();
});

it("has the counts of the newest block, though they had just changed when it came", async () => {
  await readOften();
  await record("2", hero("Ben", "Rogue"));
  const before = await api.call(`${PATH}/1`, { key });
  expect(before.body.traits).toMatchObject([{ count: 1, percentage: expect.closeTo(100 / 3) }]);

  await change("burned = true", "2");
  await mine();

  const answer = await api.call(`${PATH}/1`, { key });
  expect(answer.body).toMatchObject({ traits: [{ count: 1, percentage: 50 }], rarity: { of: 2 } });
});

it("keeps the counts of each token of a batch, which are its own", async () => {
  const many = Array.from({ length: 40 }, (_, nth) => String(nth + 10));
  for (const tokenId of many) {
    await test.insert("tokenState", {
      chainId: CHAIN_ID,
      collectionAddress: COLLECTION,
      tokenId: BigInt(tokenId),
      standard: "erc721",
      owner: ALICE,
      burned: false,
      lockCount: 0,
    });
    await record(tokenId, hero(`Hero ${tokenId}`, `Class ${tokenId}`));
  }
  await mine();
  const read = () => api.call(`${PATH}/batch`, { method: "POST", key, body: { token_ids: ["1", ...many] } });
  for (let round = 0; round < 3; round++) await read();
  const counted = vi.spyOn(api.search, "countTraits");

  const { body } = await read();

  expect(body.items.map(({ traits }: { traits: { value: string }[] }) => traits[0]?.value)).toEqual([
    "Mage",
    ...many.map((tokenId) => `Class ${tokenId}`),
  ]);
  expect(counted).not.toHaveBeenCalled();
  vi.restoreAllMocks();
});

describe("with no space left", () => {
  const entry = (): Kept => ({
    generation: 1,
    checkedAt: 0,
    mark: "1",
    served: {
      isUnseen: false,
      status: "none",
      reason: null,
      version: null,
      contentHash: null,
      verified: null,
      fetchedAt: null,
      metadata: null,
      issues: [],
    },
    media: [],
  });
  const has = (kept: TokenCache, id: number): boolean => kept.find("collection", String(id)) !== undefined;
  /** The first hundred tokens, and what is kept of them in place of many. */
  function fill(): { readonly kept: TokenCache; readonly size: number } {
    const kept = createTokenCache(100_000);
    for (let id = 0; id < 100; id++) kept.keep("collection", String(id), entry());
    return { kept, size: Array.from({ length: 100 }, (_, id) => has(kept, id)).filter(Boolean).length };
  }

  it("what is read once drops nothing, however much it is", () => {
    const { kept, size } = fill();
    // Of 2,018 characters each; the 45th passes nine tenths of the space.
    expect(size).toBe(45);

    for (let id = 100; id < 50_000; id++) kept.keep("collection", String(id), entry());

    for (let id = 0; id < size; id++) expect(has(kept, id)).toBe(true);
    for (let id = 100; id < 50_000; id++) expect(has(kept, id)).toBe(false);
  });

  it.each([
    [9_999, true],
    [10_000, false],
  ])("a read is remembered among the last 10,000: %i others, then again", (others, isKept) => {
    const { kept } = fill();
    kept.keep("collection", "200", entry());
    for (let id = 0; id < others; id++) kept.keep("another", String(id), entry());

    kept.keep("collection", "200", entry());

    expect(has(kept, 200)).toBe(isKept);
  });

  it("what is read again is kept in place of what was asked for longest ago, and what changed in its own", () => {
    const { kept, size } = fill();
    kept.keep("collection", "200", entry());
    kept.keep("another", "200", entry());
    for (let id = 1; id < size; id++) expect(has(kept, id)).toBe(true);

    const changed = entry();
    kept.keep("collection", "5", changed);
    for (let id = 200; id < 210; id++) kept.keep("collection", String(id), entry());
    for (let id = 200; id < 210; id++) kept.keep("collection", String(id), entry());

    expect(kept.find("collection", "5")).toBe(changed);
    expect(has(kept, 200)).toBe(true);
    expect(has(kept, 0)).toBe(false);
    expect(kept.find("another", "200")).toBeUndefined();
  });
});
