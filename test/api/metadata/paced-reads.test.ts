import { expect, it } from "vitest";
import { readPaced } from "../../../src/api/metadata/module.ts";

const LARGE = 128 * 1024 + 1;

/** Holds the event loop. */
function busy(ms: number): void {
  for (const end = performance.now() + ms; performance.now() < end; );
}

it("a large document waits for the one before, and then as long as that took; others are read at once", async () => {
  const read: string[] = [];
  let firstEnded = 0;
  let secondBegan = 0;
  const first = readPaced(LARGE, () => {
    read.push("first");
    busy(40);
    firstEnded = performance.now();
  });
  const second = readPaced(LARGE, () => {
    read.push("second");
    secondBegan = performance.now();
    return "its result";
  });
  await readPaced(LARGE - 1, () => void read.push("small"));
  expect(read).toEqual(["first", "small"]);

  // The first is answered before its rest.
  await first;
  expect(read).toEqual(["first", "small"]);
  expect(await second).toBe("its result");
  // Timers count whole milliseconds.
  expect(secondBegan - firstEnded).toBeGreaterThan(38);
});

it("one that fails doesn't hold up the next", async () => {
  const failed = readPaced(LARGE, () => {
    throw new Error("unreadable");
  });
  await expect(failed).rejects.toThrow("unreadable");
  expect(await readPaced(LARGE, () => 1)).toBe(1);
});

it("one that is called off before its turn is not read, and the next has its turn", async () => {
  const read: string[] = [];
  const first = readPaced(LARGE, () => busy(40));
  const leaving = new AbortController();
  const left = readPaced(LARGE, () => void read.push("left"), leaving.signal);
  const next = readPaced(LARGE, () => void read.push("next"));
  const reason = new Error("the caller has gone");

  leaving.abort(reason);

  await expect(left).rejects.toBe(reason);
  await Promise.all([first, next]);
  expect(read).toEqual(["next"]);
});
