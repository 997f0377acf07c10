/** Searches that PostgreSQL answers, beside the search index and a scan by brute force. */

import fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import type { Database } from "../../../src/api/db/database.ts";
import { silentLogger } from "../../../src/api/logging/logger.ts";
import type { DisplayType } from "../../../src/api/metadata/document/traits.ts";
import { createCollectionSearch } from "../../../src/api/search/collection-search.ts";
import { firstCharacters, folded } from "../../../src/api/search/columns/folded-text.ts";
import type { CountedFacets } from "../../../src/api/search/query.ts";
import { createDatabaseSearch } from "../../../src/api/search/sql/database-search.ts";
import { foldedSql } from "../../../src/api/search/sql/fold.ts";
import { createParameters } from "../../../src/api/search/sql/parameters.ts";
import { packFacets, unpackFacets } from "../../../src/api/search/threads/packed-facets.ts";
import { countRowsRead, createTestDatabase } from "../../support/database/database.ts";
import { CHAIN_ID, COLLECTION } from "../../support/refresh/refresh.ts";
import * as any from "./arbitraries.ts";
import { walkStacks } from "./index-harness.ts";
import { completed, facets, type ModelToken, named, panel, sorted, stacked } from "./model.ts";
import { storeModel } from "./stored-model.ts";

const test = await createTestDatabase();
const { database, tables } = test;
const collection = { chainId: CHAIN_ID, collection: COLLECTION };
const ALL = { criteria: [], ranges: [] };
const inDatabase = createDatabaseSearch({ database, tables }, collection);
const inMemory = () => createCollectionSearch({ database, tables, collection, logger: silentLogger });

/** Facets as the service answers them. */
const shown = async (counted: Promise<CountedFacets>) => unpackFacets(packFacets(await counted));

let head = 100;
beforeEach(() => test.setHead({ chainId: CHAIN_ID, block: head++ }));

const loaded = fc.uniqueArray(any.token, { selector: ({ tokenId }) => tokenId, maxLength: 30 });
// PostgreSQL doesn't rank.
const sort = any.sort.filter(({ by }) => by !== "rarity");
const question = fc.record({
  filter: any.filter,
  sort,
  limit: fc.integer({ min: 1, max: 7 }),
  prefix: any.valuePrefix,
  names: any.nameQuery,
});
const approved = fc.dictionary(any.traitType, any.displayType) as fc.Arbitrary<Record<string, DisplayType>>;

