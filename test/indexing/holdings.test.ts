/** Balances, supplies and counts against a brute-force replay of the same transfers. */

import fc from "fast-check";
import { zeroAddress } from "viem";
import { beforeEach, describe, expect, it } from "vitest";
import {
  collectionHolder,
  collectionState,
  indexAnomaly,
  metadataUpdate,
  tokenBalance,
  tokenState,
  tokenTransfer,
} from "../../ponder.schema.ts";
import { UINT256_MAX } from "../../src/domain/token-ref.ts";
import { createEventSource, createFakeChainStore } from "../support/chain/fake-chain-store.ts";
import "../../src/indexing/erc2309.ts";
import "../../src/indexing/erc721.ts";
import { batchLog, consecutiveLog, signatures } from "../support/chain/token-logs.ts";
import "../../src/indexing/erc1155.ts";

const WALLETS = [1, 2, 3].map((n) => `0x${String(n).repeat(40)}` as const);

let store: ReturnType<typeof createFakeChainStore>;
let chain: ReturnType<typeof createEventSource>;
beforeEach(() => {
  store = createFakeChainStore();
  chain = createEventSource(store);
});
const counts = () => {
  const row = store.rows(collectionState)[0];
  return { items: row?.items ?? 0, owners: row?.owners ?? 0 };
};

describe("an ERC-721 collection", () => {
  it("counts a holder out of it though an event names another one as the sender", async () => {
    await chain.emit("Transfer", { from: zeroAddress, to: WALLETS[0], tokenId: 1n });
    await chain.emit("Transfer", { from: WALLETS[1], to: WALLETS[2], tokenId: 1n });
    expect(counts()).toEqual({ items: 1, owners: 1 });

    await chain.emit("Transfer", { from: zeroAddress, to: zeroAddress, tokenId: 1n });
    expect(counts()).toEqual({ items: 0, owners: 0 });
  });

  it("counts items and owners like a recount, over any valid history", async () => {
    const step = fc.record({ tokenId: fc.bigInt(1n, 4n), to: fc.nat(3) });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        store = createFakeChainStore();
        chain = createEventSource(store);
        const owners = new Map<bigint, string>();
        for (const { tokenId, to } of steps) {
          const from = owners.get(tokenId) ?? zeroAddress;
          const target = WALLETS[to] ?? zeroAddress;
          if (from === zeroAddress && target === zeroAddress) continue;
          await chain.emit("Transfer", { from, to: target, tokenId });
          if (target === zeroAddress) owners.delete(tokenId);
          else owners.set(tokenId, target);
        }

        expect(counts()).toEqual({ items: owners.size, owners: new Set(owners.values()).size });
        for (const row of store.rows(tokenState)) {
          expect(row.owner).toBe(owners.get(row.tokenId as bigint) ?? null);
        }
      }),
    );
  });

  it("does not count a holder from before the start block against what was seen of him", async () => {
    const [alice, bob] = WALLETS;
    await chain.emit("Transfer", { from: zeroAddress, to: alice, tokenId: 1n });
    await chain.emit("Transfer", { from: alice, to: bob, tokenId: 9n });

    expect(counts()).toEqual({ items: 2, owners: 2 });
    expect(store.rows(collectionHolder).map(({ tokens }) => tokens)).toEqual([1, 1]);
  });
});

describe("an ERC-2309 mint", () => {
  const mint = (from: bigint, to: bigint) =>
    chain.log(consecutiveLog({ first: from, last: to, from: zeroAddress, to: WALLETS[0] ?? zeroAddress }));

  it("becomes one token each, up to 5,000", async () => {
    await mint(1n, 5_000n);

    expect(store.rows(tokenState)).toHaveLength(5_000);
    expect(store.rows(metadataUpdate)).toHaveLength(5_000);
    expect(counts()).toEqual({ items: 5_000, owners: 1 });
    expect(store.rows(indexAnomaly)).toEqual([]);
  });

  it("of an inverted range mints nothing", async () => {
    await mint(9n, 1n);

    expect(store.rows(tokenState)).toEqual([]);
  });
});

