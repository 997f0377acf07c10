/** Contracts whose transfer layout differs from ERC-721's, and unreadable logs. */

import fc from "fast-check";
import { encodeAbiParameters, zeroAddress } from "viem";
import { beforeEach, describe, expect, it } from "vitest";
import {
  collectionHolder,
  collectionState,
  indexAnomaly,
  lockEvent,
  metadataUpdate,
  tokenBalance,
  tokenState,
  tokenTransfer,
} from "../../ponder.schema.ts";
import { UINT256_MAX } from "../../src/domain/token-ref.ts";
import { createEventSource, createFakeChainStore } from "../support/chain/fake-chain-store.ts";
import { signatures } from "../support/chain/token-logs.ts";
import "../../src/indexing/erc1155.ts";
import "../../src/indexing/erc2309.ts";
import "../../src/indexing/erc721.ts";
import "../../src/indexing/locks.ts";
import "../../src/indexing/metadata-updates.ts";

const [ADA, BEN] = [`0x${"a".repeat(40)}`, `0x${"b".repeat(40)}`] as const;
const AMOUNT = 10_000n * 10n ** 18n;

let store: ReturnType<typeof createFakeChainStore>;
let chain: ReturnType<typeof createEventSource>;
beforeEach(() => {
  store = createFakeChainStore();
  chain = createEventSource(store);
});

const event = signatures.transfer;
const usual = (from: string, to: string, id: bigint) => chain.log({ event, topics: [from, to, id] });
/** The layout of AxieCore, and of every ERC-20 coin. */
const idInData = (from: string, to: string, id: bigint) =>
  chain.log({ event, topics: [from, to], data: [id] });
/** The layout of CryptoKitties. */
const allInData = (from: string, to: string, id: bigint) => chain.log({ event, data: [from, to, id] });

const tokens = () => store.rows(tokenState).map(({ tokenId, owner, burned }) => [tokenId, owner, burned]);
const anomalies = () => store.rows(indexAnomaly).map(({ kind, count }) => [kind, count]);
const counts = () => {
  const [row] = store.rows(collectionState);
  return [row?.items, row?.owners];
};

describe.each([
  ["with the id in the data", idInData],
  ["with nothing indexed", allInData],
])("a collection that emits Transfer %s", (_layout, transfer) => {
  it("has its tokens, owners, counts, history and reasons to read metadata", async () => {
    await transfer(zeroAddress, ADA, 1n);
    await transfer(zeroAddress, ADA, 2n);
    await transfer(ADA, BEN, 1n);
    await transfer(ADA, zeroAddress, 2n);

    expect(tokens()).toEqual([
      [1n, BEN, false],
      [2n, null, true],
    ]);
    expect(counts()).toEqual([1, 1]);
    expect(store.rows(tokenTransfer)).toHaveLength(4);
    expect(store.rows(metadataUpdate).map(({ source, fromTokenId }) => [source, fromTokenId])).toEqual([
      ["mint", 1n],
      ["mint", 2n],
    ]);
    expect(anomalies()).toEqual([]);
  });

  it("has a token whose id looks like an address, from its mint to its burn", async () => {
    const id = BigInt(`0x${"c".repeat(40)}`);
    await transfer(zeroAddress, ADA, id);
    await transfer(ADA, BEN, id);
    expect(tokens()).toEqual([[id, BEN, false]]);

    await transfer(BEN, zeroAddress, id);
    expect(tokens()).toEqual([[id, null, true]]);
    expect(anomalies()).toEqual([]);
  });

  it("keeps them however many there are", async () => {
    for (let id = 1n; id <= 150n; id++) await transfer(zeroAddress, ADA, id);

    expect(counts()).toEqual([150, 1]);
    expect(store.rows(collectionState)).toMatchObject([{ doubtfulTransfers: "[]" }]);
  });
});

it("a Transfer with all arguments indexed is applied once", async () => {
  await usual(zeroAddress, ADA, 1n);

  expect(store.rows(tokenTransfer)).toHaveLength(1);
  expect(counts()).toEqual([1, 1]);
  expect(anomalies()).toEqual([]);
});

