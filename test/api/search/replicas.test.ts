/** Two replicas write through the recorder while a third serves, and two serve one walk by turns. */

import { afterAll, beforeEach, expect, it } from "vitest";
import { createDatabase, type Database } from "../../../src/api/db/database.ts";
import { silentLogger } from "../../../src/api/logging/logger.ts";
import type { TokenSort } from "../../../src/api/search/query.ts";
import { createSearch } from "../../../src/api/search/service.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import { createRandom, type Random } from "../../support/random.ts";
import { CHAIN_ID, emptyTables } from "../../support/refresh/refresh.ts";
import { createTraitsHarness, number, text } from "../metadata/traits-harness.ts";
import { walkPages } from "./index-harness.ts";
import { facets, panel, sorted } from "./model.ts";
import { ALL, collection, createSearchHarness } from "./search-harness.ts";

const test = await createTestDatabase();
const { database } = test;
const writers = [createDatabase(test.url, silentLogger), createDatabase(test.url, silentLogger)] as const;
afterAll(() => Promise.all(writers.map((each) => each.close())));
const harness = createSearchHarness(test);
const traits = createTraitsHarness(test);

const TOKENS = 120;
const WRITES = 150;
const TOKENS_RANKED = 3_000;
const classes = ["Mage", "Rogue", "Bard", "Monk"];
const sorts: readonly TokenSort[] = [
  { by: "id", descending: false },
  { by: "name", descending: true },
  { by: "updated" },
  { by: "trait", name: "Level", descending: true },
];
const filters = [
  { criteria: [{ name: "Class", values: ["Mage", "Twice"] }], ranges: [{ name: "Level", from: 5 }] },
  { criteria: [{ name: "Class", values: ["Bard"] }], ranges: [], text: "hero 1" },
];

beforeEach(() => emptyTables(database));

const documentOf = (tokenId: number, random: Random) => ({
  name: `Hero ${random.whole(0, 29)}`,
  attributes: [
    text("Class", random.pick(classes)),
    number("Level", random.whole(0, 19)),
    ...(random.chance(0.3) ? [text("Class", "Twice")] : []),
    ...(random.chance(0.2) ? [text(`Only ${tokenId}`, "here")] : []),
  ],
});

/** Writes only to odd tokens. */
async function write(on: Database, seed: number): Promise<void> {
  const random = createRandom(seed);
  for (let nth = 0; nth < WRITES; nth++) {
    const tokenId = 1 + 2 * random.whole(0, Math.floor(TOKENS / 2) - 1);
    if (random.chance(0.1)) await traits.forget(String(tokenId), on);
    else await harness.record(new Map([[String(tokenId), documentOf(tokenId, random)]]), on, nth);
  }
}

it("no walk loses or repeats a token that does not change, and at rest every answer is a scan's", async () => {
  await test.setHead({ chainId: CHAIN_ID, block: 1 });
  const random = createRandom(7);
  const all = Array.from({ length: TOKENS }, (_, at) => [String(at), documentOf(at, random)] as const);
  await harness.record(new Map(all));
  const before = await harness.readModel();
  const isUnchanged = (tokenId: string): boolean => Number(tokenId) % 2 === 0;
  const expected = sorts.map((sort) => sorted(before, ALL, sort).filter(isUnchanged));

  let isWriting = true;
  const writing = Promise.all(writers.map((on, at) => write(on, at + 1))).finally(() => {
    isWriting = false;
  });
  let walks = 0;
  for (; isWriting || walks <= sorts.length; walks++) {
    const at = walks % sorts.length;
    const walked = await walkPages(harness, ALL, sorts[at] ?? { by: "latest" }, 7);
    expect(walked.filter(isUnchanged)).toEqual(expected[at]);
    expect((await harness.facets()).total).toBeGreaterThanOrEqual(TOKENS / 2);
  }
  await writing;

  const after = await harness.readModel();
  expect(await harness.facets()).toEqual(facets(after, ALL));
  for (const filter of filters) expect(await harness.panel(filter)).toEqual(panel(after, filter));
  for (const sort of sorts) expect(await walkPages(harness, ALL, sort, 50)).toEqual(sorted(after, ALL, sort));
});

it("a walk by rarity over replicas that learned values in another order loses and repeats nothing", async () => {
  await test.setHead({ chainId: CHAIN_ID, block: 1 });
  const random = createRandom(3);
  const value = () =>
    random.chance(0.8) ? "Plain" : `v${Math.min(random.whole(0, 59), random.whole(0, 59))}`;
  const family = () => (random.chance(0.25) ? `Family ${random.whole(0, 199)}` : value());
  const documents = Array.from({ length: TOKENS_RANKED }, (_, id): [string, object] => [
    String(id),
    { name: `Hero ${id}`, attributes: [text("Hat", family()), text("Eyes", value()), text("Aura", value())] },
  ]);
  // As a sweep reads them.
  const shuffled = documents
    .map((each) => ({ each, at: random.next() }))
    .sort((one, other) => one.at - other.at)
    .map(({ each }) => each);
  const create = () => createSearch({ database, tables: test.tables, logger: silentLogger });
  const [follower, latecomer] = [create(), create()];
  await follower.facets(collection, ALL);
  for (const half of [shuffled.slice(0, TOKENS_RANKED / 2), shuffled.slice(TOKENS_RANKED / 2)]) {
    await harness.record(new Map(half));
    await follower.facets(collection, ALL);
  }

  const walked: string[] = [];
  let cursor: string | undefined;
  for (let nth = 0; nth === 0 || cursor !== undefined; nth++) {
    const query = { filter: ALL, sort: { by: "rarity" as const }, limit: 20, cursor };
    const page = await (nth % 2 === 0 ? follower : latecomer).page(collection, query);
    walked.push(...page.tokenIds);
    cursor = page.nextCursor ?? undefined;
    expect(walked.length).toBeLessThanOrEqual(documents.length);
  }
  await Promise.all([follower.close(), latecomer.close()]);

  expect(walked).toHaveLength(documents.length);
  expect(new Set(walked).size).toBe(documents.length);
});
