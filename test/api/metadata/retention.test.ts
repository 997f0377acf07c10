import { beforeEach, describe, expect, it } from "vitest";
import type { Database } from "../../../src/api/db/database.ts";
import { fillImageKeys } from "../../../src/api/metadata/records/image-key-store.ts";
import { forgetOldVersions } from "../../../src/api/metadata/records/retention.ts";
import { createMetadata } from "../../../src/api/metadata/service.ts";
import type { Resolution } from "../../../src/api/metadata/uri/resolve.ts";
import { countRowsRead, createTestDatabase } from "../../support/database/database.ts";
import { withSlowRows } from "../../support/database/slow-rows.ts";
import { createBarrier } from "../../support/processes/worker.ts";
import {
  CHAIN_ID,
  COLLECTION,
  createFakeResolve,
  emptyTables,
  failed,
  found,
  recordOne,
} from "../../support/refresh/refresh.ts";

const { database, tables } = await createTestDatabase();
const metadata = createMetadata({ tables, resolve: createFakeResolve(() => failed("timeout")).resolve });
const token = { chainId: CHAIN_ID, collection: COLLECTION, tokenId: "1" };
const record = (resolution: Resolution) =>
  database.transaction((tx) => recordOne(metadata, tx, token, "rest", resolution));
const hero = (name: string) => found({ name, image: "https://img.example/1.png" });
const passDays = (days: number) =>
  database.query(
    `with d as (update vitrine.document set stored_at = stored_at - $1 * interval '1 day')
     update vitrine.version set fetched_at = fetched_at - $1 * interval '1 day',
                                confirmed_at = confirmed_at - $1 * interval '1 day'`,
    [days],
  );
const numbers = async () =>
  (await database.query<{ number: number }>("select number from vitrine.version order by number")).map(
    ({ number }) => number,
  );
const documents = async () => (await database.query("select from vitrine.document")).length;

beforeEach(() => emptyTables(database));

describe("of a token's history", () => {
  it("what is served stays for ever, and the rest for 90 days", async () => {
    await record(hero("First"));
    await record(hero("Second"));
    await record(failed("timeout"));
    await passDays(91);
    await record(failed("http_status"));

    await forgetOldVersions.run(database);

    expect(await numbers()).toEqual([2, 4]);
    expect(await documents()).toBe(1);
    const served = await metadata.readServed(database, CHAIN_ID, COLLECTION, ["1"]);
    expect(served.get("1")?.metadata?.name).toBe("Second");
  });

  it("nothing younger goes", async () => {
    await record(hero("First"));
    await record(hero("Second"));
    await passDays(89);

    expect(await forgetOldVersions.run(database)).toBe(0);
    expect(await numbers()).toEqual([1, 2]);
  });

  it("a version that was found again lately counts as young", async () => {
    await record(hero("First"));
    await passDays(80);
    await record(hero("First"));
    await passDays(20);
    await record(hero("Second"));

    await forgetOldVersions.run(database);

    expect(await numbers()).toEqual([1, 2]);
  });

  it("a new version's number is never one that was given before", async () => {
    await record(hero("First"));
    await record(failed("timeout"));
    await passDays(91);
    await forgetOldVersions.run(database);

    await record(hero("Second"));

    expect(await numbers()).toEqual([1, 3]);
  });

  it("a document that comes back while it is being thrown away is kept", async () => {
    await record(hero("First"));
    await record(hero("Second"));
    await passDays(91);
    const release = createBarrier();
    const recorded = createBarrier();
    const comingBack = database.transaction(async (tx) => {
      await recordOne(metadata, tx, token, "rest", hero("First"));
      recorded.open();
      await release.opened;
    });
    await recorded.opened;

    const forgetting = forgetOldVersions.run(database);
    setTimeout(release.open, 200);
    await Promise.all([comingBack, forgetting]);

    const orphans = await database.query(
      "select from vitrine.version v where content_hash is not null and not exists (select from vitrine.document where hash = v.content_hash)",
    );
    expect(orphans).toEqual([]);
  });
});

it("is looked through in pages, since nearly all of it stays: each statement is short, however many tokens there are", async () => {
  const TOKENS = 12_000;
  await database.query(
    `with v as (
       insert into vitrine.version (chain_id, collection, token_id, number, trigger, outcome, content_hash, duration_ms, fetched_at)
       select $1, $2, n, 1, 'mint', 'updated', md5(n::text), 1, now() - interval '91 days' - n * interval '1 second'
         from generate_series(1, $3::int) n returning id, token_id, content_hash),
     d as (insert into vitrine.document (hash, body, stored_at) select content_hash, '', now() - interval '91 days' - token_id::int * interval '1 second' from v)
     insert into vitrine.token (chain_id, collection, token_id, served_version, image_key)
     select $1, $2, token_id, case when token_id % 5000 <> 0 then id end, 1 from v`,
    [CHAIN_ID, COLLECTION, TOKENS],
  );
  await database.query("analyze vitrine.version, vitrine.token, vitrine.document");
  const read: number[] = [];
  const counted: Database = {
    ...database,
    query: (sql, parameters, name) =>
      database.transaction(async (tx) => {
        let rows: unknown[] = [];
        // As where the tables are larger.
        await tx.query("set local enable_seqscan = off");
        const count = await countRowsRead(tx, ["vitrine"], async () => {
          rows = await tx.query(sql, parameters, name);
        });
        read.push(count);
        return rows as never[];
      }),
  };

  expect(await forgetOldVersions.run(counted)).toBe(4);
  expect(await fillImageKeys.run(counted)).toBe(0);

  expect((await numbers()).length).toBe(TOKENS - 2);
  expect(await documents()).toBe(TOKENS - 2);
  // 5,000 rows of a page, and what each is compared with.
  expect(Math.max(...read)).toBeLessThanOrEqual(10_100);
});

it.each([
  [
    "documents",
    "vitrine.document",
    `insert into vitrine.document (hash, body, stored_at)
     select md5(n::text), '', now() - interval '2 days' - n * interval '1 second' from generate_series(1, 400) n`,
  ],
  [
    "versions",
    "vitrine.version",
    `insert into vitrine.version (chain_id, collection, token_id, number, trigger, outcome, duration_ms, fetched_at)
     select ${CHAIN_ID}, '${COLLECTION}', n, 1, 'mint', 'failed', 1, now() - interval '91 days' - n * interval '1 second'
       from generate_series(1, 400) n`,
  ],
])(
  "%s that are too large to delete in one page are deleted in smaller ones",
  async (_name, table, insert) => {
    await database.query(insert);
    const slow = await withSlowRows(database, table);

    expect(await forgetOldVersions.run(slow.database)).toBe(400);

    expect(slow.timeouts()).toBeGreaterThan(0);
    expect(await database.query(`select from ${table}`)).toEqual([]);
    await database.query(`drop trigger take_long on ${table}`);
  },
);
