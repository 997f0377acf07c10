/** Everything that the handlers can index, done once to a set of contracts by four people. */

import { encodeFunctionData, type HDAccount, keccak256, toHex, zeroHash } from "viem";
import type { Chain, Contract } from "../../../demo/chain.ts";

export const MAX = 2n ** 256n - 1n;
/** The tokens in the stories' contracts; a few of them are burned by the end. */
export const HERO_IDS = [1n, 2n, 3n, 4n, 5n, 6n, 7n, 8n, MAX];
export const ITEM_IDS = [1n, 2n, 3n, MAX];
export const RIGHTS = keccak256(toHex("vitrine.list"));
// The registry never calls the named contract, so a delegated coin need not exist.
const COIN = "0x00000000000000000000000000000000000c0194";
const NOWHERE = "http://127.0.0.1:1/";

/** Stories share only the chain, the registry and the two lockers. */
export interface Cast {
  readonly heroes: Contract;
  readonly items: Contract;
  readonly early: Contract;
  readonly endless: Contract;
  readonly registry: Contract;
  readonly ada: HDAccount;
  readonly ben: HDAccount;
  readonly cy: HDAccount;
  readonly dot: HDAccount;
  readonly game: HDAccount;
  readonly market: HDAccount;
  /** The size of the larger of two ERC-2309 mints. */
  readonly crowd: bigint;
}

/** Deploys a story's contracts. Its people are four accounts starting at `first`. */
export async function castStory(
  chain: Chain,
  registry: Contract,
  { first, crowd }: { first: number; crowd: bigint },
): Promise<Cast> {
  const [heroes, items, early, endless] = await Promise.all([
    chain.deploy("VitrineHeroes", [`${NOWHERE}heroes/`]),
    chain.deploy("VitrineItems", [`${NOWHERE}items/{id}.json`]),
    chain.deploy("EarlyHeroes"),
    chain.deploy("EarlyHeroes"),
  ]);
  const person = (offset: number): HDAccount => chain.account(first + offset);
  const people = { ada: person(0), ben: person(1), cy: person(2), dot: person(3) };
  const lockers = { game: chain.account(9), market: chain.account(0) };
  return { heroes, items, early, endless, registry, ...people, ...lockers, crowd };
}

/** The addresses of a story's token contracts. */
export const collectionsOf = ({ heroes, items, early, endless }: Cast): string[] =>
  [heroes, items, early, endless].map(({ address }) => address);

export async function playStory(chain: Chain, cast: Cast): Promise<void> {
  await Promise.all([
    playHeroes(chain, cast),
    playItems(chain, cast),
    playEarlyMints(chain, cast),
    playDelegations(chain, cast),
  ]);
}

type Step = readonly [name: string, args: readonly unknown[], sender?: HDAccount];

async function perform(chain: Chain, contract: Contract, steps: readonly Step[]): Promise<void> {
  for (const [name, args, sender] of steps) await chain.write(contract, name, args, sender);
}

async function playHeroes(chain: Chain, { heroes, ada, ben, cy, game, market }: Cast): Promise<void> {
  await perform(chain, heroes, [
    ["mintRange", [ada.address, 1n, 8n]],
    ["mint", [ben.address, MAX]],
    [
      "updateApprovedContracts",
      [
        [game.address, market.address],
        [true, true],
      ],
    ],
    ["transferFrom", [ada.address, ben.address, 2n], ada],
    // Cy is an owner briefly.
    ["transferFrom", [ben.address, cy.address, 2n], ben],
    ["transferFrom", [cy.address, ben.address, 2n], cy],
    ["burn", [3n], ada],
    // Two lockers on one token; on another, the first of two releases its lock.
    ["lockId", [4n], game],
    ["lockId", [4n], market],
    ["lockId", [MAX], game],
    ["lockId", [MAX], market],
    ["unlockId", [MAX], game],
    // Locked under one tracker, unlocked under another: token 5, for which the contract has no count.
    ["emitRawLock", [5n, ada.address]],
    ["emitRawUnlock", [5n, ben.address]],
    ["emitRawUnlock", [6n, ben.address]],
    ["lockId", [6n], game],
    // Burned while locked; 7 comes back.
    ["lockId", [7n], game],
    ["burn", [7n], ada],
    ["mint", [ben.address, 7n]],
    ["lockId", [8n], market],
    ["burn", [8n], ada],
    ["emitMetadataUpdate", [1n]],
    ["emitBatchMetadataUpdate", [2n, 5n]],
    ["emitBatchMetadataUpdate", [0n, MAX]],
    ["emitBatchMetadataUpdate", [9n, 2n]],
  ]);
}

