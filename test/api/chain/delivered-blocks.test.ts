import { beforeEach, describe, expect, it } from "vitest";
import {
  createDeliveredBlocks,
  type DeliveredBlock,
  type RpcBlock,
} from "../../../src/api/chain/rpc/delivered-blocks.ts";
import { forgetDelivered, keepDelivered } from "../../../src/api/chain/rpc/delivered-store.ts";
import { createTradeChecks } from "../../../src/api/trading/checks/checks.ts";
import { tokensOnChain } from "../../support/chain/tokens-on-chain.ts";
import { CHAIN_SCHEMA, createTestDatabase } from "../../support/database/database.ts";
import { CHAIN_ID, COLLECTION } from "../../support/refresh/refresh.ts";

const test = await createTestDatabase();
const { database, tables } = test;
const block = (number: number, hash: string): RpcBlock => ({
  number: `0x${number.toString(16)}`,
  hash,
  parentHash: "0x",
  timestamp: "0x0",
});
const keep = (blocks: readonly DeliveredBlock[], schema = CHAIN_SCHEMA) =>
  keepDelivered(database, schema, CHAIN_ID, blocks);

beforeEach(async () => {
  await database.query(
    `truncate vitrine.delivered_block; truncate ${tables.tokenState}, ${tables.checkpoint}`,
  );
  await test.setHead({ chainId: CHAIN_ID, block: 600 });
  await test.insert("tokenState", {
    chainId: CHAIN_ID,
    collectionAddress: COLLECTION,
    tokenId: 1n,
    standard: "erc721",
    owner: COLLECTION,
    burned: false,
    lockCount: 0,
  });
});

describe("a guard", () => {
  /** The blocks that guards ask the node to confirm, and their answers if it does or does not. */
  const ask = async (isConfirmed: boolean) => {
    const asked: unknown[] = [];
    const witness = {
      async confirm(chainId: number, indexed: unknown, maxAgeMs: number) {
        asked.push({ chainId, indexed, maxAgeMs });
        return isConfirmed;
      },
    };
    const shared = { database, tables, witness };
    const [check] = await createTradeChecks({ ...shared, clients: new Map(), tradeMaxAgeSeconds: 60 }).check([
      { chainId: CHAIN_ID, collection: COLLECTION, tokenId: "1" },
    ]);
    const tokens = await tokensOnChain({ ...shared, maxAgeSeconds: 60 }, ["1"]);
    return { asked, check, tradable: tokens.get("1")?.tradable };
  };

  it("asks for the blocks of its own index and of its head's number, and trusts the node", async () => {
    await keep([
      { number: 600, hash: "0xa" },
      { number: 599, hash: "0xb" },
    ]);
    await keep([{ number: 600, hash: "0xc" }], "another_index");

    const yes = await ask(true);
    const no = await ask(false);

    const indexed = { block: 600, hashes: ["0xa"] };
    expect(yes.asked).toEqual([
      { chainId: CHAIN_ID, indexed, maxAgeMs: 0 },
      { chainId: CHAIN_ID, indexed, maxAgeMs: 250 },
    ]);
    expect(yes).toMatchObject({ check: { allowed: true, asOfBlock: 600 }, tradable: true });
    expect(no).toMatchObject({ check: { allowed: false, reason: "index_stale" }, tradable: false });
  });

  it("asks no node about an index that is stale by itself", async () => {
    await test.setHead({ chainId: CHAIN_ID, block: 600, age: 61 });

    expect((await ask(true)).asked).toEqual([]);
  });
});

describe("the blocks that Ponder was given", () => {
  const kept = () =>
    database.query(
      "select schema, number::int, hash from vitrine.delivered_block order by schema, number, hash",
    );

  it("are kept per index, twice of a number after a reorg, and forgotten hundreds of blocks later", async () => {
    await keep([{ number: 80, hash: "0xa" }]);
    await keep([{ number: 80, hash: "0xb" }]);
    await keep([{ number: 80, hash: "0xb" }]);
    await keep([{ number: 80, hash: "0xc" }], "another_index");
    const before = await kept();

    await keep([{ number: 600, hash: "0xd" }]);
    const later = await kept();
    await forgetDelivered(database, CHAIN_SCHEMA);

    const other = { schema: "another_index", number: 80, hash: "0xc" };
    expect(before).toEqual([
      other,
      { schema: CHAIN_SCHEMA, number: 80, hash: "0xa" },
      { schema: CHAIN_SCHEMA, number: 80, hash: "0xb" },
    ]);
    expect(later).toEqual([other, { schema: CHAIN_SCHEMA, number: 600, hash: "0xd" }]);
    expect(await kept()).toEqual([other]);
  });

  it("are all handed over when somebody keeps them, each once, and again after a database that was away", async () => {
    const blocks = createDeliveredBlocks();
    const handed: DeliveredBlock[][] = [];
    let isAway = true;
    await blocks.note(block(1, "0xa"));
    await blocks.keepWith(async (some) => {
      if (isAway) throw new Error("away");
      handed.push([...some]);
    });
    isAway = false;
    await blocks.note(block(2, "0xb"));
    await blocks.note(block(2, "0xb"));

    expect(handed).toEqual([
      [
        { number: 1, hash: "0xa" },
        { number: 2, hash: "0xb" },
      ],
    ]);
  });

  it.each<[string, number, readonly (readonly [number, string, string])[]]>([
    ["one block is replaced by one of its number", 1, [[3, "c", "2a"]]],
    ["the new chain is shorter", 1, [[2, "c", "1a"]]],
    [
      "the next block follows another one",
      1,
      [
        [4, "b", "3b"],
        [3, "b", "2a"],
        [4, "b", "3b"],
      ],
    ],
    [
      "blocks that were missed come in any order",
      1,
      [
        [6, "b", "5b"],
        [5, "b", "4b"],
        [4, "b", "3b"],
        [3, "b", "2b"],
        [2, "b", "1a"],
        [5, "b", "4b"],
      ],
    ],
    [
      "it goes back and forth between two endpoints",
      3,
      [
        [3, "b", "2a"],
        [3, "a", "2a"],
        [3, "b", "2a"],
      ],
    ],
    [
      "the chain only grows, with gaps",
      0,
      [
        [9, "a", "8a"],
        [4, "a", "3a"],
        [5, "a", "4a"],
        [9, "a", "8a"],
      ],
    ],
    [
      "a block comes again",
      0,
      [
        [3, "a", "2a"],
        [2, "a", "1a"],
      ],
    ],
  ])("show %s as %i reorgs", async (_what, reorgs, later) => {
    const blocks = createDeliveredBlocks();
    const note = (number: number, branch: string, parent: string) =>
      blocks.note({ ...block(number, `${number}${branch}`), parentHash: parent });
    await note(1, "a", "0a");
    await note(2, "a", "1a");
    await note(3, "a", "2a");

    for (const each of later) await note(...each);

    expect(blocks.reorgs()).toBe(reorgs);
  });

  it("are remembered for as long as a reorg may lead back to them, and no longer", async () => {
    const blocks = createDeliveredBlocks();
    for (let number = 1; number <= 2_000; number++) await blocks.note(block(number, `0x${number}`));

    expect(blocks.header("0x1489")).toMatchObject({ hash: "0x1489" });
    expect(blocks.header("0x1488")).toBeUndefined();
  });
});
