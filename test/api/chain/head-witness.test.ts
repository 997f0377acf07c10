import { setTimeout as sleep } from "node:timers/promises";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import {
  createHeadWitness,
  type HeadWitness,
  hashAtEndpoints,
} from "../../../src/api/chain/rpc/head-witness.ts";

const CHAIN = 1;
const at = (block: number, ...hashes: string[]) => ({ block, hashes });

let now: number;
let asked: number;
/** The node's blocks; undefined while it does not answer. */
let node: Record<number, string> | undefined;
/** Calls wait until this is called. */
let release: (() => void) | undefined;
let witness: HeadWitness;
beforeEach(() => {
  now = 1_000_000;
  asked = 0;
  node = { 10: "0xa" };
  release = undefined;
  witness = createHeadWitness(
    async (_, block) => {
      asked++;
      const answer = node && (node[block] ?? null);
      if (release) await new Promise<void>((resolve) => (release = resolve));
      return answer;
    },
    () => now,
  );
});

describe("the index's head", () => {
  it.each([
    ["is the node's block", at(10, "0xa"), true],
    ["is another block than the node's", at(10, "0xb"), false],
    ["is one that the node does not have", at(11, "0xa"), false],
    ["may be either of two blocks that Ponder was given", at(10, "0xa", "0xb"), false],
    ["is a block that Ponder was never given", at(10), false],
  ])("that %s", async (_name, indexed, isConfirmed) => {
    expect(await witness.confirm(CHAIN, indexed, 0)).toBe(isConfirmed);
  });
});

it("a clock that is set back makes no confirmation younger", async () => {
  onTestFinished(() => void vi.useRealTimers());
  vi.useFakeTimers({ toFake: ["Date"] });
  let hash = "0xa";
  const usual = createHeadWitness(async () => hash);
  expect(await usual.confirm(CHAIN, at(10, "0xa"), 50)).toBe(true);
  hash = "0xb";

  vi.setSystemTime(Date.now() - 3_600_000);
  await sleep(60);

  expect(await usual.confirm(CHAIN, at(10, "0xa"), 50)).toBe(false);
});

describe("while the node does not answer", () => {
  it("the block that it has confirmed of late is believed for three seconds", async () => {
    await witness.confirm(CHAIN, at(10, "0xa"), 0);
    node = undefined;

    now += 3_000;
    const soon = await witness.confirm(CHAIN, at(10, "0xa"), 0);
    now += 1;
    const later = await witness.confirm(CHAIN, at(10, "0xa"), 0);

    expect([soon, later]).toEqual([true, false]);
  });

  it("another block is not", async () => {
    await witness.confirm(CHAIN, at(10, "0xa"), 0);
    node = undefined;

    expect(await witness.confirm(CHAIN, at(11, "0xb"), 0)).toBe(false);
  });

  it("nor is any after a node that says otherwise", async () => {
    await witness.confirm(CHAIN, at(10, "0xa"), 0);
    node = { 10: "0xb" };
    const denied = await witness.confirm(CHAIN, at(10, "0xa"), 0);
    node = undefined;

    expect([denied, await witness.confirm(CHAIN, at(10, "0xa"), 0)]).toEqual([false, false]);
  });
});

describe("the node", () => {
  it("is asked once for all who take an answer of the last 250 ms", async () => {
    await witness.confirm(CHAIN, at(10, "0xa"), 250);
    now += 250;
    await witness.confirm(CHAIN, at(10, "0xa"), 250);
    now += 1;
    await witness.confirm(CHAIN, at(10, "0xa"), 250);

    expect(asked).toBe(2);
  });

  it("is asked anew for a check that wants no older answer, once for all that came meanwhile", async () => {
    release = () => undefined;
    const first = witness.confirm(CHAIN, at(10, "0xa"), 0);
    node = { 10: "0xb" };
    now += 5;
    const meanwhile = Array.from({ length: 50 }, () => witness.confirm(CHAIN, at(10, "0xa"), 0));
    await Promise.resolve();
    const askedMeanwhile = asked;
    release();
    expect(await first).toBe(true);
    await Promise.resolve();
    release();

    expect(new Set(await Promise.all(meanwhile))).toEqual(new Set([false]));
    expect(askedMeanwhile).toBe(1);
    expect(asked).toBe(2);
  });
});

describe("the hash of a block", () => {
  const found = { kind: "answer", result: { number: "0xa", hash: "0xa", parentHash: "0x9" } } as const;
  const unknown = { kind: "unknown", refused: undefined } as const;
  let downMs = 0;
  const hashOf = async (...answers: readonly (typeof found | typeof unknown)[]) => {
    let asks = 0;
    const ask = async () => answers[Math.min(asks++, answers.length - 1)] ?? unknown;
    const endpoints = new Map([[CHAIN, { ask, areDown: (ms: number) => ms <= downMs }]]);
    return { hash: await hashAtEndpoints(endpoints)(CHAIN, 10), asks };
  };

  it("that a node has yet to see which another has reported is asked for again", async () => {
    expect(await hashOf(unknown, unknown, found)).toEqual({ hash: "0xa", asks: 3 });
  });

  it("is none where nobody has the block for as long as a check waits", async () => {
    const { hash, asks } = await hashOf(unknown);

    expect(hash).toBeNull();
    expect(asks).toBeGreaterThan(1);
  });

  it.each([
    [4_999, { hash: "0xa", asks: 1 }],
    [5_000, { hash: undefined, asks: 0 }],
  ])("of a node that has been down for %i ms: %j", async (ms, expected) => {
    downMs = ms;

    expect(await hashOf(found)).toEqual(expected);
    downMs = 0;
  });

  it("is unknown of a chain without endpoints", async () => {
    expect(await hashAtEndpoints(new Map())(CHAIN, 10)).toBeUndefined();
  });
});
