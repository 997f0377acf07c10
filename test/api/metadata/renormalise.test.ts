/** Documents read by older rules are re-read without a fetch, and different results are served as a new version. */

import { Registry } from "prom-client";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { createDatabase, type Database } from "../../../src/api/db/database.ts";
import { silentLogger } from "../../../src/api/logging/logger.ts";
import { createMedia } from "../../../src/api/media/service.ts";
import { NORMALISER } from "../../../src/api/metadata/document/normalise.ts";
import { createRenormaliser } from "../../../src/api/metadata/renormalise/renormalise.ts";
import { startRenormaliser } from "../../../src/api/metadata/renormalise/renormalise-loop.ts";
import { createMetadata } from "../../../src/api/metadata/service.ts";
import { createTraitApproval } from "../../../src/api/metadata/traits/trait-approval.ts";
import type { Resolution } from "../../../src/api/metadata/uri/resolve.ts";
import { createSearch } from "../../../src/api/search/service.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import { countWaiting } from "../../support/database/keep-locked.ts";
import { eventually } from "../../support/eventually.ts";
import { createBarrier, createMemoryLogger } from "../../support/processes/worker.ts";
import {
  CHAIN_ID,
  COLLECTION,
  createFakeResolve,
  documentOf,
  emptyTables,
  failed,
  found,
  recordOne,
  ref,
} from "../../support/refresh/refresh.ts";

const test = await createTestDatabase();
const { database, tables } = test;
const metadata = createMetadata({ resolve: createFakeResolve(() => failed("timeout")).resolve, tables });
const media = createMedia({ database, gateways: ["https://gateway.example"], baseUrl: "http://localhost" });
const HERO = { name: "Hero", image: "https://img.example/1.png" };
const OLD = NORMALISER - 1;

const deps = { database, tables, media, logger: silentLogger };
const renormaliser = createRenormaliser(deps);
const record = (tokenId: string, resolution: Resolution, trigger = "rest") =>
  database.transaction((tx) => recordOne(metadata, tx, ref(tokenId), trigger, resolution));
const served = async (tokenId: string) =>
  (await metadata.readServed(database, CHAIN_ID, COLLECTION, [tokenId])).get(tokenId);

interface OldResult {
  readonly name?: string | null;
  readonly image?: string | null;
  readonly traits?: readonly object[];
  readonly issues?: readonly object[];
  readonly complete?: boolean;
}

/** Stores a token as an earlier release did: the body as it came, and the result of its rules. */
async function storeOld(tokenId: string, body: string, old: OldResult = {}, block = 7): Promise<void> {
  const document = { ...documentOf(HERO), ...hashed(body) };
  await record(tokenId, { ...found(HERO, { block }), document } as Resolution);
  const fields = { description: null, video: null, animation_url: null, external_url: null };
  const result = { ...HERO, ...fields, traits: [], ...old };
  await database.query(
    `update vitrine.version set normaliser = $2, metadata = $3, issues = $4, complete = $5
      where id = (select served_version from vitrine.token where token_id = $1)`,
    [
      tokenId,
      OLD,
      JSON.stringify({
        name: result.name,
        description: null,
        image: result.image,
        video: null,
        animation_url: null,
        external_url: null,
        traits: result.traits,
      }),
      JSON.stringify(old.issues ?? []),
      old.complete ?? true,
    ],
  );
}

const hashed = (body: string) => {
  const { hash, body: buffer } = documentOf(body);
  return { hash, body: buffer };
};
const withProperty = (json: string, more = "") =>
  `{"name": "Hero", "image": "https://img.example/1.png", "properties": {"Supply": ${json}${more}}}`;
const supply = (value: string) => ({ trait_type: "Supply", display_type: "string", value });
/** `withProperty("12345678901234567890")` under the rules of version 1. */
const storeRounded = (tokenId: string) =>
  storeOld(tokenId, withProperty("12345678901234567890"), { traits: [supply("12345678901234567000")] });

const versions = (tokenId = "1") =>
  database.query<{ number: number; trigger: string; outcome: string; normaliser: number }>(
    "select number, trigger, outcome, normaliser from vitrine.version where token_id = $1 order by id",
    [tokenId],
  );
/** Runs batches until nothing is left. */
async function runToEnd(by = renormaliser): Promise<void> {
  for (let end = await by.advance(); end !== "idle"; end = await by.advance()) {
    if (end === "busy") throw new Error("nobody else has the turn");
  }
}
const again = () => renormaliser.request(async () => undefined);

