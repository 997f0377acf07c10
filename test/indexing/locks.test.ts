/** The handlers' locks of all standards, against a simple model of the standards. */

import fc from "fast-check";
import { zeroAddress } from "viem";
import { beforeEach, describe, expect, it } from "vitest";
import { indexAnomaly, lockDefault, lockEvent, tokenState } from "../../ponder.schema.ts";
import { COLLECTION, createEventSource, createFakeChainStore } from "../support/chain/fake-chain-store.ts";
import "../../src/indexing/erc2309.ts";
import "../../src/indexing/erc721.ts";
import "../../src/indexing/locks.ts";

const ADA = "0xada0000000000000000000000000000000000001";
const BEN = "0xbe20000000000000000000000000000000000002";
const TRANSFER = "Transfer(address,address,uint256)";

let store: ReturnType<typeof createFakeChainStore>;
let chain: ReturnType<typeof createEventSource>;
beforeEach(() => {
  store = createFakeChainStore();
  chain = createEventSource(store);
});

const steps = {
  mint: () => chain.log({ event: TRANSFER, topics: [zeroAddress, ADA, 1n] }),
  transfer: () => chain.log({ event: TRANSFER, topics: [ADA, BEN, 1n] }),
  burn: () => chain.log({ event: TRANSFER, topics: [ADA, zeroAddress, 1n] }),
  lock721x: () => chain.log({ event: "TokenLocked(uint256,address)", topics: [1n, ADA] }),
  unlock721x: () => chain.log({ event: "TokenUnlocked(uint256,address)", topics: [1n, ADA] }),
  lock5192: () => chain.log({ event: "Locked(uint256)", data: [1n] }),
  unlock5192: () => chain.log({ event: "Unlocked(uint256)", data: [1n] }),
  lock6982: () => chain.log({ event: "Locked(uint256,bool)", topics: [1n], data: [1n] }),
  unlock6982: () => chain.log({ event: "Locked(uint256,bool)", topics: [1n], data: [0n] }),
  defaultLock: () => chain.log({ event: "DefaultLocked(bool)", data: [1n] }),
  defaultUnlock: () => chain.log({ event: "DefaultLocked(bool)", data: [0n] }),
  lock5753: () => chain.log({ event: "Lock(address,uint256)", topics: [BEN, 1n] }),
  lock7066: () => chain.log({ event: "Lock(uint256,address)", topics: [1n], data: [BEN] }),
  unlock5753: () => chain.log({ event: "Unlock(uint256)", topics: [1n] }),
};
type Step = keyof typeof steps;

async function run(...names: Step[]): Promise<void> {
  for (const name of names) await steps[name]();
}
const token = () => store.rows(tokenState)[0];
const audit = () =>
  store
    .rows(lockEvent)
    .map(({ standard, direction, approvedContract, countAfter, anomaly }) => [
      standard,
      direction,
      approvedContract,
      countAfter,
      anomaly,
    ]);

it("a token whose id looks like an address is unlocked by a Lock that names nobody", async () => {
  const id = BigInt(`0x${"c".repeat(40)}`);
  const lock = (locker: string) =>
    chain.log({ event: "Lock(uint256,address)", topics: [id], data: [BigInt(locker)] });
  await lock(BEN);
  await lock(zeroAddress);

  expect(store.rows(tokenState)).toMatchObject([{ tokenId: id, lockCount: 0, erc7066: false }]);
  expect(audit().map(([, direction, by]) => [direction, by])).toEqual([
    ["lock", BEN],
    ["unlock", null],
  ]);
});

