import { beforeEach, describe, expect, it } from "vitest";
import { enqueue } from "../../../src/api/refresh/queue/queue.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import { eventually } from "../../support/eventually.ts";
import { createBarrier, createWorkerSetup } from "../../support/processes/worker.ts";
import {
  ask,
  CHAIN_ID,
  COLLECTION,
  emptyTables,
  found,
  passSeconds,
  readQueue,
} from "../../support/refresh/refresh.ts";

const test = await createTestDatabase();
const { database } = test;
const setup = createWorkerSetup(test);

const complete = found({ name: "Hero", image: "https://img.example/1.png" });
const incomplete = found({ name: "No image" });
const accept = () =>
  enqueue(database, {
    chainId: CHAIN_ID,
    collection: COLLECTION,
    tokens: new Map([["1", 0]]),
    trigger: "operator",
    accept: true,
  });
const outcomes = async (): Promise<string[]> =>
  (await database.query<{ outcome: string }>("select outcome from vitrine.version order by number")).map(
    ({ outcome }) => outcome,
  );
const settled = () =>
  eventually(
    () => readQueue(database),
    (rows) => rows.every(({ requested, done }) => requested === done),
  );

beforeEach(() => emptyTables(database));

describe("a document that is less complete than the one before", () => {
  it("is served when the operator accepts it, and the next such one is not", async () => {
    const { worker } = setup.start(({ nth }) => (nth % 2 === 1 ? complete : incomplete));
    const again = () => ask(database, ["1"]);
    for (const request of [again, accept, again, again]) {
      await passSeconds(database, 10);
      await request();
      worker.wake();
      await settled();
    }

    expect(await outcomes()).toEqual(["updated", "updated", "updated", "rejected"]);
  });

  it("is refused without that word", async () => {
    const { worker } = setup.start(({ nth }) => (nth === 1 ? complete : incomplete));
    await ask(database, ["1"]);
    worker.wake();
    await settled();
    await passSeconds(database, 10);
    await ask(database, ["1"]);
    worker.wake();
    await settled();

    expect(await outcomes()).toEqual(["updated", "rejected"]);
  });

  it("is served to an operator who asked while a fetch ran that he could not join", async () => {
    const started = createBarrier();
    const end = createBarrier();
    const { worker } = setup.start(async ({ nth }) => {
      if (nth !== 2) return nth === 1 ? complete : incomplete;
      started.open();
      await end.opened;
      return incomplete;
    });
    await ask(database, ["1"]);
    worker.wake();
    await settled();
    await passSeconds(database, 10);
    await ask(database, ["1"]);
    worker.wake();
    await started.opened;
    await accept();
    end.open();
    await eventually(outcomes, (all) => all.length === 2);
    await passSeconds(database, 10);
    worker.wake();
    await settled();

    expect(await outcomes()).toEqual(["updated", "rejected", "updated"]);
  });
});
