/** Owners at a block against the `ownerOf` of a node at that block, over mints, transfers and burns drawn at random. */

import { createPublicClient, type HDAccount, http } from "viem";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Chain, type Contract, startChain } from "../../demo/chain.ts";
import type { Service } from "../../demo/service.ts";
import { createSite, type Site, untilIndexed } from "../support/chain/chain-tables.ts";
import { lower } from "../support/chain/contract-answers.ts";
import { createRandom } from "../support/random.ts";
import { createKey } from "../support/service-key.ts";

const TOKENS = 150;
const MOVES = 160;
const BLOCKS = 8;
const READS = TOKENS * BLOCKS;

let chain: Chain;
let heroes: Contract;
let site: Site;
let service: Service;
let key: string;
let first: bigint;

// A fixed sequence, so that a failure can be repeated.
const random = createRandom(20_260);

beforeAll(async () => {
  chain = await startChain();
  heroes = await chain.deploy("VitrineHeroes", ["http://127.0.0.1:1/"]);
  const people: HDAccount[] = [1, 2, 3, 4, 5].map((index) => chain.account(index));
  const person = (): HDAccount => random.pick(people);
  const owners = new Map<bigint, HDAccount>();
  for (let from = 1; from <= TOKENS - 30; from += 30) {
    const to = person();
    const { blockNumber } = await chain.write(heroes, "mintRange", [to.address, BigInt(from), 30n]);
    first ??= blockNumber;
    for (let id = from; id < from + 30; id++) owners.set(BigInt(id), to);
  }
  for (let nth = 0; nth < MOVES; nth++) {
    const id = BigInt(random.whole(1, TOKENS));
    const owner = owners.get(id);
    const to = person();
    if (!owner) {
      // Never minted, or burned before.
      await chain.write(heroes, "mint", [to.address, id]);
      owners.set(id, to);
    } else if (random.chance(1 / 4)) {
      await chain.write(heroes, "burn", [id], owner);
      owners.delete(id);
    } else {
      await chain.write(heroes, "transferFrom", [owner.address, to.address, id], owner);
      owners.set(id, to);
    }
  }
  site = await createSite([{ chain, collections: [lower(heroes)] }]);
  service = await site.start("owners");
  await untilIndexed(service, chain);
  key = await createKey(service);
}, 240_000);
afterAll(() => site?.close());

it(`${READS} answers of ownerOf add up to the owners of their blocks`, async () => {
  const node = createPublicClient({ transport: http(chain.rpcUrl, { batch: true }) });
  const last = await chain.blockNumber();
  let [reads, held] = [0, 0];
  for (let nth = 0; nth < BLOCKS; nth++) {
    const blockNumber = nth === 0 ? last : first + BigInt(random.whole(0, Number(last - first) - 1));
    const expected = new Map<string, number>();
    await Promise.all(
      Array.from({ length: TOKENS }, async (_, index) => {
        const { address, abi } = heroes;
        const call = { address, abi, functionName: "ownerOf", args: [BigInt(index + 1)], blockNumber };
        const owner = await node.readContract(call).catch((error: Error) => {
          // Anything else is a fault of the test, not a token without an owner.
          if (!/ERC721NonexistentToken|revert/.test(error.message)) throw error;
          return null;
        });
        reads++;
        if (owner === null) return;
        held++;
        const name = String(owner).toLowerCase();
        expected.set(name, (expected.get(name) ?? 0) + 1);
      }),
    );
    const path = `/market/collections/${lower(heroes)}/owners?at_block=${blockNumber}&limit=100`;
    const response = await fetch(`${service.baseUrl}${path}`, { headers: { "x-api-key": key } });
    const { items } = (await response.json()) as { items: { owner: string; quantity: string }[] };
    const found = Object.fromEntries(items.map(({ owner, quantity }) => [owner, Number(quantity)]));

    expect([blockNumber, found]).toEqual([blockNumber, Object.fromEntries(expected)]);
  }
  expect(reads).toBe(READS);
  // Tokens with and without an owner were compared.
  expect(held).toBeGreaterThan(READS / 2);
  expect(held).toBeLessThan(READS);
}, 120_000);
