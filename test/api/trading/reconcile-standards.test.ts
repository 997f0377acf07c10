/** The chain index's locks of each standard against the contract's own view functions. */

import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { type Chain, type Contract, startChain } from "../../../demo/chain.ts";
import { createCollections } from "../../../src/api/catalog/collections.ts";
import { chainTables } from "../../../src/api/chain/index/tables.ts";
import { createChainClients } from "../../../src/api/chain/rpc/clients.ts";
import { addKnownTokens } from "../../../src/api/metadata/listing/listing-store.ts";
import { knownInRange } from "../../../src/api/metadata/listing/range-store.ts";
import { createReconcile } from "../../../src/api/trading/reconcile/reconcile.ts";
import type { CollectionConfig } from "../../../src/config.ts";
import { indexContract } from "../../support/chain/index-contract.ts";
import { deployTestContract } from "../../support/chain/test-contracts.ts";
import { CHAIN_SCHEMA, createTestDatabase } from "../../support/database/database.ts";
import { createTestApp } from "../../support/processes/app.ts";
import { OPERATOR_TOKEN } from "../../support/service-key.ts";

const test = await createTestDatabase();
const { database, tables } = test;

let chain: Chain;
beforeAll(async () => {
  chain = await startChain();
});
afterAll(() => chain.close());
beforeEach(() =>
  database.query(
    `truncate ${tables.tokenState}, ${tables.lockEvent}, ${tables.lockDefault}, ${tables.checkpoint}, ${tables.meta},
              vitrine.chain_head`,
  ),
);

const ada = () => chain.account(1).address;
const head = async (): Promise<number> => Number(await chain.blockNumber());

async function deploy(name: string, args: unknown[], ...ids: bigint[]): Promise<Contract> {
  const isDemo = name === "WildHeroes";
  const contract = isDemo ? await chain.deploy(name) : await deployTestContract(chain, name, args);
  for (const id of ids) await chain.write(contract, "mint", [ada(), id]);
  return contract;
}

async function reconcile(contract: Contract, config: Partial<CollectionConfig> = {}) {
  const chains = [{ id: chain.chainId, rpcUrls: [chain.rpcUrl] }];
  const address = contract.address.toLowerCase();
  const collection = { chainId: chain.chainId, address, startBlock: 0, ...config };
  const collections = createCollections({ chains, collections: [collection] });
  const service = createReconcile({
    database,
    tables: chainTables(CHAIN_SCHEMA, [collection]),
    clients: createChainClients(chains),
    firstBlock: collections.firstBlock,
    knownInRange,
    settle: async () => undefined,
  });
  const api = createTestApp(test, { collections, reconcile: service });
  const headers = { authorization: `Bearer ${OPERATOR_TOKEN}` };
  const { status, body } = await api.call("/admin/locks/reconcile", { body: {}, headers });
  expect(status).toBe(200);
  return body;
}

it("ERC-5192: agrees through `locked`, and a lock without a word is a drift of that standard", async () => {
  const contract = await deploy("Soulbound", [], 1n, 2n);
  await chain.write(contract, "mintLocked", [ada(), 3n]);
  await indexContract(test, chain, contract);
  expect(await reconcile(contract)).toMatchObject({
    offers: "locked",
    compared_with: [{ function: "locked", standards: ["erc5192", "erc6982"] }],
    checked: 3,
    unreadable: 0,
    drift: [],
  });

  await chain.write(contract, "lockSilently", [2n]);
  await test.setHead({ chainId: chain.chainId, block: await head() });
  expect((await reconcile(contract)).drift).toMatchObject([
    {
      token_id: "2",
      standard: "erc5192",
      indexed: { lock_count: "0", locked: false },
      on_chain: { lock_count: null, locked: true },
      likely_cause: "unknown",
      explanation: expect.stringContaining("ERC-5192"),
    },
  ]);
});

it("ERC-6982: agrees under a default that was set twice, with tokens of their own, unseen ones and burned ones", async () => {
  const contract = await deploy("DefaultLockable", [true], 1n, 2n, 3n, 4n);
  await chain.write(contract, "setLocked", [2n, false]);
  await chain.write(contract, "setLocked", [3n, true]);
  await chain.write(contract, "setDefaultLocked", [false]);
  await chain.write(contract, "burn", [4n]);
  await indexContract(test, chain, contract);
  expect(await reconcile(contract)).toMatchObject({ checked: 3, unreadable: 1, drift: [] });

  await chain.write(contract, "setDefaultLocked", [true]);
  await indexContract(test, chain, contract);
  await addKnownTokens(database, tables, chain.chainId, contract.address.toLowerCase(), new Map([["1", 1]]));
  await database.query(`delete from ${tables.tokenState} where token_id = 1`);
  expect(await reconcile(contract)).toMatchObject({ checked: 3, drift: [] });

  await database.query(`truncate ${tables.lockDefault}`);
  expect((await reconcile(contract)).drift).toMatchObject([
    { token_id: "1", standard: "erc6982", on_chain: { locked: true } },
  ]);
});