describe("ERC-5192", () => {
  it("a soulbound token is locked by its Locked, once however often the event comes", async () => {
    await run("mint", "lock5192", "lock5192");

    expect(token()).toMatchObject({
      lockCount: 1,
      erc5192: true,
      lockedSinceBlock: 2n,
      lastLockChangeBlock: 3n,
    });
    expect(audit()).toEqual([
      ["erc5192", "lock", null, 1, false],
      ["erc5192", "lock", null, 1, false],
    ]);
  });

  it("an Unlocked of a free token is no surplus: the standard asks for one at a mint", async () => {
    await run("mint", "unlock5192");

    expect(token()).toMatchObject({ lockCount: 0, erc5192: false, lockedSinceBlock: null });
    expect(audit()).toEqual([["erc5192", "unlock", null, 0, false]]);
  });
});

describe("ERC-6982", () => {
  it("a default is the collection's, and touches no token's row", async () => {
    await run("mint", "defaultLock", "defaultLock");

    expect(token()).toMatchObject({ lockCount: 0, erc6982: null });
    expect(store.rows(lockDefault)).toMatchObject([
      {
        collectionAddress: COLLECTION,
        standard: "erc6982",
        locked: true,
        lockedSinceBlock: 2n,
        lastLockChangeBlock: 3n,
      },
    ]);
    expect(store.rows(lockEvent)).toMatchObject([
      { tokenId: null, standard: "erc6982", direction: "lock", countAfter: 1, followsDefault: false },
      { tokenId: null },
    ]);
    await run("defaultUnlock");
    expect(store.rows(lockDefault)).toMatchObject([{ locked: false, lockedSinceBlock: null }]);
  });

  it("a token with an event of its own goes by that, whatever the default says later", async () => {
    await run("mint", "defaultLock", "unlock6982", "defaultUnlock", "defaultLock");

    expect(token()).toMatchObject({ lockCount: 0, erc6982: false });
    expect(store.rows(lockEvent).find(({ tokenId }) => tokenId === 1n)).toMatchObject({
      followsDefault: false,
    });
  });
});

it("each lock event names the token's owner before it, if one is known", async () => {
  await run("lock721x", "mint", "unlock721x", "lock5753", "transfer", "defaultLock", "lock721x");

  expect(
    store.rows(lockEvent).map(({ standard, direction, holder }) => [standard, direction, holder]),
  ).toEqual([
    ["erc721x", "lock", null],
    ["erc721x", "unlock", ADA],
    ["erc5753", "lock", ADA],
    ["erc5753", "unlock", ADA],
    ["erc6982", "lock", null],
    ["erc721x", "lock", BEN],
  ]);
});

describe("ERC-5753", () => {
  it("names who may unlock, and a repeated lock is no second one", async () => {
    await run("mint", "lock5753", "lock5753", "unlock5753");

    expect(token()).toMatchObject({ lockCount: 0, erc5753: false });
    expect(audit()).toEqual([
      ["erc5753", "lock", BEN, 1, false],
      ["erc5753", "lock", BEN, 1, false],
      ["erc5753", "unlock", null, 0, false],
    ]);
  });

  it.each(["transfer", "burn"] as const)("is over with a %s, which leaves an audit row", async (how) => {
    await run("mint", "lock721x", "lock5753", how);

    expect(token()).toMatchObject({
      lockCount: 1,
      erc5753: false,
      lockedSinceBlock: 2n,
      lastLockChangeBlock: 4n,
    });
    expect(audit().at(-1)).toEqual(["erc5753", "unlock", null, 1, false]);
    await run("unlock721x");
    expect(token()).toMatchObject({ lockCount: 0, lockedSinceBlock: null });
  });

  it("outlasts a mint that comes after it, and a transfer of a free token leaves nothing", async () => {
    await run("lock5753", "mint");
    expect(token()).toMatchObject({ lockCount: 1, erc5753: true });
    await run("unlock5753", "transfer");
    expect(audit()).toHaveLength(2);
  });
});

