/** The demo starts with every state that the service must distinguish. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Chain, type Contract, startChain } from "../../demo/chain.ts";
import { type MetadataHost, startMetadataHost } from "../../demo/metadata-host.ts";
import { type Population, populate } from "../../demo/populate.ts";

let chain: Chain;
let host: MetadataHost;
let demo: Population;

beforeAll(async () => {
  [chain, host] = await Promise.all([startChain(), startMetadataHost()]);
  demo = await populate(chain, host);
});
afterAll(() => Promise.all([chain.close(), host.close()]));

const read = (contract: Contract, name: string, ...args: unknown[]) => chain.read(contract, name, args);
const owns = (address: string, ids: readonly bigint[]) =>
  Promise.all(ids.map(async (id) => (await read(demo.erc721, "ownerOf", id)) === address));

it("mints 48 heroes, moves two and burns one", async () => {
  const [ada, ben, cy, dot] = demo.holders;

  expect(
    await Promise.all(demo.holders.map(({ address }) => read(demo.erc721, "balanceOf", address))),
  ).toEqual([10n, 12n, 13n, 12n]);
  expect(await owns(ben.address, [3n])).toEqual([true]);
  expect(await owns(cy.address, [14n])).toEqual([true]);
  expect([await owns(ada.address, [1n]), await owns(dot.address, [37n, 48n])]).toEqual([
    [true],
    [true, true],
  ]);
  await expect(read(demo.erc721, "ownerOf", demo.burnedHero)).rejects.toThrow("ERC721NonexistentToken");
});

it("points every token at the metadata host, one of them by IPFS", async () => {
  expect(await read(demo.erc721, "tokenURI", 1n)).toBe(`${host.url}/heroes/1`);
  expect(await read(demo.erc721, "tokenURI", host.ipfsHero.id)).toBe(host.ipfsHero.uri);
  expect(await read(demo.erc1155, "uri", 1n)).toBe(`${host.url}/items/{id}.json`);
});

it("locks one hero twice, one once, and releases one", async () => {
  const { twice, once, released } = demo.lockedHeroes;

  const counts = [twice, once, released, 1n].map((id) => read(demo.erc721, "lockCount", id));

  expect(await Promise.all(counts)).toEqual([2n, 1n, 0n, 0n]);
});

it("spreads sixteen items over three holders", async () => {
  const [ada, ben, cy] = demo.holders;

  const balances = [
    [ada, 2n],
    [cy, 2n],
    [ben, 4n],
    [ada, 16n],
    [cy, 1n],
  ] as const;

  expect(
    await Promise.all(balances.map(([holder, id]) => read(demo.erc1155, "balanceOf", holder.address, id))),
  ).toEqual([16n, 4n, 3n, 160n, 1n]);
});

it("leaves delegations of all five types standing and two revoked", async () => {
  const incoming = await Promise.all(
    demo.delegates.map(({ address }) => read(demo.delegateRegistry, "getIncomingDelegations", address)),
  );

  const types = (incoming as { type_: number }[][]).map((list) => list.map(({ type_ }) => type_).sort());
  expect(types).toEqual([
    [1, 1, 3, 5],
    [2, 4],
  ]);
});

it("starts no later than its first block", async () => {
  const code = await chain.publicClient.getCode({
    address: demo.erc721.address,
    blockNumber: BigInt(demo.startBlock) - 1n,
  });

  expect(code).toBeUndefined();
});
