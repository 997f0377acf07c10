/** ERC-2309 mints that meet tokens with transfers of their own, and the other way round. */

import { zeroAddress } from "viem";
import { beforeEach, describe, expect, it } from "vitest";
import {
  collectionHolder,
  collectionState,
  indexAnomaly,
  metadataUpdate,
  tokenRange,
  tokenState,
  tokenTransfer,
} from "../../ponder.schema.ts";
import { createEventSource, createFakeChainStore } from "../support/chain/fake-chain-store.ts";
import { consecutiveLog, signatures } from "../support/chain/token-logs.ts";
import "../../src/indexing/erc1155.ts";
import "../../src/indexing/erc2309.ts";
import "../../src/indexing/erc721.ts";
import "../../src/indexing/locks.ts";

const [ADA, BEN] = [`0x${"a".repeat(40)}`, `0x${"b".repeat(40)}`] as const;

let store: ReturnType<typeof createFakeChainStore>;
let chain: ReturnType<typeof createEventSource>;
beforeEach(() => {
  store = createFakeChainStore();
  chain = createEventSource(store);
});

const mint = (first: bigint, last: bigint, to: string = ADA) =>
  chain.log(consecutiveLog({ first, last, from: zeroAddress, to }));
const move = (from: string, to: string, id: bigint) =>
  chain.log({ event: signatures.transfer, topics: [from, to, id] });
/** A Transfer that may as well be an amount of a coin. */
const moveDoubtful = (from: string, to: string, id: bigint) =>
  chain.log({ event: signatures.transfer, topics: [from, to], data: [id] });
const single = (from: string, to: string, id: bigint, amount: bigint) =>
  chain.log({ event: signatures.single, topics: [ADA, from, to], data: [id, amount] });
const counts = () => {
  const [row] = store.rows(collectionState);
  return [row?.items, row?.owners];
};
/** Of those who have any. */
const holdings = () =>
  store
    .rows(collectionHolder)
    .filter(({ tokens }) => tokens !== 0)
    .map(({ holder, tokens }) => [holder, tokens]);
const ranges = () => store.rows(tokenRange).map(({ fromTokenId, toTokenId }) => [fromTokenId, toTokenId]);
const token = (id: bigint) => store.rows(tokenState).find(({ tokenId }) => tokenId === id);
const anomalies = () => store.rows(indexAnomaly).map(({ kind, count }) => [kind, count]);

describe("a large mint of tokens of which some had transfers before", () => {
  it("gives it a token that was minted and burned before", async () => {
    await move(zeroAddress, ADA, 5n);
    await move(ADA, zeroAddress, 5n);
    await mint(1n, 6_000n, BEN);

    expect(token(5n)).toMatchObject({ owner: BEN, burned: false, mintedBlock: 3n });
    expect(ranges()).toEqual([
      [1n, 4n],
      [6n, 6_000n],
    ]);
    expect([counts(), holdings(), anomalies()]).toEqual([[6_000, 1], [[BEN, 6_000]], []]);
  });

  it("records each token's mint once", async () => {
    await move(ADA, zeroAddress, 5n);
    await mint(1n, 6_000n, BEN);

    const minted = store
      .rows(tokenTransfer)
      .filter(({ from }) => from === zeroAddress)
      .sort((a, b) => Number(a.tokenId) - Number(b.tokenId));
    expect(minted.map(({ tokenId, lastTokenId, quantity }) => [tokenId, lastTokenId, quantity])).toEqual([
      [1n, 4n, 4n],
      [5n, null, 1n],
      [6n, 6_000n, 5_995n],
    ]);
    expect(new Set(minted.map(({ id }) => id)).size).toBe(3);
    expect(store.rows(tokenRange).map(({ transferId }) => transferId)).toEqual([
      minted[0]?.id,
      minted[2]?.id,
    ]);
    const mints = store.rows(metadataUpdate).filter(({ source }) => source === "mint");
    expect(new Set(mints.map(({ fromTokenId, toTokenId }) => `${fromTokenId} to ${toTokenId}`))).toEqual(
      new Set(["1 to 4", "5 to 5", "6 to 6000"]),
    );
    expect(mints).toHaveLength(3);
  });

  it("gives it what an earlier mint gave to another owner token by token", async () => {
    await mint(1n, 5_000n);
    await mint(1n, 6_000n, BEN);

    expect(token(1n)).toMatchObject({ owner: BEN });
    expect(token(5_000n)).toMatchObject({ owner: BEN });
    expect(ranges()).toEqual([[5_001n, 6_000n]]);
    expect([counts(), holdings(), anomalies()]).toEqual([[6_000, 1], [[BEN, 6_000]], []]);
  });

  it("moves what is an amount of ERC-1155", async () => {
    await single(zeroAddress, ADA, 5n, 1n);
    await single(ADA, zeroAddress, 5n, 1n);
    await mint(1n, 6_000n, BEN);

    expect(token(5n)).toMatchObject({ standard: "erc721", owner: BEN, supply: null });
    expect([counts(), holdings(), anomalies()]).toEqual([[6_000, 1], [[BEN, 6_000]], []]);
  });

  it("is a range between any of them that are far apart", async () => {
    await move(zeroAddress, ADA, 101n);
    await move(zeroAddress, ADA, 7_000n);
    await move(zeroAddress, ADA, 10n ** 22n);
    await mint(1n, 10_000n, BEN);

    expect(ranges()).toEqual([
      [1n, 100n],
      [102n, 6_999n],
      [7_001n, 10_000n],
    ]);
    expect(token(101n)).toMatchObject({ owner: BEN });
    expect(token(7_000n)).toMatchObject({ owner: BEN });
    expect([counts(), holdings(), anomalies()]).toEqual([
      [10_001, 2],
      [
        [ADA, 1],
        [BEN, 10_000],
      ],
      [],
    ]);
  });

  it("reads at most 5,000 tokens among many that are far apart, and reports the others", async () => {
    for (const id of [101n, 7_000n]) await move(zeroAddress, ADA, id);
    for (let each = 1n; each <= 15n; each++) await move(zeroAddress, ADA, each * 10n ** 6n);
    await mint(1n, 10_000n, BEN);

    expect(ranges()).toEqual([
      [1n, 100n],
      [7_001n, 10_000n],
    ]);
    expect(token(5_100n)).toMatchObject({ owner: BEN });
    expect(token(5_101n)).toBeUndefined();
    expect(token(7_000n)).toMatchObject({ owner: ADA });
    expect(counts()).toEqual([8_116, 2]);
    expect(store.rows(indexAnomaly)).toMatchObject([
      {
        kind: "consecutive_transfer_cut",
        detail: expect.stringContaining("those from 5101 to 7000 are not"),
      },
    ]);
  });

  it("stays one range where all of them are of ranges minted before, or beside it", async () => {
    await mint(1n, 6_000n);
    await mint(20_001n, 26_000n);
    await move(ADA, BEN, 3n);
    await move(ADA, BEN, 20_005n);
    await mint(6_001n, 20_000n, BEN);
    await move(zeroAddress, BEN, 26_001n);
    await mint(26_002n, 36_000n);
    await move(zeroAddress, BEN, 0n);

    expect(ranges()).toEqual([
      [1n, 6_000n],
      [20_001n, 26_000n],
      [6_001n, 20_000n],
      [26_002n, 36_000n],
    ]);
    expect([counts(), anomalies()]).toEqual([[36_001, 2], []]);
  });

  it("finds a token whose first transfer was its burn, or was mistaken for a transfer", async () => {
    await moveDoubtful(ADA, zeroAddress, 5n);
    await mint(1n, 6_000n, BEN);

    expect(token(5n)).toMatchObject({ owner: BEN, burned: false });
    expect([counts(), holdings()]).toEqual([[6_000, 1], [[BEN, 6_000]]]);
  });
});

