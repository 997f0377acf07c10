/** ERC-2309 mints stored as ranges: against the same tokens minted one by one, and at their bounds. */

import fc from "fast-check";
import { zeroAddress } from "viem";
import { beforeEach, describe, expect, it } from "vitest";
import {
  collectionHolder,
  collectionRanges,
  collectionState,
  indexAnomaly,
  metadataUpdate,
  tokenRange,
  tokenState,
  tokenTransfer,
} from "../../ponder.schema.ts";
import { UINT256_MAX } from "../../src/domain/token-ref.ts";
import { materialiseToken } from "../../src/indexing/token-ranges.ts";
import { createEventSource, createFakeChainStore } from "../support/chain/fake-chain-store.ts";
import { consecutiveLog, signatures } from "../support/chain/token-logs.ts";
import "../../src/indexing/erc2309.ts";
import "../../src/indexing/erc721.ts";

const WALLETS = [1, 2, 3].map((n) => `0x${String(n).repeat(40)}` as const);
const wallet = (index: number): `0x${string}` => WALLETS[index] ?? zeroAddress;
const [ADA, BEN] = [wallet(0), wallet(1)];

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
const counts = () => {
  const [row] = store.rows(collectionState);
  return [row?.items, row?.owners];
};
const ranges = () => store.rows(tokenRange).map(({ fromTokenId, toTokenId }) => [fromTokenId, toTokenId]);
const kinds = () => store.rows(indexAnomaly).map(({ kind, count }) => [kind, count]);

describe("a mint of more than 5,000 tokens in one event", () => {
  it.each([5_001n, 200_000n, 1_000_000n])(
    "%d of them: one row of each kind, and all are counted",
    async (count) => {
      await mint(1n, count);

      expect(store.rows(tokenState)).toEqual([]);
      expect(store.rows(tokenRange)).toMatchObject([
        {
          fromTokenId: 1n,
          toTokenId: count,
          owner: ADA,
          mintedBlock: 1n,
          mintedLog: 0,
          transactionHash: "0xt1",
        },
      ]);
      expect(store.rows(metadataUpdate)).toMatchObject([
        { source: "mint", scope: "range", fromTokenId: 1n, toTokenId: count },
      ]);
      expect(store.rows(tokenTransfer)).toMatchObject([
        { tokenId: 1n, lastTokenId: count, quantity: count, from: zeroAddress, to: ADA },
      ]);
      expect(counts()).toEqual([Number(count), 1]);
      expect(store.rows(collectionHolder)).toMatchObject([{ holder: ADA, tokens: Number(count) }]);
      expect(kinds()).toEqual([]);
    },
  );

  it.each([1_000_001n, UINT256_MAX])(
    "up to token %d is cut after 5,000, and the rest is reported",
    async (last) => {
      await mint(1n, last);

      expect(store.rows(tokenState)).toHaveLength(5_000);
      expect(ranges()).toEqual([]);
      expect(counts()).toEqual([5_000, 1]);
      expect(store.rows(indexAnomaly)).toMatchObject([
        { kind: "consecutive_transfer_cut", detail: expect.stringContaining("from 5001 on are not indexed") },
      ]);
    },
  );

  it("that is no mint is cut as well", async () => {
    await chain.log(consecutiveLog({ first: 1n, last: 6_000n, from: ADA, to: BEN }));

    expect(store.rows(tokenState)).toHaveLength(5_000);
    expect(kinds()).toEqual([["consecutive_transfer_cut", 1]]);
  });

  it("ends with the highest id there is", async () => {
    await mint(UINT256_MAX - 9_999n, UINT256_MAX);
    await move(ADA, BEN, UINT256_MAX);

    expect(store.rows(tokenState)).toMatchObject([{ tokenId: UINT256_MAX, owner: BEN, mintedBlock: 1n }]);
    expect(counts()).toEqual([10_000, 2]);
  });
});

