/** Leases and requests lock the rows of several URLs in one order: otherwise they deadlock. */

import pg from "pg";
import { expect, it, onTestFinished } from "vitest";
import type { Queryable } from "../../../src/api/db/database.ts";
import { enqueue } from "../../../src/api/media/media-store.ts";
import {
  createMediaClaim,
  type MediaLease,
  releaseMedia,
  renewMedia,
} from "../../../src/api/media/probes/probe-queue-store.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import { eventually } from "../../support/eventually.ts";

const { database, url } = await createTestDatabase();

/** A session of its own, which repeats no statement that a deadlock has ended. */
async function openSession(): Promise<pg.Client & { asQueryable: Queryable }> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  onTestFinished(() => client.end());
  const asQueryable: Queryable = {
    query: async <Row>(text: string, values: readonly unknown[] = []) =>
      (await client.query(text, [...values])).rows as Row[],
  };
  return Object.assign(client, { asQueryable });
}

const waiting = (count: number) =>
  eventually(
    () =>
      database.query(
        "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
      ),
    (rows) => rows.length === count,
  );

it.each([
  ["extended", renewMedia],
  ["released", releaseMedia],
])("leases that are %s while their URLs are requested again", async (_, change) => {
  await database.query("truncate vitrine.media");
  const media = [1, 2, 3].map((nth) => ({
    kind: "image" as const,
    url: `https://a.example/${nth}`,
    host: "a.example",
  }));
  await enqueue(database, media);
  const leases = await createMediaClaim(database, 10)(10);
  const [low, middle, high] = leases.toSorted((a, b) => (a.urlHash < b.urlHash ? -1 : 1)) as [
    MediaLease,
    MediaLease,
    MediaLease,
  ];
  const [holder, requester, leaser] = [await openSession(), await openSession(), await openSession()];
  // The plan that a table of many URLs has.
  await leaser.query("set enable_seqscan = off; set enable_hashjoin = off; set enable_mergejoin = off");
  await holder.query("begin");
  await holder.query("select from vitrine.media where url_hash = decode($1, 'hex') for update", [
    middle.urlHash,
  ]);

  const requested = enqueue(requester.asQueryable, media);
  await waiting(1);
  const changed = change(leaser.asQueryable, [high, low]);
  await waiting(2);
  await holder.query("commit");

  const ends = await Promise.allSettled([requested, changed]);
  expect(ends.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled"]);
});