describe("PostgreSQL answers like the search index and like a scan", () => {
  it("whatever is asked: pages with every cursor, totals, facets and panels", async () => {
    await fc.assert(
      fc.asyncProperty(
        loaded,
        approved,
        fc.array(question, { minLength: 1, maxLength: 6 }),
        async (tokens, types, questions) => {
          const model = await storeModel(test, tokens, types);
          const index = inMemory();
          for (const { filter, sort, limit, prefix, names } of questions) {
            const expected = sorted(model, filter, sort);
            const walked: string[] = [];
            let cursor: string | undefined;
            do {
              const query = { filter, sort, limit, ...(cursor !== undefined && { cursor }) };
              const page = await inDatabase.page(query);
              // The cursor too: a walk may begin in one and go on in the other.
              expect(page).toEqual(await index.page(query));
              expect(page.total).toBe(expected.length);
              walked.push(...page.tokenIds);
              cursor = page.nextCursor ?? undefined;
            } while (cursor !== undefined && walked.length <= expected.length);
            expect(walked).toEqual(expected);
            expect(await inDatabase.completeValues(prefix)).toEqual(completed(model, prefix));
            expect(await index.completeValues(prefix)).toEqual(completed(model, prefix));
            expect(await inDatabase.findNamed(names)).toEqual(named(model, names));
            expect(await index.findNamed(names)).toEqual(named(model, names));
            expect(await walkStacks(inDatabase, filter, sort, limit)).toEqual(stacked(model, filter, sort));
            expect(await walkStacks(index, filter, sort, limit)).toEqual(stacked(model, filter, sort));
            const grouped = { filter, sort, limit, group: "document" as const };
            expect(await inDatabase.page(grouped)).toEqual(await index.page(grouped));
            const offset = { filter, sort, limit, offset: 3 };
            expect(await inDatabase.page(offset)).toEqual(await index.page(offset));
            expect(await shown(inDatabase.facets(filter))).toEqual(facets(model, filter));
            expect(await shown(inDatabase.panel(filter))).toEqual(panel(model, filter));
          }
          const traits = tokens.flatMap((token) => token.traits);
          const counted = { traits, tokenIds: [] };
          expect(await inDatabase.countTraits(counted)).toEqual(await index.countTraits(counted));
          const [first, second] = tokens.map(({ tokenId }) => tokenId);
          const own = { tokenIds: [...(first ? [first] : []), ...(second ? [second] : []), "77777"] };
          const [inSql, inIndex] = [await inDatabase.countTraits(own), await index.countTraits(own)];
          expect(new Set(inSql.counts)).toEqual(new Set(inIndex.counts));
          const apart = { counts: [], rarity: 0, stamp: null };
          expect({ ...inSql, ...apart }).toEqual({ ...inIndex, ...apart });
          const names = ["Level", "level", "Élan ", "None", "\0"];
          expect(await inDatabase.shownTypes(names)).toEqual(await index.shownTypes(names));
        },
      ),
      { numRuns: 60 },
    );
  });

  const tokenOf = (nth: number, token: Partial<ModelToken>): ModelToken => ({
    tokenId: String(nth),
    name: null,
    description: null,
    servedAt: null,
    sinceBlock: null,
    traits: [],
    ...token,
  });
  const text = (trait_type: string, value: string) => ({
    trait_type,
    display_type: "string" as const,
    value,
  });

  const serials = Array.from({ length: 300 }, (_, nth) =>
    tokenOf(nth, {
      traits: [{ trait_type: "Level", display_type: "number", value: nth }, text("Serial", `#${nth % 250}`)],
    }),
  );

  it("about more values than it compares one by one", async () => {
    const model = await storeModel(test, serials);
    const filters = [
      { ...ALL, ranges: [{ name: "Level", from: 20, to: 280 }] },
      { ...ALL, text: "#1" },
      { ...ALL, criteria: [{ name: "Serial", values: Array.from({ length: 150 }, (_, nth) => `#${nth}`) }] },
    ];
    for (const filter of filters) {
      const sort = { by: "trait" as const, name: "Serial", descending: true };
      expect((await inDatabase.page({ filter, sort, limit: 100 })).tokenIds).toEqual(
        sorted(model, filter, sort).slice(0, 100),
      );
      expect(await shown(inDatabase.panel(filter))).toEqual(panel(model, filter));
    }
  });

  it.each(["vitrine.trait_type", "vitrine.trait_value"])(
    "without reading the tokens again for each value, where PostgreSQL has statistics of %s alone",
    async (table) => {
      // Values come after the statistics.
      await storeModel(test, serials.slice(0, 2));
      await database.query("analyze vitrine.trait_value");
      await storeModel(test, serials);
      await database.query(
        `delete from pg_statistic where starelid = any('{vitrine.token, vitrine.trait_type}'::regclass[])`,
      );
      if (table === "vitrine.trait_type") await database.query(`analyze ${table}`);
      let read = 0;
      const counting: Database = {
        ...database,
        transaction: (work) =>
          database.transaction(async (tx) => {
            // As the search sets it, which no statement may precede.
            await tx.query("set transaction isolation level repeatable read, read only");
            const answers: Awaited<ReturnType<typeof work>>[] = [];
            read += await countRowsRead(tx, ["vitrine"], async () => {
              answers.push(await work(tx));
            });
            return answers[0] as (typeof answers)[number];
          }),
      };
      const filter = { ...ALL, ranges: [{ name: "Level", from: 20, to: 280 }] };
      await createDatabaseSearch({ database: counting, tables }, collection).panel(filter);
      expect(read).toBeLessThan(20 * serials.length);
    },
  );

  it("with the same limits of texts, trait types and values", async () => {
    const long = "💎".repeat(1_001);
    const tokens = Array.from({ length: 1_100 }, (_, nth) =>
      tokenOf(nth, {
        name: nth === 0 ? `${"x".repeat(999)}ßΣy` : null,
        traits: [
          text("Serial", `#${nth % 1_050}`),
          ...(nth < 3
            ? [text("Class", [long, `${long}!`, "💎".repeat(1_000)][nth] ?? ""), text(long, "of a long name")]
            : []),
          ...(nth === 5 ? Array.from({ length: 25 }, (_, at) => text(`Part ${at}`, "x")) : []),
        ],
      }),
    );
    await storeModel(test, tokens);
    const index = inMemory();
    for (const filter of [
      ALL,
      { ...ALL, criteria: [{ name: "Class", values: [long] }] },
      { ...ALL, criteria: [{ name: long, values: ["of a long name"] }] },
      { ...ALL, criteria: [{ name: "Serial", values: ["#1", "\0", "\ud800"] }] },
      { ...ALL, name: "xßσ" },
      { ...ALL, name: "xß" },
      { ...ALL, text: "\0" },
    ]) {
      expect(await shown(inDatabase.facets(filter))).toEqual(await shown(index.facets(filter)));
      expect(await shown(inDatabase.panel(filter))).toEqual(await shown(index.panel(filter)));
      const query = { filter, sort: { by: "name" as const, descending: false }, limit: 2 };
      expect(await inDatabase.page(query)).toEqual(await index.page(query));
    }
  });

  it("with the same limit of characters, so that an answer takes about eight MiB at three bytes each", async () => {
    const longest = (nth: number): string => String(nth).padEnd(1_000, "語");
    const tokens = Array.from({ length: 900 }, (_, nth) =>
      tokenOf(nth, { traits: ["Past", "Future", "Fate"].map((name) => text(name, longest(nth))) }),
    );
    await storeModel(test, tokens);
    const index = inMemory();
    const chosen = { ...ALL, criteria: [{ name: "Fate", values: [longest(7)] }] };

    const { traits } = await index.facets(ALL);

    expect(traits.map(({ values, values_total }) => [values.length, values_total])).toEqual([
      [833, 900],
      [833, 900],
      [833, 900],
    ]);
    expect(await shown(inDatabase.facets(ALL))).toEqual(await shown(index.facets(ALL)));
    expect(await shown(inDatabase.panel(chosen))).toEqual(await shown(index.panel(chosen)));
  });
});

