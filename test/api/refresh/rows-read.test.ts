import { beforeAll, describe, expect, it } from "vitest";
import type { Queryable } from "../../../src/api/db/database.ts";
import { readFaulty } from "../../../src/api/jobs/hosts.ts";
import { findKnown } from "../../../src/api/metadata/listing/listing-store.ts";
import { learnServedTraits } from "../../../src/api/metadata/records/learn-served.ts";
import { notReadSince } from "../../../src/api/metadata/records/store.ts";
import { createMetadata } from "../../../src/api/metadata/service.ts";
import { claim, nextDueMs } from "../../../src/api/refresh/queue/claim.ts";
import { chooseProbe } from "../../../src/api/refresh/queue/hosts.ts";
import { complete, type Lease, lockLeases, returnExpired } from "../../../src/api/refresh/queue/leases.ts";
import { settle } from "../../../src/api/refresh/receipts/receipts.ts";
import { readTokens } from "../../../src/api/search/sync/store.ts";
import { countRowsRead, createTestDatabase } from "../../support/database/database.ts";
import {
  ask,
  CHAIN_ID,
  COLLECTION,
  createFakeResolve,
  failed,
  found,
  recordOne,
  ref,
  SHARE,
} from "../../support/refresh/refresh.ts";

const TOKENS = 5_000;
const OTHER_COLLECTION = "0x00000000000000000000000000000000000000bb";
// Each token is looked up a few times, by several statements.
const ROWS_PER_TOKEN = 20;

const test = await createTestDatabase();
const { database, tables } = test;
const metadata = createMetadata({ resolve: createFakeResolve(() => failed("timeout")).resolve, tables });

beforeAll(async () => {
  // Where the chain index doesn't know a collection, it says of none of its tokens that it doesn't exist.
  await test.setHead({ chainId: CHAIN_ID, block: 100 });
  const state = { chainId: CHAIN_ID, collectionAddress: COLLECTION, standard: "erc721", items: 1, owners: 1 };
  await test.insert("collectionState", state);
  // As in the first minute of a new service: PostgreSQL has no table statistics yet.
  for (const table of ["token", "refresh", "version", "document"]) {
    await database.query(`alter table vitrine.${table} set (autovacuum_enabled = false)`);
  }
  const ids = Array.from({ length: TOKENS }, (_, index) => String(index));
  await metadata.addKnownTokens(database, CHAIN_ID, COLLECTION, new Map(ids.map((id) => [id, 1])));
  await ask(database, ids);
});