beforeEach(async () => {
  await emptyTables(database);
  await database.query(
    `truncate vitrine.renormalise, vitrine.media, vitrine.event_due, ${tables.tokenState}`,
  );
});

describe("a stored document of older rules", () => {
  it("is served as the new rules read it, as a version with the same content", async () => {
    await storeRounded("1");
    const before = await served("1");
    const times = () => database.query("select served_at, last_fetch_at, good_block from vitrine.token");
    const fetched = await times();
    expect(before?.metadata?.traits).toEqual([supply("12345678901234567000")]);

    await runToEnd();

    expect(await served("1")).toMatchObject({
      status: "current",
      version: 2,
      contentHash: before?.contentHash,
      fetchedAt: before?.fetchedAt,
      metadata: { traits: [supply("12345678901234567890")] },
    });
    expect(await times()).toEqual(fetched);
    expect(await versions()).toEqual([
      { number: 1, trigger: "rest", outcome: "updated", normaliser: NORMALISER },
      { number: 2, trigger: "renormalise", outcome: "updated", normaliser: NORMALISER },
    ]);
    expect(
      await database.query("select uri, read_block::int as block from vitrine.version order by id"),
    ).toEqual(Array(2).fill({ uri: "https://meta.example/1", block: 7 }));
    expect(await renormaliser.progress()).toMatchObject({
      total: 1,
      done: 1,
      changed: 1,
      rejected: 0,
      missing: 0,
      failed: 0,
      isRunning: false,
      finishedAt: expect.any(Date),
    });
  });

  it("counts in search and filters, is published in the stream, and its media are probed", async () => {
    const search = createSearch({ database, tables, logger: silentLogger });
    const collection = { chainId: CHAIN_ID, address: COLLECTION, startBlock: 0 };
    const find = async (value: string) =>
      (await search.countTraits(collection, [{ trait_type: "Supply", display_type: "string", value }]))
        .counts;
    await storeRounded("1");
    await find("12345678901234567890");
    await database.query("truncate vitrine.event_due");

    await runToEnd();

    expect(await find("12345678901234567890")).toMatchObject([{ count: 1 }]);
    expect(await find("12345678901234567000")).toEqual([]);
    expect(await database.query("select token_id, version from vitrine.event_due")).toEqual([
      { token_id: "1", version: 2 },
    ]);
    expect(await database.query("select url from vitrine.media")).toEqual([{ url: HERO.image }]);
  });

  it("that the new rules read alike is marked, and nothing else changes", async () => {
    await storeOld("1", withProperty("5"), { traits: [supply("5")] });
    const [before] = await database.query("select * from vitrine.token");
    await database.query("truncate vitrine.event_due");

    await runToEnd();

    expect(await versions()).toEqual([
      { number: 1, trigger: "rest", outcome: "updated", normaliser: NORMALISER },
    ]);
    expect(await database.query("select * from vitrine.token")).toEqual([before]);
    expect(await database.query("select from vitrine.event_due")).toEqual([]);
    expect(await renormaliser.progress()).toMatchObject({ total: 1, done: 1, changed: 0 });
  });

  it("of the largest size is read with one or two others at a time, not with a hundred", async () => {
    let characters = 0;
    const measured: Database = {
      ...database,
      transaction: (work, kind) =>
        database.transaction(
          (tx) =>
            work({
              async query<Row>(sql: string, parameters?: readonly unknown[], name?: string) {
                const rows = await tx.query<Row>(sql, parameters, name);
                characters += JSON.stringify(rows, (_key, value) =>
                  value?.type === "Buffer" ? "" : value,
                ).length;
                return rows;
              },
            }),
          kind,
        ),
    };
    const description = "x".repeat(900_000);
    for (const tokenId of ["1", "2", "3", "4", "5", "6", "7", "8"]) {
      await storeOld(tokenId, JSON.stringify({ ...HERO, description, nth: tokenId }));
      await database.query(
        `update vitrine.version set metadata = replace(metadata, '"description":null', $2)
          where id = (select served_version from vitrine.token where token_id = $1)`,
        [tokenId, `"description":"${description}"`],
      );
    }
    const by = createRenormaliser({ ...deps, database: measured });
    let most = 0;
    for (let end = ""; end !== "idle"; most = Math.max(most, characters)) {
      characters = 0;
      end = await by.advance();
    }

    expect(await by.progress()).toMatchObject({ done: 8, changed: 0, failed: 0 });
    expect(most).toBeLessThan(2.1 * description.length);
  });

  it("that gets a new issue is a new version, and one whose conflicts alone differ is not", async () => {
    const attributes = (value: string) =>
      `{"name": "Hero", "image": "https://img.example/1.png", "attributes": [{"trait_type": "N", "display_type": "number", "value": ${value}}]}`;
    const trait = (value: number) => ({ trait_type: "N", display_type: "number", value });
    await storeOld("1", attributes("9007199254740993"), { traits: [trait(9007199254740992)] });
    const conflict = { code: "display_type_conflict", level: "warning", path: "attributes", message: "…" };
    await storeOld("2", attributes("2"), { traits: [trait(2)], issues: [conflict] });

    await runToEnd();

    expect(await served("1")).toMatchObject({ version: 2, issues: [{ code: "number_precision" }] });
    expect(await served("2")).toMatchObject({ version: 1 });
  });

  it("with more issues than are listed is compared by those that are", async () => {
    const entries = Array.from({ length: 300 }, () => "0");
    const body = `{"name": "Hero", "image": "https://img.example/1.png", "attributes": [${entries}]}`;
    await record("1", found(body));
    await database.query(
      "update vitrine.version set normaliser = $1, issues = replace(issues, '101 more', '150 more')",
      [OLD],
    );

    await runToEnd();

    expect(await served("1")).toMatchObject({ version: 1 });
  });

  it("brings a display type that conflicts, which waits for the operator as after a fetch", async () => {
    const body = (entry: string) =>
      `{"name": "Hero", "image": "https://img.example/1.png", "attributes": [${entry}]}`;
    const level = '{"trait_type": "Level", "display_type": "number", "value": 5}';
    await record("1", found(body('{"trait_type": "Level", "value": "five"}')));
    // The earlier rules are assumed to have left the entry out.
    await storeOld("2", body(level));

    await runToEnd();

    expect(await served("2")).toMatchObject({
      version: 2,
      metadata: { traits: [] },
      issues: [{ code: "display_type_conflict" }],
    });
    const approval = createTraitApproval(database);
    const collection = { chainId: CHAIN_ID, collection: COLLECTION };
    expect(await approval.pending([collection], 10)).toMatchObject([
      { traitType: "Level", known: "string", proposed: "number", tokens: 1 },
    ]);
  });

  it("has {id} filled in as its fetch did: for ERC-1155, for ERC-721, and where the index has nothing of it", async () => {
    const hex = "7".padStart(64, "0");
    const body = withProperty("1.10", ', "Id": "{id}"');
    const id = (value: string) => ({ trait_type: "Id", display_type: "string", value });
    const state = (tokenId: bigint, standard: string) =>
      test.insert("tokenState", {
        chainId: CHAIN_ID,
        collectionAddress: COLLECTION,
        tokenId,
        standard,
        burned: false,
        lockCount: 0,
      });
    await state(7n, "erc1155");
    await state(8n, "erc721");
    for (const tokenId of ["7", "8", "9"])
      await storeOld(tokenId, body, { traits: [supply("1.1"), id("{id}")] });
    await storeOld("10", body, { traits: [supply("1.1"), id("a".padStart(64, "0"))] });

    await runToEnd();

    const ids = await Promise.all(
      ["7", "8", "9", "10"].map(async (each) => (await served(each))?.metadata?.traits[1]),
    );
    expect(ids).toEqual([id(hex), id("{id}"), id("{id}"), id("a".padStart(64, "0"))]);
  });

  it("never gives way to one that is less complete: it stays, and the history shows it", async () => {
    await storeOld("1", '{"name": "Hero"}');
    await record("1", failed("timeout"));
    const before = await served("1");
    const [stored] = await database.query("select last_fetch_at, good_block, changed from vitrine.token");

    await runToEnd();
    await again();
    await runToEnd();

    expect(await served("1")).toEqual(before);
    expect(await database.query("select last_fetch_at, good_block, changed from vitrine.token")).toEqual([
      stored,
    ]);
    expect(await versions()).toMatchObject([
      { number: 1, outcome: "updated" },
      { number: 2, outcome: "failed" },
      { number: 3, trigger: "renormalise", outcome: "rejected" },
    ]);
    // A fetch of the same body changes nothing either.
    expect(await record("1", { ...found('{"name": "Hero"}') })).toEqual({
      status: "unchanged",
      reason: null,
    });
  });

  it("that the new rules read alike and call less complete is no obstacle to later ones", async () => {
    const image = "undefined";
    const issue = { code: "unusable_url", level: "warning", path: "image", message: "…" };
    await storeOld("1", JSON.stringify({ name: "Hero", image }), { image, issues: [issue] });

    await runToEnd();

    expect(await served("1")).toMatchObject({
      version: 2,
      metadata: { name: "Hero", image },
      issues: [{ code: "unusable_image", level: "error" }],
    });
    expect(await record("1", found({ name: "Hero II", image }))).toMatchObject({ status: "updated" });
  });

  it("that the new rules can't read at all stays as well", async () => {
    await storeRounded("1");
    await database.query("update vitrine.document set body = 'no JSON'");

    await runToEnd();

    expect(await served("1")).toMatchObject({ status: "current", version: 1 });
    expect((await versions()).at(-1)).toMatchObject({ trigger: "renormalise", outcome: "failed" });
    expect(await renormaliser.progress()).toMatchObject({ done: 1, changed: 0, rejected: 1 });
  });

  it("that is not kept any more is counted and left to a refresh, which serves what the new rules read", async () => {
    await storeRounded("1");
    await storeRounded("2");
    await database.query("delete from vitrine.document");

    await runToEnd();

    expect(await renormaliser.progress()).toMatchObject({ total: 2, done: 2, changed: 0, missing: 2 });
    const body = withProperty("12345678901234567890");
    expect(await record("1", found(body))).toMatchObject({ status: "updated" });
    expect(await served("1")).toMatchObject({ metadata: { traits: [supply("12345678901234567890")] } });
    expect(await record("1", found(body))).toMatchObject({ status: "unchanged" });
  });

  it("of a token that is burned meanwhile is left to the fetch after another mint", async () => {
    const body =
      '{"name": "Hero", "image": "https://img.example/1.png", "properties": {"Supply": 12345678901234567890}}';
    const traits = (value: string) => [{ trait_type: "Supply", display_type: "string", value }];
    await storeOld("1", body, { traits: traits("12345678901234567000") });
    await test.insert("tokenState", {
      chainId: CHAIN_ID,
      collectionAddress: COLLECTION,
      tokenId: 1n,
      standard: "erc1155",
      burned: true,
      burnedBlock: 9n,
      lockCount: 0,
    });

    await runToEnd();

    expect(await renormaliser.progress()).toMatchObject({
      done: 1,
      changed: 0,
      rejected: 0,
      isRunning: false,
    });
    expect((await served("1"))?.metadata?.traits).toEqual(traits("12345678901234567000"));
    await database.query(`update ${tables.tokenState} set burned = false, burned_block = null`);
    expect(await record("1", found(body, { block: 20 }), "mint")).toMatchObject({ status: "updated" });
    expect((await served("1"))?.metadata?.traits).toEqual(traits("12345678901234567890"));
  });

  it("that is not served any more is history, and keeps the rules that read it", async () => {
    await storeRounded("1");
    await record("1", found({ ...HERO, name: "Heroine" }));
    await storeOld("2", withProperty("5"), { traits: [supply("5")] });

    await runToEnd();

    expect((await versions())[0]).toMatchObject({ normaliser: OLD });
    expect(await served("1")).toMatchObject({ version: 2, metadata: { name: "Heroine" } });
    expect(await renormaliser.progress()).toMatchObject({ total: 1, done: 1 });
  });
});