describe("locks, by default or not, and tokens in minted ranges", () => {
  it.each([false, true])("as the search index finds them: default %s", async (locked) => {
    await storeModel(
      test,
      ["1", "2", "3", "4"].map((tokenId) => ({
        tokenId,
        name: null,
        description: null,
        servedAt: null,
        sinceBlock: null,
        traits: [],
        locked: tokenId === "2",
        owner: any.OWNERS[0] ?? "",
      })),
    );
    await database.query(`update ${tables.tokenState} set erc6982 = false where token_id = 3`);
    await database.query(`delete from ${tables.tokenState} where token_id = 4`);
    await database.query(`truncate ${tables.lockDefault}`);
    await test.insert("lockDefault", {
      chainId: CHAIN_ID,
      collectionAddress: COLLECTION,
      standard: "erc6982",
      locked,
      lockedSinceBlock: 1,
      lastLockChangeBlock: 1,
    });
    await database.query(`truncate ${tables.tokenRange}`);
    await test.insert("tokenRange", {
      chainId: CHAIN_ID,
      collectionAddress: COLLECTION,
      fromTokenId: "4",
      toTokenId: "9",
      owner: any.OWNERS[1] ?? "",
      transferId: "1",
      mintedBlock: 1,
      mintedLog: 0,
      blockTimestamp: 1,
      transactionHash: "0x01",
    });
    const index = inMemory();
    for (const filter of [
      { ...ALL, locked: true },
      { ...ALL, locked: false },
      ...any.OWNERS.map((owner) => ({ ...ALL, owners: [owner] })),
      { ...ALL, owners: any.OWNERS },
    ]) {
      const query = { filter, sort: { by: "id" as const, descending: false }, limit: 10 };
      expect(await inDatabase.page(query)).toEqual(await index.page(query));
    }
  });
});

