import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { raiseHeads, startHeadMark } from "../../../src/api/chain/index/head-mark.ts";
import { silentLogger } from "../../../src/api/logging/logger.ts";
import { tokensOnChain } from "../../support/chain/tokens-on-chain.ts";
import { checkpoint, createTestDatabase } from "../../support/database/database.ts";
import { eventually } from "../../support/eventually.ts";
import { trustingWitness } from "../../support/processes/app.ts";
import { CHAIN_ID, COLLECTION } from "../../support/refresh/refresh.ts";

const test = await createTestDatabase();
const { database, tables } = test;
const ALICE = "0x00000000000000000000000000000000000000a1";
const LOCKER = "0x00000000000000000000000000000000000000c1";
const OTHER = "0x00000000000000000000000000000000000000c2";
const readTokens = (tokenIds: readonly string[]) =>
  tokensOnChain({ database, tables, witness: trustingWitness, maxAgeSeconds: 60 }, tokenIds);

beforeEach(() =>
  database.query(
    `truncate ${tables.tokenState}, ${tables.lockEvent}, ${tables.checkpoint}, ${tables.meta}, vitrine.chain_head`,
  ),
);

const insertToken = (row: Record<string, unknown> = {}) =>
  test.insert("tokenState", {
    chainId: CHAIN_ID,
    collectionAddress: COLLECTION,
    tokenId: 1n,
    standard: "erc721",
    owner: ALICE,
    burned: false,
    lockCount: 0,
    ...row,
  });

/** Ponder's own readiness flag, whatever its checkpoint. */
const setReady = (ready: 0 | 1) =>
  database.query(`update ${tables.meta} set value = jsonb_build_object('is_ready', $1::int)`, [ready]);

let log = 0;
const insertLock = (direction: "lock" | "unlock", approvedContract: string, block: number, tokenId = 1n) =>
  test.insert("lockEvent", {
    id: checkpoint({ chainId: CHAIN_ID, block, timestamp: 1_700_000_000 + block, log: log++ }),
    chainId: CHAIN_ID,
    collectionAddress: COLLECTION,
    tokenId,
    standard: "erc721x",
    direction,
    approvedContract,
    countAfter: 0,
    flagCountAfter: 0,
    followsDefault: true,
    anomaly: false,
    blockNumber: BigInt(block),
    blockTimestamp: BigInt(1_700_000_000 + block),
    transactionHash: "0xt",
    logIndex: 0,
  });

const read = async (tokenId = "1") => (await readTokens([tokenId])).get(tokenId);

describe("a token is tradable", () => {
  it("when it is unlocked and the index is ready, young and not behind what was seen of it", async () => {
    await insertToken();
    await test.setHead({ chainId: CHAIN_ID, block: 100 });
    await raiseHeads(database, tables);

    expect(await read()).toMatchObject({ tradable: true, fresh: true, owner: ALICE, lockCount: 0 });
  });

  it("at the very age that is allowed", async () => {
    await insertToken();
    await test.setHead({ chainId: CHAIN_ID, block: 100, age: 50 });

    expect(await read()).toMatchObject({ tradable: true });
  });
});

