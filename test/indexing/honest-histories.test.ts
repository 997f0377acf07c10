/**
 * Random histories of honest contracts that use ERC-721, ERC-2309 and ERC-1155 for the same ids, against a model that
 * knows only who has how many pieces of what.
 */

import { zeroAddress } from "viem";
import { expect, it } from "vitest";
import {
  collectionHolder,
  collectionState,
  expansionAllowance,
  indexAnomaly,
  tokenBalance,
  tokenRange,
  tokenState,
} from "../../ponder.schema.ts";
import { COLLECTION, createEventSource, createFakeChainStore } from "../support/chain/fake-chain-store.ts";
import { consecutiveLog, signatures } from "../support/chain/token-logs.ts";
import { createRandom, type Random } from "../support/random.ts";
import "../../src/indexing/erc1155.ts";
import "../../src/indexing/erc2309.ts";
import "../../src/indexing/erc721.ts";
import "../../src/indexing/locks.ts";

const HISTORIES = 800;
const EVENTS_MAX = 24;
const LAST_ID = 16;
const MIDDLE_ID = LAST_ID / 2;
const BLOCK = 100;
const WALLETS = ["a", "b", "c"].map((letter) => `0x${letter.repeat(40)}`);

type Log = Parameters<ReturnType<typeof createEventSource>["log"]>[0];
/** Pieces by id and holder. Of an ERC-721 token, the owner has the only one. */
type Model = Map<number, Map<string, bigint>>;

const transfer = (from: string, to: string, id: number): Log => ({
  event: signatures.transfer,
  topics: [from, to, BigInt(id)],
});
const single = (from: string, to: string, id: number, amount: bigint): Log => ({
  event: signatures.single,
  topics: [from, from, to],
  data: [BigInt(id), amount],
});

function give(model: Model, id: number, holder: string, amount: bigint): void {
  if (holder === zeroAddress) return;
  const holders = model.get(id) ?? new Map<string, bigint>();
  model.set(id, holders);
  const left = (holders.get(holder) ?? 0n) + amount;
  if (left === 0n) holders.delete(holder);
  else holders.set(holder, left);
}

/** The next event, applied to the model. */
function next(
  random: Random,
  model: Model,
  { spread, byOwner }: { spread: number; byOwner: (id: number) => boolean },
): Log | undefined {
  const id = random.whole(MIDDLE_ID - spread, MIDDLE_ID + spread);
  const holders = [...(model.get(id) ?? [])];
  const to = random.chance(0.4) ? zeroAddress : random.pick(WALLETS);
  const held = holders.length > 0 ? random.pick(holders) : undefined;
  const pick = random.whole(1, 10);
  if (pick === 1) return mintConsecutive(random, model);
  if (pick === 2) return single(random.pick([zeroAddress, to]), to, id, 0n);
  if (pick === 3) return { event: "Locked(uint256)", data: [BigInt(id)] };
  if (pick < 8) {
    const isWhole = holders.length === 0 || (holders.length === 1 && held?.[1] === 1n);
    const from = held?.[0] ?? zeroAddress;
    if (!isWhole || from === to) return undefined;
    give(model, id, from, -1n);
    give(model, id, to, 1n);
    return random.chance(0.8) ? transfer(from, to, id) : consecutive(id, id, from, to);
  }
  const isMint = held === undefined || random.chance(0.4);
  const from = isMint ? zeroAddress : held[0];
  if (from === to) return undefined;
  const amount = BigInt(random.whole(1, isMint ? 3 : Number(held[1])));
  // One piece for the owner reads as the same movement by the other standard.
  if (amount === 1n && byOwner(id) && to === holders[0]?.[0]) return undefined;
  give(model, id, from, -amount);
  give(model, id, to, amount);
  return single(from, to, id, amount);
}

const consecutive = (first: number, last: number, from: string, to: string): Log =>
  consecutiveLog({ first: BigInt(first), last: BigInt(last), from, to });

/** Of ids that nobody has. */
function mintConsecutive(random: Random, model: Model): Log | undefined {
  const first = random.whole(0, MIDDLE_ID + 1);
  let last = first;
  const isFree = (id: number): boolean => (model.get(id)?.size ?? 0) === 0;
  if (!isFree(first)) return undefined;
  const end = random.whole(Math.max(first, MIDDLE_ID - 1), LAST_ID);
  while (last < end && isFree(last + 1)) last++;
  const to = random.pick(WALLETS);
  for (let id = first; id <= last; id++) give(model, id, to, 1n);
  return consecutive(first, last, zeroAddress, to);
}

const copy = (model: Model): Model => new Map([...model].map(([id, holders]) => [id, new Map(holders)]));

const collection = { chainId: 31337, collectionAddress: COLLECTION };

