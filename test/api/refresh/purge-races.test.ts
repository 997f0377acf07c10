/** What is requested while tokens without a transfer are deleted is answered in any case. */

import { beforeEach, expect, it } from "vitest";
import { dropQueued, lockQueued } from "../../../src/api/refresh/queue/queue-purge.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import { keepLocked, untilWaiting } from "../../support/database/keep-locked.ts";
import { createWorkerSetup } from "../../support/processes/worker.ts";
import { CHAIN_ID, COLLECTION, emptyTables, readQueue } from "../../support/refresh/refresh.ts";

const test = await createTestDatabase();
const { database } = test;
const worker = createWorkerSetup(test);

beforeEach(() => emptyTables(database));

it("a token that was not queued before is queued still", async () => {
  const collection = { chainId: CHAIN_ID, collection: COLLECTION };
  const first = await worker.request(["1"]);
  const release = await keepLocked(database, "select from vitrine.receipt_token for update");

  const purging = database.transaction(async (tx) => {
    await lockQueued(tx, collection, ["1", "2"]);
    await dropQueued(tx, collection, ["1", "2"]);
  });
  await untilWaiting(database);
  const second = await worker.request(["2"]);
  await Promise.all([release(), purging]);

  expect(await worker.receipt(first)).toMatchObject({ tokens: [{ status: "not_found" }] });
  expect(await worker.receipt(second)).toMatchObject({ tokens: [{ status: "queued" }] });
  expect(await readQueue(database)).toMatchObject([{ tokenId: "2", requested: 1, done: 0 }]);
});
