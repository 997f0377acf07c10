/** What is requested while tokens without a transfer are deleted is answered in any case. */

import { beforeEach, expect, it } from "vitest";
import { dropQueued, lockQueued } from "../../../src/api/refresh/queue/queue-purge.ts";
import { createTestDatabase } from "../../support/database.ts";
import { eventually } from "../../support/eventually.ts";
import { CHAIN_ID, COLLECTION, emptyTables, readQueue } from "../../support/refresh.ts";
import { createBarrier, createWorkerSetup } from "../../support/worker.ts";
import { countWaiting } from "../metadata/traits-harness.ts";

const test = await createTestDatabase();
const { database } = test;
const worker = createWorkerSetup(test);

beforeEach(() => emptyTables(database));

it("a token that was not queued before is queued still", async () => {
  const collection = { chainId: CHAIN_ID, collection: COLLECTION };
  const first = await worker.request(["1"]);
  const [held, release] = [createBarrier(), createBarrier()];
  const holding = database.transaction(async (tx) => {
    await tx.query("select from vitrine.receipt_token for update");
    held.open();
    await release.opened;
  });
  await held.opened;

  const purging = database.transaction(async (tx) => {
    await lockQueued(tx, collection, ["1", "2"]);
    await dropQueued(tx, collection, ["1", "2"]);
  });
  await eventually(
    () => countWaiting(database),
    (waiting) => waiting > 0,
  );
  const second = await worker.request(["2"]);
  release.open();
  await Promise.all([holding, purging]);

  expect(await worker.receipt(first)).toMatchObject({ tokens: [{ status: "not_found" }] });
  expect(await worker.receipt(second)).toMatchObject({ tokens: [{ status: "queued" }] });
  expect(await readQueue(database)).toMatchObject([{ tokenId: "2", requested: 1, done: 0 }]);
});
