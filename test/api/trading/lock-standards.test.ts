/** Rows of all lock standards, as every reader interprets them: tokens, trade checks, the guard and search. */

import fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import { chainTables } from "../../../src/api/chain/index/tables.ts";
import { silentLogger } from "../../../src/api/logging/logger.ts";
import { addKnownTokens } from "../../../src/api/metadata/listing/listing-store.ts";
import { createSearch } from "../../../src/api/search/service.ts";
import { createTradeChecks } from "../../../src/api/trading/checks/checks.ts";
import type { CollectionConfig, LockReading } from "../../../src/config.ts";
import { createLockSetup } from "../../support/chain/lock-events.ts";
import { tokensOnChain } from "../../support/chain/tokens-on-chain.ts";
import { CHAIN_SCHEMA, createTestDatabase } from "../../support/database/database.ts";
import { trustingWitness } from "../../support/processes/app.ts";
import { CHAIN_ID, COLLECTION } from "../../support/refresh/refresh.ts";

const test = await createTestDatabase();
const { database, tables } = test;
const events = createLockSetup(test);
const ADA = "0x00000000000000000000000000000000000000a1";
const BEN = "0x00000000000000000000000000000000000000b2";
const NEIGHBOUR = "0x0000000000000000000000000000000000000001";

beforeEach(async () => {
  await events.clear();
  await database.query(
    `truncate ${tables.tokenState}, ${tables.tokenRange}, ${tables.tokenTransfer}, vitrine.token`,
  );
  await test.setHead({ chainId: CHAIN_ID, block: 100 });
});

/** The readers of a service with `locks` from the operator's collections.json. */
function serve(locks?: LockReading) {
  const collection: CollectionConfig = { chainId: CHAIN_ID, address: COLLECTION, startBlock: 0, locks };
  const read = {
    database,
    tables: chainTables(CHAIN_SCHEMA, [collection]),
    maxAgeSeconds: 60,
    witness: trustingWitness,
  };
  const search = createSearch({ ...read, logger: silentLogger });
  return {
    token: async (id: string) => (await tokensOnChain(read, [id])).get(id),
    tokens: (ids: readonly string[]) => tokensOnChain(read, ids),
    check: (ids: readonly string[]) =>
      createTradeChecks({ ...read, clients: new Map(), tradeMaxAgeSeconds: 60 }).check(
        ids.map((tokenId) => ({ chainId: CHAIN_ID, collection: COLLECTION, tokenId })),
      ),
    found: async (locked: boolean) => {
      const filter = { criteria: [], ranges: [], locked };
      const page = await search.page(collection, {
        filter,
        sort: { by: "id", descending: false },
        limit: 100,
      });
      return page.tokenIds;
    },
  };
}

const insertToken = (row: Record<string, unknown> = {}) =>
  test.insert("tokenState", {
    chainId: CHAIN_ID,
    collectionAddress: COLLECTION,
    tokenId: 1n,
    standard: "erc721",
    owner: ADA,
    burned: false,
    mintedBlock: 20n,
    lockCount: 0,
    ...row,
  });

const setDefault = (locked: boolean, row: Record<string, unknown> = {}) =>
  test.insert("lockDefault", {
    chainId: CHAIN_ID,
    collectionAddress: COLLECTION,
    standard: "erc6982",
    locked,
    lockedSinceBlock: locked ? 10n : null,
    lastLockChangeBlock: 10n,
    ...row,
  });

describe("a token that a standard holds", () => {
  it.each(["erc5192", "erc6982", "erc5753"])("%s is locked, and says so", async (standard) => {
    await insertToken({ lockCount: 1, lockedSinceBlock: 90n, [standard]: true });

    expect(await serve().token("1")).toMatchObject({
      lockCount: 1,
      lockStandards: [standard],
      lockedSinceBlock: 90,
      tradable: false,
    });
    expect(await serve().check(["1"])).toMatchObject([{ allowed: false, reason: "locked", lockCount: 1 }]);
  });

  it("beside counted locks adds one to them, and each standard is named once", async () => {
    await insertToken({ lockCount: 3, lockedSinceBlock: 90n, erc721xFlag: true, erc5753: true });

    expect(await serve().token("1")).toMatchObject({ lockCount: 3, lockStandards: ["erc721x", "erc5753"] });
  });

  it("names who may unlock, and nobody where the events name nobody", async () => {
    await insertToken({ lockCount: 2, lockedSinceBlock: 90n, erc5192: true, erc5753: true });
    await events.add({ block: 80, standard: "erc5753", by: ADA });
    await events.add({ block: 90, standard: "erc5192", by: null });
    await events.add({ block: 91, standard: "erc5753", by: BEN });

    expect((await serve().token("1"))?.approvedContracts).toEqual([BEN]);
  });
});

