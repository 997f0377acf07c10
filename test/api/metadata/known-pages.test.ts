/** All known tokens of a collection, page by page. */

import { beforeEach, expect, it } from "vitest";
import { addKnownTokens } from "../../../src/api/metadata/listing/listing-store.ts";
import { knownPages } from "../../../src/api/metadata/listing/range-store.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import { CHAIN_ID, COLLECTION, emptyTables } from "../../support/refresh/refresh.ts";

const { database, tables } = await createTestDatabase();
const MAX = (2n ** 256n - 1n).toString();

beforeEach(() => emptyTables(database));

it.each<[tokens: string[], pages: string[][]]>([
  [[], []],
  [["0"], [["0"]]],
  [["0", MAX], [["0", MAX]]],
  [
    ["0", "2", "10"],
    [["0", "2"], ["10"]],
  ],
  [
    ["0", "2", "10", MAX],
    [
      ["0", "2"],
      ["10", MAX],
    ],
  ],
])("two at a time, in the order of ids: %j", async (tokens, pages) => {
  await addKnownTokens(
    database,
    tables,
    CHAIN_ID,
    COLLECTION,
    new Map(tokens.map((tokenId) => [tokenId, 1])),
  );
  await addKnownTokens(database, tables, CHAIN_ID + 1, COLLECTION, new Map([["1", 1]]));

  const found: (readonly string[])[] = [];
  for await (const page of knownPages(database, { chainId: CHAIN_ID, collection: COLLECTION }, 2))
    found.push(page);

  expect(found).toEqual(pages);
});