describe("what a collection may have expanded token by token", () => {
  const BLOCK = 100;
  const event = (from: string, first: bigint, count: bigint, block: number, log = 0) =>
    chain.log(consecutiveLog({ first, last: first + count - 1n, from, to: BEN }), { block, log });
  const expanded = () => store.rows(tokenState).length;

  /** Spends all but `left` of it. */
  const spend = async (left = 0n): Promise<void> => {
    await event(ADA, 1n, 5_000n, BLOCK);
    await event(ADA, 5_001n, 5_000n - left, BLOCK, 1);
  };

  it("is 10,000 at once: a further mint of the same second is a range", async () => {
    await spend(2n);
    await event(zeroAddress, 20_001n, 2n, BLOCK, 2);
    expect([expanded(), ranges()]).toEqual([10_000, []]);

    await event(zeroAddress, 30_001n, 2n, BLOCK, 3);
    expect([expanded(), ranges()]).toEqual([10_000, [[30_001n, 30_002n]]]);
    expect(kinds()).toEqual([]);
  });

  it("is shared by all events of a second: of a further transfer, the first token is read, and the rest reported", async () => {
    await spend(10n);
    await event(ADA, 20_001n, 10n, BLOCK, 2);
    expect([expanded(), kinds()]).toEqual([10_000, []]);

    await event(ADA, 30_001n, 10n, BLOCK, 3);
    expect(expanded()).toBe(10_001);
    expect(store.rows(indexAnomaly)).toMatchObject([
      {
        kind: "consecutive_transfer_cut",
        count: 1,
        detail: expect.stringContaining("from 30002 on are not"),
      },
    ]);
  });

  it("grows by 100 with each second of the chain's time, up to 10,000", async () => {
    await spend();
    await event(ADA, 20_001n, 200n, BLOCK + 2);
    expect([expanded(), kinds()]).toEqual([10_200, []]);
    await event(ADA, 30_001n, 101n, BLOCK + 3);
    expect([expanded(), kinds()]).toEqual([10_300, [["consecutive_transfer_cut", 1]]]);

    for (const part of [0n, 1n])
      await event(ADA, 40_001n + part * 5_000n, 5_000n, BLOCK + 1_000, Number(part));
    await event(ADA, 60_001n, 2n, BLOCK + 1_000, 2);
    expect([expanded(), kinds()]).toEqual([20_301, [["consecutive_transfer_cut", 2]]]);
  });

  it("is its own, and holds up no event of a single token", async () => {
    await spend();
    for (let id = 0n; id < 3n; id++) await event(ADA, 20_000n + id, 1n, BLOCK, 2 + Number(id));
    const other = `0x${"e".repeat(40)}` as const;
    const log = consecutiveLog({ first: 1n, last: 5_000n, from: ADA, to: BEN });
    await chain.log(log, { block: BLOCK, log: 9, address: other });

    expect([expanded(), kinds()]).toEqual([15_003, []]);
  });
});

describe("a token of a range", () => {
  beforeEach(() => mint(1n, 6_000n));

  it("gets a row with its first transfer, minted where the range was", async () => {
    await move(ADA, BEN, 6_000n);

    expect(store.rows(tokenState)).toMatchObject([
      { tokenId: 6_000n, standard: "erc721", owner: BEN, burned: false, mintedBlock: 1n, mintedLog: 0 },
    ]);
    expect(counts()).toEqual([6_000, 2]);
    expect(store.rows(metadataUpdate)).toHaveLength(1);
    expect(store.rows(tokenTransfer)).toHaveLength(2);
  });

  it("is burned and comes back", async () => {
    await move(ADA, zeroAddress, 1n);
    expect(store.rows(tokenState)).toMatchObject([
      { owner: null, burned: true, mintedBlock: 1n, burnedBlock: 2n },
    ]);
    expect(counts()).toEqual([5_999, 1]);

    await move(zeroAddress, BEN, 1n);
    expect(store.rows(tokenState)).toMatchObject([{ owner: BEN, burned: false, mintedBlock: 3n }]);
    expect(counts()).toEqual([6_000, 2]);
  });

  it.each([0n, 6_001n])("is not the one beside it: %d is first seen when it moves", async (id) => {
    await move(ADA, BEN, id);

    expect(counts()).toEqual([6_001, 2]);
    expect(store.rows(metadataUpdate).map(({ source }) => source)).toEqual(["mint", "first_seen"]);
  });

  it("is made a row of by whoever touches it otherwise, once, and locks stay", async () => {
    const event = {
      id: "lock",
      log: { address: store.rows(collectionState)[0]?.collectionAddress, logIndex: 0 },
      block: { number: 5n },
    };
    const context = { db: store.db, chain: { id: 31337 } };
    const touch = (id: bigint) => materialiseToken(event as never, context as never, id);

    expect(await touch(6_001n)).toBeUndefined();
    expect(await touch(2n)).toEqual({ owner: ADA, mintedBlock: 1n, mintedLog: 0 });
    expect(store.rows(tokenState)).toMatchObject([
      { tokenId: 2n, standard: "erc721", owner: ADA, lockCount: 0 },
    ]);

    await move(ADA, BEN, 2n);
    expect(await touch(2n)).toBeUndefined();
    expect(store.rows(tokenState)).toMatchObject([{ tokenId: 2n, owner: BEN }]);
    expect(counts()).toEqual([6_000, 2]);
  });
});

