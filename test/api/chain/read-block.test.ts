import { describe, expect, it } from "vitest";
import { createReadBlock } from "../../../src/api/chain/contract/read-block.ts";
import type { IndexHeads } from "../../../src/api/chain/index/index-heads.ts";

const CHAIN_ID = 31337;
const NOW = 1_800_000_000_000;

/** An index at block 90, whose table can be away, and a node at 100. */
function createChain({ ready = true, age = 0 } = {}) {
  let reads = 0;
  let isAway = false;
  let now = NOW;
  const heads: IndexHeads = {
    async read() {
      reads++;
      if (isAway) throw new Error("away");
      return [{ chainId: CHAIN_ID, block: 90, timestamp: NOW / 1000 - age, ready }];
    },
  };
  return {
    readBlock: createReadBlock(
      heads,
      async () => 100,
      () => now,
    ),
    reads: () => reads,
    setAway: (away: boolean) => {
      isAway = away;
    },
    pass: (ms: number) => {
      now += ms;
    },
  };
}

describe("the block that contracts are read at", () => {
  it.each([
    ["the index's head", {}, 1, 90],
    ["the trigger's block where the index is not there yet", {}, 95, 95],
    ["the node's head during a backfill", { ready: false }, 1, 100],
    ["the node's head while the index is far behind", { age: 31 }, 1, 100],
  ])("is %s", async (_, chain, minBlock, expected) => {
    expect(await createChain(chain).readBlock(CHAIN_ID, minBlock)).toBe(expected);
  });

  it("costs a burst of fetches one read of the head, and a later one another", async () => {
    const { readBlock, reads, pass } = createChain();

    await Promise.all(Array.from({ length: 20 }, () => readBlock(CHAIN_ID, 1)));
    expect(reads()).toBe(1);
    pass(1_000);
    await readBlock(CHAIN_ID, 1);
    expect(reads()).toBe(2);
  });

  it("costs a burst of fetches one call of the node, and a silent node keeps them three seconds", async () => {
    let calls = 0;
    const readBlock = createReadBlock({ read: async () => [] }, () => {
      calls++;
      return new Promise(() => {});
    });

    const reads = Array.from({ length: 20 }, () => readBlock(CHAIN_ID, 1));

    for (const read of reads) await expect(read).rejects.toThrow("the node of chain 31337 is silent");
    expect(calls).toBe(1);
  });

  it("fails at once for three seconds after a silent call, and then asks the node again", async () => {
    let [calls, time] = [0, 1_000_000];
    const answers = [new Promise<number>(() => {}), Promise.resolve(7)];
    const readBlock = createReadBlock(
      { read: async () => [] },
      () => answers[calls++] ?? Promise.resolve(0),
      () => time,
    );
    await expect(readBlock(CHAIN_ID, 1)).rejects.toThrow("silent");

    time += 2_999;
    await expect(readBlock(CHAIN_ID, 1)).rejects.toThrow("silent");
    expect(calls).toBe(1);
    time += 1;
    expect(await readBlock(CHAIN_ID, 1)).toBe(7);
  });

  it("is asked for again at once after a failure", async () => {
    const { readBlock, setAway } = createChain();
    setAway(true);
    await expect(readBlock(CHAIN_ID, 1)).rejects.toThrow("away");
    setAway(false);

    expect(await readBlock(CHAIN_ID, 1)).toBe(90);
  });
});