describe("a collection that locks by default", () => {
  it("locks tokens without an event of their own, from its event or their mint on", async () => {
    await setDefault(true);
    await insertToken();
    await insertToken({ tokenId: 2n, mintedBlock: null });
    await insertToken({ tokenId: 3n, erc6982: false });
    await insertToken({ tokenId: 4n, erc6982: true, lockCount: 1, lockedSinceBlock: 50n });
    const service = serve();

    const tokens = await service.tokens(["1", "2", "3", "4"]);
    const view = [...tokens.values()].map(
      ({ tokenId, lockCount, lockStandards, lockedSinceBlock, tradable }) => [
        tokenId,
        lockCount,
        lockStandards.join(),
        lockedSinceBlock,
        tradable,
      ],
    );
    expect(view.toSorted()).toEqual([
      ["1", 1, "erc6982", 20, false],
      ["2", 1, "erc6982", 10, false],
      ["3", 0, "", null, true],
      ["4", 1, "erc6982", 50, false],
    ]);
    expect((await service.check(["1", "2", "3", "4"])).map(({ reason }) => reason)).toEqual([
      "locked",
      "locked",
      null,
      "locked",
    ]);
  });

  it("locks tokens of a minted range, from the range's mint on", async () => {
    await setDefault(true);
    await test.insert("tokenRange", {
      chainId: CHAIN_ID,
      collectionAddress: COLLECTION,
      fromTokenId: 10n,
      toTokenId: 9_000n,
      owner: ADA,
      transferId: "mint",
      mintedBlock: 30n,
      mintedLog: 0,
      blockTimestamp: 1n,
      transactionHash: "0xmint",
    });

    expect(await serve().token("4000")).toMatchObject({
      lockCount: 1,
      lockStandards: ["erc6982"],
      lockedSinceBlock: 30,
      tradable: false,
    });
    expect(await serve("boolean").check(["4000"])).toMatchObject([{ reason: "locked", lockCount: 1 }]);
  });

  it("locks no token that was never seen, and none of another collection", async () => {
    await setDefault(true, { collectionAddress: NEIGHBOUR });
    await insertToken();
    expect(await serve().check(["1", "7"])).toMatchObject([
      { reason: null, lockCount: 0 },
      { reason: "unknown_token", lockCount: 0 },
    ]);
  });
});

describe('a collection with `locks: "boolean"`', () => {
  const lockedTwice = { lockCount: 1, lockedSinceBlock: 40n, erc721xFlag: false, flagLockedSinceBlock: null };

  it("is free where the last event is an unlock, though locks remain by the count", async () => {
    await insertToken(lockedTwice);

    expect(await serve("boolean").token("1")).toMatchObject({
      lockCount: 0,
      lockStandards: [],
      lockedSinceBlock: null,
      approvedContracts: [],
      tradable: true,
    });
    expect(await serve("count").token("1")).toMatchObject({ lockCount: 1, tradable: false });
    expect(await serve().token("1")).toMatchObject({ lockCount: 1, lockStandards: ["erc721x"] });
  });

  it("is locked once, since its last lock from free, by whom that event names", async () => {
    await insertToken({ lockCount: 3, lockedSinceBlock: 40n, erc721xFlag: true, flagLockedSinceBlock: 60n });
    await events.add({ block: 40, by: ADA });
    await events.add({ block: 50, by: ADA, direction: "unlock" });
    await events.add({ block: 60, by: ADA });
    await events.add({ block: 61, by: BEN });

    expect(await serve("boolean").token("1")).toMatchObject({
      lockCount: 1,
      lockedSinceBlock: 60,
      approvedContracts: [BEN],
    });
  });

  it("still honours the other standards", async () => {
    await insertToken({ ...lockedTwice, lockCount: 2, erc5192: true, flagLockedSinceBlock: 45n });

    expect(await serve("boolean").token("1")).toMatchObject({
      lockCount: 1,
      lockStandards: ["erc5192"],
      lockedSinceBlock: 45,
    });
  });
});

