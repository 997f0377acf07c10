import fc from "fast-check";
import { zeroAddress } from "viem";
import { beforeEach, describe, expect, it } from "vitest";
import { indexAnomaly, lockEvent, metadataUpdate, tokenState, tokenTransfer } from "../../ponder.schema.ts";
import { UINT256_MAX } from "../../src/domain/token-ref.ts";
import { COLLECTION, createEventSource, createFakeChainStore } from "../support/chain/fake-chain-store.ts";
import { batchLog, signatures, uriLog } from "../support/chain/token-logs.ts";
import "../../src/indexing/erc721.ts";
import "../../src/indexing/erc1155.ts";
import "../../src/indexing/locks.ts";
import "../../src/indexing/metadata-updates.ts";

const ALICE = "0xa11ce00000000000000000000000000000000000";
const BOB = "0xb0b0000000000000000000000000000000000000";
const GAME = "0x9a3e000000000000000000000000000000000000";
const BANK = "0xba2c000000000000000000000000000000000000";

let store: ReturnType<typeof createFakeChainStore>;
let chain: ReturnType<typeof createEventSource>;
beforeEach(() => {
  store = createFakeChainStore();
  chain = createEventSource(store);
});
const token = () => store.rows(tokenState)[0];
const triggers = () =>
  store
    .rows(metadataUpdate)
    .map(({ source, fromTokenId, toTokenId, scope }) => ({ source, fromTokenId, toTokenId, scope }));

describe("ERC-721 transfers", () => {
  const move = (from: string, to: string, tokenId = 1n) => chain.emit("Transfer", { from, to, tokenId });

  it("report the owner, the standard and where the token was minted", async () => {
    await move(zeroAddress, ALICE);
    await move(ALICE, BOB);

    expect(token()).toMatchObject({
      standard: "erc721",
      owner: BOB,
      burned: false,
      mintedBlock: 1n,
      mintedLog: 0,
      lockCount: 0,
    });
  });

  it("leave one trigger per mint, and none per move", async () => {
    await move(zeroAddress, ALICE);
    await move(ALICE, BOB);

    expect(triggers()).toEqual([{ source: "mint", fromTokenId: 1n, toTokenId: 1n, scope: "token" }]);
  });

  it("leave a trigger for a token whose mint is before the start block", async () => {
    await move(ALICE, BOB, 2n ** 255n);

    expect(triggers()).toEqual([
      { source: "first_seen", fromTokenId: 2n ** 255n, toTokenId: 2n ** 255n, scope: "token" },
    ]);
  });

  it("keep a burned token, and ask again when it is minted anew", async () => {
    await move(zeroAddress, ALICE);
    await move(ALICE, zeroAddress);
    expect(token()).toMatchObject({ owner: null, burned: true, burnedBlock: 2n });

    await move(zeroAddress, BOB);
    expect(token()).toMatchObject({ owner: BOB, burned: false, mintedBlock: 3n });
    expect(triggers().map(({ source }) => source)).toEqual(["mint", "mint"]);
  });

  it("keep the lock count through burn and re-mint, as contracts do", async () => {
    await move(zeroAddress, ALICE);
    await chain.log({ event: "TokenLocked(uint256,address)", topics: [1n, GAME] });
    await move(ALICE, zeroAddress);
    await move(zeroAddress, BOB);

    expect(token()).toMatchObject({ lockCount: 1, lockedSinceBlock: 2n });
  });
});

