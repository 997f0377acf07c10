/** A collection read in bulk answers as one that was read token by token. */

import { beforeEach, expect, it, vi } from "vitest";
import type { Database } from "../../../src/api/db/database.ts";
import { createTokenBatch } from "../../../src/api/search/columns/token-batch.ts";
import type { TokenSort } from "../../../src/api/search/query.ts";
import { loadIndex } from "../../../src/api/search/sync/load-index.ts";
import { copyTokens, readIdAfter } from "../../../src/api/search/sync/store.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import { CHAIN_ID, COLLECTION, emptyTables, ref } from "../../support/refresh/refresh.ts";
import { number, text } from "../metadata/traits-harness.ts";
import { walkPages } from "./index-harness.ts";
import { facets, sorted } from "./model.ts";
import { ALL, createSearchHarness } from "./search-harness.ts";

const test = await createTestDatabase();
const { database, tables } = test;
const harness = createSearchHarness(test);

const sorts: readonly TokenSort[] = [
  { by: "id", descending: false },
  { by: "id", descending: true },
  { by: "name", descending: false },
  { by: "name", descending: true },
  { by: "latest" },
  { by: "updated" },
  { by: "trait", name: "Level", descending: true },
];

beforeEach(() => emptyTables(database));

it("names, ids and numbers of every kind are sorted, found and counted as by a scan", async () => {
  const ids = ["0", "1", "9999", "10000", "99999999", "100000000", "9007199254740991", "9007199254740992"];
  const tokenIds = [...ids, (2n ** 128n).toString(), (2n ** 256n - 1n).toString(), "10000000000000000"];
  const names = [
    "Hero",
    "hero",
    "Hero 10",
    "Hero 1",
    "Héro",
    "HE\u0301RO",
    "💎",
    "İ",
    "Hero of the long name",
    "é".repeat(400),
  ];
  const documents = [...tokenIds, ...Array.from({ length: 60 }, (_, nth) => String(20_000 + nth))].map(
    (tokenId, nth) =>
      [
        tokenId,
        {
          name: names[nth % names.length] ?? "",
          ...(nth % 3 === 0 && { description: `Number ${nth}` }),
          attributes: [
            ...(nth % 4 === 0 ? [] : [number("Level", (nth * 7) % 11)]),
            ...(nth % 5 === 0 ? [text("Class", "Mage"), text("Class", "Rogue")] : []),
          ],
        },
      ] as const,
  );
  for (const [nth, part] of [documents.slice(0, 30), documents.slice(30)].entries())
    await harness.record(new Map(part), database, 100 - nth);
  await harness.metadata.addKnownTokens(
    database,
    CHAIN_ID,
    COLLECTION,
    new Map([
      ["77", 1],
      ["3", 1],
    ]),
  );
  await database.query(
    "update vitrine.token set since_block = null, served_at = '1969-12-31 23:59:59.5Z' where token_id = 1",
  );
  const model = await harness.readModel();

  for (const sort of sorts) expect(await walkPages(harness, ALL, sort, 9)).toEqual(sorted(model, ALL, sort));
  expect(await harness.facets()).toEqual(facets(model, ALL));
  for (const text of ["héro", "NUMBER 1", "💎", "of the long"]) {
    const filter = { ...ALL, text };
    expect(await walkPages(harness, filter, { by: "latest" }, 50)).toEqual(
      sorted(model, filter, { by: "latest" }),
    );
  }
});

it("of names and descriptions as long as documents, the part that counts is read, not all of it", async () => {
  const long = (start: string): string => start + "é".repeat(900_000);
  await database.query(
    `insert into vitrine.token (chain_id, collection, token_id, name, description)
     values ($1, $2, 1, $3, $4), ($1, $2, 2, 'Short', 'Short')`,
    [CHAIN_ID, COLLECTION, long("Hero "), long("A hero ")],
  );
  const collection = { chainId: CHAIN_ID, collection: COLLECTION };
  const sizes: number[] = [];

  await copyTokens(database, collection, "-1", undefined, (bytes, at) => sizes.push(bytes.length - at));

  expect(sizes.map((size) => size < 5_000)).toEqual([true, true]);
  const { index } = await loadIndex({ database, tables, collection });
  expect(index.names.textOf(0)).toBe(`hero ${"é".repeat(995)}`);
  expect(index.names.textOf(1)).toBe("short");
});

