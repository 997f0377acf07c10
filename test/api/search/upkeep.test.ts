/** Background work of the search: indexes that are dropped, rebuilt and kept warm. */

import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { Database } from "../../../src/api/db/database.ts";
import { silentLogger } from "../../../src/api/logging/logger.ts";
import type { TokenQuery } from "../../../src/api/search/query.ts";
import { createSearch } from "../../../src/api/search/service.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import { eventually } from "../../support/eventually.ts";
import { CHAIN_ID, COLLECTION, emptyTables } from "../../support/refresh/refresh.ts";
import { text } from "../metadata/traits-harness.ts";
import { facets } from "./model.ts";
import { ALL, collection, createSearchHarness } from "./search-harness.ts";

const MINUTE_MS = 60_000;
// Many times what one row takes.
const RELOAD_MS = 300;

const test = await createTestDatabase();
const { database, tables } = test;
const harness = createSearchHarness(test);
const byId: TokenQuery = { filter: ALL, sort: { by: "id", descending: false }, limit: 100 };
/** Tokens that never change. */
const STEADY = ["901", "902", "903"];
const elsewhere = { ...collection, address: "0x00000000000000000000000000000000000000ff" };

beforeEach(async () => {
  await emptyTables(database);
  await harness.record(new Map(STEADY.map((tokenId) => [tokenId, { name: "Steady" }])));
});
afterEach(() => {
  vi.useRealTimers();
});

/**
 * A search that counts its loads of the collection: a load reads every token, an update those that have changed.
 * Whatever `pauseNext` names waits once, for `release`.
 */
function createCounted() {
  let loads = 0;
  let holding: ((isLoad: boolean) => boolean) | undefined;
  let released: Promise<void> | undefined;
  const pauseNext = (is: (isLoad: boolean) => boolean) => {
    let release = (): void => undefined;
    let isPaused = false;
    const rateLimits = new Promise<void>((resolve) => {
      release = resolve;
    });
    holding = (isLoad) => {
      if (!is(isLoad)) return false;
      [holding, released, isPaused] = [undefined, rateLimits, true];
      return true;
    };
    return { isPaused: () => isPaused, release };
  };
  const counting: Database = {
    ...database,
    async query<Row>(sql: string, parameters: readonly unknown[] = []) {
      const rows = await database.query<Row>(sql, parameters);
      if (holding?.(false)) await released;
      return rows;
    },
    async copy(select, visit) {
      let read = 0;
      await database.copy(select, (...row) => {
        read++;
        visit(...row);
      });
      const isLoad = read >= STEADY.length;
      if (isLoad) loads++;
      if (holding?.(isLoad)) await released;
    },
  };
  const search = createSearch({ database: counting, tables, logger: silentLogger });
  return { search, loads: () => loads, pauseNext };
}

/** Changes and searches the one token until most of the search index is garbage and a reload starts. */
async function wasteUntilReload({ search, loads }: ReturnType<typeof createCounted>): Promise<void> {
  await harness.record(new Map([["1", { name: "Hero" }]]));
  await search.page(collection, byId);
  for (let nth = 0; loads() === 1 && nth < 1_000; nth++) {
    await database.query(
      `update vitrine.token set name = repeat(md5($1), 31), changed = pg_current_xact_id()
        where collection = $2 and token_id = 1`,
      [String(nth), COLLECTION],
    );
    await search.page(collection, byId);
  }
}

it("a collection that nobody keeps is dropped after half an hour, and one that is kept is not", async () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  const loose = createCounted();
  const kept = createCounted();
  const warm = kept.search.keepWarm([collection]);
  for (const { search } of [loose, kept]) await search.page(collection, byId);
  vi.advanceTimersByTime(29 * MINUTE_MS);
  for (const { search } of [loose, kept]) await search.page(collection, byId);
  expect([loose.loads(), kept.loads()]).toEqual([1, 1]);

  vi.advanceTimersByTime(31 * MINUTE_MS);
  for (const { search } of [loose, kept]) {
    await search.page(elsewhere, byId);
    await search.page(collection, byId);
  }

  expect([loose.loads(), kept.loads()]).toEqual([2, 1]);
  warm.stop();
});

it("a kept collection is loaded though nobody asks", async () => {
  const { search, loads } = createCounted();

  const warm = search.keepWarm([elsewhere, collection]);

  await eventually(loads, (times) => times === 1);
  warm.stop();
});

it("an index that is mostly garbage is made anew beside answers, and misses nothing of what came meanwhile", async () => {
  const counted = createCounted();
  const { search, loads } = counted;

  await wasteUntilReload(counted);
  await harness.record(new Map([["2", { name: "Late" }]]));

  expect((await search.page(collection, byId)).tokenIds).toEqual(["1", "2", ...STEADY]);
  const named = { ...byId, filter: { ...ALL, text: "LATE" } };
  await eventually(
    async () => (await search.page(collection, named)).tokenIds,
    (found) => found.join() === "2",
  );
  expect(loads()).toBe(2);
});

it("an index that was replaced while it was brought up to date is not made anew once more", async () => {
  const counted = createCounted();
  const { search, loads, pauseNext } = counted;
  const reload = pauseNext((isLoad) => isLoad && loads() === 2);
  await wasteUntilReload(counted);
  await eventually(reload.isPaused, (isPaused) => isPaused);

  const update = pauseNext((isLoad) => !isLoad);
  const answer = search.page(collection, byId);
  await eventually(update.isPaused, (isPaused) => isPaused);
  reload.release();
  // The new search index replaces the old one automatically, some turns after its last rows.
  await sleep(RELOAD_MS);
  update.release();

  expect((await answer).tokenIds).toEqual(["1", ...STEADY]);
  expect((await search.page(collection, byId)).tokenIds).toEqual(["1", ...STEADY]);
  expect(loads()).toBe(2);
});

it("runs of values are made anew while tokens change, and every answer is a scan's", async () => {
  const tokens = 2_600;
  await emptyTables(database);
  await database.query(
    `insert into vitrine.token (chain_id, collection, token_id) select $1, $2, n from generate_series(1, $3::int) n`,
    [CHAIN_ID, COLLECTION, tokens],
  );
  const values = Array.from({ length: 7 }, (_, nth) => text("Class", `number ${nth}`));
  await harness.record(new Map([["0", { name: "All", attributes: values }]]));
  await harness.facets();
  const model = await harness.readModel();
  const [row] = await database.query<{ first: number }>("select min(id) as first from vitrine.trait_value");

  for (let round = 0; round < 3; round++) {
    await database.query(
      `update vitrine.token set traits = array[$1::int + (token_id::int * $2::int + $2::int) % 7], changed = pg_current_xact_id()
        where collection = $3 and token_id > 0`,
      [row?.first, round + 1, COLLECTION],
    );
    const now = {
      ...model,
      tokens: model.tokens.map((token) =>
        token.tokenId === "0"
          ? token
          : {
              ...token,
              traits: [
                {
                  trait_type: "Class",
                  display_type: "string" as const,
                  value: `number ${(Number(token.tokenId) * (round + 1) + round + 1) % 7}`,
                },
              ],
            },
      ),
    };
    for (const nth of [0, 3, 3]) {
      const filter = { ...ALL, criteria: [{ name: "Class", values: [`number ${nth}`] }] };
      expect(await harness.facets(filter)).toEqual(facets(now, filter));
    }
  }
});