describe("a contract that is a coin as well (ERC-404)", () => {
  it("has no tokens of its amounts once it has a token", async () => {
    await usual(zeroAddress, ADA, 1n);
    await idInData(zeroAddress, ADA, AMOUNT);
    await idInData(ADA, BEN, AMOUNT);

    expect(tokens()).toEqual([[1n, ADA, false]]);
    expect(counts()).toEqual([1, 1]);
    expect(anomalies()).toEqual([["mixed_transfer_layouts", 2]]);
  });

  it("gets rid of amounts that came before its first token, whatever they did", async () => {
    await idInData(zeroAddress, BEN, AMOUNT);
    await idInData(BEN, ADA, AMOUNT);
    await idInData(BEN, zeroAddress, 5n);
    await usual(zeroAddress, ADA, 1n);

    expect(tokens()).toEqual([[1n, ADA, false]]);
    expect(counts()).toEqual([1, 1]);
    expect(store.rows(collectionHolder).map(({ holder, tokens: count }) => [holder, count])).toEqual([
      [BEN, 0],
      [ADA, 1],
    ]);
    expect(store.rows(tokenTransfer).map(({ tokenId }) => tokenId)).toEqual([1n]);
    expect(store.rows(metadataUpdate).filter(({ source }) => source === "retracted")).toMatchObject([
      { fromTokenId: AMOUNT, scope: "token" },
      { fromTokenId: 5n, scope: "token" },
    ]);
    expect(anomalies()).toEqual([["mixed_transfer_layouts", 3]]);
  });

  it("gets rid of them when its first token's transfer changes no count", async () => {
    await idInData(zeroAddress, ADA, 1n);
    await idInData(zeroAddress, ADA, AMOUNT);
    await idInData(zeroAddress, BEN, 5n);
    await usual(ADA, BEN, 1n);

    expect(tokens()).toEqual([[1n, BEN, false]]);
    expect(counts()).toEqual([1, 1]);
    expect(anomalies()).toEqual([["mixed_transfer_layouts", 2]]);
  });

  it("keeps the locks of what it retracts, and a token that turns out to be one", async () => {
    await idInData(zeroAddress, ADA, 7n);
    await chain.log({ event: "TokenLocked(uint256,address)", topics: [7n, BEN] });
    await idInData(zeroAddress, ADA, 8n);
    await usual(ADA, BEN, 8n);

    expect(store.rows(tokenState)).toMatchObject([
      { tokenId: 7n, standard: null, owner: null, lockCount: 1 },
      { tokenId: 8n, standard: "erc721", owner: BEN },
    ]);
    expect(counts()).toEqual([1, 1]);
    expect(store.rows(lockEvent)).toHaveLength(1);
  });
});

it("an ERC-1155 collection has no ERC-721 tokens of a coin's transfers", async () => {
  const single = encodeAbiParameters([{ type: "uint256" }, { type: "uint256" }], [3n, 10n]);
  await chain.log({ event: signatures.single, topics: [ADA, zeroAddress, ADA], data: single });
  await idInData(zeroAddress, ADA, AMOUNT);

  expect(store.rows(tokenState)).toMatchObject([{ tokenId: 3n, standard: "erc1155", supply: 10n }]);
  expect(anomalies()).toEqual([["mixed_transfer_layouts", 1]]);
});

describe.each([
  ["before", [0, 1]],
  ["after", [1, 0]],
])(
  "a contract that reports each movement of a token by both standards, ERC-721's %s ERC-1155's",
  (_order, order) => {
    const single = (from: string, to: string, id: bigint, amount: bigint) =>
      chain.log({ event: signatures.single, topics: [ADA, from, to], data: [id, amount] });
    async function both(from: string, to: string, id: bigint): Promise<void> {
      const events = [() => usual(from, to, id), () => single(from, to, id, 1n)];
      for (const nth of order) await events[nth]?.();
    }
    const holdings = () => store.rows(collectionHolder).map(({ holder, tokens: count }) => [holder, count]);

    it("counts and records each movement once", async () => {
      await both(zeroAddress, ADA, 1n);
      await both(zeroAddress, ADA, 2n);
      await both(ADA, BEN, 1n);

      expect(counts()).toEqual([2, 2]);
      expect(holdings()).toEqual(
        expect.arrayContaining([
          [ADA, 1],
          [BEN, 1],
        ]),
      );
      expect(store.rows(tokenTransfer).map(({ tokenId, to }) => [tokenId, to])).toEqual([
        [1n, ADA],
        [2n, ADA],
        [1n, BEN],
      ]);
      expect(store.rows(metadataUpdate)).toHaveLength(2);

      await both(ADA, zeroAddress, 2n);
      await both(BEN, ADA, 1n);
      expect(counts()).toEqual([1, 1]);
      expect(tokens().map(([id, , burned]) => [id, burned])).toEqual([
        [1n, false],
        [2n, true],
      ]);

      await both(zeroAddress, BEN, 2n);
      expect(counts()).toEqual([2, 2]);
      expect(store.rows(tokenTransfer)).toHaveLength(6);
    });

    it("keeps the amounts of its other ids", async () => {
      await both(zeroAddress, ADA, 1n);
      await single(zeroAddress, ADA, 3n, 10n);
      await single(ADA, BEN, 3n, 4n);

      expect(counts()).toEqual([2, 2]);
      expect(store.rows(tokenState)).toContainEqual(
        expect.objectContaining({ tokenId: 3n, standard: "erc1155", supply: 10n }),
      );
    });

    it("has one standard per token, whose holders are those of its movements", async () => {
      await both(zeroAddress, ADA, 1n);
      await both(ADA, BEN, 1n);

      const [token] = store.rows(tokenState);
      const held = store.rows(tokenBalance).filter(({ balance }) => balance !== 0n);
      const byOwner = { standard: "erc721", owner: BEN, supply: null };
      const byAmount = { standard: "erc1155", owner: null, supply: 1n };
      expect(token).toMatchObject(order[0] === 0 ? byOwner : byAmount);
      expect(held.map(({ holder, balance }) => [holder, balance])).toEqual(order[0] === 0 ? [] : [[BEN, 1n]]);
    });
  },
);