it("a batch takes more rows, text and traits than it begins with room for", async () => {
  const names = ["a", "b", "c"].map((letter) => letter.repeat(900));
  const traits = names.map((_, nth) => Array.from({ length: 200 }, (_, at) => 1_000 * nth + at));
  for (const [nth, name] of names.entries())
    await database.query(
      "insert into vitrine.token (chain_id, collection, token_id, name, traits) values ($1, $2, $3, $4, $5)",
      [CHAIN_ID, COLLECTION, nth, name, traits[nth]],
    );
  const batch = createTokenBatch(1);

  await copyTokens(database, ref(""), "-1", undefined, batch.add);

  const rows = [0, 1, 2];
  const textAt = ({ from, to }: { from: number; to: number }) => batch.bytes.toString("utf8", from, to);
  expect(batch.size).toBe(3);
  expect(rows.map(batch.idOf)).toEqual(rows);
  expect(rows.map((nth) => textAt(batch.namePlace(nth)))).toEqual(names);
  expect(
    rows.map((nth) => [...batch.traits().subarray(batch.traitsFrom(nth), batch.traitsFrom(nth + 1))]),
  ).toEqual(traits);
});

it("a range has as many ids as its batch expects", async () => {
  await database.query(
    "insert into vitrine.token (chain_id, collection, token_id) select $1, $2, id from generate_series(1, 10) id",
    [CHAIN_ID, COLLECTION],
  );

  expect(await readIdAfter(database, ref(""), "-1", 4)).toBe("4");
  expect(await readIdAfter(database, ref(""), "4", 4)).toBe("8");
  expect(await readIdAfter(database, ref(""), "8", 4)).toBeUndefined();
});

it("a collection of several ranges has every token once", async () => {
  const tokens = 25_003;
  await database.query(
    `insert into vitrine.token (chain_id, collection, token_id, name, unseen)
     select $1, $2, n, 'Hero ' || n, n % 10 = 3 from generate_series(1, $3::int) n`,
    [CHAIN_ID, COLLECTION, tokens],
  );

  const { total } = await harness.facets();
  const descending = { by: "id", descending: true } as const;
  const { tokenIds } = await harness.page({ filter: ALL, sort: descending, limit: 3 });
  const found = await harness.page({
    filter: { ...ALL, name: "hero 1000" },
    sort: { by: "id", descending: false },
    limit: 100,
  });

  expect(total).toBe(tokens - 2_501);
  expect(tokenIds).toEqual(["25002", "25001", "25000"]);
  expect(found.tokenIds).toEqual([
    "1000",
    "10000",
    "10001",
    "10002",
    "10004",
    "10005",
    "10006",
    "10007",
    "10008",
    "10009",
  ]);
});

it("a range that can't be read while the next one is looked for is a failure of the load, and of nothing else", async () => {
  const unhandled = vi.fn();
  process.on("unhandledRejection", unhandled);
  await database.query(
    "insert into vitrine.token (chain_id, collection, token_id) select $1, $2, id from generate_series(1, 25000) id",
    [CHAIN_ID, COLLECTION],
  );
  const lost: Database = {
    ...database,
    async query<Row>(sql: string, parameters?: readonly unknown[], name?: string) {
      const rows = await database.query<Row>(sql, parameters, name);
      // Node reports a rejection that nobody has handled by then.
      await new Promise((resolve) => setImmediate(resolve));
      return rows;
    },
    copy: () => Promise.reject(new Error("connection lost")),
  };

  const loading = loadIndex({ database: lost, tables, collection: ref("") });

  await expect(loading).rejects.toThrow("connection lost");
  process.off("unhandledRejection", unhandled);
  expect(unhandled).not.toHaveBeenCalled();
});
