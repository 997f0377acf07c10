import { beforeEach, describe, expect, it } from "vitest";
import { createReportStore } from "../../../src/api/metadata/records/report-store.ts";
import { forgetToken } from "../../../src/api/metadata/records/store.ts";
import { createMetadata } from "../../../src/api/metadata/service.ts";
import type { Resolution } from "../../../src/api/metadata/uri/resolve.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import {
  CHAIN_ID,
  COLLECTION,
  createFakeResolve,
  emptyTables,
  failed,
  found,
  recordOne,
  ref,
} from "../../support/refresh/refresh.ts";

const test = await createTestDatabase();
const { database, tables } = test;
const metadata = createMetadata({ resolve: createFakeResolve(() => failed("timeout")).resolve, tables });
const UINT256_MAX = (2n ** 256n - 1n).toString();

const record = (tokenId: string, resolution: Resolution, trigger = "rest") =>
  database.transaction((tx) => recordOne(metadata, tx, ref(tokenId), trigger, resolution));
const served = async (tokenId: string) =>
  (await metadata.readServed(database, CHAIN_ID, COLLECTION, [tokenId])).get(tokenId);
const versions = () =>
  database.query<{ number: number; outcome: string; confirmations: number; trigger: string }>(
    `select v.number, v.outcome, v.confirmations + coalesce(t.confirmations, 0) as confirmations, v.trigger
       from vitrine.version v left join vitrine.token t on t.served_version = v.id order by v.id`,
  );
const hero = (fields: Record<string, unknown> = {}) => ({
  name: "Hero",
  image: "https://img.example/1.png",
  ...fields,
});

beforeEach(async () => {
  await emptyTables(database);
  await database.query(`truncate ${tables.tokenState}`);
});

describe("a fetched document", () => {
  it("makes an unknown token known and is served", async () => {
    expect(await record("1", found(hero(), { block: 42 }))).toEqual({ status: "updated", reason: null });

    expect(await served("1")).toMatchObject({
      status: "current",
      version: 1,
      metadata: { name: "Hero", traits: [] },
      issues: [],
    });
    expect(await database.query("select good_block::int as block from vitrine.token")).toEqual([
      { block: 42 },
    ]);
  });

  it("that is the served one again counts on its version instead of making another", async () => {
    await record("1", found(hero()));

    for (let i = 0; i < 3; i++) {
      expect(await record("1", found(hero()), "event")).toEqual({ status: "unchanged", reason: null });
    }

    expect(await versions()).toEqual([{ number: 1, outcome: "updated", confirmations: 3, trigger: "rest" }]);
    expect(await served("1")).toMatchObject({ version: 1 });
  });

  it("leaves its confirmations to its version when another is served, or the token is forgotten", async () => {
    const report = async () =>
      (await createReportStore(database).versions(ref("1"), 10)).versions.map(
        ({ number, confirmations, confirmedAt }) => [number, confirmations, confirmedAt !== null],
      );
    for (let i = 0; i < 3; i++) await record("1", found(hero()));
    expect(await report()).toEqual([[1, 2, true]]);

    await record("1", found(hero({ name: "Heroine" })));
    expect(await report()).toEqual([
      [2, 0, false],
      [1, 2, true],
    ]);

    await record("1", found(hero({ name: "Heroine" })));
    await forgetToken(database, ref("1"));
    expect(await report()).toEqual([
      [2, 1, true],
      [1, 2, true],
    ]);
  });

  it("that differs, or comes from another URI, is a new version", async () => {
    await record("1", found(hero()));
    await record("1", found(hero({ name: "Heroine" })));
    await record("1", found(hero({ name: "Heroine" }), { uri: "https://meta.example/moved" }));

    expect((await versions()).map(({ number }) => number)).toEqual([1, 2, 3]);
    expect(await served("1")).toMatchObject({ version: 3, metadata: { name: "Heroine" } });
  });

  it("stays verified once its bytes were, whichever gateway confirms them", async () => {
    const verified = (answer: Resolution): Resolution =>
      answer.kind === "document" ? { ...answer, document: { ...answer.document, verified: "cid" } } : answer;
    await record("1", found(hero()));
    expect(await served("1")).toMatchObject({ verified: null });

    await record("1", verified(found(hero())));
    expect(await served("1")).toMatchObject({ version: 1, verified: "cid" });
    await record("1", found(hero()));
    expect(await served("1")).toMatchObject({ version: 1, verified: "cid" });
    await record("1", found(hero({ name: "Heroine" })));
    expect(await served("1")).toMatchObject({ version: 2, verified: null });
  });

  it("is stored once, however many tokens share it", async () => {
    for (const tokenId of ["1", "2", "3"]) await record(tokenId, found(hero()));

    expect(await database.query("select from vitrine.document")).toHaveLength(1);
  });

  it("never lowers the block up to which the token was read well", async () => {
    await record("1", found(hero(), { block: 90 }));
    await record("1", found(hero(), { block: 80 }));

    const read = await metadata.notReadSince(database, CHAIN_ID, COLLECTION, new Map([["1", 90]]));
    expect(read.size).toBe(0);
  });

  it("of many tokens at once comes through, whatever traits they share", async () => {
    const traits = ["Class", "Level", "Aura", "Beast"];
    const documents = Array.from({ length: 24 }, (_, index) => {
      const order = index % 2 ? traits : [...traits].reverse();
      return hero({ attributes: order.map((trait_type) => ({ trait_type, value: `v${index % 3}` })) });
    });

    const ends = await Promise.all(
      documents.map((document, index) => record(String(index), found(document))),
    );

    expect(ends.every(({ status }) => status === "updated")).toBe(true);
  });
});

