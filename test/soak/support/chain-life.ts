/** Chain activity during the soak: one round per block of mints, transfers, locks, updates and burns. */

import { setTimeout as sleep } from "node:timers/promises";
import { encodeFunctionData } from "viem";
import type { Plant } from "../../faults/support/plant.ts";
import { createRandom } from "../../support/random.ts";
import type { Documents } from "./documents.ts";

const HOLDERS = [1, 2, 3, 4];
const LOCKERS = [5, 6];
const WHOLE_COLLECTION = 2n ** 256n - 1n;
const PAUSE_MS = 300;
const REORG_ROUNDS = 4;

interface State {
  /** The account that owns each token, by token id, without burned ones. */
  holders: Map<number, number>;
  /** Which accounts have a lock, as `id:account`. */
  locks: Set<string>;
}

export interface ChainLife {
  /** Existing ids, without burned ones. */
  ids(): readonly number[];
  readonly counts: Readonly<Record<string, number>>;
  /** The contract's refusals, which are mistakes of these tests. */
  readonly faults: readonly string[];
  /** Reverts the blocks of a few rounds by a longer chain. */
  reorganise(): Promise<{ readonly blocks: number }>;
  stop(): Promise<void>;
}

/** Token ids 1 to `tokens` are already minted, to the first holder. */
export async function startChainLife(
  { chain, heroes, origin }: Plant,
  { tokens, documents, seed }: { tokens: number; documents: Documents; seed: number },
): Promise<ChainLife> {
  const state: State = {
    holders: new Map(Array.from({ length: tokens }, (_, index) => [index + 1, HOLDERS[0] ?? 1])),
    locks: new Set(),
  };
  const counts: Record<string, number> = {};
  const faults: string[] = [];
  const count = (name: string): void => {
    counts[name] = (counts[name] ?? 0) + 1;
  };
  let nextId = tokens + 1;
  let rounds = 0;
  let isStopping = false;
  await chain.write(heroes, "updateApprovedContracts", [
    LOCKERS.map((account) => chain.account(account).address),
    LOCKERS.map(() => true),
  ]);

  const isLocked = (id: number): boolean => LOCKERS.some((account) => state.locks.has(`${id}:${account}`));

  /** One transaction by the owner, one by a holder and one by a locker, on different tokens. */
  async function playRound(): Promise<void> {
    const round = rounds++;
    const random = createRandom(seed, round);
    const ids = [...state.holders.keys()];
    const [moved, locked, burned] = [random.pick(ids), random.pick(ids), random.pick(ids)];
    const calls: [name: string, ...args: unknown[]][] = [];
    const after: (() => void)[] = [];

    if (round % 2 === 0) {
      const id = nextId++;
      const holder = random.pick(HOLDERS);
      calls.push(["mint", chain.account(holder).address, BigInt(id)]);
      after.push(() => state.holders.set(id, holder));
      count("mints");
    }
    const updated = random.pick(ids);
    if (random.chance(0.8)) documents.change(updated);
    calls.push(["emitMetadataUpdate", BigInt(updated)]);
    count("updates");
    if (round % 5 === 0) {
      const from = random.pick(ids);
      const to = from + random.whole(5, 20);
      for (let id = from; id <= to; id++) if (random.chance(0.5)) documents.change(id);
      calls.push(["emitBatchMetadataUpdate", BigInt(from), BigInt(to)]);
      count("batch updates");
    }
    if (round % 15 === 0) {
      const id = random.pick(ids);
      calls.push(["setTokenURI", BigInt(id), `${origin.url}/t/${id}?round=${round}`]);
      count("new URIs");
    }
    if (round % 150 === 149) {
      calls.push(["emitBatchMetadataUpdate", 0n, WHOLE_COLLECTION]);
      count("collection updates");
    }
    if (round % 30 === 29 && burned !== moved && burned !== locked) {
      calls.push(["burn", BigInt(burned)]);
      after.push(() => state.holders.delete(burned));
      count("burns");
    }

    const writes: Promise<unknown>[] = [
      chain.write(heroes, "multicall", [
        calls.map(([functionName, ...args]) => encodeFunctionData({ abi: heroes.abi, functionName, args })),
      ]),
    ];
    const from = state.holders.get(moved) ?? 0;
    const to = random.pick(HOLDERS);
    if (moved !== locked && !isLocked(moved)) {
      const parties = [from, to].map((account) => chain.account(account).address);
      writes.push(chain.write(heroes, "transferFrom", [...parties, BigInt(moved)], chain.account(from)));
      after.push(() => state.holders.set(moved, to));
      count("transfers");
    }
    const locker = random.pick(LOCKERS);
    const lock = `${locked}:${locker}`;
    const isLockedBy = state.locks.has(lock);
    writes.push(
      chain.write(heroes, isLockedBy ? "unlockId" : "lockId", [BigInt(locked)], chain.account(locker)),
    );
    after.push(() => void (isLockedBy ? state.locks.delete(lock) : state.locks.add(lock)));
    count(isLockedBy ? "unlocks" : "locks");

    await Promise.all(writes);
    for (const apply of after) apply();
  }

  // One after the other: a reorg must not meet a transaction that is waiting to be mined.
  let last: Promise<unknown> = Promise.resolve();
  const runExclusive = <Result>(act: () => Promise<Result>): Promise<Result> => {
    const result = last.then(act);
    last = result.catch(() => undefined);
    return result;
  };

  async function live(): Promise<void> {
    while (!isStopping) {
      await runExclusive(playRound).catch((error: Error) => faults.push(error.message));
      await sleep(PAUSE_MS);
    }
  }
  const living = live();

  return {
    ids: () => [...state.holders.keys()],
    counts,
    faults,
    reorganise: () =>
      runExclusive(async () => {
        const before: State = { holders: new Map(state.holders), locks: new Set(state.locks) };
        const snapshot = await chain.snapshot();
        const fork = await chain.blockNumber();
        for (let round = 0; round < REORG_ROUNDS; round++) await playRound();
        // Until the service has seen some of what it must revert.
        await sleep(2_000);
        const blocks = Number((await chain.blockNumber()) - fork);
        await chain.revert(snapshot);
        Object.assign(state, before);
        await playRound();
        await chain.mine(blocks + 1);
        return { blocks };
      }),
    async stop() {
      isStopping = true;
      await living;
    },
  };
}
