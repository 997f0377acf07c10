/** The sitemap of a collection with more tokens than one file holds. */

import { beforeAll, expect, it, vi } from "vitest";
import { CHAIN_ID, COLLECTION } from "../../support/refresh/refresh.ts";
import { createPagesWorld } from "./world.ts";

const TOKENS = 20_001;
const FOLDER = `/sitemaps/${CHAIN_ID}/${COLLECTION}`;

const world = await createPagesWorld();
const { database } = world.test;

const add = (from: number, to: number) =>
  database.query(
    `insert into vitrine.token (chain_id, collection, token_id)
     select $1, $2, id from generate_series($3::int, $4::int) id`,
    [CHAIN_ID, COLLECTION, from, to],
  );
const idsIn = async (file: string): Promise<number[]> => {
  const { status, text } = await world.get(`${FOLDER}/${file}`);
  expect(status).toBe(200);
  return [...text.matchAll(/<loc>[^<]*\/(\d+)<\/loc>/g)].map(([, id]) => Number(id));
};

beforeAll(() => add(1, TOKENS));

it("names as many files as it takes, which have each token once, by id", async () => {
  const { text } = await world.get("/sitemap.xml");
  const files = [...text.matchAll(new RegExp(`${FOLDER}/([^<]*)<`, "g"))].map(([, file]) => file ?? "");
  const parts = [];
  for (const file of files) parts.push(await idsIn(file));

  expect(files).toEqual(["1.xml", "2.xml", "3.xml"]);
  expect(parts.map(({ length }) => length)).toEqual([10_000, 10_000, 1]);
  expect(parts.flat()).toEqual(Array.from({ length: TOKENS }, (_, nth) => nth + 1));
});

it("has new tokens at once while its last file has room for them", async () => {
  await add(TOKENS + 1, TOKENS + 3);

  expect(await idsIn("3.xml")).toEqual([TOKENS, TOKENS + 1, TOKENS + 2, TOKENS + 3]);
});

it("reads no tokens for a file that there is not, and of a later one no more than of the first", async () => {
  const statements = vi.spyOn(database, "query");
  const read = () => statements.mock.calls.filter(([text]) => text.includes("vitrine.token"));

  for (const file of ["4.xml", "100.xml", "999999.xml"])
    expect((await world.get(`${FOLDER}/${file}`)).status).toBe(404);
  expect(read()).toEqual([]);
  await idsIn("3.xml");
  expect(read().map(([, parameters]) => parameters?.slice(2))).toEqual([[String(TOKENS), null, 10_000]]);
  statements.mockRestore();
});
