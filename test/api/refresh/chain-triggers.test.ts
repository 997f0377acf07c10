import { beforeEach, describe, expect, it } from "vitest";
import type { Database } from "../../../src/api/db/database.ts";
import { checkpoint, countRowsRead, createTestDatabase } from "../../support/database/database.ts";
import { ask, CHAIN_ID, COLLECTION, emptyTables, readQueue } from "../../support/refresh/refresh.ts";
import { createTriggerSetup } from "../../support/refresh/triggers.ts";

const test = await createTestDatabase();
const { database } = test;
const setup = createTriggerSetup(test);
const triggers = setup.triggers();

beforeEach(async () => {
  await emptyTables(database);
  await setup.clear();
});

const known = async (): Promise<string[]> =>
  (
    await database.query<{ id: string }>("select token_id::text as id from vitrine.token order by token_id")
  ).map(({ id }) => id);

/** So many triggers, of other tokens, in the block of the first one. */
async function addMore(count: number): Promise<void> {
  const { metadataUpdate } = test.tables;
  await database.query(
    `insert into ${metadataUpdate}
     select (jsonb_populate_record(m, jsonb_build_object(
              'id', left(m.id, -16) || lpad(n::text, 16, '0'), 'from_token_id', n, 'to_token_id', n, 'log_index', n))).*
       from ${metadataUpdate} m, generate_series(1, $1::int) n where m.id = (select min(id) from ${metadataUpdate})`,
    [count],
  );
}

/** How often PostgreSQL has ended a transaction of this database because of a deadlock. */
async function deadlocks(): Promise<number> {
  const [row] = await database.query<{ deadlocks: number }>(
    "select deadlocks::int from pg_stat_database where datname = current_database()",
  );
  return row?.deadlocks ?? 0;
}

