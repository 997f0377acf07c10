/** Lock counting over any sequence of lock and unlock events. */

import fc from "fast-check";
import { expect, it } from "vitest";
import { afterLock, afterUnlock, isLocked } from "../../src/domain/lock-count.ts";

type Event = "lock" | "unlock";

const events = fc.array(fc.constantFrom<Event>("lock", "unlock"), { maxLength: 200 });

function replay(sequence: readonly Event[]) {
  let count = 0;
  let anomalies = 0;
  const counts = sequence.map((event) => {
    const change = event === "lock" ? afterLock(count) : afterUnlock(count);
    count = change.count;
    if (change.anomaly) anomalies++;
    return count;
  });
  return { counts, count, anomalies };
}

it("is locked above zero only", () => {
  expect([0, 1, 2].map(isLocked)).toEqual([false, true, true]);
});

it("keeps a token locked until its last lock is released", () => {
  const { counts } = replay(["lock", "lock", "unlock", "unlock"]);

  expect(counts.map(isLocked)).toEqual([true, true, true, false]);
});

it("lets an unlock that nobody locked pay for no later lock", () => {
  expect(replay(["unlock", "unlock", "lock"])).toEqual({ counts: [0, 0, 1], count: 1, anomalies: 2 });
});

it("never counts below zero, and equals the running sum clamped at zero", () => {
  fc.assert(
    fc.property(events, (sequence) => {
      let clamped = 0;
      const expected = sequence.map((event) => {
        clamped = Math.max(0, clamped + (event === "lock" ? 1 : -1));
        return clamped;
      });

      expect(replay(sequence).counts).toEqual(expected);
    }),
  );
});

it("records every surplus unlock and nothing else as an anomaly", () => {
  fc.assert(
    fc.property(events, (sequence) => {
      const { count, anomalies } = replay(sequence);
      const locks = sequence.filter((event) => event === "lock").length;
      const unlocks = sequence.length - locks;

      expect(count).toBe(locks - (unlocks - anomalies));
    }),
  );
});
