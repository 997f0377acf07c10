import { setTimeout as sleep } from "node:timers/promises";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { createReadBlock } from "../../../src/api/chain/contract/read-block.ts";
import type { IndexHead } from "../../../src/api/chain/index/index-heads.ts";
import { createWatchdog } from "../../../src/api/chain/index/watchdog.ts";
import { silentLogger } from "../../../src/api/logging/logger.ts";

const LONG_MS = 90_000;
const CHECK_MS = 10_000;

let head: IndexHead;
let node: number | Error;
let clock: number;
let stalls: string[];
let watchdog: ReturnType<typeof createWatchdog>;
const latestBlock = async (): Promise<number> => {
  if (node instanceof Error) throw node;
  return node;
};
beforeEach(() => {
  head = { chainId: 2020, block: 50, timestamp: 0, ready: true };
  node = 50;
  clock = 1_000_000;
  stalls = [];
  const heads = { read: async () => [head] };
  watchdog = createWatchdog({
    heads,
    latestBlock,
    onStall: (reason) => stalls.push(reason),
    logger: silentLogger,
    now: () => clock,
  });
});
const checkAfter = async (ms: number): Promise<void> => {
  clock += ms;
  await watchdog.check();
};

describe("the watchdog", () => {
  it("leaves an index alone that nobody indexes, as while a replica serves in the indexer's place", async () => {
    const heads = { read: async () => [head] };
    const onStall = (reason: string) => stalls.push(reason);
    const now = () => clock;
    watchdog = createWatchdog({
      heads,
      latestBlock,
      onStall,
      logger: silentLogger,
      isIndexed: false,
      now,
    });
    await checkAfter(0);
    node = 60;

    await checkAfter(2 * LONG_MS);

    expect([...watchdog.stalled]).toEqual([]);
    expect(stalls).toEqual([]);
  });

  it("reports an index that stands still for ninety seconds while its node goes on", async () => {
    await checkAfter(0);
    node = 60;
    await checkAfter(LONG_MS - 1);
    expect(stalls).toEqual([]);

    await checkAfter(1);

    expect([...watchdog.stalled]).toEqual([2020]);
    expect(stalls).toEqual([
      "The index of chain 2020 has stood at block 50 for 90 seconds, and its node is at 60.",
    ]);
  });

  it("warns again only after as long", async () => {
    await checkAfter(0);
    node = 60;
    await checkAfter(LONG_MS);
    await checkAfter(LONG_MS - 1);
    expect(stalls).toHaveLength(1);

    await checkAfter(1);
    expect(stalls).toHaveLength(2);

    head = { ...head, block: 51 };
    await checkAfter(1);
    expect([...watchdog.stalled]).toEqual([]);
  });

  it("leaves an index alone whose node makes a block now and then, each indexed in a second or two", async () => {
    await checkAfter(0);

    for (let block = 51; block < 60; block++) {
      for (let passed = CHECK_MS; passed < LONG_MS; passed += CHECK_MS) await checkAfter(CHECK_MS);
      node = block;
      // It is made just before a check, and indexed just after.
      await checkAfter(CHECK_MS);
      head = { ...head, block };
      await checkAfter(CHECK_MS);
    }

    expect(stalls).toEqual([]);
  });

  it("leaves an index alone whose node comes back with more blocks", async () => {
    await checkAfter(0);
    node = new Error("away");
    await checkAfter(LONG_MS - 5_000);
    node = 60;

    await checkAfter(5_000);
    expect(stalls).toEqual([]);

    await checkAfter(LONG_MS);
    expect(stalls).toHaveLength(1);
  });

  it.each<[string, () => void]>([
    ["moves, however slowly", () => (head = { ...head, block: head.block + 1 })],
    ["is still being built", () => (head = { ...head, ready: false })],
    ["has nothing left to read", () => (node = 50)],
    ["has a node that does not answer", () => (node = new Error("away"))],
  ])("says nothing of an index that %s", async (_name, change) => {
    await checkAfter(0);
    node = 60;

    for (let times = 0; times < 3; times++) {
      change();
      await checkAfter(LONG_MS);
    }

    expect(stalls).toEqual([]);
  });
});

it("a clock that is set forward is no time in which an index has stood still", async () => {
  onTestFinished(() => void vi.useRealTimers());
  vi.useFakeTimers({ toFake: ["Date"] });
  const onStall = (reason: string) => stalls.push(reason);
  const usual = createWatchdog({
    heads: { read: async () => [head] },
    latestBlock,
    onStall,
    logger: silentLogger,
  });
  await usual.check();
  node = 51;

  vi.setSystemTime(Date.now() + 3_600_000);
  await usual.check();

  expect(stalls).toEqual([]);
});

describe("the block that a URI is read at", () => {
  it("is not an old one for as long as a clock was set back", async () => {
    onTestFinished(() => void vi.useRealTimers());
    vi.useFakeTimers({ toFake: ["Date"] });
    head = { ...head, timestamp: Math.floor(Date.now() / 1000) };
    const usual = createReadBlock({ read: async () => [head] }, latestBlock);
    expect(await usual(2020, 0)).toBe(50);
    head = { ...head, block: 51 };

    vi.setSystemTime(Date.now() - 3_600_000);
    await sleep(250);

    expect(await usual(2020, 0)).toBe(51);
  });

  const seconds = (): number => Math.floor(clock / 1000);
  const readBlock = () => createReadBlock({ read: async () => [head] }, latestBlock, () => clock);

  it.each([
    ["the index's head while that is current", { age: 30, ready: true, min: 0 }, 50],
    ["never below the trigger's own", { age: 0, ready: true, min: 70 }, 70],
    ["the node's head while the index is behind", { age: 31, ready: true, min: 0 }, 60],
    ["the node's head during a backfill", { age: 0, ready: false, min: 0 }, 60],
  ])("is %s", async (_name, { age, ready, min }, expected) => {
    head = { ...head, ready, timestamp: seconds() - age };
    node = 60;

    expect(await readBlock()(2020, min)).toBe(expected);
  });

  it("is the node's head on a chain the index has not begun", async () => {
    node = 60;

    expect(await readBlock()(2021, 0)).toBe(60);
  });
});