describe("an ERC-1155 collection", () => {
  it("keeps the supply equal to the sum of balances, wherever the start block is", async () => {
    const step = fc.record({
      from: fc.nat(3),
      to: fc.nat(3),
      ids: fc.array(fc.bigInt(1n, 3n), { minLength: 1, maxLength: 3 }),
      value: fc.bigInt(0n, 5n),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
        store = createFakeChainStore();
        chain = createEventSource(store);
        for (const { from, to, ids, value } of steps) {
          const [sender, receiver] = [WALLETS[from] ?? zeroAddress, WALLETS[to] ?? zeroAddress];
          await chain.log(batchLog({ from: sender, to: receiver, ids, values: ids.map(() => value) }));
        }

        const balances = store.rows(tokenBalance) as { tokenId: bigint; holder: string; balance: bigint }[];
        for (const row of store.rows(tokenState)) {
          const sum = balances
            .filter(({ tokenId }) => tokenId === row.tokenId)
            .reduce((all, { balance }) => all + balance, 0n);
          expect(row.supply).toBe(sum);
        }
        const owned = balances.filter(({ balance }) => balance > 0n);
        expect(counts()).toEqual({
          items: new Set(owned.map(({ tokenId }) => tokenId)).size,
          owners: new Set(owned.map(({ holder }) => holder)).size,
        });
      }),
    );
  });

  it("has no token that only nothing was moved of, unless the contract itself reports it from zero", async () => {
    const [alice, bob] = [`0x${"1".repeat(40)}`, `0x${"2".repeat(40)}`] as const;
    const move = (from: string, to: string, id: bigint, value: bigint) =>
      chain.log({ event: signatures.single, topics: [alice, from, to], data: [id, value] });
    const known = () => store.rows(tokenState).map(({ tokenId, supply }) => [tokenId, supply]);
    await move(alice, alice, 1n, 0n);
    await move(alice, bob, 2n, 0n);
    await move(alice, zeroAddress, 3n, 0n);
    await chain.log(batchLog({ from: alice, to: bob, ids: [4n, 5n], values: [0n, 0n] }));

    expect(known()).toEqual([]);
    expect(store.rows(metadataUpdate)).toEqual([]);
    expect(store.rows(tokenBalance)).toEqual([]);
    expect(store.rows(tokenTransfer).map(({ tokenId, quantity }) => [tokenId, quantity])).toEqual([
      [1n, 0n],
      [2n, 0n],
      [3n, 0n],
      [4n, 0n],
      [5n, 0n],
    ]);

    await move(zeroAddress, zeroAddress, 6n, 0n);
    await move(zeroAddress, bob, 1n, 2n);
    await move(bob, alice, 1n, 0n);
    expect(known()).toEqual([
      [6n, 0n],
      [1n, 2n],
    ]);
    expect(store.rows(metadataUpdate).map(({ source, fromTokenId }) => [source, fromTokenId])).toEqual([
      ["mint", 6n],
      ["mint", 1n],
    ]);
    expect(counts()).toEqual({ items: 1, owners: 1 });
  });

  it("stops at 2^256-1, whatever a contract claims to mint", async () => {
    const mint = (to: string = zeroAddress) =>
      chain.log({
        event: signatures.single,
        topics: [zeroAddress, zeroAddress, to],
        data: [1n, UINT256_MAX],
      });
    for (let times = 0; times < 12; times++) await mint(WALLETS[times % 3]);

    expect(store.rows(tokenBalance).map(({ balance }) => balance)).toEqual([
      UINT256_MAX,
      UINT256_MAX,
      UINT256_MAX,
    ]);
    expect(store.rows(tokenState)).toMatchObject([{ supply: UINT256_MAX }]);
    expect(counts()).toEqual({ items: 1, owners: 3 });
  });

  it("records every movement of a batch, also of the same id twice", async () => {
    const to = WALLETS[0] ?? zeroAddress;
    await chain.log(batchLog({ from: zeroAddress, to, ids: [7n, 7n], values: [1n, 2n] }));

    expect(store.rows(tokenTransfer).map(({ tokenId, quantity }) => [tokenId, quantity])).toEqual([
      [7n, 1n],
      [7n, 2n],
    ]);
    expect(store.rows(tokenBalance)).toMatchObject([{ tokenId: 7n, balance: 3n }]);
  });
});