describe("in a collection that PostgreSQL knows nothing of yet", () => {
  let leases: readonly Lease[] = [];

  it("a claim reads the rows of what it takes, and not the queue", async () => {
    const read = await database.transaction((tx) =>
      countRowsRead(tx, ["vitrine"], async () => {
        leases = await claim(tx, tables, SHARE, 10);
      }),
    );

    expect(leases).toHaveLength(10);
    expect(read).toBeLessThan(10 * ROWS_PER_TOKEN);
  });

  it("and not the tokens that are being fetched", async () => {
    await claim(database, tables, { ...SHARE, unread: 2_000 }, 2_000);
    await database.query(
      "update vitrine.refresh set not_before = not_before - interval '1 second' where lease is not null",
    );

    const read = await database.transaction((tx) =>
      countRowsRead(tx, ["vitrine"], async () => {
        expect(await claim(tx, tables, { ...SHARE, unread: 10 }, 10)).toHaveLength(10);
      }),
    );

    expect(read).toBeLessThan(10 * ROWS_PER_TOKEN);
  });

  it("and not all that waits for a host of which one token is asked for first", async () => {
    await database.query(
      `update vitrine.refresh set lease = null, leased_until = null, host = 'slow.example', not_before = now()`,
    );
    await database.query(
      `insert into vitrine.host (host, failures, reason, paused_until, probe_chain_id, probe_collection, probe_token_id)
       values ('slow.example', 100, 'timeout', now(), $1, $2, 4321)`,
      [CHAIN_ID, COLLECTION],
    );

    const read = await database.transaction((tx) =>
      countRowsRead(tx, ["vitrine"], async () => {
        const claimed = await claim(tx, tables, SHARE, 10);
        expect(claimed.map(({ tokenId }) => tokenId)).toEqual(["4321"]);
      }),
    );

    expect(read).toBeLessThan(10 * ROWS_PER_TOKEN);
  });

  it.each([
    ["the next due time", (tx: Queryable) => nextDueMs(tx, SHARE)],
    ["a search for leases that ran out", (tx: Queryable) => returnExpired(tx)],
  ])("%s reads what is leased, and not the queue", async (_, read) => {
    await database.query("update vitrine.refresh set lease = null, leased_until = null");
    await claim(database, tables, { ...SHARE, unread: 10 }, 10);

    const rows = await database.transaction((tx) =>
      countRowsRead(tx, ["vitrine"], async () => {
        await read(tx);
      }),
    );

    expect(rows).toBeLessThan(10 * ROWS_PER_TOKEN);
  });

  it("a recording reads the rows of its token, and not the collection", async () => {
    const [lease] = leases;
    if (!lease) throw new Error("no lease");
    const document = { name: "Hero", image: "https://x.example/a.png", attributes: [{ value: "Mage" }] };

    const record = async (tx: Queryable): Promise<void> => {
      await lockLeases(tx, [lease]);
      await recordOne(metadata, tx, ref(lease.tokenId), "rest", found(document));
      await settle(tx, [{ lease, status: "updated", reason: null }]);
      await complete(tx, [lease]);
    };
    const read = await database.transaction(
      (tx) => countRowsRead(tx, ["vitrine"], () => record(tx)),
      "byKey",
    );

    expect(read).toBeLessThan(ROWS_PER_TOKEN);
  });

  it.each<[what: string, read: (tx: Queryable, some: readonly string[]) => Promise<unknown>]>([
    ["a search index takes changed tokens up", (tx, some) => readTokens(tx, ref(""), some)],
    ["the purge looks for phantoms", (tx, some) => metadata.findNeverTransferred(tx, ref(""), some)],
    [
      "a request asks which tokens are known",
      (tx, some) => findKnown(tx, tables, CHAIN_ID, COLLECTION, some),
    ],
    [
      "a mint asks which were read since",
      (tx, some) => notReadSince(tx, CHAIN_ID, COLLECTION, new Map(some.map((id) => [id, 1]))),
    ],
  ])("%s by their own rows, however many have come", async (_, read) => {
    for (const count of [1, TOKENS / 5]) {
      const some = Array.from({ length: count }, (__, nth) => String(nth * 3));

      const rows = await database.transaction((tx) =>
        countRowsRead(tx, ["vitrine", tables.schema], async () => {
          await read(tx, some);
        }),
      );

      expect(rows).toBeGreaterThanOrEqual(some.length);
      expect(rows).toBeLessThan(4 * some.length + ROWS_PER_TOKEN);
    }
  });

  it("a mint has the traits of its tokens learned by their own rows", async () => {
    const some = Array.from({ length: 20 }, (_, nth) => String(nth));
    const mage = { trait_type: "Class", value: "Mage" };
    const document = { name: "Hero", image: "https://x.example/a.png", attributes: [mage] };
    for (const id of some) await recordOne(metadata, database, ref(id), "rest", found(document));
    await database.query("update vitrine.token set traits = '{}'");

    const rows = await database.transaction((tx) =>
      countRowsRead(tx, ["vitrine"], async () => {
        expect(await learnServedTraits(tx, ref(""), some)).toHaveLength(some.length);
      }),
    );

    expect(rows).toBeLessThan(ROWS_PER_TOKEN * some.length);
    const learned = await database.query("select from vitrine.token where traits <> '{}'");
    expect(learned).toHaveLength(some.length);
  });
});