describe("ERC-7066", () => {
  it("names the locker, and is over with the Unlock that ERC-5753 has too", async () => {
    await run("mint", "lock7066", "lock7066", "unlock5753");

    expect(token()).toMatchObject({ lockCount: 0, erc7066: false, erc5753: null });
    expect(audit()).toEqual([
      ["erc7066", "lock", BEN, 1, false],
      ["erc7066", "lock", BEN, 1, false],
      ["erc7066", "unlock", null, 0, false],
    ]);
  });

  it("is over with that Unlock beside a lock of ERC-5753, which ends as well", async () => {
    await run("mint", "lock7066", "lock5753", "unlock5753");

    expect(token()).toMatchObject({ lockCount: 0, erc7066: false, erc5753: false, lockedSinceBlock: null });
    expect(audit().at(-1)).toEqual(["erc5753", "unlock", null, 0, false]);
  });

  it.each(["transfer", "burn"] as const)("is over with a %s, which leaves an audit row", async (how) => {
    await run("mint", "lock7066", how);

    expect(token()).toMatchObject({ lockCount: 0, erc7066: false, lastLockChangeBlock: 3n });
    expect(audit().at(-1)).toEqual(["erc7066", "unlock", null, 0, false]);
  });

  it.each([
    ["with both in topics", { topics: [1n, BEN] }],
    ["with both in the data", { data: [1n, BEN] }],
    ["with its locker alone in a topic", { topics: [BEN], data: [1n] }],
  ])("is read %s", async (_layout, log) => {
    await chain.log({ event: "Lock(uint256,address)", ...log });

    expect(token()).toMatchObject({ tokenId: 1n, lockCount: 1, erc7066: true });
    expect(audit()).toEqual([["erc7066", "lock", BEN, 1, false]]);
  });

  it("a zero locker is no lock", async () => {
    await chain.log({ event: "Lock(uint256,address)", topics: [1n], data: [zeroAddress] });

    expect(token()).toMatchObject({ lockCount: 0, erc7066: false });
  });
});

it("a contract that keeps a boolean is unlocked by the last event, and locked by the count", async () => {
  await run("mint", "lock721x", "lock721x", "unlock721x");

  expect(token()).toMatchObject({
    lockCount: 1,
    lockedSinceBlock: 2n,
    erc721xFlag: false,
    flagLockedSinceBlock: null,
  });
  expect(store.rows(lockEvent).map(({ countAfter, flagCountAfter }) => [countAfter, flagCountAfter])).toEqual(
    [
      [1, 1],
      [2, 1],
      [1, 0],
    ],
  );
});

it("two standards hold a token at once, and it is free when both let go", async () => {
  await run("mint", "lock721x", "lock5192", "unlock721x");
  expect(token()).toMatchObject({ lockCount: 1, lockedSinceBlock: 2n });
  await run("unlock721x");
  expect(audit().at(-1)).toEqual(["erc721x", "unlock", ADA, 1, true]);
  await run("unlock5192");
  expect(token()).toMatchObject({ lockCount: 0, lockedSinceBlock: null });
});

it.each([
  ["decoded by Ponder", { topics: [1n, ADA] }],
  ["with its tracker in the data", { topics: [1n], data: [ADA] }],
  ["with both in the data", { data: [1n, ADA] }],
])("a TokenLocked %s counts once", async (_layout, log) => {
  await chain.log({ event: "TokenLocked(uint256,address)", ...log });

  expect(token()).toMatchObject({ tokenId: 1n, lockCount: 1 });
  expect(audit()).toEqual([["erc721x", "lock", ADA, 1, false]]);
});

it("a lock and an unlock of a token with an indexed transfer cost two store operations each", async () => {
  await run("mint");
  let operations = 0;
  const { db } = store;
  for (const name of ["find", "insert", "update", "delete"] as const) {
    const original = db[name] as (...args: unknown[]) => unknown;
    Object.assign(db, {
      [name]: (...args: unknown[]) => {
        operations++;
        return original(...args);
      },
    });
  }
  await run("lock721x", "unlock721x");

  expect(operations).toBe(4);
});

