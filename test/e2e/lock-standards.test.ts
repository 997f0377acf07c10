/** Tokens locked by other standards, on a real chain: every reader's result against the contracts' own answers. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { concatHex, type Hex, pad, toEventSelector, toHex, zeroAddress } from "viem";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { type Chain, type Contract, startChain } from "../../demo/chain.ts";
import type { Service } from "../../demo/service.ts";
import { createSite, type Site, untilIndexed } from "../support/chain/chain-tables.ts";
import { lower } from "../support/chain/contract-answers.ts";
import { deployTestContract } from "../support/chain/test-contracts.ts";
import { eventually } from "../support/eventually.ts";
import { readEvents } from "../support/http/event-reader.ts";
import { outputOf } from "../support/processes/command.ts";
import { createKey } from "../support/service-key.ts";

const IDS = [1n, 2n, 3n, 4n];
// After a reorg, Ponder may request the logs of a reverted block for 64 seconds before it continues.
const AFTER_REORG_MS = 90_000;

let chain: Chain;
let site: Site;
let service: Service;
let key: string;
let soulbound: Contract;
let defaults: Contract;
let lockable: Contract;
let lockers: Contract;
let doubly: Contract;
let wild: Contract;
let raw: Contract;
beforeAll(async () => {
  chain = await startChain();
  soulbound = await deployTestContract(chain, "Soulbound");
  defaults = await deployTestContract(chain, "DefaultLockable", [true]);
  lockable = await deployTestContract(chain, "Lockable");
  lockers = await deployTestContract(chain, "LockerHeroes");
  doubly = await deployTestContract(chain, "DoublyLockable");
  wild = await chain.deploy("WildHeroes");
  raw = await deployTestContract(chain, "RawLogs");
  const contracts = [soulbound, defaults, lockable, lockers, doubly, wild];
  for (const contract of contracts) for (const id of IDS) await chain.write(contract, "mint", [ada(), id]);

  await chain.write(soulbound, "setLocked", [1n, true]);
  await chain.write(soulbound, "setLocked", [1n, true]);
  await chain.write(soulbound, "setLocked", [2n, true]);
  await chain.write(soulbound, "setLocked", [2n, false]);
  await chain.write(soulbound, "setLocked", [3n, false]);
  await chain.write(defaults, "setLocked", [1n, false]);
  await chain.write(defaults, "setLocked", [2n, true]);
  for (const id of [1n, 2n, 3n]) await chain.write(lockable, "lock", [chain.account(0).address, id]);
  await chain.write(lockable, "unlock", [2n]);
  await chain.write(lockable, "transferFrom", [ada(), ben(), 3n]);
  for (const id of [1n, 2n, 3n]) await chain.write(lockers, "lock", [id, chain.account(0).address]);
  await chain.write(lockers, "unlock", [2n]);
  await chain.write(lockers, "transferFrom", [ada(), ben(), 3n]);
  for (const name of ["lockId", "lockId", "unlockId"]) await chain.write(doubly, name, [1n]);
  await chain.write(doubly, "setLocked", [1n, true]);
  await chain.write(doubly, "setLocked", [2n, true]);
  for (const name of ["lockId", "unlockId"]) await chain.write(doubly, name, [3n]);
  for (const name of ["lock", "lock", "unlock"]) await chain.write(wild, name, [1n]);
  for (const name of ["lock", "unlock", "lock"]) await chain.write(wild, name, [2n]);

  await emitOtherLayouts();

  // The guard trusts a chain index only while blocks keep coming.
  await chain.mineEvery(1);
  site = await createSite([{ chain, collections: [...contracts, raw].map(lower) }], {
    REFRESH_CONCURRENCY: "4",
  });
  const collections = [...contracts, raw].map((contract) => ({
    chainId: chain.chainId,
    address: lower(contract),
    startBlock: 0,
    ...(contract === wild && { locks: "boolean" }),
  }));
  writeFileSync(join(site.folder, "collections.json"), JSON.stringify(collections));
  service = await site.start("lock_standards");
  key = await createKey(service);
  await untilIndexed(service, chain);
});
afterAll(() => site.close());

/** Tokens 1 to 6, each with one event in a layout outside its standard's text, except the last. */
async function emitOtherLayouts(): Promise<void> {
  const word = (value: bigint | string): Hex => pad(toHex(BigInt(value)));
  const emit = (event: string, topics: readonly Hex[], data: readonly Hex[]) =>
    chain.write(raw, "emitLog", [[toEventSelector(event), ...topics], concatHex(data)]);
  for (const id of [1n, 2n, 3n, 4n, 5n, 6n])
    await emit("Transfer(address,address,uint256)", [word(0n), word(ada()), word(id)], []);
  await emit("TokenLocked(uint256,address)", [word(1n)], [word(ben())]);
  await emit("Locked(uint256)", [word(2n)], []);
  await emit("Locked(uint256,bool)", [], [word(3n), word(1n)]);
  await emit("Lock(address,uint256)", [], [word(ben()), word(4n)]);
  await emit("Lock(address,uint256)", [word(5n)], [word(ben())]);
  await emit("DefaultLocked(bool)", [word(1n)], []);
  await emit("Locked(uint256,bool)", [word(6n), word(0n)], []);
}