describe("a failed fetch", () => {
  it("keeps what is served and says what happened beside it", async () => {
    await record("1", found(hero()));

    expect(await record("1", failed("invalid_json"))).toEqual({
      status: "failed",
      reason: "invalid_json: so it was",
    });

    expect(await served("1")).toMatchObject({
      status: "failed",
      reason: "invalid_json: so it was",
      version: 1,
      metadata: { name: "Hero" },
    });
    expect((await versions()).map(({ outcome }) => outcome)).toEqual(["updated", "failed"]);
  });

  it("is forgotten by the next good one", async () => {
    await record("1", found(hero()));
    await record("1", failed("timeout"));
    await record("1", found(hero()));

    expect(await served("1")).toMatchObject({ status: "current", reason: null, version: 1 });
  });

  it("of a token that nobody knows leaves no trace", async () => {
    expect(await record("1", failed("token_reverted"))).toEqual({
      status: "not_found",
      reason: "token_reverted: so it was",
    });

    expect(await served("1")).toBeUndefined();
    expect(await versions()).toEqual([]);
  });

  it("never takes away what is served, where a contract refuses and the index has nothing of the token", async () => {
    await test.setHead({ chainId: CHAIN_ID, block: 10 });
    await record("1", found(hero()));

    expect(await record("1", failed("token_reverted"))).toMatchObject({ status: "failed" });

    expect(await served("1")).toMatchObject({ status: "failed", version: 1, metadata: { name: "Hero" } });
  });

  it("removes what is served only when a reorg reverted the token, and never while the index is being built", async () => {
    await record("1", found(hero()));
    await test.setHead({ chainId: CHAIN_ID, block: 10, ready: false });
    expect(await record("1", failed("token_reverted"), "reorg")).toMatchObject({ status: "failed" });

    await test.setHead({ chainId: CHAIN_ID, block: 10 });
    expect(await record("1", failed("token_reverted"), "reorg")).toMatchObject({ status: "not_found" });
    expect(await served("1")).toBeUndefined();
  });

  it("of a token with an indexed transfer is a failure, not an absence", async () => {
    await test.insert("tokenState", {
      chainId: CHAIN_ID,
      collectionAddress: COLLECTION,
      tokenId: 1n,
      standard: "erc721",
      burned: false,
      lockCount: 1,
    });

    expect(await record("1", failed("http_status"))).toMatchObject({ status: "failed" });

    expect(await served("1")).toMatchObject({ status: "failed", version: null, metadata: null });
  });

  it("does not count as read", async () => {
    await record("1", found(hero(), { block: 50 }));
    await record("1", failed("timeout", { block: 90 }));

    const unread = await metadata.notReadSince(database, CHAIN_ID, COLLECTION, new Map([["1", 60]]));
    expect([...unread]).toEqual([["1", 60]]);
  });
});