describe("a new trigger", () => {
  it("asks for its token once, at its block, however often it is handled", async () => {
    await setup.setChain(100, 70);
    await setup.add({ block: 90, token: 7n });

    for (let pass = 0; pass < 3; pass++)
      expect(await triggers.handleBatch()).toMatchObject({ isMore: false });

    expect(await readQueue(database)).toMatchObject([
      { tokenId: "7", requested: 1, trigger: "event", priority: 20, minBlock: 90 },
    ]);
  });

  it("of a mint gives a token its block that was read before, at a later one; no other mint does", async () => {
    await setup.setChain(1_000, 970);
    await database.query(
      `insert into vitrine.token (chain_id, collection, token_id, since_block, known_since)
       select $1, $2, id, block, '2026-01-01' from (values (1, 1000), (2, 50)) read(id, block)`,
      [CHAIN_ID, COLLECTION],
    );
    await setup.add({ block: 100, source: "mint", token: 1n });
    await setup.add({ block: 101, source: "mint", token: 2n });
    await triggers.handleBatch();

    expect(
      await database.query(
        "select token_id, since_block, known_since < '2026-01-02' as old from vitrine.token order by token_id",
      ),
    ).toEqual([
      { token_id: "1", since_block: "100", old: true },
      { token_id: "2", since_block: "50", old: true },
    ]);
  });

  it("of a mint that a reorg has moved to a later block gives its token that block", async () => {
    const move = (token: bigint, block: number) =>
      test.insert("tokenTransfer", {
        id: checkpoint({ chainId: CHAIN_ID, block, timestamp: block, log: Number(token) }),
        chainId: CHAIN_ID,
        collectionAddress: COLLECTION,
        tokenId: token,
        from: block === 80 ? `0x${"0".repeat(40)}` : "0xa",
        to: "0xb",
        quantity: 1n,
        blockNumber: block,
        blockTimestamp: block,
        transactionHash: "0xt",
        logIndex: Number(token),
      });
    await setup.setChain(100, 70);
    for (const token of [1n, 2n]) await setup.add({ block: 90, log: Number(token), source: "mint", token });
    await triggers.handleBatch();
    await setup.revert(90);
    // The second was minted before, and only comes back.
    await move(1n, 95);
    await move(1n, 96);
    await move(2n, 80);
    await move(2n, 97);
    const state = {
      chainId: CHAIN_ID,
      collectionAddress: COLLECTION,
      standard: "erc721",
      owner: "0xb",
    } as const;
    for (const tokenId of [1n, 2n])
      await test.insert("tokenState", { ...state, tokenId, burned: false, lockCount: 0 });
    for (const token of [1n, 2n]) await setup.add({ block: 95, log: Number(token), source: "mint", token });
    await triggers.handleBatch();

    expect(await database.query("select token_id, since_block from vitrine.token order by token_id")).toEqual(
      [
        { token_id: "1", since_block: "95" },
        { token_id: "2", since_block: "90" },
      ],
    );

    // Minted in a range, too, before any transfer of its own.
    await test.insert("tokenRange", {
      chainId: CHAIN_ID,
      collectionAddress: COLLECTION,
      fromTokenId: 1n,
      toTokenId: 1n,
      owner: "0xb",
      mintedBlock: 94n,
      mintedLog: 1,
      blockTimestamp: 94n,
      transactionHash: "0xt",
      transferId: "t",
    });
    await database.query("update vitrine.token set since_block = 93 where token_id = 1");
    await setup.add({ block: 96, source: "mint", token: 1n });
    await triggers.handleBatch();
    expect(await database.query("select since_block from vitrine.token where token_id = 1")).toEqual([
      { since_block: "94" },
    ]);
    const { tokenTransfer, tokenState, tokenRange } = test.tables;
    await database.query(`truncate ${tokenTransfer}, ${tokenState}, ${tokenRange}`);
  });

  it("of a mint makes the token known, and one of an event on a token nobody saw does not", async () => {
    await setup.setChain(100, 70);
    await setup.add({ block: 90, source: "mint", token: 1n });
    await setup.add({ block: 91, source: "first_seen", token: 2n });
    await setup.add({ block: 92, source: "URI", token: 3n });

    await triggers.handleBatch();

    expect(await known()).toEqual(["1", "2"]);
    expect(await readQueue(database)).toMatchObject([
      { trigger: "mint" },
      { trigger: "mint" },
      { trigger: "event" },
    ]);
  });

  it("on a token that others name too costs one fetch, at the newest block of them", async () => {
    await setup.setChain(100, 70);
    for (const block of [80, 95, 81, 94]) await setup.add({ block, token: 7n });

    await triggers.handleBatch();

    expect(await readQueue(database)).toMatchObject([{ requested: 1, minBlock: 95 }]);
  });

  it("on a token that was just minted costs one fetch, at the newest block of both", async () => {
    await setup.setChain(100, 70);
    await setup.add({ block: 79, token: 8n });
    await setup.add({ block: 80, source: "mint", token: 7n });
    await setup.add({ block: 95, token: 7n });
    await setup.add({ block: 97, source: "mint", token: 8n });

    await triggers.handleBatch();

    expect(await readQueue(database)).toMatchObject([
      { tokenId: "7", requested: 1, trigger: "mint", minBlock: 95 },
      { tokenId: "8", requested: 1, trigger: "mint", minBlock: 97 },
    ]);
    expect(await known()).toEqual(["7", "8"]);
  });

  it("keeps token ids up to 2^256-1 whole", async () => {
    const max = 2n ** 256n - 1n;
    await setup.setChain(100, 70);
    await setup.add({ block: 90, source: "mint", token: max - 1n });

    await triggers.handleBatch();

    expect(await readQueue(database)).toMatchObject([{ tokenId: (max - 1n).toString() }]);
  });

  it("belongs to its own chain and collection", async () => {
    const other = "0x00000000000000000000000000000000000000ff";
    await setup.setChain(100, 70);
    await setup.setChain(100, 70, 2020);
    await setup.add({ block: 90, token: 7n });
    await setup.add({ block: 91, token: 7n, collection: other });
    await setup.add({ block: 92, token: 7n, chainId: 2020 });

    await triggers.handleBatch();

    const rows = await database.query(
      "select chain_id::int as chain, collection, wanted::int as requested from vitrine.refresh",
    );
    expect(rows).toHaveLength(3);
    expect(rows).toContainEqual({ chain: 31337, collection: other, requested: 1 });
    expect(rows).toContainEqual(expect.objectContaining({ chain: 2020, requested: 1 }));
  });

  it("whose range is inverted asks for nothing and is not handled again", async () => {
    await setup.setChain(100, 70);
    const id = await setup.add({ block: 90, from: 9n, to: 3n });

    await triggers.handleBatch();

    expect(await readQueue(database)).toEqual([]);
    expect(await database.query("select from vitrine.sweep")).toEqual([]);
    expect(await setup.remembered()).toEqual([id]);
  });
});

