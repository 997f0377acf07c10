/** Search threads that die, and a database that goes away, while searches run. */

import { beforeEach, expect, it } from "vitest";
import { isDatabaseAway } from "../../../src/api/db/database-away.ts";
import { silentLogger } from "../../../src/api/logging/logger.ts";
import { createSearchThreads } from "../../../src/api/search/threads/threads.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import { eventually } from "../../support/eventually.ts";
import { CHAIN_ID, COLLECTION, emptyTables } from "../../support/refresh/refresh.ts";
import { text } from "../metadata/traits-harness.ts";
import { ALL, createSearchHarness } from "./search-harness.ts";

const test = await createTestDatabase();
const { database, tables, url } = test;
const harness = createSearchHarness(test);
const OTHER = "0x00000000000000000000000000000000000000ff";
const TOKENS = 50;

beforeEach(async () => {
  await emptyTables(database);
  const documents = Array.from({ length: TOKENS }, (_, nth) => [
    String(nth),
    { name: `Hero ${nth}`, attributes: [text("Class", nth % 2 === 0 ? "Mage" : "Rogue")] },
  ]);
  await harness.record(new Map(documents as [string, object][]));
});

const startThreads = (count = 1) =>
  createSearchThreads({
    connectionString: url,
    tables,
    count,
    heapMb: 512,
    logger: silentLogger,
    onSize: () => {},
  });
type Threads = ReturnType<typeof startThreads>;

const mages = { ...ALL, criteria: [{ name: "Class", values: ["Mage"] }] };
const ask = (threads: Threads, collection = COLLECTION) =>
  threads.ask({
    collection: { chainId: CHAIN_ID, collection },
    kind: "page",
    asked: { filter: mages, sort: { by: "id", descending: false }, limit: 3 },
  });
const RIGHT = { tokenIds: ["0", "2", "4"], total: TOKENS / 2 };

/** Searches without a pause, four at once, until `isEnough`. Returns how each ended. */
async function searchWhile(threads: Threads, isEnough: () => boolean) {
  const ends: { answers: unknown[]; errors: Error[] } = { answers: [], errors: [] };
  async function client(): Promise<void> {
    while (!isEnough()) {
      await ask(threads).then(
        ({ tokenIds, total }) => ends.answers.push({ tokenIds, total }),
        (error: Error) => ends.errors.push(error),
      );
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
  return { ends, done: Promise.all(Array.from({ length: 4 }, client)) };
}

it("threads that are killed during a run of searches cost 503s and no wrong answer, and are replaced", async () => {
  const threads = startThreads();
  const [thread] = threads.threads;
  await ask(threads);
  let isEnough = false;
  const { ends, done } = await searchWhile(threads, () => isEnough);

  for (let kills = 1; kills <= 3; kills++) {
    const before = ends.answers.length;
    await eventually(
      () => ends.answers.length,
      (answers) => answers > before + 5,
    );
    const killed = thread?.worker;
    await killed?.terminate();
    await eventually(
      () => thread?.worker,
      (worker) => worker !== undefined && worker !== killed,
    );
  }
  const before = ends.answers.length;
  await eventually(
    () => ends.answers.length,
    (answers) => answers > before + 5,
  );
  isEnough = true;
  await done;

  expect(new Set(ends.answers.map((answer) => JSON.stringify(answer)))).toEqual(
    new Set([JSON.stringify(RIGHT)]),
  );
  expect(ends.errors.length).toBeGreaterThan(0);
  for (const error of ends.errors)
    expect(error).toMatchObject({ code: "UNAVAILABLE", status: 503, retryAfterSeconds: 2 });
  await threads.close();
});

it("connections that PostgreSQL ends during a run of searches cause errors of a database that is away, and no wrong answer", async () => {
  const threads = startThreads();
  await ask(threads);
  let isEnough = false;
  const { ends, done } = await searchWhile(threads, () => isEnough);

  for (let kills = 1; kills <= 5; kills++) {
    const before = ends.answers.length;
    await database.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()",
    );
    await eventually(
      () => ends.answers.length,
      (answers) => answers > before + 5,
    );
  }
  isEnough = true;
  await done;

  expect(new Set(ends.answers.map((answer) => JSON.stringify(answer)))).toEqual(
    new Set([JSON.stringify(RIGHT)]),
  );
  for (const error of ends.errors) expect(isDatabaseAway(error), String(error)).toBe(true);
  await threads.close();
});

it("collections are spread over threads, and one that dies takes only its own along", async () => {
  const threads = startThreads(2);
  await Promise.all([ask(threads), ask(threads, OTHER)]);
  const [first, second] = threads.threads;
  expect([first?.worker, second?.worker]).not.toContain(undefined);

  await first?.worker?.terminate();

  expect((await ask(threads, OTHER)).tokenIds).toEqual([]);
  await expect(ask(threads)).rejects.toMatchObject({ code: "UNAVAILABLE" });
  await threads.close();
});

it("threads that are closed answer what was asked before, and refuse what comes after", async () => {
  const threads = startThreads();
  const asked = ask(threads);

  const closing = threads.close();

  expect(await asked).toMatchObject(RIGHT);
  await expect(ask(threads)).rejects.toMatchObject({ code: "UNAVAILABLE" });
  await closing;
});
