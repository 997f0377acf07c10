/** Ids that become amounts of ERC-1155 after they had an owner, and ids that return after a burn. */

import { zeroAddress } from "viem";
import { beforeEach, describe, expect, it } from "vitest";
import {
  collectionHolder,
  collectionState,
  metadataUpdate,
  tokenBalance,
  tokenState,
  tokenTransfer,
} from "../../ponder.schema.ts";
import { createEventSource, createFakeChainStore } from "../support/chain/fake-chain-store.ts";
import { signatures } from "../support/chain/token-logs.ts";
import "../../src/indexing/erc1155.ts";
import "../../src/indexing/erc721.ts";
import "../../src/indexing/locks.ts";
import "../../src/indexing/metadata-updates.ts";

const [ADA, BEN, CAY] = ["a", "b", "c"].map((letter) => `0x${letter.repeat(40)}`) as [string, string, string];

let store: ReturnType<typeof createFakeChainStore>;
let chain: ReturnType<typeof createEventSource>;
beforeEach(() => {
  store = createFakeChainStore();
  chain = createEventSource(store);
});

const move = (from: string, to: string, id = 5n) =>
  chain.log({ event: signatures.transfer, topics: [from, to, id] });
const single = (from: string, to: string, amount: bigint, id = 5n) =>
  chain.log({ event: signatures.single, topics: [ADA, from, to], data: [id, amount] });
const counts = () => {
  const [row] = store.rows(collectionState);
  return [row?.items, row?.owners];
};
/** Of those who have any. */
const holdings = () =>
  Object.fromEntries(
    store
      .rows(collectionHolder)
      .filter(({ tokens }) => tokens !== 0)
      .map(({ holder, tokens }) => [holder, tokens]),
  );
const balances = () =>
  Object.fromEntries(
    store
      .rows(tokenBalance)
      .filter(({ balance }) => balance !== 0n)
      .map(({ holder, balance }) => [holder, balance]),
  );
const sources = () => store.rows(metadataUpdate).map(({ source }) => source);

describe("the owner of an ERC-721 token whose id becomes an amount", () => {
  beforeEach(() => move(zeroAddress, ADA));

  it("keeps one piece when others are minted", async () => {
    await single(zeroAddress, BEN, 10n);
    expect(store.rows(tokenState)).toMatchObject([{ standard: "erc1155", owner: null, supply: 11n }]);
    expect([balances(), holdings(), counts()]).toEqual([
      { [ADA]: 1n, [BEN]: 10n },
      { [ADA]: 1, [BEN]: 1 },
      [1, 2],
    ]);

    await single(ADA, CAY, 1n);
    expect(store.rows(tokenState)).toMatchObject([{ supply: 11n }]);
    expect([balances(), holdings(), counts()]).toEqual([
      { [BEN]: 10n, [CAY]: 1n },
      { [BEN]: 1, [CAY]: 1 },
      [1, 2],
    ]);
  });

  it("is counted once when the others are minted for him", async () => {
    await single(zeroAddress, ADA, 10n);

    expect(store.rows(tokenState)).toMatchObject([{ supply: 11n }]);
    expect([balances(), holdings(), counts()]).toEqual([{ [ADA]: 11n }, { [ADA]: 1 }, [1, 1]]);
  });

  it("has none left after sending it with pieces from before the start block", async () => {
    await single(ADA, BEN, 3n);

    expect(store.rows(tokenState)).toMatchObject([{ supply: 3n }]);
    expect([balances(), holdings(), counts()]).toEqual([{ [BEN]: 3n }, { [BEN]: 1 }, [1, 1]]);
  });

  it("keeps it when another holder burns pieces", async () => {
    await single(BEN, zeroAddress, 3n);

    expect(store.rows(tokenState)).toMatchObject([{ supply: 1n, burned: false }]);
    expect([balances(), holdings(), counts()]).toEqual([{ [ADA]: 1n }, { [ADA]: 1 }, [1, 1]]);
  });

  it("stays the owner when an amount of zero is minted", async () => {
    await single(zeroAddress, zeroAddress, 0n);

    expect(store.rows(tokenState)).toMatchObject([{ standard: "erc721", owner: ADA, supply: null }]);
    expect([balances(), holdings(), counts()]).toEqual([{}, { [ADA]: 1 }, [1, 1]]);
    expect(store.rows(tokenTransfer).map(({ quantity }) => quantity)).toEqual([1n, 0n]);
    expect(sources()).toEqual(["mint"]);
  });
});

describe("an ERC-1155 id of which everything was burned", () => {
  beforeEach(async () => {
    await single(zeroAddress, BEN, 1n);
    await single(BEN, zeroAddress, 1n);
  });

  it("is asked for again when pieces from before the start block move", async () => {
    await chain.log({ event: "MetadataUpdate(uint256)", data: [5n] });
    await single(ADA, CAY, 2n);

    expect(store.rows(tokenState)).toMatchObject([{ supply: 2n, burned: false }]);
    expect(sources()).toEqual(["mint", "MetadataUpdate", "first_seen"]);
  });

  it("is not when nothing of it is minted, but once some is", async () => {
    await single(zeroAddress, zeroAddress, 0n);
    expect(store.rows(tokenState)).toMatchObject([{ supply: 0n, burned: true }]);
    expect(sources()).toEqual(["mint"]);

    await single(zeroAddress, CAY, 2n);
    expect(store.rows(tokenState)).toMatchObject([{ supply: 2n, burned: false }]);
    expect(sources()).toEqual(["mint", "mint"]);
  });
});