describe("ranges of one collection", () => {
  it("that overlap are refused, whichever comes second, and nothing is counted twice", async () => {
    await mint(10_001n, 20_000n);
    await mint(1n, 10_000n, BEN);
    await mint(20_000n, 29_999n, BEN);
    await mint(1n, 100n, BEN);

    expect(ranges()).toEqual([
      [10_001n, 20_000n],
      [1n, 10_000n],
    ]);
    expect(store.rows(collectionRanges)).toMatchObject([{ bounds: '[["1","10000"],["10001","20000"]]' }]);
    expect(counts()).toEqual([20_000, 2]);
    expect(kinds()).toEqual([["overlapping_range", 2]]);
  });

  it("are at most 1,000; the next is cut after 5,000 tokens", async () => {
    for (let each = 0n; each < 1_000n; each++) await mint(each * 6_000n, each * 6_000n + 5_999n);
    await mint(6_000_000n, 6_005_999n);

    expect(ranges()).toHaveLength(1_000);
    expect(counts()).toEqual([6_005_000, 1]);
    expect(kinds()).toEqual([["consecutive_transfer_cut", 1]]);
  });

  it("never count to more than their columns hold", async () => {
    for (let each = 0n; each < 1_000n; each++) await mint(each * 10n ** 6n, (each + 1n) * 10n ** 6n - 1n);

    expect(counts()).toEqual([10 ** 9, 1]);
  });
});

it("what happens to a range's tokens comes to the same as to tokens that were minted one by one", async () => {
  const [first, last] = [100n, 5_100n];
  const step = fc.record({ id: fc.bigInt(98n, 104n), to: fc.nat(3) });
  const play = async (steps: readonly { id: bigint; to: number }[], isRange: boolean) => {
    store = createFakeChainStore();
    chain = createEventSource(store);
    // The same tokens by events small enough to be expanded.
    const parts = isRange
      ? [[first, last]]
      : [
          [first, 110n],
          [111n, last],
        ];
    for (const [from = 0n, to = 0n] of parts) await mint(from, to);
    const owners = new Map<bigint, string>();
    for (const { id, to } of steps) {
      const from = owners.get(id) ?? (id >= first ? ADA : zeroAddress);
      const target = wallet(to);
      if (from === zeroAddress && target === zeroAddress) continue;
      await move(from, target, id);
      owners.set(id, target);
    }
    const touched = new Set(steps.map(({ id }) => id));
    return {
      counts: counts(),
      holders: store.rows(collectionHolder).map(({ holder, tokens }) => [holder, tokens]),
      states: store
        .rows(tokenState)
        .filter(({ tokenId, mintedBlock }) => touched.has(tokenId as bigint) && mintedBlock !== null)
        .map(({ tokenId, owner, burned }) => `${tokenId} ${owner} ${burned}`)
        .sort(),
    };
  };

  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
      const ranged = await play(steps, true);
      const single = await play(steps, false);
      expect(ranged.counts).toEqual(single.counts);
      expect(ranged.holders.sort()).toEqual(single.holders.sort());
      expect(single.states).toEqual(expect.arrayContaining(ranged.states));
    }),
    { numRuns: 20 },
  );
});
