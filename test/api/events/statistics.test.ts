/** Bursts of locks that no statistics know yet: PostgreSQL still plans by those of a quiet time. */

import { describe, expect, it, onTestFinished } from "vitest";
import { createDatabase, type Queryable } from "../../../src/api/db/database.ts";
import { readDifference } from "../../../src/api/events/feed-store.ts";
import { silentLogger } from "../../../src/api/logging/logger.ts";
import { readChainStates } from "../../../src/api/trading/store.ts";
import { CHAIN_SCHEMA, countRowsRead, createTestDatabase } from "../../support/database/database.ts";
import { CHAIN_ID, COLLECTION } from "../../support/refresh/refresh.ts";

const LOCKS = 2_000;
const OTHER = "0x00000000000000000000000000000000000000bb";
const test = await createTestDatabase();
const { database, tables } = test;

const TOKENS = Array.from({ length: 50 }, (_, n) => String(n + 1));
const read = (db: Queryable) =>
  readChainStates(db, tables, {
    chainId: CHAIN_ID,
    collection: COLLECTION,
    tokenIds: TOKENS,
    maxAgeSeconds: 60,
  });

async function clear(): Promise<void> {
  await database.query(`truncate vitrine.event, ${tables.lockEvent}, ${tables.tokenState}`);
  await test.setHead({ chainId: CHAIN_ID, block: 100 });
}

/** Locks in the chain index and published; `token` is SQL for the token of the nth. */
async function lock(collection: string, token: string, isOpen: boolean): Promise<void> {
  await database.query(
    `insert into ${tables.lockEvent} (id, chain_id, collection_address, token_id, direction, count_after, anomaly, block_number,
       block_timestamp, transaction_hash, log_index, standard, flag_count_after, follows_default)
     select lpad($3 || lpad(n::text, 4, '0'), 75, '0'), $1, $2, ${token}, 'lock', 1, false, 90, 1, '0xt', n, 'erc6982', 1, true
       from generate_series(1, ${LOCKS}) n`,
    [CHAIN_ID, collection, isOpen ? "2" : "1"],
  );
  await database.query(
    `insert into vitrine.event (id, type, subject, chain_id, collection, token_id, source, transaction_hash, standard,
       count_after, lock_count, anomaly, open)
     select log_index + $2::int, type, type, chain_id, collection_address, token_id, id, transaction_hash, standard, 1, 1, false, $3
       from ${tables.lockEvent}, lateral (select case when token_id is null then 'default_lock' else 'lock' end as type) of
      where collection_address = $1`,
    [collection, isOpen ? LOCKS : 0, isOpen],
  );
}

describe.each([
  ["a token each", "n"],
  ["one token", "7"],
  ["the collection", "null"],
])("open locks of %s", (_of, token) => {
  it.each(["all locks were settled", "there were none", "those of another collection were gone"])(
    "are not read one by one for each token that is asked for, where statistics say that %s",
    async (before) => {
      await clear();
      const single = createDatabase(test.url, silentLogger, { plain: 1, keyed: 1 });
      onTestFinished(() => single.close());
      if (before !== "there were none") await lock(OTHER, "n", false);
      if (before.includes("gone")) await database.query("update vitrine.event set gone_at = '0'");
      await database.query(`analyze vitrine.event, ${tables.lockEvent}`);
      await lock(COLLECTION, token, true);
      await database.query(
        `insert into ${tables.tokenState} (chain_id, collection_address, token_id, standard, owner, burned, lock_count)
         select $1, $2, id, 'erc721', 'x', false, 0 from unnest($3::numeric[]) id`,
        [CHAIN_ID, COLLECTION, TOKENS],
      );

      const rows = await single.transaction(
        (tx) =>
          countRowsRead(tx, [CHAIN_SCHEMA, "vitrine"], async () => {
            const states = await read(tx);
            expect(new Set([...states.values()].map(({ fresh }) => fresh))).toEqual(new Set([true]));
          }),
        "byKey",
      );

      expect(rows).toBeLessThan(TOKENS.length * 10);
    },
  );
});

it("locks replaced under their ids are compared without reading all events for each", async () => {
  await clear();
  await lock(OTHER, "n", false);
  await database.query(`analyze vitrine.event, ${tables.lockEvent}`);
  await lock(COLLECTION, "n", true);
  await database.query(
    `update ${tables.lockEvent} set transaction_hash = '0xother' where collection_address = $1`,
    [COLLECTION],
  );

  const rows = await database.transaction((tx) =>
    countRowsRead(tx, [CHAIN_SCHEMA, "vitrine"], async () => {
      const query = {
        chainId: CHAIN_ID,
        handled: "20000".padStart(75, "0"),
        collections: [COLLECTION],
        limit: LOCKS,
      };
      const difference = await readDifference(tx, tables, query);
      expect([difference?.gone, difference?.fresh].map((list) => list?.length)).toEqual([LOCKS, LOCKS]);
    }),
  );

  expect(rows).toBeLessThan(LOCKS * 20);
});
