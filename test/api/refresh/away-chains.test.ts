/** A chain whose node doesn't answer, beside another. */

import { beforeEach, expect, it, onTestFinished } from "vitest";
import { enqueue } from "../../../src/api/refresh/queue/queue.ts";
import { createTestDatabase } from "../../support/database.ts";
import { eventually } from "../../support/eventually.ts";
import { CHAIN_ID, COLLECTION, emptyTables, found } from "../../support/refresh.ts";
import { createBarrier, createWorkerSetup } from "../../support/worker.ts";

const AWAY = 2020;

const test = await createTestDatabase();
const { database } = test;
const setup = createWorkerSetup(test);
beforeEach(() => emptyTables(database));

it("tries one token at a time of a chain whose node is silent, and all once it answers", async () => {
  let node: "refusing" | "silent" | "answering" = "refusing";
  let silences = 0;
  const barrier = createBarrier();
  const ids = Array.from({ length: 100 }, (_, index) => String(index));
  const left = async () =>
    (await database.query("select from vitrine.refresh where chain_id = $1 and wanted > done", [AWAY]))
      .length;
  await enqueue(database, {
    ...{ chainId: AWAY, collection: COLLECTION, tokens: new Map(ids.map((id) => [id, 0])) },
    trigger: "event",
  });
  const { worker } = setup.start(() => found({ name: "Hero", image: "https://img.example/1.png" }), {
    chainIds: [CHAIN_ID, AWAY],
    async readBlock(chainId, minBlock) {
      if (chainId === AWAY && node === "refusing") throw new Error("refused");
      if (chainId === AWAY && node === "silent") {
        silences++;
        await barrier.opened;
      }
      return minBlock;
    },
  });
  onTestFinished(barrier.open);
  await eventually(
    () => database.query("select from vitrine.refresh where last_reason is not null and lease is null"),
    (refused) => refused.length > 0,
  );
  node = "silent";
  await eventually(
    async () => silences,
    (count) => count > 0,
  );

  // Those that were refused are due again within four seconds, beside all that were not tried yet.
  await database.query("update vitrine.refresh set not_before = now() where chain_id = $1", [AWAY]);
  for (const id of ["1", "2", "3"]) await setup.done(await setup.request([id]));
  expect(silences).toBe(1);

  node = "answering";
  barrier.open();
  await database.query("update vitrine.refresh set not_before = now() where chain_id = $1", [AWAY]);
  worker.wake();
  await eventually(left, (count) => count === 0);
});
