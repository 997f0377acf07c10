/** Tokens that thousands of wallets delegated to one, in a collection that PostgreSQL's statistics don't know yet. */

import { expect, it } from "vitest";
import { heldRows } from "../../../src/api/search/sync/chain-store.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import { fillNewCollection, NEW_COLLECTION } from "../../support/database/new-collection.ts";
import { countPlanWork } from "../../support/database/plan-work.ts";

const TOKENS = 10_000;
// Of 500 owners.
const DELEGATING = 50;
const WALLET = `0x${"d".repeat(40)}`;
const test = await createTestDatabase();
const { database, tables } = test;

it.each([
  ["analyzed before it was filled", false],
  ["analyzed", true],
])("are found by few reads where the index was %s", async (_name, isAnalyzed) => {
  if (!isAnalyzed) await fillNewCollection(test, TOKENS);
  await database.query(
    `insert into ${tables.delegation} (chain_id, hash, type, "from", "to", rights, enabled, block_number, block_timestamp, transaction_hash, log_index)
     select $1, $2 || n, 'ALL', '0x' || lpad(to_hex(n), 40, '0'), $3, '0x' || repeat('0', 64), true, 10, 1, '0x', n
       from generate_series(2, $4::int + 1) n on conflict do nothing`,
    [NEW_COLLECTION.chainId, "0x", WALLET, DELEGATING],
  );
  if (isAnalyzed) await database.query("analyze");
  const rows = heldRows(
    tables,
    { chainId: "$1::bigint", collection: "$2::text" },
    { owners: "$3::text[]", includeDelegated: true },
  );
  const work = await database.transaction((tx) =>
    countPlanWork(tx, async (counted) => {
      const { chainId, collection } = NEW_COLLECTION;
      const held = await counted.query(rows, [chainId, collection, [WALLET]]);
      expect(held.length).toBe((TOKENS / 500) * DELEGATING);
    }),
  );
  expect(work).toBeLessThan(TOKENS);
});