it.each(["plain", "byKey"] as const)(
  "a probe is chosen by some of what waits for its host (%s)",
  async (kind) => {
    await database.query("update vitrine.refresh set host = 'many.example', wanted = done + 1, lease = null");
    await database.query("update vitrine.token set last_outcome = 'failed'");
    await ask(database, ["1", "2"], { collection: OTHER_COLLECTION });
    await database.query("update vitrine.refresh set host = 'few.example' where collection = $1", [
      OTHER_COLLECTION,
    ]);

    await database.query(
      `insert into vitrine.host (host, failures, reason)
     select host, 5, 'x' from unnest('{none.example,few.example,many.example}'::text[]) as h(host) on conflict do nothing`,
    );

    for (const [host, rows] of [
      ["none.example", 5],
      ["few.example", 10],
      ["many.example", 1_500],
    ] as const) {
      const read = await database.transaction(
        (tx) => countRowsRead(tx, ["vitrine"], () => chooseProbe(tx, host)),
        kind,
      );
      expect(read, host).toBeLessThanOrEqual(rows);
    }
  },
);

it("paused hosts are looked up by name, however many strangers have named", async () => {
  const PAUSED = 3_000;
  await database.query("truncate vitrine.refresh, vitrine.host");
  await database.query("alter table vitrine.host set (autovacuum_enabled = false)");
  await ask(database, ["1", "2"]);
  await database.query("update vitrine.refresh set host = '7.example', done = wanted");
  await database.query(
    `insert into vitrine.host (host, failures, paused_until, reason)
     select nth || '.example', 5, now() + interval '1 hour', 'x' from generate_series(1, ${PAUSED}) nth`,
  );

  const read = await database.transaction((tx) =>
    countRowsRead(tx, ["vitrine"], async () => {
      expect(await readFaulty(tx, ["7.example", "none.example"])).toEqual(
        new Map([["7.example", { isPaused: true }]]),
      );
      await ask(tx, ["1", "2"], { trigger: "sweep" });
    }),
  );

  expect(read).toBeLessThan(2 * ROWS_PER_TOKEN);
  // Its host is paused, so its URI is read again: it may name another one.
  expect(await database.query("select distinct host from vitrine.refresh")).toEqual([{ host: "" }]);
});

it("many tokens are recorded by their own rows, though the statements were planned while the tables were empty", async () => {
  const MANY = 2_000;
  const TOGETHER = 100;
  const ids = Array.from({ length: MANY }, (_, index) => String(index));
  const leases = ids.slice(0, TOGETHER).map((tokenId) => ({ ...ref(tokenId), started: "9" }) as Lease);
  const images = ids.slice(0, TOGETHER).map((id) => `https://x.example/${id}.png`);
  for (const table of ["media", "receipt_token"])
    await database.query(`alter table vitrine.${table} set (autovacuum_enabled = false)`);
  const record = (some: number) =>
    database.transaction(
      (tx) =>
        countRowsRead(tx, ["vitrine"], async () => {
          const ends = leases.slice(0, some).map((lease, index) => {
            const fate = { status: "pending", url: images[index] ?? "" } as const;
            return {
              lease,
              status: "updated",
              reason: null,
              served: { fate, before: "of its URL" },
            } as const;
          });
          await settle(tx, ends);
        }),
      "byKey",
    );
  await record(1);

  await database.query(
    `insert into vitrine.media (kind, url_hash, url, host)
     select 'image', sha256(convert_to(url, 'UTF8')), url, 'x.example'
       from unnest($1::text[]) id, lateral (select 'https://x.example/' || id || '.png' as url) u`,
    [ids],
  );
  await database.query(
    `with receipt as (insert into vitrine.receipt (id, made_by, chain_id, collection)
                      values (gen_random_uuid(), 'chain', $1, $2) returning id)
     insert into vitrine.receipt_token (receipt_id, position, chain_id, collection, token_id, wanted)
     select receipt.id, nth, $1, $2, token_id, 1
       from receipt, unnest($3::numeric[]) with ordinality as t(token_id, nth)`,
    [CHAIN_ID, COLLECTION, ids],
  );

  expect(await record(TOGETHER)).toBeLessThan(TOGETHER * ROWS_PER_TOKEN);
  const [row] = await database.query<{ settled: number }>(
    "select count(*)::int as settled from vitrine.receipt_token where status is not null",
  );
  expect(row?.settled).toBe(TOGETHER);
});