describe("a cursor", () => {
  it.each([
    [{ by: "id", descending: false }, "x"],
    [{ by: "id", descending: true }, 5],
    [{ by: "name", descending: false }, 5],
    [{ by: "name", descending: false }, "\0"],
    [{ by: "latest" }, "x"],
    [{ by: "trait", name: "Level", descending: true }, "x"],
    [{ by: "trait", name: "Class", descending: true }, 1],
  ] as const)("whose key is not of the sort %j is refused: %j", async (sort, key) => {
    await storeModel(test, [
      {
        tokenId: "1",
        name: "a",
        description: null,
        servedAt: 1,
        sinceBlock: 1,
        traits: [
          { trait_type: "Level", display_type: "number", value: 1 },
          { trait_type: "Class", display_type: "string", value: "Mage" },
        ],
      },
    ]);
    const { writeCursor } = await import("../../../src/api/search/cursor.ts");
    const cursor = writeCursor(sort, { key, tokenId: "1" });
    await expect(inDatabase.page({ filter: ALL, sort, limit: 1, cursor })).rejects.toMatchObject({
      code: "INVALID_REQUEST",
      details: [{ path: "cursor" }],
    });
  });
});

describe("a folded text", () => {
  const character = fc.oneof(
    fc.constantFrom(..."aAzZ .':^-09ΣσςίΑİıßẞÉéÅÅǅǆΩﬁﬀⅨⓐꙊ𐐀𐐨ʰͅ\u0301\u0307\u00adͺ한가"),
    fc.string({ unit: "binary", minLength: 1, maxLength: 1 }),
  );
  const anyText = fc
    .array(character, { maxLength: 12 })
    .map((characters) => characters.join("").replaceAll("\0", "").toWellFormed());

  it("is the same in PostgreSQL as in the search index", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyText, { minLength: 1, maxLength: 200 }), async (texts) => {
        const parameters = createParameters();
        const all = parameters.add(texts);
        const rows = await database.query<{ folded: string }>(
          `select ${foldedSql("t.x", parameters)} as folded from unnest(${all}::text[]) with ordinality t(x, nth) order by nth`,
          parameters.values,
        );
        expect(rows.map((row) => row.folded)).toEqual(texts.map((each) => folded(firstCharacters(each))));
      }),
      { numRuns: 100 },
    );
  });

  it("contains the parts of the text, whatever stands behind them", () => {
    const whole = fc.string({ unit: fc.constantFrom(..."aA '.ΣσςΑ한"), maxLength: 8 });
    fc.assert(
      fc.property(whole, whole, (start, end) => {
        expect(folded(start + end)).toBe(folded(start) + folded(end));
      }),
      { numRuns: 1_000 },
    );
  });
});

it("rarity is unknown without a search index, and refused as a sort with the reason", async () => {
  await storeModel(test, []);
  const query = { filter: ALL, sort: { by: "rarity" as const }, limit: 1 };
  await expect(inDatabase.page(query)).rejects.toMatchObject({
    code: "UNAVAILABLE",
    details: [{ path: "sort", message: expect.stringContaining("SEARCH_MEMORY_MB") }],
  });
  expect((await inDatabase.countTraits({ traits: [], tokenIds: ["1"] })).rarity).toEqual(new Map());
});

it("delegations are no condition while a reorg has undone rows: revoked ones may be among them", async () => {
  await storeModel(test, []);
  const query = { filter: { ...ALL, owners: [COLLECTION], includeDelegated: true }, limit: 1 };
  const sorted = { ...query, sort: { by: "id" as const, descending: false } };
  const searches = [inDatabase, inMemory()];
  for (const search of searches) expect((await search.page(sorted)).tokenIds).toEqual([]);

  await test.revert(async () => undefined);

  for (const search of searches)
    await expect(search.page(sorted)).rejects.toMatchObject({ code: "UNAVAILABLE" });
});

it("a search that takes too long is answered 503 with Retry-After", async () => {
  await storeModel(test, []);
  const slow = createDatabaseSearch(
    {
      tables,
      database: {
        ...database,
        transaction: (work, kind) =>
          database.transaction(
            (tx) =>
              work({
                async query(sql, ...rest) {
                  if (!sql.startsWith("set"))
                    await tx.query("set local statement_timeout = 20; select pg_sleep(1)");
                  return tx.query(sql, ...rest);
                },
              }),
            kind,
          ),
      },
    },
    collection,
  );
  await expect(slow.facets(ALL)).rejects.toMatchObject({ code: "UNAVAILABLE", retryAfterSeconds: 30 });
});