const ada = () => chain.account(1).address;
const ben = () => chain.account(2).address;

async function call<Body>(path: string, body?: unknown): Promise<Body> {
  const response = await fetch(`${service.baseUrl}${path}`, {
    headers: { "x-api-key": key, "content-type": "application/json" },
    ...(body !== undefined && { method: "POST", body: JSON.stringify(body) }),
  });
  const answer = await response.text();
  if (!response.ok) throw new Error(`${path}: ${response.status} ${answer}`);
  return JSON.parse(answer) as Body;
}

interface Token {
  readonly token_id: string;
  readonly tradable: boolean;
  readonly lock: { readonly locked: boolean; readonly lock_count: number; readonly standards: string[] };
}

const readToken = (contract: Contract, id: bigint) =>
  call<Token>(`/market/collections/${lower(contract)}/tokens/${id}`);

async function check(contract: Contract, ids: readonly bigint[] = IDS) {
  const items = ids.map((id) => ({ collection_address: lower(contract), token_id: String(id) }));
  type Answer = { readonly allowed: boolean; readonly reason: string | null; readonly lock_count: number };
  return (await call<{ items: Answer[] }>("/market/trade_checks", { action: "trade", items })).items;
}

const search = async (contract: Contract, locked: boolean) => {
  const path = `/market/collections/${lower(contract)}/tokens?limit=100&locked=${locked}`;
  return (await call<{ items: Token[] }>(path)).items.map(({ token_id }) => token_id);
};

/** The contract's own answer. */
async function isLocked(contract: Contract, id: bigint): Promise<boolean> {
  const read = (name: string) => chain.read(contract, name, [id]);
  if (contract === lockable) return (await read("getLocked")) !== zeroAddress;
  if (contract === lockers) return (await read("lockerOf")) !== zeroAddress;
  if (contract === wild) return !(await read("isUnlocked"));
  return (
    (contract === doubly && ((await read("lockCount")) as bigint) > 0n) || ((await read("locked")) as boolean)
  );
}

/** Whether the owner could transfer it now, by eth_call. */
const isTransferable = async (contract: Contract, id: bigint): Promise<boolean> => {
  const owner = (await chain.read(contract, "ownerOf", [id])) as `0x${string}`;
  const { address, abi } = contract;
  const args = [owner, chain.account(7).address, id];
  return chain.publicClient
    .simulateContract({ address, abi, functionName: "transferFrom", args, account: owner })
    .then(
      () => true,
      () => false,
    );
};

