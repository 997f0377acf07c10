/** The chain's state of tokens, from block to block. */

import fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import { createYield } from "../../../src/api/async/yield-to-event-loop.ts";
import type { Database } from "../../../src/api/db/database.ts";
import { hasBit } from "../../../src/api/search/columns/bits.ts";
import {
  type CollectionIndex,
  createCollectionIndex,
} from "../../../src/api/search/index/collection-index.ts";
import { createChainFacts, differences } from "../../../src/api/search/sync/chain-facts.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import { eventually } from "../../support/eventually.ts";
import { createBarrier } from "../../support/processes/worker.ts";
import { CHAIN_ID, COLLECTION, emptyTables } from "../../support/refresh/refresh.ts";

const { database, tables } = await createTestDatabase();

beforeEach(() => emptyTables(database));

const ids = fc.uniqueArray(fc.oneof(fc.nat(30), fc.nat(2_000)), { maxLength: 40 });
const ascending = (numbers: readonly number[]): number[] => numbers.toSorted((a, b) => a - b);

describe("the differences between two lists of ids", () => {
  it("make one of the other, whatever both have in common", () => {
    fc.assert(
      fc.property(ids, ids, (before, after) => {
        const [gone, come] = differences(ascending(before).join(), ascending(after).join());

        const made = new Set(before.map(String));
        for (const id of gone) expect(made.delete(id)).toBe(true);
        for (const id of come) made.add(id);
        expect(made).toEqual(new Set(after.map(String)));
      }),
      { numRuns: 2_000 },
    );
  });

  it.each([
    ["1,2,3", "1,3", ["2"], []],
    ["1,22,3", "1,2,3", ["22"], ["2"]],
    ["", "5", [], ["5"]],
    ["7,8", "7,8,9", [], ["9"]],
    ["7,8", "6,7,8", [], ["6"]],
  ])("are few where few have changed: %j and %j", (before, after, gone, come) => {
    expect(differences(before, after)).toEqual([gone, come]);
  });
});

it("the sets of owners are kept as long as their ids fit, those read last rather than others, and one in any case", async () => {
  const ids: Readonly<Record<string, string>> = {
    large: "1,2,3,4,5,6,7,8",
    other: "2,3,4,5,6,7,8,9",
    small: "9",
  };
  const read: string[] = [];
  const counting: Database = {
    ...database,
    async query<Row>(sql: string, parameters: readonly unknown[] = [], name?: string) {
      const [owner] = Array.isArray(parameters[2]) ? parameters[2] : [];
      if (typeof owner !== "string") return database.query<Row>(sql, parameters, name);
      read.push(owner);
      return [{ isTrusted: true, ids: ids[owner] }] as Row[];
    },
  };
  const collection = { chainId: CHAIN_ID, collection: COLLECTION };
  const facts = createChainFacts({ database: counting, tables, collection, ownedCharactersMax: 20 });

  for (const owner of ["large", "large", "other", "other", "small", "other", "small", "large", "small"])
    await facts.read("1", { owners: [owner] });

  expect(read).toEqual(["large", "other", "small", "large"]);
  const one = createChainFacts({ database: counting, tables, collection, ownedCharactersMax: 5 });
  for (const owner of ["large", "large", "small", "small", "large"]) await one.read("1", { owners: [owner] });
  expect(read.slice(4)).toEqual(["large", "small", "large"]);
});

describe("the burned tokens of a block", () => {
  const TOKENS = 40;

  async function createIndex(): Promise<CollectionIndex> {
    const index = createCollectionIndex();
    for (let id = 0; id < TOKENS; id++) index.append(rowOf(id));
    await index.finish(createYield());
    return index;
  }
  const rowOf = (id: number) => ({
    tokenId: String(id),
    name: null,
    description: null,
    servedAt: null,
    sinceBlock: null,
    document: null,
    traits: [],
  });

  async function burn(burned: readonly number[]): Promise<void> {
    await database.query(`delete from ${tables.tokenState}`);
    await database.query(
      `insert into ${tables.tokenState} (chain_id, collection_address, token_id, standard, burned, lock_count)
       select $1, $2, n, 'erc721', true, 0 from unnest($3::int[]) n`,
      [CHAIN_ID, COLLECTION, burned],
    );
  }

  it("are those of its rows, in every index, whatever was burned before and came later", async () => {
    const facts = createChainFacts({
      database,
      tables,
      collection: { chainId: CHAIN_ID, collection: COLLECTION },
    });
    const indexes = [await createIndex()];
    const blocks = fc.sample(fc.uniqueArray(fc.nat(TOKENS + 10), { maxLength: 30 }), 25);

    for (const [block, burned] of blocks.entries()) {
      await burn(burned);
      // Some ids are burned before a search index has them.
      if (block % 3 === 2) for (const index of indexes) index.change([rowOf(index.ids.size)], []);
      // As when a search index is rebuilt.
      if (block === 20) indexes.push(await createIndex());
      const slotsIn = await facts.read(String(block), {});
      for (const index of indexes) {
        const bits = slotsIn(index).burned;
        const found = Array.from({ length: index.ids.size }, (_, id) => id).filter((id) =>
          hasBit(bits, index.find(String(id)) ?? -1),
        );
        expect(found).toEqual(ascending(burned.filter((id) => id < index.ids.size)));
      }
    }
  });

  it("stay those of a later read where an earlier one ends after it", async () => {
    const early = createBarrier();
    let reads = 0;
    const slow: Database = {
      ...database,
      async query<Row>(sql: string, parameters?: readonly unknown[], name?: string) {
        const nth = reads++;
        const rows = await database.query<Row>(sql, parameters, name);
        if (nth === 0) await early.opened;
        return rows;
      },
    };
    const collection = { chainId: CHAIN_ID, collection: COLLECTION };
    const facts = createChainFacts({ database: slow, tables, collection });
    const index = await createIndex();
    await burn([1]);
    const before = facts.read("1", {});
    await eventually(
      () => reads,
      (seen) => seen === 1,
    );
    await burn([1, 2, 3]);
    const after = await facts.read("2", {});
    early.open();
    const slotsBefore = await before;

    const burnedIn = (slotsIn: typeof after) =>
      Array.from({ length: TOKENS }, (_, id) => id).filter((id) =>
        hasBit(slotsIn(index).burned, index.find(String(id)) ?? -1),
      );
    expect(burnedIn(after)).toEqual([1, 2, 3]);
    expect(burnedIn(await facts.read("2", {}))).toEqual([1, 2, 3]);
    expect([[1], [1, 2, 3]]).toContainEqual(burnedIn(slotsBefore));
  });
});