describe("tokens of a range", () => {
  it("that their contract mints once more, one by one, are counted once", async () => {
    await mint(1n, 6_000n);
    for (let id = 1n; id <= 50n; id++) await move(zeroAddress, ADA, id);

    expect([counts(), holdings(), anomalies()]).toEqual([[6_000, 1], [[ADA, 6_000]], []]);
    expect(token(7n)).toMatchObject({ owner: ADA, mintedBlock: 8n });
  });

  it.each([
    ["", async () => {}],
    [", though a lock keeps its row", () => chain.log({ event: "Locked(uint256)", data: [5n] })],
  ])("that a coin's amount seemed to move belong to the range's owner again%s", async (_, lock) => {
    await mint(1n, 6_000n);
    await lock();
    await moveDoubtful(ADA, BEN, 5n);
    await moveDoubtful(ADA, zeroAddress, 6n);
    expect([counts(), holdings()]).toEqual([
      [5_999, 2],
      [
        [ADA, 5_998],
        [BEN, 1],
      ],
    ]);
    await move(ADA, BEN, 9n);

    expect(token(5n)?.standard ?? null).toBeNull();
    expect(token(6n)).toBeUndefined();
    expect([counts(), holdings()]).toEqual([
      [6_000, 2],
      [
        [ADA, 5_999],
        [BEN, 1],
      ],
    ]);
  });

  it("that move as ERC-1155 leave their owner", async () => {
    await mint(1n, 6_000n);
    await single(ADA, BEN, 5n, 1n);

    expect(token(5n)).toMatchObject({ standard: "erc1155", owner: null, supply: 1n, mintedBlock: 1n });
    expect([counts(), holdings()]).toEqual([
      [6_000, 2],
      [
        [ADA, 5_999],
        [BEN, 1],
      ],
    ]);
  });

  it("that both standards report are counted once", async () => {
    await mint(1n, 6_000n);
    await single(zeroAddress, ADA, 5n, 1n);
    await move(ADA, BEN, 6n);
    await single(ADA, BEN, 6n, 1n);
    await single(ADA, zeroAddress, 7n, 1n);
    await move(ADA, zeroAddress, 7n);

    expect(token(5n)).toMatchObject({ standard: "erc721", owner: ADA, supply: null });
    expect([counts(), holdings()]).toEqual([
      [5_999, 2],
      [
        [ADA, 5_998],
        [BEN, 1],
      ],
    ]);
  });
});