async function agrees(contract: Contract): Promise<void> {
  const locked = await Promise.all(IDS.map((id) => isLocked(contract, id)));
  const idsThat = (are: boolean) => IDS.filter((_, at) => locked[at] === are).map(String);
  const tokens = await Promise.all(IDS.map((id) => readToken(contract, id)));
  expect(tokens.map(({ lock }) => lock.locked)).toEqual(locked);
  expect(tokens.map(({ tradable }) => tradable)).toEqual(locked.map((each) => !each));
  expect((await check(contract)).map(({ reason }) => reason)).toEqual(
    locked.map((each) => (each ? "locked" : null)),
  );
  expect([await search(contract, true), await search(contract, false)]).toEqual([
    idsThat(true),
    idsThat(false),
  ]);
  const query = `{ searchTokens(tokenAddress: "${lower(contract)}", locked: true) { items { tokenId } }
    one: token(tokenAddress: "${lower(contract)}", tokenId: "1") { tradable lock { locked lockCount standards } } }`;
  const { data } = await call<{
    data: { searchTokens: { items: { tokenId: string }[] }; one: { tradable: boolean; lock: object } };
  }>("/graphql", { query });
  expect(data.searchTokens.items.map(({ tokenId }) => tokenId)).toEqual(idsThat(true));
  const first = tokens[0] as Token;
  expect(data.one).toEqual({
    tradable: first.tradable,
    lock: { locked: first.lock.locked, lockCount: first.lock.lock_count, standards: first.lock.standards },
  });
}

const names = {
  soulbound: () => soulbound,
  defaults: () => defaults,
  lockable: () => lockable,
  lockers: () => lockers,
  doubly: () => doubly,
};

describe("tokens, trade checks, search and GraphQL say what the contract says", () => {
  beforeAll(() =>
    eventually(
      () =>
        Promise.all(
          [soulbound, defaults, lockable, lockers, doubly, wild].map((each) => search(each, false)),
        ),
      (found) => found.map((ids) => ids.length).join() === "3,1,3,3,2,3",
    ),
  );

  it.each(Object.keys(names) as (keyof typeof names)[])(
    "of %s, and whether it lets its owner transfer",
    async (name) => {
      const contract = names[name]();
      await agrees(contract);

      const tradable = (await check(contract)).map(({ allowed }) => allowed);
      expect(tradable).toEqual(await Promise.all(IDS.map((id) => isTransferable(contract, id))));
      expect(new Set(tradable)).toEqual(new Set([true, false]));
    },
  );

  it("of a contract that keeps a boolean, with `locks: boolean`", () => agrees(wild));

  it("and name the standards that hold a token, with their locks", async () => {
    const lock = async (contract: Contract, id: bigint) => {
      const { lock_count, standards } = (await readToken(contract, id)).lock;
      return [lock_count, ...standards];
    };
    expect(await lock(soulbound, 1n)).toEqual([1, "erc5192"]);
    expect(await lock(defaults, 2n)).toEqual([1, "erc6982"]);
    expect(await lock(defaults, 3n)).toEqual([1, "erc6982"]);
    expect(await lock(lockable, 1n)).toEqual([1, "erc5753"]);
    expect(await lock(lockers, 1n)).toEqual([1, "erc7066"]);
    expect(await lock(doubly, 1n)).toEqual([2, "erc721x", "erc5192"]);
    expect(await lock(wild, 2n)).toEqual([1, "erc721x"]);
    const page = await fetch(`${service.baseUrl}/collections/${chain.chainId}/${lower(doubly)}/1`);
    expect(await page.text()).toContain("ERC-721x, ERC-5192");
  });
});

it("locks are read in every layout of indexed arguments", async () => {
  const tokens = await Promise.all([1n, 2n, 3n, 4n, 5n, 6n].map((id) => readToken(raw, id)));

  expect(tokens.map(({ lock }) => lock.standards)).toEqual([
    ["erc721x", "erc6982"],
    ["erc5192", "erc6982"],
    ["erc6982"],
    ["erc6982", "erc5753"],
    ["erc6982", "erc5753"],
    [],
  ]);
  expect(tokens.map(({ tradable }) => tradable)).toEqual([false, false, false, false, false, true]);
});

