/** Cancelled sweeps, where PostgreSQL's statistics are of a time without open receipts. */

import { randomUUID } from "node:crypto";
import { expect, it } from "vitest";
import { withdrawQueued } from "../../../src/api/refresh/collections/collection-store.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import { CHAIN_ID, COLLECTION } from "../../support/refresh/refresh.ts";

const test = await createTestDatabase();
const { database } = test;
// As many as a sweep has in the queue, of a host that may be asked and one that is paused.
const WAITING = 5_500;

it("all tokens that wait are withdrawn in the time of a statement", async () => {
  const receipt = randomUUID();
  const app = randomUUID();
  const addReceipt = (id: string, status: string | null): Promise<unknown> =>
    database.query(
      `with receipt as (
         insert into vitrine.receipt (id, app_id, chain_id, collection) values ($1, $2, $3, $4) returning id)
       insert into vitrine.receipt_token (receipt_id, position, token_id, chain_id, collection, wanted, status)
       select id, n, n, $3, $4, 2, $6 from receipt, generate_series(1, $5::int) n`,
      [id, app, CHAIN_ID, COLLECTION, WAITING, status],
    );
  await database.query("insert into vitrine.app (id, name, apis) values ($1, 'a', '{}')", [app]);
  await database.query(
    `insert into vitrine.refresh (chain_id, collection, token_id, priority, trigger, host, wanted, started, done)
     select $1, $2, n, 10, 'sweep', 'a.example', 1, 1, 1 from generate_series(1, $3::int) n`,
    [CHAIN_ID, COLLECTION, WAITING],
  );
  for (let nth = 0; nth < 5; nth++) await addReceipt(randomUUID(), "updated");
  await database.query("analyze vitrine.refresh, vitrine.receipt_token, vitrine.receipt");
  await database.query("update vitrine.refresh set wanted = 2");
  await addReceipt(receipt, null);

  await withdrawQueued(database, receipt);

  const left = await database.query("select from vitrine.receipt_token where receipt_id = $1", [receipt]);
  expect(left).toHaveLength(0);
  expect(await database.query("select from vitrine.refresh where done < wanted")).toHaveLength(0);
});