/** A history of one contract, as indexed and as it should be. */
async function play(random: Random) {
  const store = createFakeChainStore();
  const chain = createEventSource(store);
  const byOwner = (id: number): boolean => {
    const row = store.rows(tokenState).find(({ tokenId }) => tokenId === BigInt(id));
    return (row?.standard ?? "erc721") === "erc721";
  };
  // Large mints need space around the ids that move.
  const spread = random.pick([0, 1, 2, MIDDLE_ID]);
  let model: Model = new Map();
  const logs: Log[] = [];
  const events = random.whole(1, EVENTS_MAX);
  while (logs.length < events) {
    const before = copy(model);
    const log = next(random, model, { spread, byOwner });
    if (!log) continue;
    logs.push(log);
    // So few that a mint of two tokens may be a range.
    const allowance = { tokens: random.pick([1, 2, 4, 8]), blockTimestamp: BigInt(1_700_000_000 + BLOCK) };
    await store.db
      .insert(expansionAllowance)
      .values({ ...collection, ...allowance })
      .onConflictDoUpdate(allowance);
    await chain.log(log, { block: BLOCK, log: logs.length });
    for (const { kind, detail } of store.rows(indexAnomaly)) {
      // Nothing of such a mint is applied.
      if (kind === "overlapping_range") model = before;
      else leaveOut(model, detail as string);
      await store.db.delete(indexAnomaly, { ...collection, kind });
    }
  }
  return { store, model, logs };
}

/** What a mint says that it has not indexed has no owner. */
function leaveOut(model: Model, detail: string): void {
  const last = /^tokens \d+ to (\d+) /.exec(detail)?.[1];
  const cut = [...detail.matchAll(/from (\d+) (?:to (\d+)|on)/g)];
  expect(cut, detail).not.toEqual([]);
  for (const [, from, to] of cut) {
    for (let id = Number(from); id <= Number(to ?? last); id++) model.delete(id);
  }
}

type Store = ReturnType<typeof createFakeChainStore>;

/** Who has how many pieces of what, by the rows, as readers put them together. */
function readPieces(store: Store): Map<string, bigint> {
  const pieces = new Map<string, bigint>();
  for (const { fromTokenId, toTokenId, owner } of store.rows(tokenRange)) {
    for (let id = fromTokenId as bigint; id <= (toTokenId as bigint); id++) pieces.set(`${id} ${owner}`, 1n);
  }
  for (const { tokenId, standard, owner, supply, burned } of store.rows(tokenState)) {
    if (standard === null) continue;
    for (const key of pieces.keys()) if (key.startsWith(`${tokenId} `)) pieces.delete(key);
    if (standard === "erc721") {
      expect([owner === null, supply]).toEqual([burned, null]);
      if (owner !== null) pieces.set(`${tokenId} ${owner}`, 1n);
      continue;
    }
    const held = store
      .rows(tokenBalance)
      .filter((row) => row.tokenId === tokenId && (row.balance as bigint) > 0n);
    expect([owner, supply]).toEqual([null, held.reduce((sum, { balance }) => sum + (balance as bigint), 0n)]);
    for (const { holder, balance } of held) pieces.set(`${tokenId} ${holder}`, balance as bigint);
  }
  return pieces;
}

const sorted = (entries: Iterable<readonly [string, unknown]>) =>
  [...entries].sort(([a], [b]) => (a < b ? -1 : 1));

it("owners, balances and counts are those of the contract, whichever standards it uses for an id", async () => {
  let ranged = 0;
  let split = 0;
  for (let seed = 0; seed < HISTORIES; seed++) {
    const { store, model, logs } = await play(createRandom(2309, seed));
    const history = `history ${seed}: ${logs.map(({ event, topics, data }) => [event, topics, data].join(" ")).join("; ")}`;

    const expected = [...model].flatMap(([id, holders]) =>
      [...holders].map(([holder, amount]) => [`${id} ${holder}`, amount] as const),
    );
    expect(sorted(readPieces(store)), history).toEqual(sorted(expected));
    const tokens = new Map<string, number>();
    for (const holders of model.values()) {
      for (const holder of holders.keys()) tokens.set(holder, (tokens.get(holder) ?? 0) + 1);
    }
    const held = store.rows(collectionHolder).filter((row) => row.tokens !== 0);
    expect(sorted(held.map((row) => [row.holder as string, row.tokens])), history).toEqual(sorted(tokens));
    const [state] = store.rows(collectionState);
    const items = [...model.values()].filter(({ size }) => size > 0).length;
    expect([state?.items ?? 0, state?.owners ?? 0], history).toEqual([items, tokens.size]);
    const mints = store.rows(tokenRange).map(({ mintedLog }) => mintedLog);
    if (mints.length > 0) ranged++;
    if (new Set(mints).size < mints.length) split++;
  }
  // Otherwise the histories would prove little.
  expect(ranged).toBeGreaterThan(HISTORIES / 4);
  expect(split).toBeGreaterThan(HISTORIES / 50);
});