it("`npx vitrine locks reconcile` finds every contract's own locks in the index", async () => {
  const env = { ...site.env, BASE_URL: service.baseUrl };
  const stdout = await outputOf(["locks", "reconcile"], { env });

  const lines = stdout.trim().split("\n");
  expect(lines).toHaveLength(7);
  expect(lines.at(-1)).toContain("nothing to compare with");
  for (const line of lines.slice(0, 6)) expect(line).toMatch(/ {2}4 tokens compared with .*: all agree$/);
  expect(stdout).toContain("compared with lockCount and locked: all agree");
  expect(stdout).toContain("compared with getLocked: all agree");
  expect(stdout).toContain("compared with lockerOf: all agree");
});

it("the end of a default frees all tokens without a lock of their own, and the stream publishes it once", async () => {
  const reader = await readEvents(
    `${service.baseUrl}/market/events?apiKey=${key}&type=default_lock&collection_address=${lower(defaults)}`,
  );
  onTestFinished(() => reader.close());
  await chain.write(defaults, "setDefaultLocked", [false]);

  expect(await reader.until(1)).toMatchObject([
    { event: "default_lock", data: { token_id: null, standard: "erc6982", locked: false } },
  ]);
  await eventually(
    () => check(defaults),
    (items) => items.filter(({ allowed }) => allowed).length === 3,
  );
  await agrees(defaults);
  await chain.write(defaults, "setDefaultLocked", [true]);
  await reader.until(2);
  await eventually(
    () => check(defaults),
    (items) => items.filter(({ allowed }) => allowed).length === 1,
  );
  await agrees(defaults);
});

it("a reorg that reverts a soulbound lock and a default is published, and closes trading until it is over", async () => {
  await chain.write(defaults, "setDefaultLocked", [false]);
  await eventually(
    () => check(defaults, [3n]),
    ([item]) => item?.allowed === true,
  );
  const types = "lock,default_lock";
  const reader = await readEvents(`${service.baseUrl}/market/events?apiKey=${key}&type=${types}`);
  onTestFinished(() => reader.close());
  const snapshot = await chain.snapshot();
  await chain.write(soulbound, "setLocked", [4n, true]);
  await chain.write(defaults, "setDefaultLocked", [true]);
  // The end of the default may come first.
  const sent = await eventually(
    async () => reader.events.filter(({ data }) => data.locked),
    (events) => events.length === 2,
  );
  expect(sent.map(({ event, data }) => [event, data.standard])).toEqual([
    ["lock", "erc5192"],
    ["default_lock", "erc6982"],
  ]);
  await eventually(
    async () => [...(await check(soulbound, [4n])), ...(await check(defaults, [3n]))],
    (items) => items.every(({ reason }) => reason === "locked"),
  );

  const head = await chain.blockNumber();
  await chain.revert(snapshot);
  await chain.mine(Number(head - (await chain.blockNumber())) + 1);

  const reverted = await eventually(
    async () => reader.events.filter(({ event }) => event === "reverted"),
    (events) => events.length === 2,
    AFTER_REORG_MS,
  );
  expect(reverted.map(({ event, data }) => [event, data.reverts, data.reverted_type])).toEqual([
    ["reverted", sent[1]?.id, "default_lock"],
    ["reverted", sent[0]?.id, "lock"],
  ]);
  await eventually(
    async () => [...(await check(soulbound, [4n])), ...(await check(defaults, [3n]))],
    (items) => items.every(({ allowed }) => allowed),
    AFTER_REORG_MS,
  );
  expect([await isLocked(soulbound, 4n), await isLocked(defaults, 3n)]).toEqual([false, false]);
});