async function playItems(chain: Chain, { items, ada, ben, cy, dot }: Cast): Promise<void> {
  await perform(chain, items, [
    ["mint", [ada.address, 1n, 10n]],
    ["mintBatch", [ben.address, [1n, 2n, MAX], [5n, 2n ** 200n + 1n, 1n]]],
    ["mint", [cy.address, 3n, 4n]],
    ["safeTransferFrom", [ada.address, cy.address, 1n, 4n, "0x"], ada],
    ["safeBatchTransferFrom", [ben.address, ada.address, [1n, 2n], [5n, 7n], "0x"], ben],
    // Dot is an owner briefly.
    ["safeTransferFrom", [ada.address, dot.address, 2n, 7n, "0x"], ada],
    ["safeTransferFrom", [dot.address, ada.address, 2n, 7n, "0x"], dot],
    ["burn", [ben.address, 2n, 2n ** 199n], ben],
    ["burn", [ben.address, MAX, 1n], ben],
    ["burn", [cy.address, 3n, 4n], cy],
    ["mint", [cy.address, 3n, 2n]],
    ["setTokenURI", [1n, `${NOWHERE}other.json`]],
  ]);
}

async function playEarlyMints(chain: Chain, { early, ada, ben, cy, crowd }: Cast): Promise<void> {
  await perform(chain, early, [
    ["mintConsecutive", [ada.address, 0n, 2n]],
    ["mintConsecutive", [ben.address, 3n, crowd + 2n]],
    ["transferFrom", [ben.address, cy.address, 100n], ben],
    ["emitMetadataUpdate", [MAX]],
    ["emitBatchMetadataUpdate", [2n, 5n]],
    ["emitTwofoldMetadataUpdate", [1n]],
  ]);
}

/** Separate from the rest: the chain index makes thousands of rows from such a claim. */
export async function claimEveryToken(chain: Chain, { endless, ada }: Cast): Promise<void> {
  await perform(chain, endless, [["mintConsecutive", [ada.address, 1n, MAX]]]);
}

/** One of every type: some limited to a purpose, some changed, some revoked, some granted again. */
async function playDelegations(chain: Chain, cast: Cast): Promise<void> {
  const { registry, heroes, items, ada, ben, cy, dot } = cast;
  const send = (from: HDAccount, ...calls: [name: string, ...args: unknown[]][]) => {
    const data = calls.map(([functionName, ...args]) =>
      encodeFunctionData({ abi: registry.abi, functionName, args }),
    );
    return chain.write(registry, "multicall", [data], from);
  };
  await send(
    ada,
    ["delegateAll", dot.address, zeroHash, true],
    ["delegateContract", dot.address, heroes.address, zeroHash, true],
    ["delegateERC721", dot.address, heroes.address, MAX, zeroHash, true],
    ["delegateERC20", dot.address, COIN, zeroHash, 10n ** 18n],
    ["delegateERC1155", dot.address, items.address, 2n, zeroHash, 2n ** 200n],
    ["delegateERC721", cy.address, heroes.address, 0n, RIGHTS, true],
    ["delegateERC20", dot.address, COIN, RIGHTS, MAX],
  );
  await send(
    ben,
    ["delegateAll", dot.address, RIGHTS, true],
    ["delegateContract", dot.address, heroes.address, zeroHash, true],
    ["delegateContract", dot.address, heroes.address, zeroHash, false],
    ["delegateERC721", dot.address, heroes.address, 7n, zeroHash, true],
    ["delegateERC20", cy.address, COIN, zeroHash, 7n],
    ["delegateERC1155", cy.address, items.address, MAX, RIGHTS, 3n],
    ["delegateAll", cy.address, zeroHash, true],
  );
  await send(
    ada,
    ["delegateERC20", dot.address, COIN, zeroHash, 5n],
    ["delegateAll", dot.address, zeroHash, true],
  );
  await send(
    ben,
    ["delegateERC721", dot.address, heroes.address, 7n, zeroHash, false],
    ["delegateERC20", cy.address, COIN, zeroHash, 0n],
    ["delegateERC1155", cy.address, items.address, MAX, RIGHTS, 0n],
    ["delegateAll", cy.address, zeroHash, false],
    ["delegateAll", cy.address, zeroHash, true],
  );
  // Revoked without ever having been granted.
  await send(cy, ["delegateAll", ada.address, zeroHash, false]);
}