it("a lock of a token of a minted range gives it a row of its own, with its owner", async () => {
  const event = "ConsecutiveTransfer(uint256,uint256,address,address)";
  await chain.log({ event, topics: [1n, zeroAddress, ADA], data: [6_000n] });
  await run("lock5192");

  expect(store.rows(tokenState)).toMatchObject([
    { tokenId: 1n, standard: "erc721", owner: ADA, mintedBlock: 1n, lockCount: 1, erc5192: true },
  ]);
});

it("a lock from before a range's mint has its owner when a transfer ends it", async () => {
  await run("lock5753");
  const event = "ConsecutiveTransfer(uint256,uint256,address,address)";
  await chain.log({ event, topics: [0n, zeroAddress, ADA], data: [9_999n] });
  await run("transfer");

  expect(store.rows(lockEvent).map(({ direction, holder }) => [direction, holder])).toEqual([
    ["lock", null],
    ["unlock", ADA],
  ]);
});

it("a log that can't be read is an anomaly of its collection and locks nothing", async () => {
  await chain.log({ event: "Locked(uint256)", data: [] });
  await chain.log({ event: "DefaultLocked(bool)", data: [2n] });

  expect(store.rows(tokenState)).toEqual([]);
  expect(store.rows(lockEvent)).toEqual([]);
  expect(store.rows(indexAnomaly)).toMatchObject([
    {
      kind: "unreadable_lock",
      count: 2,
      detail: "a Locked(uint256) log with 0 indexed arguments and 0 bytes of data can't be read",
    },
  ]);
});

it("any sequence of events of all standards comes to what a plain model of them says", async () => {
  const names = fc.array(fc.constantFrom(...(Object.keys(steps) as Step[])), { maxLength: 60 });
  await fc.assert(
    fc.asyncProperty(names, async (sequence) => {
      store = createFakeChainStore();
      chain = createEventSource(store);
      let counted = 0;
      let flag = false;
      const on: Record<string, boolean | undefined> = {};
      let byDefault = false;
      let since: number | null = null;
      let flagSince: number | null = null;
      let rows = 0;
      for (const [index, name] of sequence.entries()) {
        const [, verb, standard] = /^(lock|unlock)(\d+x?)$/.exec(name) ?? [];
        if (name === "defaultLock" || name === "defaultUnlock") byDefault = name === "defaultLock";
        if (standard === "721x") {
          flag = verb === "lock";
          counted = Math.max(0, counted + (flag ? 1 : -1));
        } else if (name === "unlock5753" && on["7066"]) {
          on["7066"] = false;
          if (on["5753"]) on["5753"] = false;
        } else if (standard) on[standard] = verb === "lock";
        const moves = name === "transfer" || name === "burn";
        const ended = moves ? ["5753", "7066"].filter((each) => on[each]) : [];
        for (const each of ended) on[each] = false;
        const ends = ended.length > 0;
        rows += standard || name.startsWith("default") ? 1 : ended.length;
        const others = Object.values(on).filter(Boolean).length;
        since = counted + others > 0 ? (since ?? index + 1) : null;
        flagSince = Number(flag) + others > 0 ? (flagSince ?? index + 1) : null;
        await run(name);
        const row = store.rows(lockEvent).at(-1);
        if (standard || ends) {
          expect(row).toMatchObject({
            countAfter: counted + others,
            flagCountAfter: Number(flag) + others,
            followsDefault: on["6982"] === undefined,
          });
        }
      }

      const asBlock = (block: number | null) => (block === null ? null : BigInt(block));
      expect(token()?.lockCount ?? 0).toBe(counted + Object.values(on).filter(Boolean).length);
      expect(token()?.lockedSinceBlock ?? null).toBe(asBlock(since));
      expect(token()?.flagLockedSinceBlock ?? null).toBe(asBlock(flagSince));
      for (const standard of ["5192", "6982", "5753", "7066"])
        expect(token()?.[`erc${standard}`] ?? null).toBe(on[standard] ?? null);
      expect(store.rows(lockDefault)[0]?.locked ?? false).toBe(byDefault);
      expect(store.rows(lockEvent)).toHaveLength(rows);
    }),
  );
});
