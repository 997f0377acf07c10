import { beforeEach, describe, expect, it } from "vitest";
import type { ChainTables } from "../../../src/api/chain/index/tables.ts";
import type { LockStandardName } from "../../../src/domain/lock-standards.ts";
import { createLockSetup } from "../../support/chain/lock-events.ts";
import { tokensOnChain } from "../../support/chain/tokens-on-chain.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import { trustingWitness } from "../../support/processes/app.ts";
import { CHAIN_ID, COLLECTION } from "../../support/refresh/refresh.ts";

const test = await createTestDatabase();
const { database, tables } = test;
const locks = createLockSetup(test);
const BLOCK = 90;

beforeEach(async () => {
  await locks.clear();
  await database.query(`truncate ${tables.tokenState}`);
  await insertToken();
});

/** One that ERC-721x, ERC-5192 and ERC-5753 lock, unless `state` says otherwise. */
const insertToken = (tokenId = 1n, state: Record<string, unknown> = {}) =>
  test.insert("tokenState", {
    chainId: CHAIN_ID,
    collectionAddress: COLLECTION,
    tokenId,
    standard: "erc721",
    burned: false,
    lockCount: 7,
    lockedSinceBlock: BLOCK,
    erc721xFlag: true,
    flagLockedSinceBlock: BLOCK,
    erc5192: true,
    erc5753: true,
    ...state,
  });

let log = 0;
/** `+a` is a lock by a, `-a` an unlock by a, `+` a lock that names nobody. */
const add = async (steps: string, standard: LockStandardName = "erc721x", block = BLOCK) => {
  for (const step of steps.split(" ").filter(Boolean))
    await locks.add({
      block,
      log: log++,
      standard,
      direction: step.startsWith("+") ? "lock" : "unlock",
      by: step.slice(1) || null,
    });
};

/** A lock by each of so many trackers, in the order of their numbers. */
const addLockers = (count: number, { token = 1, from = 1, tracker = "to_char(n, 'FM0000')" } = {}) =>
  database.query(
    `insert into ${tables.lockEvent} (id, chain_id, collection_address, token_id, direction, approved_contract, count_after,
       anomaly, block_number, block_timestamp, transaction_hash, log_index, standard, flag_count_after, follows_default)
     select rpad('17', 27, '0') || lpad(($5::int * 1000000 + n)::text, 48, '0'), $1, $2, $5, 'lock', ${tracker}, n, false, $3,
            1, '0xt', n, 'erc721x', 1, true
       from generate_series($6::int, $6::int + $4::int - 1) n`,
    [CHAIN_ID, COLLECTION, BLOCK, count, token, from],
  );

const read = async (among: ChainTables = tables, ids: readonly string[] = ["1"]) => {
  const deps = { database, tables: among, witness: trustingWitness, maxAgeSeconds: 60 };
  const tokens = await tokensOnChain(deps, ids);
  return ids.map((id) => tokens.get(id)?.approvedContracts);
};

it.each([
  ["nobody locked", "", []],
  ["one locked", "+a", ["a"]],
  ["two locked, in their order", "+b +a", ["b", "a"]],
  ["two locked and the first unlocked", "+a +b -a", ["b"]],
  ["two locked and both unlocked", "+a +b -b -a", []],
  ["one locked twice", "+a +a", ["a"]],
  ["one locked twice and unlocked once, which leaves its other lock", "+a +a -a", ["a"]],
  ["one locked twice and unlocked once, behind whom locked in between", "+a +b +a -a", ["b", "a"]],
  ["one locked twice and unlocked twice", "+a +a -a -a", []],
  ["one locked again after its unlock, behind those who stayed", "+a +b -a +a", ["b", "a"]],
  ["another one unlocked, which says nothing about the holders", "+a +b -c", ["a", "b"]],
  ["an unlock without a lock before it pays for no later lock", "-a +a", ["a"]],
  ["one that named nobody locked", "+ +a", ["a"]],
])("when %s", async (_case, steps, holders) => {
  await add(steps);

  expect(await read()).toEqual([holders]);
});

it.each([
  ["the last one named holds", "+a +b", ["b"]],
  ["any unlock lets go, whoever it names", "+a +a -c", []],
])("where the last event decides, %s", async (_case, steps, holders) => {
  await add(steps);
  const boolean = { ...tables, booleanLocks: [{ chainId: CHAIN_ID, address: COLLECTION }] };
  expect(await read(boolean)).toEqual([holders]);

  await database.query(`truncate ${tables.lockEvent}`);
  await add(steps, "erc5753");
  expect(await read()).toEqual([holders]);
});

it("of two standards are each one's own, and a standard that names nobody adds nobody", async () => {
  await add("+a");
  await add("+", "erc5192");
  await add("+b", "erc5753");
  await add("-a");

  expect(await read()).toEqual([["b"]]);
});

it.each([
  ["ERC-721x", { lockCount: 1, erc721xFlag: false, erc5753: false }, ["+a -c", ""]],
  [
    "ERC-5753, which a transfer has ended without an event,",
    { lockCount: 1, erc721xFlag: false, erc5753: false },
    ["", "+b"],
  ],
  ["ERC-721x beside ERC-5753", { lockCount: 2, erc721xFlag: false }, ["+a -c", "+b"], ["b"]],
])(
  "are none of %s that no longer locks the token, which ERC-5192 does",
  async (_title, state, [counted = "", last = ""], holders: string[] = []) => {
    await insertToken(2n, state);
    await database.query(`delete from ${tables.tokenState} where token_id = 1`);
    await database.query(`update ${tables.tokenState} set token_id = 1`);
    await add("+", "erc5192");
    await add(counted);
    await add(last, "erc5753");
    const boolean = { ...tables, booleanLocks: [{ chainId: CHAIN_ID, address: COLLECTION }] };

    expect([await read(), await read(boolean)]).toEqual([[holders], [holders]]);
  },
);

it("are those since the token was last unlocked", async () => {
  await add("+a", "erc721x", BLOCK - 1);
  await add("+b");

  expect(await read()).toEqual([["b"]]);
});

describe("of a token with very many locks", () => {
  const numbers = (from: number, to: number) =>
    Array.from({ length: to - from + 1 }, (_, nth) => String(from + nth).padStart(4, "0"));

  it("are the first 100, and those of each token", async () => {
    await insertToken(2n);
    await addLockers(100);
    await addLockers(101, { token: 2 });

    expect(await read(tables, ["1", "2"])).toEqual([numbers(1, 100), numbers(1, 100)]);
  });

  it("follow from its newest 1,000 events", async () => {
    await addLockers(1);
    await addLockers(999, { from: 2, tracker: "'b'" });
    expect(await read()).toEqual([["0001", "b"]]);

    await addLockers(1, { from: 1_001, tracker: "'b'" });
    expect(await read()).toEqual([["b"]]);
  });
});
