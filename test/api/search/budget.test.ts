/** The memory of search indexes: which are dropped, and that answers stay right. */

import { Registry } from "prom-client";
import { describe, expect, it } from "vitest";
import { silentLogger } from "../../../src/api/http/logger.ts";
import { createBudget } from "../../../src/api/search/budget.ts";
import { createSearch } from "../../../src/api/search/service.ts";
import { createTestDatabase } from "../../support/database.ts";
import { CHAIN_ID, COLLECTION, emptyTables } from "../../support/refresh.ts";
import { ALL, collection } from "./search-harness.ts";

const test = await createTestDatabase();
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
    const load = (name: string, bytes: number, by: "asked" | "warm" = "asked"): void => {
      budget.use(ref(name), by);
      budget.resize(ref(name), bytes);
    };
    return { budget, dropped, logged, load };
  }

  it("drops the least recently asked for, as many as need be", () => {
    const { budget, dropped, load } = createCase(100);
    for (const name of ["a", "b", "c"]) load(name, 30);
    budget.use(ref("a"), "asked");
    expect(dropped).toEqual([]);

    load("d", 60);

    expect(dropped).toEqual(["b", "c"]);
    expect(budget.bytes).toBe(90);
  });

  it("drops none for one that is only kept warm, which goes itself and is not warmed again while there is no room", () => {
    const { budget, dropped, load } = createCase(100);
    load("a", 80);

    load("b", 30, "warm");

    expect(dropped).toEqual(["b"]);
    expect(budget.hasSpace(ref("a"))).toBe(true);
    expect(budget.hasSpace(ref("b"))).toBe(false);
    budget.resize(ref("a"), 0);
    expect(budget.hasSpace(ref("b"))).toBe(true);
  });

  it("keeps one that is too large alone, and says so", () => {
    const { budget, dropped, logged, load } = createCase(100);
    load("a", 50);

    load("b", 120);

    expect(dropped).toEqual(["a"]);
    expect(budget.bytes).toBe(120);
    expect(logged).toMatchObject([{ collection: "b", bytes: 120, allowed: 100 }]);
  });

  it("counts what grew after its load, and forgets what its thread took along", () => {
    const { budget, dropped, load } = createCase(100);
    load("a", 50);
    load("b", 40);
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
});