describe("ERC-1155 transfers", () => {
  const single = (from: string, to: string, id: bigint, value: bigint) =>
    chain.log({ event: signatures.single, topics: [ALICE, from, to], data: [id, value] });

  it("add up the supply over mints and burns", async () => {
    await single(zeroAddress, ALICE, 5n, 10n);
    await single(ALICE, BOB, 5n, 4n);
    await single(BOB, zeroAddress, 5n, 3n);

    expect(token()).toMatchObject({
      standard: "erc1155",
      owner: null,
      supply: 7n,
      burned: false,
      mintedBlock: 1n,
    });
  });

  it("call an id burned when nothing is left, and alive again after another mint", async () => {
    await single(zeroAddress, ALICE, 5n, 10n);
    await single(ALICE, zeroAddress, 5n, 10n);
    expect(token()).toMatchObject({ supply: 0n, burned: true, burnedBlock: 2n });

    await single(zeroAddress, ALICE, 5n, 1n);
    expect(token()).toMatchObject({ supply: 1n, burned: false, mintedBlock: 3n });
  });

  it("keep amounts of 2^256-1 exact", async () => {
    await single(zeroAddress, ALICE, UINT256_MAX, UINT256_MAX);

    expect(token()).toMatchObject({ tokenId: UINT256_MAX, supply: UINT256_MAX });
  });

  it("leave one trigger per new id of a batch, also when an id comes twice", async () => {
    await chain.log(batchLog({ from: zeroAddress, to: ALICE, ids: [1n, 2n, 1n], values: [1n, 1n, 1n] }));

    expect(triggers().map(({ fromTokenId }) => fromTokenId)).toEqual([1n, 2n]);
    expect(store.rows(tokenState).map(({ tokenId, supply }) => [tokenId, supply])).toEqual([
      [1n, 2n],
      [2n, 1n],
    ]);
  });

  it("have keys for a batch that sort as its ids stand in it", async () => {
    const ids = Array.from({ length: 12 }, (_, nth) => BigInt(100 - nth));
    await chain.log(batchLog({ from: zeroAddress, to: ALICE, ids, values: ids.map(() => 1n) }));

    const inOrder = store.rows(tokenTransfer).toSorted((a, b) => (String(a.id) < String(b.id) ? -1 : 1));
    expect(inOrder.map(({ tokenId }) => tokenId)).toEqual(ids);
  });

  it("never count below zero when the start block is after the mint", async () => {
    await single(ALICE, zeroAddress, 5n, 3n);

    expect(token()).toMatchObject({ supply: 0n, burned: true });
  });
});

describe("metadata updates", () => {
  const update = (id: bigint, at = {}) => chain.emit("MetadataUpdate(uint256)", {}, { ...at, data: [id] });
  const updateRange = (from: bigint, to: bigint) =>
    chain.emit("BatchMetadataUpdate(uint256,uint256)", {}, { data: [from, to] });

  it.each([
    ["one token", 7n, 7n, "token"],
    ["a range", 1n, 1_000_000n, "range"],
    ["the whole collection", 0n, UINT256_MAX, "collection"],
    ["the whole collection from anywhere", 12n, UINT256_MAX, "collection"],
    ["an inverted range, kept as such", 9n, 1n, "inverted"],
  ])("write one row for %s", async (_name, from, to, scope) => {
    await updateRange(from, to);

    expect(triggers()).toEqual([{ source: "BatchMetadataUpdate", fromTokenId: from, toTokenId: to, scope }]);
  });

  it("are read from the draft's layout as well", async () => {
    await chain.emit("MetadataUpdate(uint256)", {}, { topics: [4n] });
    await chain.emit("BatchMetadataUpdate(uint256,uint256)", {}, { topics: [0n, UINT256_MAX] });

    expect(triggers().map(({ fromTokenId, scope }) => [fromTokenId, scope])).toEqual([
      [4n, "token"],
      [0n, "collection"],
    ]);
  });

  it("of a range may name its new base URI, which is read from the contract all the same", async () => {
    const [offset, length, text] = [96n, 4n, 0x697066733a2f2f00n << 192n];
    await chain.emit(
      "BatchMetadataUpdate(uint256,uint256,string)",
      {},
      { data: [3n, 5n, offset, length, text] },
    );

    expect(triggers()).toEqual([
      { source: "BatchMetadataUpdate", fromTokenId: 3n, toTokenId: 5n, scope: "range" },
    ]);
  });

  it("that hold no ids are recorded as such, and ask for nothing", async () => {
    await chain.emit("MetadataUpdate(uint256)", {});
    await chain.emit("BatchMetadataUpdate(uint256,uint256)", {}, { data: [1n] });

    expect(triggers()).toEqual([]);
    expect(store.rows(indexAnomaly)).toMatchObject([
      {
        kind: "unreadable_metadata_update",
        count: 2,
        firstBlock: 1n,
        lastBlock: 2n,
        detail: "a MetadataUpdate log holds fewer than 1 token ids",
        transactionHash: "0xt1",
      },
    ]);
  });

  it("come from MetadataUpdate and from the ERC-1155 URI event", async () => {
    await update(0n);
    await chain.log(uriLog("https://x.example/{id}.json", 3n));

    expect(triggers().map(({ source, fromTokenId }) => [source, fromTokenId])).toEqual([
      ["MetadataUpdate", 0n],
      ["URI", 3n],
    ]);
  });

  it("sort by id in chain order and name block, hash and transaction", async () => {
    await update(1n, { block: 9, log: 2 });
    await update(2n, { block: 10, log: 0 });

    const rows = store.rows(metadataUpdate);
    expect(rows.map(({ id }) => id)).toEqual([...rows.map(({ id }) => id as string)].sort());
    expect(rows[0]).toMatchObject({
      blockNumber: 9n,
      blockHash: "0xb9",
      transactionHash: "0xt9",
      logIndex: 2,
      collectionAddress: COLLECTION,
    });
  });
});

