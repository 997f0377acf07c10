import { beforeEach, describe, expect, it } from "vitest";
import { NORMALISER } from "../../../src/api/metadata/document/normalise.ts";
import type { Resolution } from "../../../src/api/metadata/uri/resolve.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import { createTestApp, FAR_CHAIN_ID, GATEWAY } from "../../support/processes/app.ts";
import {
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
const HERO = { name: "Hero", image: "https://img.example/1.png" };

beforeEach(async () => {
  await emptyTables(database);
  await database.query(`truncate ${tables.tokenState}`);
});

const record = (resolution: Resolution, tokenId = "1", trigger = "rest") =>
  database.transaction((tx) => recordOne(api.metadata, tx, ref(tokenId), trigger, resolution));
const report = (tokenId = "1", query = "", as = key, address = COLLECTION) =>
  api.call(`/market-partner/collections/${address}/tokens/${tokenId}/report${query}`, { key: as });
const numbers = (body: { versions: { number: number }[] }): number[] =>
  body.versions.map((each) => each.number);

const unmeasured = { width: null, height: null, bytes: null, format: null };

describe("a token's report", () => {
  it("reports what is served, from where, what each page shows and what was left out", async () => {
    const traits = [
      { trait_type: "Class", value: "Mage" },
      { trait_type: "Level", value: 7 },
    ];
    const document = {
      ...HERO,
      external_url: "https://owner.example",
      animation_url: "https://play.example/1",
      attributes: traits,
    };
    await record(found(document, { uri: "https://meta.example/1", block: 42 }), "1", "event");

    const { status, body, text } = await report();

    const image = { kind: "image", url: HERO.image };
    const left = {
      code: "value_mismatch",
      level: "warning",
      path: "attributes[1].value",
      message: "value must be a quoted string for display_type string; it is a number",
    };
    expect(status).toBe(200);
    expect(body).toEqual({
      chain_id: CHAIN_ID,
      collection_address: COLLECTION,
      token_id: "1",
      metadata: {
        status: "current",
        reason: null,
        version: 1,
        content_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
        verified: null,
        fetched_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
        uri: "https://meta.example/1",
      },
      issues: [
        left,
        {
          code: "host_not_allowed",
          level: "warning",
          path: "animation_url",
          message: expect.stringMatching(
            /content of play\.example; ask help@operator\.example to allow this host/,
          ),
        },
      ],
      media: {
        image: { status: "skipped", reason: "not checked yet", ...unmeasured },
        video: { status: "skipped", reason: null, ...unmeasured },
        animation_url: { status: "skipped", reason: "not checked yet", ...unmeasured },
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
      display: {
        collection_page: image,
        token_page: {
          ...image,
          skipped: [{ kind: "animation", host: "play.example", reason: "host_not_allowed" }],
        },
      },
      versions: [
        {
          number: 1,
          trigger: "event",
          outcome: "updated",
          reason: null,
          uri: "https://meta.example/1",
          read_block: 42,
          content_hash: body.metadata.content_hash,
          normaliser: NORMALISER,
          duration_ms: 1,
          fetched_at: expect.stringMatching(/Z$/),
          confirmed_at: null,
          confirmations: 0,
          issues: [left],
        },
      ],
      next_cursor: null,
    });
    expect(text).not.toContain("owner.example");
  });

  it("shows the issues of a document that was not served, beside those of the one that is served", async () => {
    await record(found(HERO, { uri: "https://meta.example/good" }));
    await record(found({ name: "Hero" }, { uri: "https://meta.example/worse" }));

    const { body } = await report();

    expect(body).toMatchObject({
      metadata: {
        status: "failed",
        reason: expect.stringContaining("incomplete_document: image missing"),
        version: 1,
        uri: "https://meta.example/good",
      },
      issues: [],
      display: { collection_page: { url: HERO.image } },
    });
    expect(body.versions).toMatchObject([
      {
        number: 2,
        outcome: "rejected",
        uri: "https://meta.example/worse",
        issues: [{ code: "missing_image", level: "error", path: "image" }],
      },
      { number: 1, outcome: "updated", issues: [] },
    ]);
  });

  it("reports fetches that failed, and counts on a version how often it was found again", async () => {
    await record(found(HERO));
    await record(found(HERO));
    await record(found(HERO));
    await record(failed("timeout", { block: 11 }));

    const { body } = await report();

    expect(body.versions).toMatchObject([
      {
        number: 2,
        outcome: "failed",
        reason: "timeout: so it was",
        uri: null,
        content_hash: null,
        read_block: 11,
      },
      { number: 1, outcome: "updated", confirmations: 2, confirmed_at: expect.stringMatching(/Z$/) },
    ]);
    expect(body.metadata).toMatchObject({ status: "failed", reason: "timeout: so it was", version: 1 });
  });

  it("of a token that the chain announced and nobody fetched has no version", async () => {
    await test.setHead({ chainId: CHAIN_ID, block: 100 });
    await test.insert("tokenState", {
      chainId: CHAIN_ID,
      collectionAddress: COLLECTION,
      tokenId: 1n,
      standard: "erc721",
      owner: "0x00000000000000000000000000000000000000a1",
      burned: false,
      lockCount: 0,
    });

    const { status, body } = await report();

    expect(status).toBe(200);
    expect(body).toMatchObject({
      metadata: { status: "none", version: null, uri: null },
      issues: [],
      traits: [],
      display: { collection_page: { kind: "none", url: null } },
      versions: [],
      next_cursor: null,
    });
  });

  it("shows IPFS images through the first gateway, and leaves out entries that are hidden", async () => {
    const image = "ipfs://QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWnPbdG/1.png";
    await record(
      found({ ...HERO, attributes: [{ trait_type: "Level", display_type: "number", value: 1 }] }),
      "2",
    );
    await record(found({ name: "Hero", image, attributes: [{ trait_type: "Level", value: "one" }] }));

    const { body } = await report();

    expect(body.display.collection_page.url).toBe(
      `${GATEWAY}/ipfs/QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWnPbdG/1.png`,
    );
    expect(body.traits).toEqual([]);
    expect(body.issues).toMatchObject([{ code: "display_type_conflict", level: "warning" }]);
  });
});

describe("the history of a report", () => {
  const recordMany = async (count: number): Promise<void> => {
    for (let version = 1; version <= count; version++) await record(found({ ...HERO, version }));
  };

  it("is walked by its cursor, newest first, each version once", async () => {
    await recordMany(5);
    await record(found(HERO), "2");

    const first = await report("1", "?limit=2");
    const second = await report("1", `?limit=2&cursor=${first.body.next_cursor}`);
    const third = await report("1", `?limit=2&cursor=${second.body.next_cursor}`);

    expect([first, second, third].map(({ body }) => numbers(body))).toEqual([[5, 4], [3, 2], [1]]);
    expect(third.body.next_cursor).toBeNull();
    expect((await report("1", "?limit=5")).body.next_cursor).toBeNull();
  });

  it("has 20 versions unless another limit up to 100 is named", async () => {
    await recordMany(21);

    expect(numbers((await report()).body)).toHaveLength(20);
    expect(numbers((await report("1", "?limit=100")).body)).toHaveLength(21);
  });

  it.each([
    ["limit", "0"],
    ["limit", "101"],
    ["limit", "-1"],
    ["limit", "1.5"],
    ["limit", ""],
    ["limit", "x"],
    ["cursor", "0"],
    ["cursor", "-1"],
    ["cursor", "x"],
    ["cursor", ""],
    ["cursor", "2147483648"],
    ["cursor", "99999999999999999999"],
  ])("is refused with %s=%s, by the field's name", async (field, value) => {
    await recordMany(1);

    const { status, body } = await report("1", `?${field}=${value}`);

    expect(status).toBe(400);
    expect(body).toMatchObject({ code: "INVALID_REQUEST", details: [{ path: field }] });
  });
});

describe("a report is refused", () => {
  it("for a token that nobody knows, as GET token is", async () => {
    for (const tokenId of ["1", (2n ** 256n - 1n).toString()]) {
      const { status, body } = await report(tokenId);

      expect(status).toBe(404);
      expect(body).toMatchObject({ message: "Token not found", code: "TOKEN_NOT_FOUND" });
    }
  });

  it("for a collection or a chain that is not served here, and for what is no token id", async () => {
    expect((await report("1", "", key, "0x00000000000000000000000000000000000000aa")).status).toBe(404);
    expect((await report("1", "?chain_id=5")).body.details).toMatchObject([{ path: "chain_id" }]);
    expect((await report("01")).body.details).toMatchObject([{ path: "token_id" }]);
  });

  it("to an app without market-partner; any other app may read it, as it may ask for a refresh", async () => {
    await record(found(HERO));

    expect((await report("1", "", await api.createKey(["market"], "Reader"))).status).toBe(403);
    const { key: elsewhere } = await api.access.createKey(
      { name: "Elsewhere", apis: ["market-partner"], collections: [`${FAR_CHAIN_ID}:${COLLECTION}`] },
      "tests",
    );
    expect((await report("1", "", elsewhere)).status).toBe(200);
  });

  it("for the same token of another chain", async () => {
    await record(found(HERO));

    expect((await report("1", `?chain_id=${FAR_CHAIN_ID}`)).status).toBe(404);
  });
});
