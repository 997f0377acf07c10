/** Tokens are hidden and deleted by what the chain index has once their rows are locked. */

import { beforeEach, expect, it } from "vitest";
import type { Queryable } from "../../../src/api/db/database.ts";
import { createMetadata } from "../../../src/api/metadata/service.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import { keepLocked, untilWaiting } from "../../support/database/keep-locked.ts";
import {
  CHAIN_ID,
  COLLECTION,
  createFakeResolve,
  emptyTables,
  failed,
} from "../../support/refresh/refresh.ts";

const test = await createTestDatabase();
const { database, tables } = test;
const metadata = createMetadata({ resolve: createFakeResolve(() => failed("timeout")).resolve, tables });

const mint = (tokenId: bigint) =>
  test.insert("tokenState", {
    chainId: CHAIN_ID,
    collectionAddress: COLLECTION,
    tokenId,
    standard: "erc1155",
    supply: 1n,
    burned: false,
    lockCount: 0,
  });
const know = (...tokenIds: string[]) =>
  database.transaction((tx) =>
    metadata.addKnownTokens(tx, CHAIN_ID, COLLECTION, new Map(tokenIds.map((tokenId) => [tokenId, 100]))),
  );
const hidden = () =>
  database.query("select token_id::int as id from vitrine.token where unseen order by token_id");

beforeEach(async () => {
  await emptyTables(database);
  await database.query(`truncate ${tables.tokenState}, ${tables.collectionState}`);
  await test.insert("collectionState", {
    chainId: CHAIN_ID,
    collectionAddress: COLLECTION,
    standard: "erc1155",
    items: 3,
    owners: 1,
  });
  await test.setHead({ chainId: CHAIN_ID, block: 100 });
});

/** Starts work on tokens 1 and 2, which waits for the row of 1 while 2 is minted and another process handles that. */
async function mintDuring(work: (tx: Queryable) => Promise<unknown>): Promise<void> {
  const release = await keepLocked(database, "select from vitrine.token where token_id = 1 for update");
  const working = database.transaction(work);
  await untilWaiting(database);
  await mint(2n);
  await know("2");
  await Promise.all([release(), working]);
}

const collection = { chainId: CHAIN_ID, collection: COLLECTION };

it("one of a reverted mint that is minted anew meanwhile stays listed", async () => {
  await know("1", "2");

  await mintDuring((tx) => metadata.hideReverted(tx, { ...collection, tokenIds: ["1", "2"] }));

  expect(await hidden()).toEqual([{ id: 1 }]);
});

it("one that had no transfer, and gets its first meanwhile, is not deleted", async () => {
  await know("1", "2");
  await database.query("update vitrine.token set known_since = now() - interval '1 hour'");

  await mintDuring((tx) => metadata.deleteNeverTransferred(tx, collection, ["1", "2"]));

  expect(await database.query("select token_id::int as id from vitrine.token")).toEqual([{ id: 2 }]);
});
