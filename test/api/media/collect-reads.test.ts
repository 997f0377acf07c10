/** What the daily deletion of media reads, whatever PostgreSQL's statistics say. */

import { beforeEach, expect, it } from "vitest";
import type { Queryable } from "../../../src/api/db/database.ts";
import { forgottenMedia, removeUnusedFiles } from "../../../src/api/media/storage/collect-store.ts";
import { countRowsRead, createTestDatabase } from "../../support/database/database.ts";

const test = await createTestDatabase();
const { database } = test;
const ROWS = 5_000;
// So many that no plan does better by reading all of them.
const FILES = 20_000;
const BATCH = 50;

beforeEach(async () => {
  await database.query("truncate vitrine.media, vitrine.media_file, vitrine.media_variant");
});

const addMedia = (from: number, age: string): Promise<unknown> =>
  database.query(
    `insert into vitrine.media (kind, url_hash, url, host, seen_at)
     select 'image', sha256(n::text::bytea), 'https://a.example/' || n, 'a.example', now() - $2::interval
       from generate_series($1::int, $1::int + $3::int - 1) n`,
    [from, age, ROWS],
  );
const readBy = (work: (tx: Queryable) => Promise<unknown>): Promise<number> =>
  database.transaction((tx) =>
    countRowsRead(tx, ["vitrine"], async () => {
      await work(tx);
    }),
  );

it("reads a few rows for each URL that is deleted, where nearly all were seen lately when they were counted", async () => {
  await addMedia(1, "0");
  await database.query("analyze vitrine.media");
  await addMedia(ROWS + 1, "8 days");

  const read = await readBy(async (tx) => {
    expect(await tx.query(forgottenMedia, [BATCH])).toHaveLength(BATCH);
  });

  expect(read).toBeLessThan(BATCH * 5);
});

it("leaves a URL that a process probes now", async () => {
  await addMedia(1, "8 days");
  await database.query(
    "update vitrine.media set lease = gen_random_uuid(), leased_until = now() + interval '1 minute'",
  );
  await database.query(
    "update vitrine.media set leased_until = now() - interval '1 minute' where url like '%/1'",
  );

  expect(await database.query(forgottenMedia, [BATCH])).toHaveLength(1);
});

it("reads a few rows for each variant that is deleted, however many there are", async () => {
  await database.query(
    `insert into vitrine.media_file (name, source_hash, format, width, height, unused_since)
     select 'f' || n, '', 'PNG', 1, 1, case when n <= $2::int then now() - interval '2 days' end
       from generate_series(1, $1::int) n`,
    [FILES, BATCH],
  );
  await database.query(
    `insert into vitrine.media_variant (file, name, type, width, height, bytes, unused_since)
     select 'f' || n, v || n, 'image/webp', 1, 1, 1, case when v = 'old' and n > $1::int - $2::int then now() - interval '2 days' end
       from generate_series(1, $1::int) n, unnest(array['old', 'new']) v`,
    [FILES, BATCH],
  );
  await database.query("analyze vitrine.media_file, vitrine.media_variant");

  // As one transaction of the database that is counted: the function begins its own.
  const removed: string[] = [];
  const read = await readBy((tx) =>
    removeUnusedFiles(
      { transaction: (work: (tx: Queryable) => Promise<unknown>) => work(tx) } as typeof database,
      BATCH,
      async (names) => void removed.push(...names),
    ),
  );

  expect(removed).toHaveLength(BATCH * 4);
  expect(read).toBeLessThan(BATCH * 30);
});