it("a pass reads what is new, and not all that may still change", async () => {
  const HANDLED = 3_000;
  const NEW = 10;
  // Each is looked up a few times, by several statements.
  const ROWS_PER_TRIGGER = 10;
  let read = 0;
  const counting: Database = {
    ...database,
    transaction: (work) =>
      database.transaction(async (tx) => {
        let result: Awaited<ReturnType<typeof work>> | undefined;
        read = await countRowsRead(tx, ["vitrine", test.tables.schema], async () => {
          result = await work(tx);
        });
        return result as Awaited<ReturnType<typeof work>>;
      }),
  };
  const counted = createTriggerSetup({ ...test, database: counting }).triggers();
  await setup.setChain(100, 70);
  await setup.add({ block: 90, token: 0n });
  await addMore(HANDLED);
  while ((await counted.handleBatch()).isMore);
  await database.query(`analyze ${test.tables.metadataUpdate}, vitrine.cause`);
  for (let log = 0; log < NEW; log++) await setup.add({ block: 91, log, token: BigInt(log) });

  await counted.handleBatch();

  expect(await readQueue(database)).toContainEqual(expect.objectContaining({ tokenId: "9", requested: 2 }));
  expect(read).toBeLessThan(NEW * ROWS_PER_TRIGGER);
});

it("an index that is built again, and has what it lacked, is compared as a whole by the next process", async () => {
  await setup.setChain(100, 70);
  await setup.add({ block: 91, token: 0n });
  await triggers.handleBatch();
  await triggers.handleBatch();
  await setup.add({ block: 90, token: 0n });
  // More than a batch.
  await addMore(4_500);

  const restarted = setup.triggers();
  while ((await restarted.handleBatch()).isMore);

  expect(await readQueue(database)).toHaveLength(4_501);
});

it("a burst of 12,000 is handled, and reverted, though PostgreSQL's statistics are of quiet times", async () => {
  await setup.setChain(100, 70);
  await setup.add({ block: 90, token: 0n });
  await triggers.handleBatch();
  await database.query("analyze vitrine.cause");
  await addMore(12_000);
  const waiting = async () => (await readQueue(database)).length;

  // Each statement has five seconds. What compares each row with each takes longer.
  while ((await triggers.handleBatch()).isMore);
  expect(await waiting()).toBe(12_001);
  expect(await triggers.handleBatch()).toMatchObject({ isMore: false });

  await setup.revert(90);
  await triggers.handleBatch();
  expect(await setup.remembered()).toEqual([]);
  expect(await readQueue(database)).toContainEqual(
    expect.objectContaining({ tokenId: "12000", trigger: "reorg" }),
  );
});

it.each([true, false])(
  "a batch says whether the chain index is still being built (ready: %s)",
  async (ready) => {
    await test.setHead({ chainId: CHAIN_ID, block: 100, ready });

    expect(await triggers.handleBatch()).toEqual({ isMore: false, isBackfill: !ready });
  },
);

