/** Tokens are hidden by what the chain index has once their rows are locked. */

import { beforeEach, expect, it } from "vitest";
import { createMetadata } from "../../../src/api/metadata/service.ts";
import { createTestDatabase } from "../../support/database.ts";
import { eventually } from "../../support/eventually.ts";
import { CHAIN_ID, COLLECTION, createFakeResolve, emptyTables, failed } from "../../support/refresh.ts";
import { createBarrier } from "../../support/worker.ts";
import { countWaiting } from "./traits-harness.ts";

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
  await database.query(`truncate ${tables.tokenState}`);
  await test.setHead({ chainId: CHAIN_ID, block: 100 });
});

it("one that is minted anew meanwhile stays listed", async () => {
  await know("1", "2");
  const [held, release] = [createBarrier(), createBarrier()];
  const holding = database.transaction(async (tx) => {
    await tx.query("select from vitrine.token where token_id = 1 for update");
    held.open();
    await release.opened;
  });
  await held.opened;

  const hiding = database.transaction((tx) =>
    metadata.hideReverted(tx, { chainId: CHAIN_ID, collection: COLLECTION, tokenIds: ["1", "2"] }),
  );
  await eventually(
    () => countWaiting(database),
    (waiting) => waiting > 0,
  );
  await mint(2n);
  await know("2");
  release.open();
  await Promise.all([holding, hiding]);

  expect(await hidden()).toEqual([{ id: 1 }]);
});
