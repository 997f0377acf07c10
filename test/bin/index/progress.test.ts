import { describe, expect, it } from "vitest";
import { untilCaughtUp } from "../../../bin/index/progress.ts";
import type { Freshness } from "../../../src/api/app/health.ts";

interface State {
  /** Indexed block, node's head and readiness by chain; absent while the service is down. */
  readonly chains?: Record<number, readonly [indexed: number, head: number | null, ready: boolean]>;
  readonly old?: Record<number, number>;
  /** How many serving indexes are missing; none when absent, and unknown where it is negative. */
  readonly missing?: number;
}

/** Follows a script of polls and returns how many it took; the last one repeats, for at most 20 in all. */
async function follow(states: readonly State[], chainIds: readonly number[] = [1]) {
  const stop = new AbortController();
  const lines: string[] = [];
  let taken = 0;
  const state = (): State => states[Math.min(taken, states.length) - 1] ?? {};
  const isCaughtUp = await untilCaughtUp({
    chainIds,
    async freshness(): Promise<Freshness> {
      taken += 1;
      if (taken === 20) stop.abort();
      const { chains } = state();
      if (!chains) throw new Error("nothing listens there");
      return {
        chains: Object.entries(chains).map(([id, [indexed, head, ready]]) => ({
          chain_id: Number(id),
          head,
          indexed,
          lag_seconds: 0,
          ready,
          rpc: [],
        })),
        queue: { waiting: 0, oldest_seconds: 0 },
        search: { bytes: 0, bytes_max: 0, from_database: [] },
      };
    },
    oldHeads: async () =>
      new Map(Object.entries(state().old ?? {}).map(([id, block]) => [Number(id), block])),
    async missingIndexes() {
      const { missing = 0 } = state();
      if (missing < 0) throw new Error("the database is away");
      return missing;
    },
    onLine: (line) => lines.push(line),
    signal: stop.signal,
    pollMs: 0,
  });
  return { isCaughtUp, taken, lines };
}

describe("the wait for a new index", () => {
  it("lasts until every chain is there and ready", async () => {
    const waits = await follow(
      [
        {},
        { chains: { 1: [9, 9, true] } },
        { chains: { 1: [9, 9, true], 2: [4, 9, false] } },
        { chains: { 1: [9, 9, true], 2: [9, 9, true] } },
      ],
      [1, 2],
    );

    expect(waits).toMatchObject({ isCaughtUp: true, taken: 5 });
  });

  it("lasts until the block at which the node stood before is reached, though the node goes on", async () => {
    const waits = await follow([
      { chains: { 1: [5, 10, true] } },
      { chains: { 1: [9, 14, true] } },
      { chains: { 1: [13, 18, true] } },
      { chains: { 1: [18, 22, true] } },
    ]);

    expect(waits).toMatchObject({ isCaughtUp: true, taken: 4 });
  });

  it("never ends below the old index, whatever the node says", async () => {
    const behind = await follow([{ chains: { 1: [9, null, true] }, old: { 1: 10 } }]);
    const level = await follow([{ chains: { 1: [10, 9, true] }, old: { 1: 10 } }]);

    expect(behind.isCaughtUp).toBe(false);
    expect(level.isCaughtUp).toBe(true);
  });

  it("does not end on a chain that neither the node nor the old index reports", async () => {
    expect((await follow([{ chains: { 1: [9, null, true] } }])).isCaughtUp).toBe(false);
  });

  it("ends at a reorg that lowers the node's head", async () => {
    const waits = await follow([{ chains: { 1: [8, 12, true] } }, { chains: { 1: [10, 10, true] } }]);

    expect(waits.isCaughtUp).toBe(true);
  });

  it("lasts until it has the database indexes that serving needs", async () => {
    const chains = { 1: [9, 9, true] } as const;
    const waits = await follow([
      { chains, missing: 21 },
      { chains, missing: 21 },
      { chains, missing: 21 },
      { chains, missing: -1 },
      { chains, missing: 1 },
      { chains },
    ]);

    expect(waits).toMatchObject({ isCaughtUp: true, taken: 6 });
    expect(waits.lines).toEqual([
      "chain 1: block 9 of 9, ready",
      "waiting for the database indexes of serving (21 missing)",
      "the new index can't be read (the database is away); trying again",
      "waiting for the database indexes of serving (1 missing)",
    ]);
  });

  it("says how far each chain is", async () => {
    const { lines } = await follow([{ chains: { 1: [0, 12, false] } }], [1, 2]);

    expect(lines).toEqual(["chain 1: block 0 of 12; chain 2: no block yet"]);
  });
});
