/** A search thread that answers nothing is ended; one that is only busy is not. */

import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { chainTables } from "../../../src/api/chain/index/tables.ts";
import { createSearchThread } from "../../../src/api/search/threads/thread.ts";
import { createWatchdog } from "../../../src/api/search/threads/watchdog.ts";
import { eventually } from "../../support/eventually.ts";
import { createMemoryLogger } from "../../support/processes/worker.ts";
import { CHAIN_ID, COLLECTION } from "../../support/refresh/refresh.ts";

describe("the watchdog", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  function createCase() {
    const calls: string[] = [];
    const watchdog = createWatchdog({
      ping: () => calls.push("ping"),
      end: () => calls.push("end"),
      pingMs: 1_000,
    });
    return { calls, watchdog };
  }

  it("ends a thread that is silent for four pings, once, however many answers it owes", async () => {
    const { calls, watchdog } = createCase();
    watchdog.suspect();
    watchdog.suspect();
    await vi.advanceTimersByTimeAsync(60_000);

    expect(calls).toEqual(["ping", "ping", "ping", "ping", "end"]);
  });

  it.each(["heard", "stop"] as const)(
    "leaves it alone once it is %s, and suspects it anew",
    async (event) => {
      const { calls, watchdog } = createCase();
      watchdog.suspect();
      await vi.advanceTimersByTimeAsync(3_500);
      watchdog[event]();
      await vi.advanceTimersByTimeAsync(60_000);
      expect(calls).toEqual(["ping", "ping", "ping", "ping"]);

      watchdog.suspect();
      await vi.advanceTimersByTimeAsync(4_000);
      expect(calls.slice(4)).toEqual(["ping", "ping", "ping", "ping", "end"]);
    },
  );
});

it("a thread that still answers pings stays, and one that loops without an end is replaced", async () => {
  const { logger, entries } = createMemoryLogger();
  const thread = createSearchThread(
    { connectionString: "postgresql://nobody@127.0.0.1:1/nothing", tables: chainTables("vitrine_chain") },
    {
      heapMb: 64,
      logger,
      onSize() {},
      onLoss() {},
      answerMs: 300,
      // A busy machine may hold an answer back for longer than a few short ones.
      pingMs: 500,
      script: new URL("./stuck-thread.ts", import.meta.url),
    },
  );
  onTestFinished(() => thread.close());
  const ask = () =>
    thread.ask({ collection: { chainId: CHAIN_ID, collection: COLLECTION }, kind: "warm", asked: null });
  const lost = () => entries.filter(({ msg }) => msg.startsWith("Lost a search thread"));

  await expect(ask()).rejects.toMatchObject({ code: "UNAVAILABLE" });
  const first = thread.worker;
  await new Promise((resolve) => setTimeout(resolve, 3_000));
  expect(lost()).toEqual([]);

  await expect(ask()).rejects.toMatchObject({ code: "UNAVAILABLE" });
  await eventually(
    () => thread.worker,
    (worker) => worker !== undefined && worker !== first,
  );
  expect(lost()).toMatchObject([{ cause: "it answered nothing any more" }]);
});
