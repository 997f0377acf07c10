import { expect, it } from "vitest";
import { addReceipt, findReceipt, type ReceiptOwner } from "../../../src/api/refresh/receipts/receipts.ts";
import { forgetOldReceipts, forgetOldSweeps } from "../../../src/api/refresh/receipts/retention.ts";
import { addSweep } from "../../../src/api/refresh/triggers/new-sweeps.ts";
import { countRowsRead, createTestDatabase } from "../../support/database/database.ts";
import { withSlowRows } from "../../support/database/slow-rows.ts";
import { CHAIN_ID, COLLECTION } from "../../support/refresh/refresh.ts";

const { database } = await createTestDatabase();
const OWNER = { appId: "00000000-0000-4000-8000-000000000001" };

async function addOld(id: string, owner: ReceiptOwner, age: string): Promise<void> {
  const tokens = [{ tokenId: "1", mark: undefined }];
  await addReceipt(database, { id, owner, chainId: CHAIN_ID, collection: COLLECTION, tokens });
  await database.query("update vitrine.receipt set created_at = now() - $2::interval where id = $1", [
    id,
    age,
  ]);
}

it("receipts are kept for 30 days, with what they say of each token", async () => {
  const ids = [29, 31].map((days) => ({ days, id: `00000000-0000-4000-9000-0000000000${days}` }));
  for (const { id, days } of ids) await addOld(id, OWNER, `${days} days`);

  expect(await forgetOldReceipts.run(database)).toBe(1);

  const found = await Promise.all(ids.map(({ id }) => findReceipt(database, id, OWNER)));
  expect(found.map((receipt) => receipt?.tokens.length)).toEqual([1, undefined]);
  expect(await database.query("select from vitrine.receipt_token")).toHaveLength(1);
});

it.each([
  ["anonymous", 1, [1, undefined]],
  ["operator", 0, [1, 1]],
  ["chain", 0, [1, 1]],
] as const)(
  "those of %s callers are kept for a day only if they are anonymous",
  async (owner, gone, left) => {
    await database.query("delete from vitrine.receipt");
    const ids = [23, 25].map((hours) => ({ hours, id: `00000000-0000-4000-9000-0000000000${hours}` }));
    for (const { id, hours } of ids) await addOld(id, owner, `${hours} hours`);

    expect(await forgetOldReceipts.run(database)).toBe(gone);

    const found = await Promise.all(ids.map(({ id }) => findReceipt(database, id, owner)));
    expect(found.map((receipt) => receipt?.tokens.length)).toEqual(left);
    expect(await database.query("select from vitrine.receipt_token")).toHaveLength(2 - gone);
  },
);

it("old receipts of callers without a key are found without reading those of apps", async () => {
  await database.query("delete from vitrine.receipt");
  await database.query(
    `insert into vitrine.receipt (id, app_id, chain_id, collection, created_at)
     select gen_random_uuid(), $1, $2, $3, now() - interval '2 days' from generate_series(1, 5000)`,
    [OWNER.appId, CHAIN_ID, COLLECTION],
  );
  await addOld("00000000-0000-4000-9000-000000000025", "anonymous", "25 hours");
  await database.query("analyze vitrine.receipt");

  const read = await database.transaction((tx) =>
    countRowsRead(tx, ["vitrine"], async () => {
      expect(await forgetOldReceipts.run({ ...database, query: tx.query })).toBe(1);
    }),
  );

  expect(read).toBeLessThan(100);
});

it("receipts that are too large to delete together are deleted a few at a time", async () => {
  await database.query("delete from vitrine.receipt");
  await database.query(
    `with p as (
       insert into vitrine.receipt (id, app_id, chain_id, collection, created_at)
       select gen_random_uuid(), $1, $2, $3, now() - interval '31 days' from generate_series(1, 100) returning id)
     insert into vitrine.receipt_token (receipt_id, position, chain_id, collection, token_id, wanted)
     select id, n, $2, $3, n, 1 from p, generate_series(1, 4) n`,
    [OWNER.appId, CHAIN_ID, COLLECTION],
  );
  const slow = await withSlowRows(database, "vitrine.receipt_token");

  expect(await forgetOldReceipts.run(slow.database)).toBe(100);

  expect(slow.timeouts()).toBeGreaterThan(0);
  expect(await database.query("select from vitrine.receipt_token")).toEqual([]);
  await database.query("drop trigger take_long on vitrine.receipt_token");
});

it("a sweep is forgotten 30 days after its end, and never before it", async () => {
  for (const finished of ["now() - interval '31 days'", "now() - interval '29 days'", "null"]) {
    await addSweep(database, {
      chainId: CHAIN_ID,
      collection: COLLECTION,
      from: "0",
      to: "9",
      block: 1,
      skipRead: false,
    });
    await database.query(
      `update vitrine.sweep set created_at = now() - interval '1 year', finished_at = ${finished}
        where id = (select max(id) from vitrine.sweep)`,
    );
  }

  await forgetOldSweeps.run(database);

  expect(await database.query("select finished_at is null as open from vitrine.sweep order by id")).toEqual([
    { open: false },
    { open: true },
  ]);
});
