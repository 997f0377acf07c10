/** Served documents are read by bytes: a document may have two megabytes. */

import { beforeEach, expect, it } from "vitest";
import type { Queryable } from "../../../src/api/db/database.ts";
import { readServedImages } from "../../../src/api/metadata/records/image-key-store.ts";
import { learnServedTraits } from "../../../src/api/metadata/records/learn-served.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import { CHAIN_ID, COLLECTION, emptyTables, ref } from "../../support/refresh/refresh.ts";

const { database } = await createTestDatabase();
const LARGE = 900_000;
const LARGE_READ_MAX = 2 * 1024 * 1024 + 10_000;

beforeEach(() => emptyTables(database));

/** A token that serves a document of so many bytes. */
async function store(tokenId: string, bytes: number): Promise<void> {
  const document = {
    name: "Hero",
    description: "x".repeat(bytes),
    image: `https://img.example/${tokenId}.png`,
    video: null,
    animation_url: null,
    external_url: null,
    traits: [{ trait_type: "Level", display_type: "number", value: Number(tokenId) }],
  };
  await database.query(
    `with v as (
       insert into vitrine.version (chain_id, collection, token_id, number, trigger, outcome, uri, read_block, duration_ms,
                                    content_hash, metadata, issues, complete, normaliser)
       values ($1, $2, $3, 1, 'event', 'updated', 'https://meta.example/1', 7, 1, null, $4, '[]', true, 7) returning id)
     insert into vitrine.token (chain_id, collection, token_id, served_version, versions, good_block, last_outcome)
     select $1, $2, $3, id, 1, 7, 'good' from v`,
    [CHAIN_ID, COLLECTION, tokenId, JSON.stringify(document)],
  );
}

/** The most bytes that a statement of the work returns, and how many statements it makes. */
async function measure<Result>(work: (tx: Queryable) => Promise<Result>) {
  let most = 0;
  let statements = 0;
  const result = await database.transaction((tx) =>
    work({
      async query<Row>(text: string, parameters?: readonly unknown[], name?: string) {
        const rows = await tx.query<Row>(text, parameters, name);
        most = Math.max(most, JSON.stringify(rows).length);
        statements++;
        return rows;
      },
    }),
  );
  return { result, most, statements };
}

const ids = ["1", "2", "3", "4", "5"];
const urls = ids.map((id) => `https://img.example/${id}.png`);

it("traits of large documents are learned a few at a time, and only media are kept of them", async () => {
  for (const id of ids) await store(id, id === "3" ? 10 : LARGE);

  const { result, most } = await measure((tx) => learnServedTraits(tx, ref(""), ids));

  expect(most).toBeLessThan(LARGE_READ_MAX);
  expect(result.sort((a, b) => String(a.image).localeCompare(String(b.image)))).toEqual(
    urls.map((image) => ({ image, video: null, animation_url: null })),
  );
  const learned = await database.query<{ level: number }>(
    `select v.value_text::int as level from vitrine.token t join vitrine.trait_value v on v.id = any(t.traits)
      order by level`,
  );
  expect(learned.map(({ level }) => level)).toEqual([1, 2, 3, 4, 5]);
  const [type] = await database.query("select highest from vitrine.trait_type");
  expect(type).toEqual({ highest: 5 });
});

it("images of large documents are read a few at a time, and of ordinary ones with one statement", async () => {
  for (const id of ids) await store(id, id === "3" ? 10 : LARGE);
  const tokens = ids.map(ref);

  const { result, most } = await measure((tx) => readServedImages(tx, tokens));
  expect(most).toBeLessThan(LARGE_READ_MAX);
  expect([...result.values()].sort()).toEqual(urls);

  const { result: one, statements } = await measure((tx) => readServedImages(tx, [ref("3")]));
  expect([...one.values()]).toEqual(["https://img.example/3.png"]);
  expect(statements).toBe(1);
});