describe("a token that both standards report in turn", () => {
  const single = (from: string, to: string, amount = 1n) =>
    chain.log({ event: signatures.single, topics: [ADA, from, to], data: [1n, amount] });
  const transfer = (from: string, to: string) => usual(from, to, 1n);
  /** Of those who have any. */
  const holdings = () =>
    store
      .rows(collectionHolder)
      .filter(({ tokens: count }) => count !== 0)
      .map(({ holder, tokens: count }) => [holder, count]);
  const balances = () =>
    store
      .rows(tokenBalance)
      .filter(({ balance }) => balance !== 0n)
      .map(({ holder, balance }) => [holder, balance]);
  const byOwner = { standard: "erc721", owner: BEN, supply: null };
  const byAmount = { standard: "erc1155", owner: null, supply: 1n };

  // As The Sandbox's assets do that come from another chain.
  it("has no holder left from the amount it was minted as", async () => {
    await single(zeroAddress, ADA);
    await transfer(ADA, BEN);
    await single(ADA, BEN);
    expect(store.rows(tokenState)).toMatchObject([byOwner]);
    expect([counts(), holdings(), balances()]).toEqual([[1, 1], [[BEN, 1]], []]);

    await transfer(BEN, zeroAddress);
    await single(BEN, zeroAddress);
    expect(store.rows(tokenState)).toMatchObject([{ burned: true, owner: null }]);
    expect([counts(), holdings(), balances()]).toEqual([[0, 0], [], []]);
  });

  it("has no holder left from the owner it was minted for", async () => {
    await transfer(zeroAddress, ADA);
    await single(ADA, BEN);
    await transfer(ADA, BEN);
    expect(store.rows(tokenState)).toMatchObject([byAmount]);
    expect([counts(), holdings(), balances()]).toEqual([[1, 1], [[BEN, 1]], [[BEN, 1n]]]);

    await single(BEN, zeroAddress);
    await transfer(BEN, zeroAddress);
    expect([counts(), holdings(), balances()]).toEqual([[0, 0], [], []]);
  });

  it("counts from its mint on, if it was announced before", async () => {
    await single(zeroAddress, zeroAddress, 0n);
    await transfer(zeroAddress, BEN);
    await single(zeroAddress, BEN);

    expect(store.rows(tokenState)).toMatchObject([byOwner]);
    expect([counts(), holdings()]).toEqual([[1, 1], [[BEN, 1]]]);
  });

  it("loses its ERC-5753 lock with a transfer, whichever event comes first", async () => {
    await single(zeroAddress, ADA);
    await transfer(zeroAddress, ADA);
    await chain.log({ event: "Lock(address,uint256)", topics: [BEN, 1n] });
    expect(store.rows(tokenState)).toMatchObject([{ lockCount: 1 }]);
    await single(ADA, BEN);
    await transfer(ADA, BEN);

    expect(store.rows(tokenState)).toMatchObject([{ lockCount: 0 }]);
    expect(store.rows(lockEvent).map(({ direction }) => direction)).toEqual(["lock", "unlock"]);
  });

  it("comes to what its movements are, in any order of the two events of each", async () => {
    const [CAY, NONE] = [`0x${"c".repeat(40)}`, zeroAddress];
    const next = [ADA, BEN, CAY, NONE];
    const movement = fc.record({ to: fc.constantFrom(...next), by: fc.constantFrom("TS", "ST", "T", "S") });
    await fc.assert(
      fc.asyncProperty(fc.array(movement, { maxLength: 12 }), async (movements) => {
        store = createFakeChainStore();
        chain = createEventSource(store);
        let owner: string = NONE;
        const owners: string[] = [];
        for (const { to, by } of movements) {
          if (to === owner) continue;
          owners.push(to);
          for (const event of by) await (event === "T" ? transfer(owner, to) : single(owner, to));
          owner = to;
        }

        const held = owner === NONE ? [] : [[owner, 1]];
        const [token] = store.rows(tokenState);
        expect(holdings()).toEqual(held);
        expect(store.rows(tokenTransfer).map(({ to }) => to)).toEqual(owners);
        if (token) expect(counts()).toEqual([held.length, held.length]);
        if (token?.standard === "erc721") {
          expect([token.owner, token.supply, balances()]).toEqual([owner === NONE ? null : owner, null, []]);
        } else if (token) {
          expect([token.owner, token.supply]).toEqual([null, BigInt(held.length)]);
          expect(balances()).toEqual(held.map(([holder]) => [holder, 1n]));
        }
      }),
    );
  });
});