it("ERC-6982: a default from before the start block is found by the contract's own, though the token came later", async () => {
  const contract = await deploy("DefaultLockable", [true]);
  const startBlock = (await head()) + 1;
  await chain.write(contract, "mint", [ada(), 1n]);
  await indexContract(test, chain, contract, BigInt(startBlock));

  expect((await reconcile(contract, { startBlock })).drift).toMatchObject([
    { token_id: "1", standard: "erc6982", likely_cause: "start_block" },
  ]);
});

it("ERC-5753: agrees through `getLocked`, also after an unlocker's transfer, and names what differs", async () => {
  const contract = await deploy("Lockable", [], 1n, 2n, 3n);
  const unlocker = chain.account(0).address;
  for (const id of [1n, 2n]) await chain.write(contract, "lock", [unlocker, id]);
  await chain.write(contract, "transferFrom", [ada(), chain.account(2).address, 2n]);
  await indexContract(test, chain, contract);
  expect(await reconcile(contract)).toMatchObject({ offers: "getLocked", checked: 3, drift: [] });

  await database.query(`update ${tables.tokenState} set erc5753 = true, lock_count = 1 where token_id = 3`);
  await database.query(`update ${tables.tokenState} set erc5753 = false, lock_count = 0 where token_id = 1`);
  expect((await reconcile(contract)).drift).toMatchObject([
    { token_id: "1", standard: "erc5753", explanation: expect.stringContaining("through a transfer") },
    {
      token_id: "3",
      standard: "erc5753",
      indexed: { lock_count: "1", locked: true },
      on_chain: { locked: false },
    },
  ]);
});

it("ERC-7066: agrees through `lockerOf` after a lock, an unlock, a locker's transfer and a burn", async () => {
  const contract = await deploy("LockerHeroes", [], 1n, 2n, 3n, 4n, 5n);
  const locker = chain.account(0).address;
  for (const id of [1n, 2n, 3n, 4n]) await chain.write(contract, "lock", [id, locker]);
  await chain.write(contract, "unlock", [2n]);
  await chain.write(contract, "transferFrom", [ada(), chain.account(2).address, 3n]);
  await chain.write(contract, "burn", [4n]);
  await indexContract(test, chain, contract);

  const locked = await database.query<{ id: string }>(
    `select token_id as id from ${tables.tokenState} where erc7066 and lock_count = 1`,
  );
  expect(locked).toEqual([{ id: "1" }]);
  expect(await reconcile(contract)).toMatchObject({ offers: "lockerOf", checked: 4, drift: [] });
  await database.query(`update ${tables.tokenState} set erc7066 = true, lock_count = 1 where token_id = 3`);
  expect((await reconcile(contract)).drift).toMatchObject([
    { token_id: "3", standard: "erc7066", indexed: { locked: true }, on_chain: { locked: false } },
  ]);
});

it("two standards of one contract are compared apart, and each drift names its own", async () => {
  const contract = await deploy("DoublyLockable", [], 1n, 2n);
  for (const id of [1n, 2n]) await chain.write(contract, "lockId", [id]);
  await chain.write(contract, "setLocked", [1n, true]);
  await indexContract(test, chain, contract);
  expect(await reconcile(contract)).toMatchObject({
    offers: "lockCount",
    compared_with: [
      { function: "lockCount", standards: ["erc721x"] },
      { function: "locked", standards: ["erc5192", "erc6982"] },
    ],
    checked: 2,
    drift: [],
  });

  await database.query(`update ${tables.tokenState} set erc5192 = not erc5192`);
  expect((await reconcile(contract)).drift).toMatchObject([
    { token_id: "1", standard: "erc721x", indexed: { lock_count: "2" }, on_chain: { lock_count: "1" } },
    { token_id: "1", standard: "erc5192", indexed: { lock_count: "0" }, on_chain: { locked: true } },
  ]);
});

it("a contract that keeps a boolean differs by the count, is advised to set `locks: boolean`, and agrees with it", async () => {
  const contract = await deploy("WildHeroes", [], 1n, 2n);
  for (const name of ["lock", "lock", "unlock"]) await chain.write(contract, name, [1n]);
  for (const name of ["lock", "unlock", "lock"]) await chain.write(contract, name, [2n]);
  await indexContract(test, chain, contract);

  expect((await reconcile(contract)).drift).toMatchObject([
    {
      token_id: "1",
      standard: "erc721x",
      likely_cause: "repeated_locks",
      explanation: expect.stringContaining('set "locks": "boolean" for the collection in collections.json'),
    },
  ]);
  expect(await reconcile(contract, { locks: "boolean" })).toMatchObject({ checked: 2, drift: [] });
});
