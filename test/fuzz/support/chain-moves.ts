/** Random transactions of three collections and a delegate registry, and reorganisations that replace some of them. */

import { type HDAccount, zeroHash } from "viem";
import type { Chain, Contract } from "../../../demo/chain.ts";
import { balancesOf } from "../../support/chain/contract-answers.ts";
import type { Random } from "../../support/random.ts";

export const HERO_IDS = [1n, 2n, 3n, 4n, 5n, 6n, 7n, 8n];
export const ITEM_IDS = [1n, 2n, 3n];
/** Each is the first part of a document's path, and the value of its trait `Side`. */
export const SIDES = ["north", "east", "south", "west"];
// Ponder takes a chain's last 30 blocks for unsettled.
const DEPTH_MAX = 20;

const RANGE_MAX = 20;
const EARLY_MAX = 90;

export interface Actors {
  readonly holders: readonly HDAccount[];
  readonly lockers: readonly HDAccount[];
}

export interface Ledger {
  readonly chain: Chain;
  readonly heroes: Contract;
  readonly items: Contract;
  /** Its tokens are minted in ranges (ERC-2309), from 1 on. */
  readonly early: Contract;
  readonly registry: Contract;
  readonly actors: Actors;
  /** Where the documents are: `<url>/<side>/<id>`. */
  readonly documents: string;
}

/** How many tokens of ranges there are; none is ever burned. */
export async function mintedEarly({ chain, early, actors }: Ledger): Promise<number> {
  const balances = await balancesOf(chain, early, actors.holders);
  return Number(balances.reduce((sum, balance) => sum + balance, 0n));
}

type Move = (random: Random) => Promise<unknown>;

export function createMoves(ledger: Ledger) {
  const { chain, heroes, items, early, registry, actors, documents } = ledger;
  const uriOf = (random: Random, id: bigint): string => `${documents}/${random.pick(SIDES)}/${id}`;
  const ownerOf = async (contract: Contract, id: bigint): Promise<HDAccount | undefined> => {
    const owner = await chain.read(contract, "ownerOf", [id]).catch(() => undefined);
    return actors.holders.find(({ address }) => address === owner);
  };

  const moves: readonly Move[] = [
    (random) => chain.write(heroes, "mint", [random.pick(actors.holders).address, random.pick(HERO_IDS)]),
    async (random) => {
      const id = random.pick(HERO_IDS);
      const owner = await ownerOf(heroes, id);
      const to = random.pick(actors.holders).address;
      if (owner) await chain.write(heroes, "transferFrom", [owner.address, to, id], owner);
    },
    async (random) => {
      const from = BigInt(1 + (await mintedEarly(ledger)));
      const size = BigInt(random.whole(0, Math.min(RANGE_MAX, EARLY_MAX - Number(from))));
      const to = random.pick(actors.holders).address;
      if (from < EARLY_MAX) await chain.write(early, "mintConsecutive", [to, from, from + size]);
    },
    async (random) => {
      const id = BigInt(random.whole(1, Math.max(1, await mintedEarly(ledger))));
      const owner = await ownerOf(early, id);
      const to = random.pick(actors.holders).address;
      if (owner) await chain.write(early, "transferFrom", [owner.address, to, id], owner);
    },
    (random) => chain.write(heroes, "burn", [random.pick(HERO_IDS)]),
    (random) => chain.write(heroes, "setBaseURI", [`${documents}/${random.pick(SIDES)}/`]),
    (random) => chain.write(heroes, "lockId", [random.pick(HERO_IDS)], random.pick(actors.lockers)),
    (random) => chain.write(heroes, "unlockId", [random.pick(HERO_IDS)], random.pick(actors.lockers)),
    (random) => {
      const id = random.pick(HERO_IDS);
      return chain.write(heroes, "setTokenURI", [id, random.chance(0.3) ? "" : uriOf(random, id)]);
    },
    (random) => chain.write(heroes, "emitMetadataUpdate", [random.pick(HERO_IDS)]),
    (random) =>
      chain.write(items, "mintBatch", [
        random.pick(actors.holders).address,
        ITEM_IDS,
        ITEM_IDS.map(() => BigInt(random.whole(0, 3))),
      ]),
    (random) => {
      const [from, to] = [random.pick(actors.holders), random.pick(actors.holders)];
      const amount = BigInt(random.whole(0, 2));
      const transfer = [from.address, to.address, random.pick(ITEM_IDS), amount, "0x"];
      return chain.write(items, "safeTransferFrom", transfer, from);
    },
    (random) => {
      const burned = [random.pick(actors.holders).address, random.pick(ITEM_IDS), BigInt(random.whole(1, 3))];
      return chain.write(items, "burn", burned);
    },
    (random) => {
      const id = random.pick(ITEM_IDS);
      return chain.write(items, "setTokenURI", [id, uriOf(random, id)]);
    },
    (random) => {
      const [from, to] = [random.pick(actors.holders), random.pick(actors.holders)];
      const isGranted = random.chance(0.6);
      return random.chance(0.5)
        ? chain.write(registry, "delegateAll", [to.address, zeroHash, isGranted], from)
        : chain.write(
            registry,
            "delegateERC721",
            [to.address, heroes.address, random.pick(HERO_IDS), zeroHash, isGranted],
            from,
          );
    },
  ];

  return {
    /** One transaction in a block of its own. One that the contract refuses changes nothing. */
    async any(random: Random): Promise<void> {
      await random.pick(moves)(random).catch(ignoreRefusal);
    },
  };
}

function ignoreRefusal(error: Error): void {
  if (!/revert/i.test(error.message)) throw error;
}

/** The blocks to which a chain can return. */
export function createBranches(chain: Chain) {
  let known: { readonly block: bigint; readonly snapshot: `0x${string}` }[] = [];
  let highest = 0n;

  return {
    async mark(): Promise<void> {
      const block = await chain.blockNumber();
      if (block > highest) highest = block;
      known.push({ block, snapshot: await chain.snapshot() });
      known = known.filter((each) => each.block >= highest - BigInt(DEPTH_MAX));
    },
    /** Returns to one of the last blocks; resolves with how many are undone. */
    async goBack(random: Random): Promise<number> {
      const at = random.whole(0, known.length - 1);
      const { block, snapshot } = known[at] as (typeof known)[number];
      const head = await chain.blockNumber();
      await chain.revert(snapshot);
      // Later snapshots end with it.
      known = known.slice(0, at);
      return Number(head - block);
    },
    /** Makes this branch longer than every other one, which is when it counts. */
    async outgrow(): Promise<void> {
      const head = await chain.blockNumber();
      await chain.mine(head > highest ? 1 : Number(highest - head) + 1);
      highest = await chain.blockNumber();
      known = [];
    },
  };
}