describe("a token is not tradable", () => {
  const good = { chainId: CHAIN_ID, block: 100 };

  it.each([
    ["while it is locked", { lockCount: 1, lockedSinceBlock: 90n }, good],
    ["while it is locked twice", { lockCount: 2, lockedSinceBlock: 90n }, good],
    ["when it is burned", { burned: true, owner: null }, good],
    ["during a backfill", {}, { ...good, ready: false }],
    ["when the index is older than TRADE_MAX_AGE", {}, { ...good, age: 62 }],
    ["when only another chain is indexed", {}, { ...good, chainId: 2020 }],
  ])("%s", async (_when, state, head) => {
    await insertToken(state);
    await test.setHead(head);

    expect(await read()).toMatchObject({ tradable: false });
  });

  it("before Ponder has written anything", async () => {
    await insertToken();

    expect(await read()).toMatchObject({ tradable: false, fresh: false });
  });

  it("while the index is behind what any replica has seen of it, as after a restart", async () => {
    await insertToken();
    await test.setHead({ chainId: CHAIN_ID, block: 100, age: 20 });
    await raiseHeads(database, tables);

    await test.setHead({ chainId: CHAIN_ID, block: 70, age: 40 });
    expect(await read()).toMatchObject({ tradable: false });
    await raiseHeads(database, tables);
    expect(await read()).toMatchObject({ tradable: false });

    await test.setHead({ chainId: CHAIN_ID, block: 101 });
    expect(await read()).toMatchObject({ tradable: true });
  });

  it("under the old head that a restart shows before its first block, though it calls itself ready", async () => {
    await insertToken();
    await test.setHead({ chainId: CHAIN_ID, block: 100, age: 20 });
    await raiseHeads(database, tables);

    await setReady(0);
    await raiseHeads(database, tables);
    await setReady(1);
    await raiseHeads(database, tables);
    expect(await read()).toMatchObject({ tradable: false });

    await test.setHead({ chainId: CHAIN_ID, block: 80, age: 40 });
    expect(await read()).toMatchObject({ tradable: false });
    await test.setHead({ chainId: CHAIN_ID, block: 101 });
    expect(await read()).toMatchObject({ tradable: true });
  });

  it("because of another index's mark: a schema has its own", async () => {
    await insertToken();
    await test.setHead({ chainId: CHAIN_ID, block: 100 });
    await database.query("insert into vitrine.chain_head values ('other_schema', $1, repeat('9', 75))", [
      CHAIN_ID,
    ]);

    expect(await read()).toMatchObject({ tradable: true });
  });
});

describe("the head mark", () => {
  const mark = async () =>
    (await database.query<{ checkpoint: string }>("select checkpoint from vitrine.chain_head"))[0]
      ?.checkpoint;

  it("rises with the index and never falls", async () => {
    await test.setHead({ chainId: CHAIN_ID, block: 100 });
    await raiseHeads(database, tables);
    const high = await mark();

    await test.setHead({ chainId: CHAIN_ID, block: 90, age: 30 });
    await raiseHeads(database, tables);
    expect(await mark()).toBe(high);

    await test.setHead({ chainId: CHAIN_ID, block: 110, age: -10 });
    await raiseHeads(database, tables);
    expect(Number((await mark())?.slice(26, 42))).toBe(110);
  });

  it("is raised by every process from its start on, and a failing database ends none", async () => {
    let calls = 0;
    const flaky = {
      ...database,
      // The second read, the timer's first, fails.
      query: <Row>(sql: string, parameters?: readonly unknown[]) =>
        ++calls === 2 ? Promise.reject(new Error("away")) : database.query<Row>(sql, parameters),
    };
    await test.setHead({ chainId: CHAIN_ID, block: 100 });

    const { stop } = await startHeadMark({ database: flaky, tables, logger: silentLogger });
    onTestFinished(stop);
    const first = await mark();
    expect(first).toBeDefined();

    await test.setHead({ chainId: CHAIN_ID, block: 101, age: -10 });
    await eventually(mark, (checkpointNow) => checkpointNow !== first);
  });
});

describe("the holders of a lock", () => {
  it("are the trackers whose locks are open, since the token was last free", async () => {
    await insertLock("lock", OTHER, 10);
    await insertLock("unlock", OTHER, 20);
    await insertLock("lock", LOCKER, 30);
    await insertLock("lock", OTHER, 31);
    await insertLock("unlock", OTHER, 32);
    await insertToken({ lockCount: 1, lockedSinceBlock: 30n });

    expect(await read()).toMatchObject({ approvedContracts: [LOCKER], lockedSinceBlock: 30, lockCount: 1 });
  });

  it("are nobody's for an unlocked token, and each token's own", async () => {
    await insertLock("lock", LOCKER, 30, 2n);
    await insertToken();
    await insertToken({ tokenId: 2n, lockCount: 1, lockedSinceBlock: 30n });

    const tokens = await readTokens(["1", "2", "3"]);

    expect(tokens.get("1")?.approvedContracts).toEqual([]);
    expect(tokens.get("2")?.approvedContracts).toEqual([LOCKER]);
    expect(tokens.has("3")).toBe(false);
  });
});

it("reports an ERC-1155 token's supply, and ids up to 2^256-1, as they are", async () => {
  const max = 2n ** 256n - 1n;
  await insertToken({ tokenId: max, standard: "erc1155", owner: null, supply: max });

  expect(await read(max.toString())).toMatchObject({
    standard: "erc1155",
    supply: max.toString(),
    owner: null,
  });
});
