/** The memory of search indexes: which are dropped, and that answers stay right. */

import { Registry } from "prom-client";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { silentLogger } from "../../../src/api/logging/logger.ts";
import { createBudget } from "../../../src/api/search/budget.ts";
import { createSearch } from "../../../src/api/search/service.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import { CHAIN_ID, COLLECTION, emptyTables } from "../../support/refresh/refresh.ts";
import { ALL, collection } from "./search-harness.ts";

const test = await createTestDatabase();
const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const ref = (name: string) => ({ chainId: CHAIN_ID, collection: name });

describe("a budget", () => {
  function createCase(max: number) {
    const dropped: string[] = [];
    const logged: Record<string, unknown>[] = [];
    const budget = createBudget({
      max,
      drop: (each) => dropped.push(each.collection),
      logger: { ...silentLogger, warn: (entry) => logged.push(entry) },
    });
    const place = (name: string, bytes: number, by: "asked" | "warm" = "asked") =>
      budget.place(ref(name), by, async () => bytes);
    const load = async (name: string, bytes: number, by: "asked" | "warm" = "asked") => {
      const placed = await place(name, bytes, by);
      if (placed === "memory") budget.resize(ref(name), bytes);
      return placed;
    };
    return { budget, dropped, logged, place, load };
  }

  it("drops the least recently asked for, as many as need be", async () => {
    const { budget, dropped, load } = createCase(100);
    for (const name of ["a", "b", "c"]) await load(name, 30);
    await load("a", 30);
    expect(dropped).toEqual([]);
    await sleep(5);

    expect(await load("d", 60)).toBe("memory");

    expect(dropped).toEqual(["b", "c"]);
    expect(budget.bytes).toBe(90);
  });

  it("can be made again with the same registry, as when the API is loaded again", async () => {
    const metrics = new Registry();
    const [, again] = [1, 2].map(() => createBudget({ max: 100, drop() {}, logger: silentLogger, metrics }));
    await again?.place(ref("a"), "asked", async () => 40);

    expect(await metrics.metrics()).toContain("vitrine_search_index_bytes 40");
  });

  it("loads none for which it has no room, and drops none for one that is only kept warm", async () => {
    const { budget, dropped, load } = createCase(100);
    await load("a", 80);
    await sleep(5);

    expect(await load("b", 30, "warm")).toBe("database");
    expect(await load("a", 80, "warm")).toBe("memory");

    expect(dropped).toEqual([]);
    expect(budget.outside).toEqual([]);
    budget.resize(ref("a"), 0);
    expect(await load("b", 30, "warm")).toBe("memory");
  });

  it("leaves one that is too large to PostgreSQL, drops none for it, and says so once", async () => {
    const { budget, dropped, logged, load } = createCase(100);
    await load("a", 50);
    await sleep(5);

    for (let nth = 0; nth < 2; nth++) expect(await load("b", 120)).toBe("database");

    expect(dropped).toEqual([]);
    expect(budget.bytes).toBe(50);
    expect(budget.outside).toMatchObject([{ collection: ref("b"), bytes: 120 }]);
    expect(logged).toMatchObject([{ collection: "b", bytes: 120, allowed: 100 }]);
  });

  it("leaves one to PostgreSQL while the others are busy: the larger, the longer", async () => {
    const { dropped, load } = createCase(10_000_000);
    await load("a", 8_000_000);
    expect(await load("b", 3_000_000)).toBe("database");
    expect(dropped).toEqual([]);
  });

  it("counts what is being loaded, and estimates and loads it once for all who ask", async () => {
    const { budget, place } = createCase(100);
    let estimates = 0;
    const ask = () =>
      budget.place(ref("a"), "asked", async () => {
        estimates++;
        return 70;
      });

    expect(await Promise.all([ask(), ask()])).toEqual(["memory", "memory"]);

    expect([estimates, budget.bytes]).toEqual([1, 70]);
    expect(await place("b", 40)).toBe("database");
    budget.failed(ref("a"));
    expect(await place("b", 40)).toBe("memory");
  });

  it("leaves one to PostgreSQL that turned out to be too large, by more than its estimate says", async () => {
    const { budget, dropped, place } = createCase(100);
    expect(await place("a", 60)).toBe("memory");

    budget.resize(ref("a"), 150);

    expect(dropped).toEqual(["a"]);
    expect(await place("a", 60)).toBe("database");
    expect(budget.bytes).toBe(0);
  });

  it("leaves one to PostgreSQL whose loads end its thread, unless one succeeds in between", async () => {
    const { budget, logged, place, load } = createCase(100);
    const lose = async (name: string) => {
      const placed = await place(name, 10);
      budget.resize(ref(name), 0);
      return placed;
    };

    expect([await lose("a"), await load("a", 10)]).toEqual(["memory", "memory"]);
    // Not while it was loading.
    budget.resize(ref("a"), 0);
    expect([await lose("a"), await lose("a"), await lose("a"), await place("b", 10)]).toEqual([
      ...["memory", "memory", "database", "memory"],
    ]);
    expect(logged).toMatchObject([
      { collection: "a", msg: expect.stringContaining("ended the search thread") },
    ]);
  });

  it("tries such a one again half an hour after its last loss, and not before", async () => {
    vi.useFakeTimers({ toFake: ["performance"] });
    onTestFinished(() => void vi.useRealTimers());
    const { budget, place } = createCase(100);
    for (let losses = 0; losses < 2; losses++) {
      expect(await place("a", 10)).toBe("memory");
      budget.resize(ref("a"), 0);
    }

    vi.advanceTimersByTime(30 * 60_000 - 1);
    expect(await place("a", 10)).toBe("database");
    vi.advanceTimersByTime(1);
    expect(await place("a", 10)).toBe("memory");
  });

  it("loads those that a thread was lost with one after the other, so that the others' loads succeed", async () => {
    const { budget, place, load } = createCase(100);
    await Promise.all(["a", "b", "c"].map((name) => place(name, 10)));
    for (const name of ["a", "b", "c"]) budget.resize(ref(name), 0);

    expect(await place("a", 10)).toBe("memory");
    expect(await place("b", 10)).toBe("database");
    expect(await load("d", 10)).toBe("memory");
    budget.resize(ref("a"), 0);
    expect([await place("a", 10), await load("b", 10), await load("c", 10)]).toEqual([
      ...["database", "memory", "memory"],
    ]);
  });

  it("passes on the failure of an estimate, and estimates anew", async () => {
    const { budget, place } = createCase(100);
    await expect(budget.place(ref("a"), "asked", () => Promise.reject(new Error("away")))).rejects.toThrow(
      "away",
    );
    expect(await place("a", 60)).toBe("memory");
  });

  it("counts what grew after its load, and forgets what its thread took along", async () => {
    const { budget, dropped, load } = createCase(100);
    await load("a", 50);
    await load("b", 40);
    budget.resize(ref("b"), 60);
    expect(dropped).toEqual(["a"]);

    budget.resize(ref("b"), 0);

    expect(budget.bytes).toBe(0);
  });
});

