/** Fills a fresh chain with the demo's contracts, tokens, locks and delegations. */
import { type Address, encodeFunctionData, type HDAccount, type Hex, keccak256, toHex, zeroHash } from "viem";
import type { Chain, Contract } from "./chain.ts";
import type { MetadataHost } from "./metadata-host.ts";

const HEROES_PER_HOLDER = 12n;
const ITEM_IDS = Array.from({ length: 16 }, (_, index) => BigInt(index + 1));
// The registry never calls the named contract, so a delegated coin need not exist.
const COIN: Address = "0x00000000000000000000000000000000000c0194";

export type Population = {
  erc721: Contract;
  erc1155: Contract;
  delegateRegistry: Contract;
  /** The block of the first deployment; nothing of the demo is older. */
  startBlock: number;
  owner: HDAccount;
  /** Four wallets with twelve heroes each before the transfers, and a few items. */
  holders: readonly [HDAccount, HDAccount, HDAccount, HDAccount];
  /** Two accounts approved to lock heroes. */
  lockers: readonly [HDAccount, HDAccount];
  /** Two wallets that receive delegations. */
  delegates: readonly [HDAccount, HDAccount];
  burnedHero: bigint;
  /** A hero locked by two lockers, one locked by one, and one that was locked and released. */
  lockedHeroes: { twice: bigint; once: bigint; released: bigint };
  /** The rights label of the one delegation with limited rights. */
  listingRights: Hex;
};

/** Deploys the contracts, owned by the first account, and fills them; a moment's work if mining on demand. */
export const populate = async (chain: Chain, host: MetadataHost): Promise<Population> => {
  const [erc721, erc1155, delegateRegistry] = await Promise.all([
    chain.deploy("VitrineHeroes", [host.heroesBaseUri]),
    chain.deploy("VitrineItems", [host.itemsTemplateUri]),
    chain.deploy("DelegateRegistryV2"),
  ]);

  const people = cast(chain);
  const population: Population = {
    ...people,
    erc721,
    erc1155,
    delegateRegistry,
    startBlock: Number(erc721.deployedAtBlock),
    burnedHero: 6n,
    lockedHeroes: { twice: 7n, once: 8n, released: 9n },
    listingRights: keccak256(toHex("vitrine.list")),
  };

  await Promise.all([
    fillHeroes(chain, host, population),
    mintItems(chain, population),
    delegate(chain, population),
  ]);
  return population;
};

const cast = ({ account }: Chain): Pick<Population, "owner" | "holders" | "lockers" | "delegates"> => ({
  owner: account(0),
  holders: [account(1), account(2), account(3), account(4)],
  lockers: [account(5), account(6)],
  delegates: [account(7), account(8)],
});

const fillHeroes = async (chain: Chain, host: MetadataHost, population: Population): Promise<void> => {
  await mintHeroes(chain, population);
  await Promise.all([
    chain.write(population.erc721, "setTokenURI", [host.ipfsHero.id, host.ipfsHero.uri]),
    moveHeroes(chain, population),
    lockHeroes(chain, population),
  ]);
};

const mintHeroes = async (chain: Chain, { erc721, holders }: Population): Promise<void> => {
  const mints = holders.map((holder, index) =>
    chain.write(erc721, "mintRange", [
      holder.address,
      BigInt(index) * HEROES_PER_HOLDER + 1n,
      HEROES_PER_HOLDER,
    ]),
  );
  await Promise.all(mints);
};

const moveHeroes = async (chain: Chain, { erc721, holders, burnedHero }: Population): Promise<void> => {
  const [ada, ben, cy] = holders;
  await Promise.all([
    chain.write(erc721, "transferFrom", [ada.address, ben.address, 3n], ada),
    chain.write(erc721, "transferFrom", [ben.address, cy.address, 14n], ben),
    chain.write(erc721, "burn", [burnedHero], ada),
  ]);
};

const lockHeroes = async (chain: Chain, { erc721, lockers, lockedHeroes }: Population): Promise<void> => {
  const [game, market] = lockers;
  const { twice, once, released } = lockedHeroes;
  await chain.write(erc721, "updateApprovedContracts", [lockers.map(({ address }) => address), [true, true]]);
  // One after the other: the client's README shows their order.
  await chain.write(erc721, "lockId", [twice], game);
  await chain.write(erc721, "lockId", [twice], market);
  await chain.write(erc721, "lockId", [once], game);
  await chain.write(erc721, "lockId", [released], market);
  await chain.write(erc721, "unlockId", [released], market);
};

const mintItems = async (chain: Chain, { erc1155, holders }: Population): Promise<void> => {
  const [ada, ben, cy] = holders;
  const half = ITEM_IDS.filter((id) => id % 2n === 0n);
  await Promise.all([
    chain.write(erc1155, "mintBatch", [ada.address, ITEM_IDS, ITEM_IDS.map((id) => id * 10n)]),
    chain.write(erc1155, "mintBatch", [ben.address, half, half.map(() => 5n)]),
    chain.write(erc1155, "mint", [cy.address, 1n, 1n]),
  ]);
  await Promise.all([
    chain.write(erc1155, "safeTransferFrom", [ada.address, cy.address, 2n, 4n, "0x"], ada),
    chain.write(erc1155, "burn", [ben.address, 4n, 2n], ben),
  ]);
};

/** One delegation of every type, one with limited rights, and two revoked ones. */
const delegate = async (chain: Chain, population: Population): Promise<void> => {
  const { erc721, erc1155, delegateRegistry, holders, delegates, listingRights } = population;
  const [ada, ben, cy, dot] = holders;
  const [hot, agent] = delegates.map(({ address }) => address);

  const send = (from: HDAccount, ...calls: [name: string, ...args: unknown[]][]) => {
    const data = calls.map(([functionName, ...args]) =>
      encodeFunctionData({ abi: delegateRegistry.abi, functionName, args }),
    );
    return chain.write(delegateRegistry, "multicall", [data], from);
  };

  await Promise.all([
    send(
      ada,
      ["delegateAll", hot, zeroHash, true],
      ["delegateContract", agent, erc721.address, zeroHash, true],
    ),
    send(
      ben,
      ["delegateERC721", hot, erc721.address, 13n, zeroHash, true],
      ["delegateERC20", agent, COIN, zeroHash, 10n ** 18n],
      ["delegateERC1155", agent, erc1155.address, 2n, zeroHash, 5n],
      ["delegateERC1155", agent, erc1155.address, 2n, zeroHash, 0n],
    ),
    send(
      cy,
      ["delegateERC1155", hot, erc1155.address, 1n, zeroHash, 1n],
      ["delegateAll", agent, zeroHash, true],
      ["delegateAll", agent, zeroHash, false],
    ),
    send(dot, ["delegateAll", hot, listingRights, true]),
  ]);
};
