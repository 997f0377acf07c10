import { expect, it } from "vitest";
import { addReceipt, findReceipt } from "../../../src/api/refresh/receipts/receipts.ts";
import { forgetOldReceipts, forgetOldSweeps } from "../../../src/api/refresh/receipts/retention.ts";
import { addSweep } from "../../../src/api/refresh/triggers/new-sweeps.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import { CHAIN_ID, COLLECTION } from "../../support/refresh/refresh.ts";

const { database } = await createTestDatabase();
const OWNER = { appId: "00000000-0000-4000-8000-000000000001" };

it("receipts are kept for 30 days, with what they say of each token", async () => {
  const ids = [29, 31].map((days) => ({ days, id: `00000000-0000-4000-9000-0000000000${days}` }));
  for (const { id, days } of ids) {
    const tokens = [{ tokenId: "1", mark: undefined }];
    await addReceipt(database, { id, owner: OWNER, chainId: CHAIN_ID, collection: COLLECTION, tokens });
    await database.query(
      "update vitrine.receipt set created_at = now() - $2 * interval '1 day' where id = $1",
      [id, days],
    );
  }

  expect(await forgetOldReceipts.run(database)).toBe(1);

  const found = await Promise.all(ids.map(({ id }) => findReceipt(database, id, OWNER)));
  expect(found.map((receipt) => receipt?.tokens.length)).toEqual([1, undefined]);
  expect(await database.query("select from vitrine.receipt_token")).toHaveLength(1);
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
