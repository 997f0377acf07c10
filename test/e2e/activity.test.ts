import { createPublicClient, type HDAccount, http, zeroHash } from "viem";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Chain, type Contract, startChain } from "../../demo/chain.ts";
import type { Service } from "../../demo/service.ts";
import { createSite, type Site, untilIndexed } from "../support/chain/chain-tables.ts";
import { lower } from "../support/chain/contract-answers.ts";
import { createKey } from "../support/service-key.ts";

const IDS = [1n, 2n, 3n, 4n, 9n];
const ITEM_IDS = [1n, 2n];

let chain: Chain;
let heroes: Contract;
let items: Contract;
let early: Contract;
let site: Site;
let service: Service;
let key: string;
let blocks: readonly bigint[];

const [ada, ben, cy, game] = [1, 2, 3, 9].map((index) => () => chain.account(index)) as [
  ...[() => HDAccount, () => HDAccount, () => HDAccount, () => HDAccount],
];

beforeAll(async () => {
  chain = await startChain();
  heroes = await chain.deploy("VitrineHeroes", ["http://127.0.0.1:1/"]);
  items = await chain.deploy("VitrineItems", ["http://127.0.0.1:1/{id}"]);
  early = await chain.deploy("EarlyHeroes");
  const registry = await chain.deploy("DelegateRegistryV2");
  await chain.write(heroes, "updateApprovedContracts", [[game().address], [true]]);
  const steps: readonly (readonly [Contract, string, readonly unknown[], HDAccount?])[] = [
    [heroes, "mintRange", [ada().address, 1n, 4n]],
    [heroes, "transferFrom", [ada().address, ben().address, 1n], ada()],
    [heroes, "lockId", [1n], game()],
    [heroes, "unlockId", [1n], game()],
    [heroes, "burn", [3n], ada()],
    [heroes, "transferFrom", [ben().address, cy().address, 1n], ben()],
    [heroes, "mint", [ben().address, 9n]],
    [items, "mint", [ada().address, 1n, 10n]],
    [items, "mintBatch", [ben().address, ITEM_IDS, [2n, 5n]]],
    [items, "safeTransferFrom", [ada().address, cy().address, 1n, 4n, "0x"], ada()],
    [items, "burn", [ben().address, 2n, 5n], ben()],
    [early, "mintConsecutive", [ada().address, 0n, 6_000n]],
    [early, "transferFrom", [ada().address, cy().address, 100n], ada()],
  ];
  const mined: bigint[] = [];
  for (const [contract, name, args, sender] of steps)
    mined.push((await chain.write(contract, name, args, sender)).blockNumber);
  blocks = mined;
  await chain.write(registry, "delegateAll", [cy().address, zeroHash, true], ben());
  await chain.write(registry, "delegateERC721", [cy().address, heroes.address, 2n, zeroHash, true], ada());
  site = await createSite([
    { chain, collections: [heroes, items, early].map(lower), registry: lower(registry) },
  ]);
  service = await site.start("activity");
  await untilIndexed(service, chain);
  key = await createKey(service);
});
afterAll(() => site.close());

interface Body {
  // biome-ignore lint/suspicious/noExplicitAny: answers are checked field by field
  readonly items: any[];
}
async function read(path: string): Promise<Body> {
  const response = await fetch(`${service.baseUrl}/market${path}`, { headers: { "x-api-key": key } });
  expect([path, response.status]).toEqual([path, 200]);
  return (await response.json()) as Body;
}

const types = ({ items: all }: Body) =>
  all
    .filter(({ type }) => type !== "metadata")
    .map(({ type, token_id, quantity, block }) => [type, token_id, quantity, BigInt(block)]);
const ownersAt = async (contract: Contract, block: bigint): Promise<Record<string, string>> => {
  const { items: owners } = await read(`/collections/${lower(contract)}/owners?at_block=${block}&limit=100`);
  return Object.fromEntries(owners.map(({ owner, quantity }) => [owner, quantity]));
};

