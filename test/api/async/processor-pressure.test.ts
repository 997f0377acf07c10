/** Whether threads wait for a processor, by the system's own count. */

import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createOwnWaits, createProcessorPressure } from "../../../src/api/async/processor-pressure.ts";

const folder = await mkdtemp(join(tmpdir(), "vitrine-pressure-"));
const file = join(folder, "cpu");
/** As Linux writes it: microseconds. */
const waited = (ms: number) =>
  writeFile(
    file,
    `some avg10=1.20 avg60=0.50 avg300=0.10 total=${ms * 1000}\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=999999999\n`,
  );

it.each([
  { ms: 400, waitedMs: 0, isUnderPressure: false },
  { ms: 400, waitedMs: 100, isUnderPressure: false },
  { ms: 400, waitedMs: 101, isUnderPressure: true },
  { ms: 1_000, waitedMs: 800, isUnderPressure: true },
  { ms: 1_001, waitedMs: 800, isUnderPressure: false },
  { ms: 249, waitedMs: 200, isUnderPressure: false },
])(
  "says $isUnderPressure after $waitedMs ms of waiting in $ms",
  async ({ ms, waitedMs, isUnderPressure }) => {
    const othersWait = createProcessorPressure(file);
    await waited(7_000);
    expect(othersWait(1_000)).toBe(false);

    await waited(7_000 + waitedMs);

    expect(othersWait(1_000 + ms)).toBe(isUnderPressure);
  },
);

it("counts what was waited since it last counted, not since it was last asked", async () => {
  const othersWait = createProcessorPressure(file);
  await waited(0);
  othersWait(0);
  await waited(150);

  expect([othersWait(150), othersWait(300), othersWait(600)]).toEqual([false, true, false]);
});

it.each([
  ["there is no such file", join(folder, "none")],
  ["the file says something else", import.meta.filename],
])("says nothing where %s", async (_, path) => {
  const othersWait = createProcessorPressure(path);

  expect([othersWait(0), othersWait(300), othersWait(600)]).toEqual([false, false, false]);
});

it("counts this thread's own waits, in milliseconds", async () => {
  await writeFile(file, "1574365 3191320 3\n");
  const waits = createOwnWaits(file);
  expect(waits()).toBeCloseTo(3.19132);

  await writeFile(file, "1574365 2000000000 4\n");
  expect(waits()).toBe(2_000);
});

it.each([
  ["the system doesn't count them", () => join(folder, "none")],
  ["they can't be read", () => folder],
])("counts no own waits where %s", (_, path) => {
  expect(createOwnWaits(path())()).toBe(0);
});

it.runIf(process.platform === "linux")("reads the system's count of this thread, which only grows", () => {
  const waits = createOwnWaits();
  const first = waits();
  expect(first).toBeGreaterThanOrEqual(0);
  expect(waits()).toBeGreaterThanOrEqual(first);
});