describe("every version", () => {
  it("is recorded with the rules that read it, and one of a release before counts as older", async () => {
    await record("1", found(HERO));
    await record("1", failed("timeout"));
    expect((await versions()).map(({ normaliser }) => normaliser)).toEqual([NORMALISER, NORMALISER]);

    await database.query(
      `insert into vitrine.version (chain_id, collection, token_id, number, trigger, outcome, duration_ms)
       values (1, '0x', 1, 1, 'rest', 'updated', 1)`,
    );
    const rows = await database.query("select normaliser from vitrine.version where collection = '0x'");
    expect(rows).toEqual([{ normaliser: 1 }]);
  });

  it("of newer rules stays as it is", async () => {
    await storeRounded("1");
    await database.query("update vitrine.version set normaliser = $1", [NORMALISER + 1]);

    await runToEnd();

    expect(await versions()).toMatchObject([{ number: 1, normaliser: NORMALISER + 1 }]);
  });
});

describe("the job", () => {
  const storeMany = async (count: number) => {
    for (let id = 1; id <= count; id++) await storeRounded(String(id));
  };
  const values = async () =>
    (
      await database.query<{ value: string }>(
        `select v.metadata::json->'traits'->0->>'value' as value, t.versions
           from vitrine.token t join vitrine.version v on v.id = t.served_version order by t.token_id`,
      )
    ).map(({ value }) => value);

  it("has nothing to do where all is read by its rules", async () => {
    await record("1", found(HERO));

    await runToEnd();

    expect(await renormaliser.progress()).toMatchObject({ total: 0, done: 0, finishedAt: expect.any(Date) });
  });

  it("goes through history and served versions alike, batch by batch", async () => {
    await storeMany(230);
    await database.query(
      `insert into vitrine.version (chain_id, collection, token_id, number, trigger, outcome, content_hash, duration_ms)
       select $1, $2, id % 5 + 1, 1000 + id, 'rest', 'updated', 'gone', 1 from generate_series(1, 2500) id`,
      [CHAIN_ID, COLLECTION],
    );
    await storeRounded("900");

    await runToEnd();

    expect(new Set(await values())).toEqual(new Set(["12345678901234567890"]));
    expect(await renormaliser.progress()).toMatchObject({ total: 231, done: 231, changed: 231 });
  });

  it("takes large documents a few at a time", async () => {
    const large = (index: number) => withProperty("1.10", `, "Text": "${String(index).repeat(1_900_000)}"`);
    for (let id = 1; id <= 3; id++) await storeOld(String(id), large(id), { traits: [supply("1.1")] });

    await runToEnd();

    expect(await values()).toEqual(["1.10", "1.10", "1.10"]);
  });

  it("goes on where it was when its process is killed half-way, and does nothing twice", async () => {
    await storeMany(150);
    const killed = createDatabase(test.url, silentLogger);
    const rateLimits = createBarrier();
    let batches = 0;
    const doomed = createRenormaliser({
      ...deps,
      database: killed,
      media: {
        async noteSeen(tx) {
          if (++batches < 2) return;
          rateLimits.open();
          // The connection ends as it does when its process dies.
          await tx.query("select pg_terminate_backend(pg_backend_pid())");
        },
      },
    });

    await expect(runToEnd(doomed)).rejects.toThrow();
    await rateLimits.opened;
    await killed.close();
    expect(await renormaliser.progress()).toMatchObject({
      total: 150,
      done: 100,
      changed: 100,
      finishedAt: null,
    });

    await runToEnd();

    expect(await renormaliser.progress()).toMatchObject({ total: 150, done: 150, changed: 150 });
    expect(await database.query("select from vitrine.version where trigger = 'renormalise'")).toHaveLength(
      150,
    );
  });

  it("leaves a token to a fetch that replaces what is served while its document is read", async () => {
    await storeMany(2);
    const locked = createBarrier();
    const commit = createBarrier();
    const fetching = database.transaction(async (tx) => {
      const end = await recordOne(metadata, tx, ref("1"), "event", found({ ...HERO, name: "Fresh" }));
      locked.open();
      await commit.opened;
      return end;
    });
    await locked.opened;

    const running = runToEnd();
    await eventually(
      () => countWaiting(database),
      (waiting) => waiting > 0,
    );
    commit.open();
    await fetching;
    await running;

    expect(await served("1")).toMatchObject({ version: 2, metadata: { name: "Fresh", traits: [] } });
    expect(await served("2")).toMatchObject({
      version: 2,
      metadata: { traits: [supply("12345678901234567890")] },
    });
    expect(await renormaliser.progress()).toMatchObject({ total: 1, done: 1, changed: 1 });
  });

  it("never brings back a token that a reorg took away meanwhile", async () => {
    await storeMany(1);
    await test.setHead({ chainId: CHAIN_ID, block: 10 });
    const locked = createBarrier();
    const commit = createBarrier();
    const forgetting = database.transaction(async (tx) => {
      await recordOne(metadata, tx, ref("1"), "reorg", failed("token_reverted"));
      locked.open();
      await commit.opened;
    });
    await locked.opened;

    const running = runToEnd();
    await eventually(
      () => countWaiting(database),
      (waiting) => waiting > 0,
    );
    commit.open();
    await Promise.all([forgetting, running]);

    expect(await served("1")).toBeUndefined();
  });

  it("is done by one process at a time, and all of it by those that share it", async () => {
    await storeMany(250);
    const others = [createDatabase(test.url, silentLogger), createDatabase(test.url, silentLogger)];
    const loops = [database, ...others].map((each) =>
      startRenormaliser({
        renormaliser: createRenormaliser({ ...deps, database: each }),
        isOn: true,
        logger: silentLogger,
      }),
    );
    onTestFinished(async () => {
      await Promise.all(loops.map((loop) => loop.stop()));
      await Promise.all(others.map((other) => other.close()));
    });

    await eventually(
      () => {
        for (const loop of loops) loop.wake();
        return renormaliser.progress();
      },
      (state) => state?.finishedAt != null,
    );

    expect(await renormaliser.progress()).toMatchObject({ total: 250, done: 250, changed: 250 });
    expect(await database.query("select from vitrine.version where trigger = 'renormalise'")).toHaveLength(
      250,
    );
  });

  it("is skipped by a process that does not fetch", async () => {
    await storeMany(1);
    const loop = startRenormaliser({ renormaliser, isOn: false, logger: silentLogger });
    loop.wake();
    await loop.stop();

    expect(await renormaliser.progress()).toBeUndefined();
  });

  it("takes up what a release before, which goes on beside it, reads after the end", async () => {
    await storeMany(1);
    await runToEnd();
    await storeRounded("2");

    await runToEnd();

    expect(await values()).toEqual(["12345678901234567890", "12345678901234567890"]);
    expect(await renormaliser.progress()).toMatchObject({ total: 2, done: 2, changed: 2 });
  });

  it("takes up what a release before had numbered earlier and recorded later", async () => {
    await storeRounded("1");
    await storeRounded("2");
    const setRules = (rules: number) =>
      database.query("update vitrine.version set normaliser = $1 where token_id = 1 and number = 1", [rules]);
    // As long as it is not committed, nobody sees it.
    await setRules(NORMALISER);
    await runToEnd();
    await setRules(1);

    await runToEnd();

    expect(await values()).toEqual(["12345678901234567890", "12345678901234567890"]);
    expect(await renormaliser.progress()).toMatchObject({ done: 2, changed: 2 });
  });

  it("passes a document that can't be recorded, reports it, and goes on with the others", async () => {
    await storeMany(5);
    await database.query(`
      create function vitrine.refuse() returns trigger language plpgsql as $$
      begin if new.token_id = 3 and new.trigger = 'renormalise' then raise 'no room'; end if; return new; end $$;
      create trigger refuse before insert on vitrine.version for each row execute function vitrine.refuse()`);
    onTestFinished(async () => {
      await database.query("drop function vitrine.refuse cascade");
    });
    const { logger, entries } = createMemoryLogger();

    await runToEnd(createRenormaliser({ ...deps, logger }));

    expect(await renormaliser.progress()).toMatchObject({ total: 5, done: 5, changed: 4, failed: 1 });
    expect(await served("3")).toMatchObject({ version: 1 });
    expect(entries).toMatchObject([{ level: "error", token: `${CHAIN_ID}:${COLLECTION}:3` }]);
  });

  it("outlives a database that is away, and says so once", async () => {
    await storeMany(1);
    let isAway = true;
    const away: Database = {
      ...database,
      transaction: (work, kind) => {
        if (isAway) throw Object.assign(new Error("refused"), { code: "ECONNREFUSED" });
        return database.transaction(work, kind);
      },
    };
    const { logger, entries } = createMemoryLogger();
    const loop = startRenormaliser({
      renormaliser: createRenormaliser({ ...deps, database: away, logger }),
      isOn: true,
      logger,
    });
    onTestFinished(() => loop.stop());
    await eventually(
      () => entries.length,
      (count) => count > 0,
    );
    expect(entries).toMatchObject([{ level: "warn", msg: "Could not read stored documents again" }]);

    isAway = false;
    loop.wake();

    await eventually(
      () => renormaliser.progress(),
      (state) => state?.changed === 1,
    );
  });

  it("shows in /metrics how many tokens are left, and nothing before they are counted", async () => {
    await storeMany(3);
    // As of another process each time: one remembers what it has read for five seconds.
    const left = async () => {
      const metrics = new Registry();
      const loop = startRenormaliser({ renormaliser, isOn: false, metrics, logger: silentLogger });
      onTestFinished(() => loop.stop());
      return /^vitrine_renormalise_tokens_left (\d+)$/m.exec(await metrics.metrics())?.[1];
    };

    expect(await left()).toBeUndefined();
    await renormaliser.advance();
    await renormaliser.advance();
    expect(await left()).toBe("3");
    await runToEnd();
    expect(await left()).toBe("0");
  });
});