describe("a document whose image can never be loaded", () => {
  it.each(["undefined", "foo.png", "ipfs://undefined/1.png", "https://", "//img.example/1.png"])(
    "never replaces a complete one: %s",
    async (image) => {
      await record("1", found(hero()));

      expect(await record("1", found(hero({ image })))).toEqual({
        status: "failed",
        reason: "incomplete_document: image unusable; the last good version stays",
      });
      expect(await served("1")).toMatchObject({ version: 1, metadata: { image: hero().image }, issues: [] });
    },
  );

  it("is served, flagged, while there is nothing better, and gives way to a good one", async () => {
    expect(await record("1", found(hero({ image: "foo.png" })))).toMatchObject({ status: "updated" });
    expect(await served("1")).toMatchObject({
      metadata: { name: "Hero", image: "foo.png" },
      issues: [{ code: "unusable_image", level: "error", path: "image" }],
    });

    expect(await record("1", found(hero()))).toMatchObject({ status: "updated" });
    expect(await record("1", found({ image: "foo.png" }))).toMatchObject({
      reason: "incomplete_document: name missing and image unusable; the last good version stays",
    });
  });

  it.each([
    "data:image/svg+xml;base64,PHN2Zy8+",
    'data:image/svg+xml;utf8,<svg xmlns="http://www.w3.org/2000/svg"/>',
    "ar://-G92LjB-wFj-FCGx040NgniW_Ypy_Cbh3Jq1HUD6l7A",
  ])("is none that is on chain or at Arweave, which replaces a complete one: %s", async (image) => {
    await record("1", found(hero()));

    expect(await record("1", found(hero({ image })))).toMatchObject({ status: "updated" });
    expect(await served("1")).toMatchObject({
      version: 2,
      metadata: { image },
      issues: [{ code: "unusable_url", level: "warning", path: "image" }],
    });
  });
});

describe("a document without name or image", () => {
  it.each([{ image: null }, { name: "" }, { name: 7 }])("never replaces a complete one: %j", async (flaw) => {
    await record("1", found(hero()));

    const end = await record("1", found(hero({ description: "worse", ...flaw })));

    expect(end.status).toBe("failed");
    expect(end.reason).toMatch(/^incomplete_document: (name|image) missing/);
    expect(await served("1")).toMatchObject({ status: "failed", version: 1, metadata: { name: "Hero" } });
    expect((await versions()).map(({ outcome }) => outcome)).toEqual(["updated", "rejected"]);
  });

  it("is served, flagged, while there is nothing better", async () => {
    expect(await record("1", found({ description: "no more" }))).toMatchObject({ status: "updated" });

    expect(await served("1")).toMatchObject({
      status: "current",
      metadata: { name: null, description: "no more" },
      issues: [
        { code: "missing_name", level: "error", path: "name" },
        { code: "missing_image", level: "error", path: "image" },
      ],
    });
  });

  it("gives way to the next one, better or not", async () => {
    await record("1", found({ description: "first" }));
    await record("1", found({ description: "second" }));
    expect(await served("1")).toMatchObject({ metadata: { description: "second" } });

    await record("1", found(hero()));
    expect(await served("1")).toMatchObject({ metadata: { name: "Hero" }, issues: [] });
  });
});

describe("what is kept", () => {
  it("names tokens up to 2^256-1", async () => {
    await record(UINT256_MAX, found(hero()));
    await record("0", found(hero({ name: "Zero" })));

    expect(await served(UINT256_MAX)).toMatchObject({ metadata: { name: "Hero" } });
    expect(await served("0")).toMatchObject({ metadata: { name: "Zero" } });
  });

  it("is what the document says, whatever odd text it holds", async () => {
    const odd = `quote ' " \\ back\nline\ttab \u200B\u202E 💎 ﷽ %s $1 {id} <b> é e\u0301 \u{10FFFF}`;
    const attributes = [
      { trait_type: odd, value: odd },
      { trait_type: "__proto__", value: "constructor" },
    ];

    await record("1", found(hero({ name: odd, description: odd, attributes, video: 7 })));

    const { metadata: kept, issues } = (await served("1")) ?? {};
    expect(kept).toMatchObject({ name: odd, description: odd });
    expect(kept?.traits.map(({ trait_type, value }) => [trait_type, value])).toEqual([
      [odd, odd],
      ["__proto__", "constructor"],
    ]);
    expect(issues).toMatchObject([{ code: "wrong_type", path: "video" }]);
  });

  it("survives NUL and lone surrogates, which PostgreSQL does not take", async () => {
    const body = String.raw`{"name":"a\u0000b\ud800c","image":"https://img.example/1.png"}`;

    expect(await record("1", found(body))).toMatchObject({ status: "updated" });

    expect(await served("1")).toMatchObject({ metadata: { name: "a\uFFFDb\uFFFDc" } });
  });
});