describe("through a search thread", () => {
  it("collections that do not fit together replace each other, and every answer is right", async () => {
    await emptyTables(test.database);
    const names = ["a", "b", "c"].map((letter) => COLLECTION.replace(/.$/, letter));
    for (const [nth, name] of names.entries()) {
      await test.database.query(
        `insert into vitrine.token (chain_id, collection, token_id, name)
         select $1, $2, n, 'Hero ' || n from generate_series(1, $3::int) n`,
        [CHAIN_ID, name, 3_000 + nth],
      );
    }
    const metrics = new Registry();
    const search = createSearch({
      database: test.database,
      tables: test.tables,
      logger: silentLogger,
      metrics,
      memoryMax: 600_000,
      threads: { connectionString: test.url, count: 1, heapMb: 256 },
    });
    const metric = async (name: string) =>
      (await metrics.getSingleMetric(name)?.get())?.values[0]?.value ?? 0;
    for (let round = 0; round < 3; round++) {
      for (const [nth, address] of names.entries()) {
        // A search index of this size is kept for 0.1 s after a request.
        await sleep(200);
        const { total } = await search.facets({ ...collection, address }, ALL);
        expect(total).toBe(3_000 + nth);
      }
    }

    expect(await metric("vitrine_search_evictions_total")).toBeGreaterThan(0);
    expect(await metric("vitrine_search_loads_total")).toBeGreaterThan(names.length);
    const bytes = await metric("vitrine_search_index_bytes");
    expect(bytes).toBeGreaterThan(0);
    expect(bytes).toBeLessThanOrEqual(600_000);
    await search.facets({ ...collection, address: names[2] ?? "" }, ALL);
    expect(await metric("vitrine_search_hits_total")).toBeGreaterThan(0);
    await search.close();
  });

  it("a collection that is too large is answered by PostgreSQL: the same, counted, logged and reported", async () => {
    await emptyTables(test.database);
    await test.database.query(
      `insert into vitrine.token (chain_id, collection, token_id, name)
       select $1, $2, n, 'Hero ' || n from generate_series(1, 5000) n`,
      [CHAIN_ID, COLLECTION],
    );
    const logged: Record<string, unknown>[] = [];
    const metrics = new Registry();
    const create = (memoryMax: number) =>
      createSearch({
        database: test.database,
        tables: test.tables,
        logger: { ...silentLogger, warn: (entry) => logged.push(entry) },
        metrics: memoryMax === 1e9 ? new Registry() : metrics,
        memoryMax,
        threads: { connectionString: test.url, count: 1, heapMb: 256 },
      });
    const [inMemory, outside] = [create(1e9), create(300_000)];
    const query = {
      filter: { ...ALL, name: "hero 49" },
      sort: { by: "name", descending: true },
      limit: 7,
    } as const;
    const page = await inMemory.page(collection, query);

    expect(await outside.page(collection, query)).toEqual(page);
    const next = { ...query, cursor: page.nextCursor ?? "" };
    expect(await outside.page(collection, next)).toEqual(await inMemory.page(collection, next));
    expect(await outside.facets(collection, ALL)).toEqual(await inMemory.facets(collection, ALL));
    expect(await outside.panel(collection, ALL)).toEqual(await inMemory.panel(collection, ALL));

    expect(outside.state).toMatchObject({
      bytes: 0,
      max: 300_000,
      outside: [{ collection: ref(COLLECTION) }],
    });
    expect(inMemory.state.outside).toEqual([]);
    // A busy machine may be slow at any statement.
    const ofSearch = logged.filter(({ msg }) => msg !== "Slow statement");
    expect(ofSearch).toMatchObject([{ collection: COLLECTION, allowed: 300_000 }]);
    const answers = await metrics.getSingleMetric("vitrine_search_database_answers_total")?.get();
    expect(answers?.values[0]?.value).toBe(4);
    await Promise.all([inMemory.close(), outside.close()]);
  });

  it("a search index that was loaded for a refused question makes room for another like any", async () => {
    await emptyTables(test.database);
    const [refused = "", next = ""] = ["a", "b"].map((letter) => COLLECTION.replace(/.$/, letter));
    for (const name of [refused, next]) {
      await test.database.query(
        `insert into vitrine.token (chain_id, collection, token_id, name)
         select $1, $2, n, 'Hero ' || n from generate_series(1, 3000) n`,
        [CHAIN_ID, name],
      );
    }
    const search = createSearch({
      database: test.database,
      tables: test.tables,
      logger: silentLogger,
      memoryMax: 600_000,
      threads: { connectionString: test.url, count: 1, heapMb: 256 },
    });
    const sort = { by: "id", descending: false } as const;
    const wrong = { filter: ALL, sort, limit: 1, cursor: "none" };

    await expect(search.page({ ...collection, address: refused }, wrong)).rejects.toMatchObject({
      code: "INVALID_REQUEST",
    });
    await sleep(300);
    const { total } = await search.facets({ ...collection, address: next }, ALL);

    expect(total).toBe(3_000);
    expect(search.state.outside).toEqual([]);
    await search.close();
  });

  it("searches that PostgreSQL takes long for keep no other collection waiting", async () => {
    await emptyTables(test.database);
    const [large = "", small = ""] = ["a", "b"].map((letter) => COLLECTION.replace(/.$/, letter));
    for (const [name, tokens] of [
      [large, 1_000],
      [small, 10],
    ] as const) {
      await test.database.query(
        `insert into vitrine.token (chain_id, collection, token_id, name)
         select $1, $2, n, 'Hero ' || n from generate_series(1, $3::int) n`,
        [CHAIN_ID, name, tokens],
      );
    }
    const search = createSearch({
      database: test.database,
      tables: test.tables,
      logger: silentLogger,
      memoryMax: 100_000,
      threads: { connectionString: test.url, count: 1, heapMb: 256 },
    });
    const query = { filter: ALL, sort: { by: "id", descending: false }, limit: 1 } as const;
    const slow: Promise<unknown>[] = [];
    const total = await test.database.transaction(async (tx) => {
      // Only a search for locked tokens reads this table.
      await tx.query(`lock table ${test.tables.lockDefault} in access exclusive mode`);
      for (let nth = 0; nth < 4; nth++) {
        slow.push(
          search.page({ ...collection, address: large }, { ...query, filter: { ...ALL, locked: false } }),
        );
      }
      await sleep(500);
      const answer = search.page({ ...collection, address: small }, query).then((page) => page.total);
      const late = slow.map((each) => each.then(() => "late").catch(() => "late"));
      return Promise.race([answer, ...late]);
    });

    expect(total).toBe(10);
    await Promise.all(slow);
    await search.close();
  });
});