describe("a backlog", () => {
  it("is worked in batches, and each token is asked for once", async () => {
    await setup.setChain(10_000, 9_970);
    const ids = Array.from({ length: 9_300 }, (_, index) => index + 1);
    await database.query(
      `insert into ${test.tables.metadataUpdate}
       select lpad((1700000000 + n)::text, 10, '0') || lpad('31337', 16, '0') || lpad(n::text, 16, '0') || repeat('0', 33),
              31337, '0x5fbdb2315678afecb367f032d93f642f64180aa3', 'mint', n, n, 'token', n, '0xa' || n, 1700000000 + n, '0xt', 0
         from unnest($1::int[]) as n`,
      [ids],
    );

    const answers = [
      await triggers.handleBatch(),
      await triggers.handleBatch(),
      await triggers.handleBatch(),
    ];

    expect(answers.map(({ isMore }) => isMore)).toEqual([true, true, false]);
    const rows = await readQueue(database);
    expect(rows).toHaveLength(9_300);
    expect(rows.every(({ requested }) => requested === 1)).toBe(true);
  });

  it("is remembered no longer than it can change: the cursor moves and the memory shrinks", async () => {
    await setup.setChain(100, 70);
    await setup.add({ block: 60, token: 1n });
    const young = await setup.add({ block: 90, token: 2n });
    await triggers.handleBatch();
    expect(await setup.remembered()).toEqual([young]);

    await setup.setChain(200, 170);
    await triggers.handleBatch();

    expect(await setup.remembered()).toEqual([]);
    expect((await readQueue(database)).map(({ requested }) => requested)).toEqual([1, 1]);
  });

  it("never moves the cursor back, even when the index does", async () => {
    await setup.setChain(200, 170);
    await setup.add({ block: 160, token: 1n });
    await triggers.handleBatch();

    await setup.setChain(150, 120);
    await triggers.handleBatch();
    await setup.setChain(200, 170);
    await triggers.handleBatch();

    expect(await readQueue(database)).toMatchObject([{ requested: 1 }]);
  });
});

describe("processes that handle triggers at the same time", () => {
  it("never enqueue the same trigger twice, nor miss one", async () => {
    await setup.setChain(1_000, 100);
    for (let block = 200; block < 260; block++) await setup.add({ block, token: BigInt(block) });

    await Promise.all(Array.from({ length: 8 }, () => setup.triggers().handleBatch()));
    await triggers.handleBatch();

    const rows = await readQueue(database);
    expect(rows).toHaveLength(60);
    expect(rows.every(({ requested }) => requested === 1)).toBe(true);
    expect(await setup.remembered()).toHaveLength(60);
  });

  it("get along with requests for the same tokens", async () => {
    await setup.setChain(10_000, 100);
    const requested = Array.from({ length: 60 }, (_, index) => String(index));
    const failures: unknown[] = [];
    const before = await deadlocks();
    for (let round = 0; round < 8; round++) {
      for (let token = 0; token < 60; token++) {
        // Even and odd tokens arrive in different batches, so that they are enqueued out of order.
        const source = (token + round) % 2 ? "mint" : "MetadataUpdate";
        await setup.add({ block: 200 + round * 60 + token, source, token: BigInt(token) });
      }
      const requests = Array.from({ length: 6 }, () => database.transaction((tx) => ask(tx, requested)));
      const ends = await Promise.allSettled([triggers.handleBatch(), ...requests]);
      failures.push(...ends.filter(({ status }) => status === "rejected"));
    }

    expect(failures).toEqual([]);
    // Each costs a second, after which one of the two starts again.
    expect(await deadlocks()).toBe(before);
    const queue = await readQueue(database);
    expect(queue).toHaveLength(60);
    expect(queue.every(({ requested }) => requested === 8 + 8 * 6)).toBe(true);
  });
});
