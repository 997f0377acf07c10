/** Trait types that no token has any more, as after a reveal: searches by them find nothing, and go on. */

import { afterAll, beforeAll, expect, it } from "vitest";
import { silentLogger } from "../../../src/api/logging/logger.ts";
import { createTokenIds } from "../../../src/api/search/columns/token-ids.ts";
import { createTraitOrders } from "../../../src/api/search/columns/trait-orders.ts";
import { createTraitRows } from "../../../src/api/search/columns/trait-rows.ts";
import { createTraitTable } from "../../../src/api/search/columns/trait-table.ts";
import type { TokenFilter, TokenSort } from "../../../src/api/search/query.ts";
import { createSearch } from "../../../src/api/search/service.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import { CHAIN_ID } from "../../support/refresh/refresh.ts";
import { ALL, collection, createSearchHarness } from "./search-harness.ts";

const test = await createTestDatabase();
const harness = createSearchHarness(test);
const { database, tables, url } = test;
/** A process that starts after the reveal. */
const later = createSearch({
  ...{ database, tables, logger: silentLogger },
  threads: { connectionString: url, count: 1, heapMb: 512 },
});
afterAll(() => later.close());

beforeAll(async () => {
  await test.setHead({ chainId: CHAIN_ID, block: 100 });
  const hidden = [
    { trait_type: "Status", value: "Unrevealed" },
    { trait_type: "Level", display_type: "number", value: 1 },
  ];
  const shown = [{ trait_type: "Class", value: "Mage" }];
  await harness.record(new Map(["1", "2"].map((id) => [id, { name: id, attributes: hidden }])));
  await harness.record(new Map(["1", "2"].map((id) => [id, { name: id, attributes: shown }])), undefined, 11);
});

const byTrait = (name: string, descending: boolean): TokenSort => ({ by: "trait", name, descending });

it.each(["Status", "Level"])("sorted by %s, again and again, all tokens are there, by id", async (name) => {
  for (const descending of [false, true, false, true]) {
    const page = await later.page(collection, { filter: ALL, sort: byTrait(name, descending), limit: 10 });
    expect(page.tokenIds).toEqual(["1", "2"]);
  }
});

it("their values and ranges match nothing", async () => {
  const filters: TokenFilter[] = [
    { criteria: [{ name: "Status", values: ["Unrevealed"] }], ranges: [] },
    { criteria: [], ranges: [{ name: "Level", from: 1 }] },
  ];

  for (const filter of filters) {
    expect(
      await later.page(collection, { filter, sort: { by: "id", descending: false }, limit: 10 }),
    ).toMatchObject({
      tokenIds: [],
      total: 0,
    });
    await later.facets(collection, filter);
    await later.panel(collection, filter);
  }
  expect(await later.completeValues(collection, { name: "Status", prefix: "", limit: 10 })).toMatchObject({
    total: 0,
  });
});

it("an order that could not be made is made the next time", async () => {
  const ids = createTokenIds();
  const table = createTraitTable();
  const rows = createTraitRows(table);
  const orders = createTraitOrders({ ids, table, rows, isPresent: () => true });
  table.addType({ id: 1, key: "k", name: "Level", displayType: "number", highest: null });
  const [type] = table.types;
  if (!type) throw new Error("the type was added");
  const prepare = () => orders.prepare(type, false, new Uint32Array(0), async () => undefined);

  await expect(prepare()).rejects.toThrow("not in order");
  await table.orders.prepare(async () => undefined);
  await prepare();
  expect(orders.has(type, false)).toBe(true);
});