/** Sums quantities by owner, without those that have nothing. */
function sums(holdings: readonly (readonly [owner: string, quantity: bigint])[]): Record<string, string> {
  const totals = new Map<string, bigint>();
  for (const [owner, quantity] of holdings)
    if (quantity > 0n) totals.set(owner, (totals.get(owner) ?? 0n) + quantity);
  return Object.fromEntries([...totals].map(([owner, quantity]) => [owner, String(quantity)]));
}

it("the owners at each block are those that the node names at that block", async () => {
  const node = createPublicClient({ transport: http(chain.rpcUrl) });
  for (const blockNumber of [...blocks, await chain.blockNumber()]) {
    const at = (contract: Contract, functionName: string, args: readonly unknown[]) =>
      node.readContract({ address: contract.address, abi: contract.abi, functionName, args, blockNumber });
    const owners = await Promise.all(
      IDS.map((id) =>
        at(heroes, "ownerOf", [id]).then(
          (owner) => String(owner).toLowerCase(),
          () => null,
        ),
      ),
    );
    const balances = await Promise.all(
      [ada(), ben(), cy()].flatMap((person) =>
        ITEM_IDS.map(async (id) => {
          const balance = (await at(items, "balanceOf", [person.address, id])) as bigint;
          return [lower(person), balance] as const;
        }),
      ),
    );

    expect([blockNumber, await ownersAt(heroes, blockNumber)]).toEqual([
      blockNumber,
      sums(owners.flatMap((owner) => (owner === null ? [] : [[owner, 1n] as const]))),
    ]);
    expect([blockNumber, await ownersAt(items, blockNumber)]).toEqual([blockNumber, sums(balances)]);
  }
});

it("tokens of a range belong to its receiver until they move", async () => {
  const [minted = 0n, moved = 0n] = blocks.slice(-2);

  expect(await ownersAt(early, minted)).toEqual({ [lower(ada())]: "6001" });
  expect(await ownersAt(early, moved)).toEqual({ [lower(ada())]: "6000", [lower(cy())]: "1" });
});

it("what happened to a token, in a collection and to a wallet is listed newest first", async () => {
  const [mint, sale, lock, unlock, burn, resale, late] = blocks;
  const path = `/collections/${lower(heroes)}`;

  expect(types(await read(`${path}/tokens/1/activity`))).toEqual([
    ["transfer", "1", "1", resale],
    ["unlock", "1", null, unlock],
    ["lock", "1", null, lock],
    ["transfer", "1", "1", sale],
    ["mint", "1", "1", mint],
  ]);
  expect(types(await read(`${path}/activity?type=burn,mint&limit=3`))).toEqual([
    ["mint", "9", "1", late],
    ["burn", "3", "1", burn],
    ["mint", "4", "1", mint],
  ]);
  // Ben owned token 1 while it was locked.
  const ofBen = await read(`/wallets/${lower(ben())}/activity?type=lock,unlock,transfer`);
  expect(types(ofBen)).toEqual([
    ["transfer", "1", "1", resale],
    ["unlock", "1", null, unlock],
    ["lock", "1", null, lock],
    ["transfer", "1", "1", sale],
  ]);
  expect(ofBen.items[3]).toMatchObject({ from: lower(ada()), to: lower(ben()), chain_id: chain.chainId });
});

it("a wallet's tokens are its own in every collection, and those that the registry lets it use", async () => {
  const { items: held } = await read(`/wallets/${lower(cy())}/tokens?include_delegated=true&limit=100`);

  const named = held.map(({ token, quantity, holder, via }) =>
    [token.collection_address, token.token_id, quantity, holder, via?.type ?? "own"].join(" "),
  );
  expect(named.sort()).toEqual(
    [
      [lower(heroes), 1, 1, lower(cy()), "own"],
      [lower(items), 1, 4, lower(cy()), "own"],
      [lower(early), 100, 1, lower(cy()), "own"],
      [lower(heroes), 9, 1, lower(ben()), "ALL"],
      [lower(items), 1, 2, lower(ben()), "ALL"],
      [lower(heroes), 2, 1, lower(ada()), "ERC721"],
    ]
      .map((parts) => parts.join(" "))
      .sort(),
  );
});