it("a movement that only one standard of the two reports counts", async () => {
  await usual(zeroAddress, ADA, 1n);
  await chain.log({ event: signatures.single, topics: [ADA, ADA, BEN], data: [1n, 1n] });
  await chain.log({ event: signatures.single, topics: [ADA, zeroAddress, ADA], data: [2n, 1n] });
  await usual(ADA, BEN, 2n);

  expect(store.rows(tokenTransfer).map(({ tokenId, to }) => [tokenId, to])).toEqual([
    [1n, ADA],
    [1n, BEN],
    [2n, ADA],
    [2n, BEN],
  ]);
});

it("TransferSingle is read in other layouts, and applied once in the usual one", async () => {
  await chain.log({ event: signatures.single, topics: [ADA, zeroAddress, ADA], data: [3n, 10n] });
  await chain.log({ event: signatures.single, data: [ADA, zeroAddress, ADA, 3n, 5n] });

  expect(store.rows(tokenState)).toMatchObject([{ tokenId: 3n, supply: 15n }]);
  expect(anomalies()).toEqual([]);
});

describe("of the events with three indexed arguments", () => {
  const single = (topics: readonly (string | bigint)[], data: readonly (string | bigint)[]) =>
    chain.log({ event: signatures.single, topics, data: data.map(BigInt) });
  const ADDRESS_ID = BigInt(`0x${"c".repeat(40)}`);
  const held = () =>
    store
      .rows(tokenBalance)
      .filter(({ balance }) => balance !== 0n)
      .map(({ tokenId, holder, balance }) => [tokenId, holder, balance]);

  it.each([
    ["TransferSingle with the id for its recipient", signatures.single, [ADA, ADA, 7n], [BigInt(BEN), 5n]],
    ["TransferSingle with a large id there", signatures.single, [ADA, ADA, UINT256_MAX], [BigInt(BEN), 5n]],
    ["ConsecutiveTransfer of a mint", signatures.consecutive, [0n, 9n, zeroAddress], [BigInt(ADA)]],
    ["ConsecutiveTransfer to the zero address", signatures.consecutive, [0n, 9n, ADA], [0n]],
  ] as const)("a %s is not taken for the usual layout", async (_name, event, topics, data) => {
    await chain.log({ event, topics, data });

    expect(anomalies()).toEqual([["unreadable_transfer", 1]]);
    expect([tokens(), store.rows(tokenTransfer)]).toEqual([[], []]);
  });

  it("a TransferBatch to more than an address is not read", async () => {
    const ids = [{ type: "uint256[]" }, { type: "uint256[]" }] as const;
    const data = encodeAbiParameters(ids, [[1n], [1n]]);
    await chain.log({ event: signatures.batch, topics: [ADA, zeroAddress, UINT256_MAX], data });

    expect(anomalies()).toEqual([["unreadable_transfer", 1]]);
  });

  it("a usual TransferSingle is read as such, whatever its id and its wallets look like", async () => {
    await single([ADA, zeroAddress, ADA], [ADDRESS_ID, 9n]);
    await single([ADA, ADA, zeroAddress], [ADDRESS_ID, 1n]);
    await single([ADA, ADA, 0xdeadn], [ADDRESS_ID, 2n]);
    await single([ADA, ADA, 1n], [ADDRESS_ID, 3n]);
    expect(held()).toEqual([
      [ADDRESS_ID, ADA, 3n],
      [ADDRESS_ID, "0x000000000000000000000000000000000000dead", 2n],
      [ADDRESS_ID, "0x0000000000000000000000000000000000000001", 3n],
    ]);

    await single([ADA, zeroAddress, 1n], [7n, 1n]);
    await single([ADA, zeroAddress, zeroAddress], [ADDRESS_ID + 1n, 0n]);
    expect(anomalies()).toEqual([]);
  });

  it.each([
    [0n, 9n, zeroAddress, ADA],
    [0n, 9n, ADA, zeroAddress],
    [7n, 9n, ADA, "0x0000000000000000000000000000000000000001"],
    [ADDRESS_ID, ADDRESS_ID + 1n, zeroAddress, ADA],
    [ADDRESS_ID, ADDRESS_ID + 1n, ADA, BEN],
    [UINT256_MAX - 1n, UINT256_MAX, ADA, BEN],
  ])(
    "a usual ConsecutiveTransfer of %i to %i from %s to %s is read as such",
    async (first, last, from, to) => {
      await chain.log({ event: signatures.consecutive, topics: [first, from, to], data: [last] });

      const moved = store.rows(tokenTransfer);
      expect([moved[0]?.tokenId, moved.at(-1)?.tokenId]).toEqual([first, last]);
      expect(moved[0]).toMatchObject({ from, to });
      expect(anomalies()).toEqual([]);
    },
  );
});