describe("locks", () => {
  const lock = (by: string) => chain.log({ event: "TokenLocked(uint256,address)", topics: [1n, by] });
  const unlock = (by: string) => chain.log({ event: "TokenUnlocked(uint256,address)", topics: [1n, by] });

  it("hold a token until the last of two lockers lets go", async () => {
    await lock(GAME);
    await lock(BANK);
    await unlock(GAME);
    expect(token()).toMatchObject({ lockCount: 1, lockedSinceBlock: 1n });

    await unlock(BANK);
    expect(token()).toMatchObject({ lockCount: 0, lockedSinceBlock: null, lastLockChangeBlock: 4n });
  });

  it("count an unlock under another tracker all the same", async () => {
    await lock(GAME);
    await unlock(BANK);

    expect(token()).toMatchObject({ lockCount: 0 });
  });

  it("record an unlock that nobody locked, and let it pay for nothing", async () => {
    await unlock(GAME);
    await lock(GAME);

    expect(token()).toMatchObject({ lockCount: 1 });
    expect(
      store.rows(lockEvent).map(({ direction, countAfter, anomaly }) => [direction, countAfter, anomaly]),
    ).toEqual([
      ["unlock", 0, true],
      ["lock", 1, false],
    ]);
  });

  it("equal a replay for any sequence, with one audit row per event", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.boolean(), { maxLength: 40 }), async (sequence) => {
        store = createFakeChainStore();
        chain = createEventSource(store);
        for (const isLock of sequence) await (isLock ? lock(GAME) : unlock(GAME));

        const expected = sequence.reduce((count, isLock) => Math.max(0, count + (isLock ? 1 : -1)), 0);
        expect(token()?.lockCount ?? 0).toBe(expected);
        expect(store.rows(lockEvent)).toHaveLength(sequence.length);
      }),
    );
  });
});

it("never mixes the same address on two chains", async () => {
  const other = createEventSource(store, 2020);
  await chain.emit("Transfer", { from: zeroAddress, to: ALICE, tokenId: 1n });
  await other.emit("Transfer", { from: zeroAddress, to: BOB, tokenId: 1n });

  expect(store.rows(tokenState).map(({ chainId, owner }) => [chainId, owner])).toEqual([
    [31337, ALICE],
    [2020, BOB],
  ]);
});
