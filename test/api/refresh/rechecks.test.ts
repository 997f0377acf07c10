/** Origins lag behind their own events, so a document that an event left unchanged is rechecked. */

import { beforeEach, describe, expect, it } from "vitest";
import type { Resolution } from "../../../src/api/metadata/uri/resolve.ts";
import { depth } from "../../../src/api/refresh/queue/overview-store.ts";
import type { Trigger } from "../../../src/api/refresh/queue/queue.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import { eventually } from "../../support/eventually.ts";
import { createWorkerSetup } from "../../support/processes/worker.ts";
import {
  ask,
  CHAIN_ID,
  COLLECTION,
  emptyTables,
  failed,
  found,
  passSeconds,
  readQueue,
} from "../../support/refresh/refresh.ts";

const test = await createTestDatabase();
const { database, tables } = test;
const setup = createWorkerSetup(test);
const hero = (name: string) => found({ name, image: "https://img.example/1.png" });
const broken = () => failed("http_status");
const state = {
  chainId: CHAIN_ID,
  collectionAddress: COLLECTION,
  tokenId: 1n,
  standard: "erc721",
  burned: false,
  lockCount: 0,
} as const;

beforeEach(async () => {
  await emptyTables(database);
  await database.query(`truncate ${tables.tokenState}`);
  await setup.knowTokens("1");
});

/** A served token, and a worker whose origin answers by the number of the fetch. */
async function start(answer: (nth: number) => Resolution | Promise<Resolution>) {
  const { worker, calls } = setup.start(({ nth }) => answer(nth));
  const rest = (fetches: number) =>
    eventually(
      async () => ({ fetches: calls.length, queue: await readQueue(database) }),
      (now) =>
        now.fetches === fetches &&
        now.queue.every(
          ({ lease, requested, done, dueIn }) => lease === null && (requested === done || dueIn > 0),
        ),
    );
  return {
    /** Requests a refresh, and waits until so many fetches have ended. */
    async ask(trigger: Trigger, fetches: number) {
      // A caller's sweep owes none, as in sweeps.ts.
      await ask(database, ["1"], { trigger, rechecks: trigger !== "sweep" });
      worker.wake();
      await rest(fetches);
    },
    /** Lets time pass, and returns the total number of fetches once the worker is idle. */
    async after(seconds: number, fetches: number) {
      await passSeconds(database, seconds);
      worker.wake();
      const [row] = (await rest(fetches)).queue;
      return row && row.requested > row.done ? Math.round(row.dueIn) : "rests";
    },
  };
}

describe("an event that changes nothing", () => {
  it("is followed by rechecks after 30 seconds and after 5 minutes", async () => {
    const token = await start(() => hero("Same"));
    await token.ask("rest", 1);
    await token.after(60, 1);
    await token.ask("event", 2);

    expect(await token.after(25, 2)).toBe(5);
    expect(await token.after(6, 3)).toBe(300);
    expect(await token.after(295, 3)).toBe(5);
    expect(await token.after(6, 4)).toBe("rests");
  });

  it("is not rechecked once the new document is there", async () => {
    const token = await start((nth) => hero(nth < 3 ? "Old" : "New"));
    await token.ask("rest", 1);
    await token.after(60, 1);
    await token.ask("event", 2);

    expect(await token.after(31, 3)).toBe("rests");
  });

  it("is followed by its rechecks also when a request comes in between", async () => {
    const token = await start(() => hero("Same"));
    await token.ask("rest", 1);
    await token.after(60, 1);
    await token.ask("event", 2);
    await token.after(10, 2);
    await token.ask("rest", 3);

    expect(await token.after(0, 3)).toBe(300);
  });

  it("is no backlog until its recheck is due", async () => {
    const token = await start(() => hero("Same"));
    await token.ask("rest", 1);
    await token.after(60, 1);
    await token.ask("event", 2);

    expect(await depth(database)).toEqual({ waiting: 0, oldestSeconds: 0 });
  });
});

describe("an event of a token that was burned before its fetch ended", () => {
  const burned = (isBurned: boolean) =>
    database.query(`update ${tables.tokenState} set burned = $1, burned_block = case when $1 then 90 end`, [
      isBurned,
    ]);

  it.each([
    ["is fetched once a reorg has removed the burn alone", "event"],
    ["is fetched too if a reorg has named it, and another one has removed the burn alone", "reorg"],
    ["is fetched too if a sweep of the collection has passed it meanwhile", "sweep"],
  ] as const)("%s", async (_what, trigger) => {
    await test.insert("tokenState", state);
    await burned(true);
    const token = await start(() => hero("New"));
    await token.ask(trigger, 0);

    await burned(false);
    expect(await token.after(31, 1)).toBe("rests");
  });

  it("is fetched again if it was burned during the fetch", async () => {
    await test.insert("tokenState", state);
    const token = await start(async (nth) => {
      if (nth === 1) await burned(true);
      return hero("New");
    });
    await token.ask("event", 1);

    await burned(false);
    expect(await token.after(31, 2)).toBe("rests");
  });

  it("is not fetched while the burn stays, and leaves nothing in the queue", async () => {
    await test.insert("tokenState", state);
    await burned(true);
    const token = await start(() => hero("New"));
    await token.ask("event", 0);

    expect(await token.after(31, 0)).toBe(300);
    expect(await token.after(301, 0)).toBe("rests");
    expect(await readQueue(database)).toEqual([]);
  });
});

it("a mint whose document is not there yet is rechecked three times, the last time a day later", async () => {
  const token = await start(broken);
  await token.ask("mint", 1);

  expect(await token.after(31, 2)).toBe(300);
  expect(await token.after(301, 3)).toBe(86_400);
  expect(await token.after(86_401, 4)).toBe("rests");
});

it("a request that changes nothing is not followed by a recheck", async () => {
  const token = await start(() => hero("Same"));
  await token.ask("rest", 1);
  await token.after(60, 1);
  await token.ask("rest", 2);

  expect(await token.after(60, 2)).toBe("rests");
});

it("an event that changes the document is not followed by a recheck", async () => {
  const token = await start((nth) => hero(`Hero ${nth}`));
  await token.ask("event", 1);

  expect(await token.after(60, 1)).toBe("rests");
});