describe("a reorg that reverts a lock of another standard closes trading until the next block", () => {
  const reasons = async () => (await serve().check(["1", "2"])).map(({ reason }) => reason);
  const at = Math.floor(Date.now() / 1000);
  beforeEach(async () => {
    await events.setReady(true);
    await events.writer().writeBatch();
    await insertToken();
    await insertToken({ tokenId: 2n });
  });

  it("of the token, whoever the event names, or nobody", async () => {
    await events.add({ block: 95, standard: "erc5192", by: null, at });
    await events.writer().writeBatch();
    expect(await reasons()).toEqual([null, null]);

    await events.revert(95);
    expect(await reasons()).toEqual(["index_stale", null]);
    await events.writer().writeBatch();
    expect(await reasons()).toEqual(["index_stale", null]);
    await test.setHead({ chainId: CHAIN_ID, block: 101, age: -2 });
    expect(await reasons()).toEqual([null, null]);
  });

  it("of all tokens, where it was the default", async () => {
    await events.add({ block: 95, standard: "erc6982", token: null, by: null, at });
    await events.writer().writeBatch();

    await events.revert(95);
    expect(await reasons()).toEqual(["index_stale", "index_stale"]);
    await events.writer().writeBatch();
    await test.setHead({ chainId: CHAIN_ID, block: 101, age: -2 });
    expect(await reasons()).toEqual([null, null]);
  });
});

it("every reader says the same of any tokens, whatever the default and the reading", async () => {
  const flag = fc.constantFrom(null, false, true);
  const state = fc.record({ counted: fc.nat(2), flag, erc5192: flag, erc6982: flag, erc5753: flag });
  const collection = fc.record({
    tokens: fc.array(state, { minLength: 1, maxLength: 8 }),
    byDefault: flag,
    locks: fc.constantFrom<LockReading>("count", "boolean"),
  });
  await fc.assert(
    fc.asyncProperty(collection, async ({ tokens, byDefault, locks }) => {
      await database.query(`truncate ${tables.tokenState}, ${tables.lockDefault}, vitrine.token`);
      if (byDefault !== null) await setDefault(byDefault);
      const ids = tokens.map((_, index) => String(index + 1));
      await addKnownTokens(database, tables, CHAIN_ID, COLLECTION, new Map(ids.map((id) => [id, 1])));
      const expected: { readonly count: number; readonly standards: readonly string[] }[] = [];
      for (const [index, { counted, flag, ...own }] of tokens.entries()) {
        // A flag that is on means a lock that is still counted.
        const locked721x = flag === true ? counted + 1 : counted;
        const switchesOn = Object.values(own).filter((value) => value === true).length;
        const lockCount = locked721x + switchesOn;
        await insertToken({ tokenId: BigInt(index + 1), lockCount, erc721xFlag: flag, ...own });
        const counts = {
          erc721x: locks === "boolean" ? Number(flag === true) : locked721x,
          erc5192: Number(own.erc5192 === true),
          erc6982: Number(own.erc6982 ?? byDefault === true),
          erc5753: Number(own.erc5753 === true),
        };
        const standards = Object.entries(counts).flatMap(([name, count]) => (count > 0 ? [name] : []));
        expected.push({ count: Object.values(counts).reduce((sum, count) => sum + count, 0), standards });
      }
      const service = serve(locks);

      const seen = await service.tokens(ids);
      expect(ids.map((id) => seen.get(id)?.lockCount)).toEqual(expected.map(({ count }) => count));
      expect(ids.map((id) => seen.get(id)?.lockStandards)).toEqual(
        expected.map(({ standards }) => standards),
      );
      const checks = await service.check(ids);
      expect(checks.map(({ lockCount }) => lockCount)).toEqual(expected.map(({ count }) => count));
      const lockedIds = ids.filter((_, index) => (expected[index]?.count ?? 0) > 0);
      expect(await service.found(true)).toEqual(lockedIds);
      expect(await service.found(false)).toEqual(ids.filter((id) => !lockedIds.includes(id)));
    }),
    { numRuns: 60 },
  );
});
