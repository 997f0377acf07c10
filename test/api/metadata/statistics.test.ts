/** Statements about many rows that PostgreSQL's statistics don't know: by those, a table holds next to nothing, or others. */

import { beforeEach, describe, expect, it } from "vitest";
import type { Queryable } from "../../../src/api/db/database.ts";
import { NORMALISER } from "../../../src/api/metadata/document/normalise.ts";
import type { Trait } from "../../../src/api/metadata/document/traits.ts";
import { hideReverted } from "../../../src/api/metadata/listing/untransferred-store.ts";
import { readUpdates } from "../../../src/api/metadata/records/update-store.ts";
import { staleIds } from "../../../src/api/metadata/renormalise/renormalise-store.ts";
import { internValues } from "../../../src/api/metadata/traits/trait-value-store.ts";
import { countRowsRead, createTestDatabase } from "../../support/database/database.ts";
import { countPlanWork } from "../../support/database/plan-work.ts";
import { CHAIN_ID, COLLECTION, emptyTables } from "../../support/refresh/refresh.ts";

const TOKENS = 4_000;
const OTHER = `0x${"77".repeat(20)}`;
const test = await createTestDatabase();
const { database, tables } = test;

beforeEach(() => emptyTables(database));

/** In whichever kind of transaction it is more. */
async function workOf(work: (tx: Queryable) => Promise<unknown>): Promise<number> {
  const count = (tx: Queryable) => countPlanWork(tx, work);
  return Math.max(await database.transaction(count), await database.transaction(count, "byKey"));
}

const add = async (collection: string, outcome = "updated"): Promise<void> => {
  await database.query(
    `insert into vitrine.token (chain_id, collection, token_id, since_block)
     select $1, $2, n, 1 from generate_series(1, $3::int) n`,
    [CHAIN_ID, collection, TOKENS],
  );
  await database.query(
    `insert into vitrine.version (chain_id, collection, token_id, number, trigger, outcome, duration_ms)
     select $1, $2, n, 1, 'mint', $4, 1 from generate_series(1, $3::int) n`,
    [CHAIN_ID, collection, TOKENS, outcome],
  );
};

describe.each([
  ["nothing", async () => {}],
  ["another collection", () => add(OTHER)],
  ["failed reads of others", () => add(OTHER, "failed")],
])("of a new collection where statistics know of %s", (_known, addKnown) => {
  beforeEach(async () => {
    await addKnown();
    await database.query("analyze vitrine.token, vitrine.version");
    await add(COLLECTION);
  });

  it.each([
    ["the collection's", undefined, 50],
    ["a token's", "7", 1],
  ])("%s changes are found by few reads", async (_whose, tokenId, found) => {
    const before = { at: "infinity", id: "9000000000000" };
    const work = await workOf(async (tx) => {
      const updates = await readUpdates(tx, {
        chainId: CHAIN_ID,
        collection: COLLECTION,
        tokenId,
        before,
        limit: 50,
      });
      expect(updates).toHaveLength(found);
    });
    expect(work).toBeLessThan(found * 20);
  });
});

it("changes of a collection are found by few reads where most collections are small", async () => {
  await add(COLLECTION);
  await database.query(
    `insert into vitrine.token (chain_id, collection, token_id) select $1, 'c' || n, 1 from generate_series(1, 500) n`,
    [CHAIN_ID],
  );
  await database.query("analyze vitrine.token, vitrine.version");
  const query = {
    chainId: CHAIN_ID,
    collection: COLLECTION,
    before: { at: "infinity", id: "9000000000000" },
  };

  const read = await database.transaction(async (tx) => {
    // As once the statement has run a few times.
    await tx.query("set local plan_cache_mode = force_generic_plan");
    return countRowsRead(tx, ["vitrine"], async () =>
      expect(await readUpdates(tx, { ...query, limit: 100 })).toHaveLength(100),
    );
  });

  expect(read).toBeLessThan(300);
});

describe.each([
  ["nothing", 0, 0],
  ["many values of one type", 1, TOKENS],
  ["a value of each of many types", TOKENS, 1],
])("of a trait type where statistics know of %s", (_known, types, values) => {
  it("values are found by few reads", async () => {
    await database.query("truncate vitrine.trait_value");
    const addValues = (from: number, to: number, each: number) =>
      database.query(
        `insert into vitrine.trait_value (trait_type_id, display_type, key, value_text)
         select t, 'string', v, v from generate_series($1::int, $2::int) t, generate_series(1, $3::int) v`,
        [from, to, each],
      );
    await addValues(2, 1 + types, values);
    await database.query("analyze vitrine.trait_value");
    await addValues(1, 1, TOKENS);
    const type = { id: 1, displayType: "string", highest: null, valuesEpoch: "1" } as const;
    const traits = Array.from({ length: 100 }, (_, n): Trait => {
      return { trait_type: "Colour", display_type: "string", value: String(1 + n * 7) };
    });

    const work = await workOf((tx) => internValues(tx, new Map([["Colour", type]]), traits));

    expect(work).toBeLessThan(traits.length * 50);
  });
});

it.each([
  ["older", NORMALISER - 1, 100],
  ["no older", NORMALISER, 0],
])(
  "where all versions are of %s rules, the older ones are found by few reads",
  async (_age, rules, found) => {
    await add(COLLECTION);
    await database.query("update vitrine.version set normaliser = $1", [rules]);
    await database.query("analyze vitrine.version");

    const work = await workOf(async (tx) => expect(await staleIds(tx, "0", 100)).toHaveLength(found));

    expect(work).toBeLessThan(TOKENS / 2);
  },
);

it("tokens of a reorg are locked by few reads where statistics say that none is seen", async () => {
  await add(OTHER);
  await database.query("update vitrine.token set unseen = true");
  await database.query("analyze vitrine.token");
  await add(COLLECTION);
  const tokenIds = Array.from({ length: 100 }, (_, n) => String(1 + n * 7));

  const work = await workOf((tx) =>
    hideReverted(tx, tables, { chainId: CHAIN_ID, collection: COLLECTION, tokenIds }),
  );

  expect(work).toBeLessThan(TOKENS * 5);
});