describe("a log that can't be read leaves nothing but an anomaly:", () => {
  it.each([
    ["Transfer without its id", signatures.transfer, [ADA, BEN], "0x", "unreadable_transfer"],
    [
      "Transfer of a number for an address",
      signatures.transfer,
      [],
      [UINT256_MAX, ADA, 1n],
      "unreadable_transfer",
    ],
    ["TransferSingle cut short", signatures.single, [ADA, ADA, BEN], [1n], "unreadable_transfer"],
    ["TransferBatch cut short", signatures.batch, [ADA, ADA, BEN], [64n, 96n, 5n, 1n], "unreadable_transfer"],
    [
      "TransferBatch of two lengths",
      signatures.batch,
      [ADA, ADA, BEN],
      [64n, 96n, 0n, 1n, 1n],
      "unreadable_transfer",
    ],
    [
      "TransferBatch of 2^256-1 ids",
      signatures.batch,
      [ADA, ADA, BEN],
      [64n, 64n, UINT256_MAX],
      "unreadable_transfer",
    ],
    [
      "ConsecutiveTransfer cut short",
      signatures.consecutive,
      [1n, zeroAddress, ADA],
      "0x",
      "unreadable_transfer",
    ],
    [
      "ConsecutiveTransfer backwards",
      signatures.consecutive,
      [9n, zeroAddress, ADA],
      [1n],
      "unreadable_transfer",
    ],
    ["URI of nothing", signatures.uri, [], "0x", "unreadable_metadata_update"],
    ["MetadataUpdate of nothing", "MetadataUpdate(uint256)", [], "0x", "unreadable_metadata_update"],
    [
      "BatchMetadataUpdate of one id",
      "BatchMetadataUpdate(uint256,uint256)",
      [],
      [1n],
      "unreadable_metadata_update",
    ],
  ] as const)("%s", async (_fault, signature, topics, data, kind) => {
    await chain.log({ event: signature, topics, data });

    expect(anomalies()).toEqual([[kind, 1]]);
    for (const table of [tokenState, tokenTransfer, metadataUpdate, collectionState]) {
      expect(store.rows(table)).toEqual([]);
    }
  });
});

it("anomalies are counted, and the first is recorded in detail", async () => {
  await chain.log({ event: signatures.transfer, topics: [ADA] }, { block: 3, log: 2 });
  await chain.log({ event: signatures.transfer }, { block: 9 });

  expect(store.rows(indexAnomaly)).toEqual([
    {
      chainId: 31337,
      collectionAddress: expect.stringMatching(/^0x/),
      kind: "unreadable_transfer",
      count: 2,
      firstBlock: 3n,
      lastBlock: 9n,
      detail: "a Transfer log with 1 indexed arguments and 0 bytes of data can't be read",
      blockTimestamp: 1_700_000_003n,
      transactionHash: "0xt3",
      logIndex: 2,
    },
  ]);
});
