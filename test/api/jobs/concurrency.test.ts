import { expect, it } from "vitest";
import { createConcurrencyLimit } from "../../../src/api/jobs/concurrency.ts";

/** Work that ends on request. */
function createWork(limit: ReturnType<typeof createConcurrencyLimit>) {
  const started: number[] = [];
  const ends = new Map<number, { resolve: (value: number) => void; reject: (error: Error) => void }>();
  const run = (nth: number): Promise<number> =>
    limit(() => {
      started.push(nth);
      return new Promise<number>((resolve, reject) => ends.set(nth, { resolve, reject }));
    });
  return { started, ends, run };
}
const settle = () => new Promise((resolve) => setImmediate(resolve));

it("what comes first starts first, and no more than so many run at once, failed ones included", async () => {
  const { started, ends, run } = createWork(createConcurrencyLimit(2));
  const all = [1, 2, 3, 4].map(run);
  await settle();
  expect(started).toEqual([1, 2]);

  ends.get(2)?.reject(new Error("two"));
  await expect(all[1]).rejects.toThrow("two");
  await settle();
  // Later work queues behind the fourth.
  const fifth = run(5);
  await settle();
  expect(started).toEqual([1, 2, 3]);

  for (const nth of [1, 3, 4, 5]) {
    ends.get(nth)?.resolve(nth);
    await settle();
  }
  expect(started).toEqual([1, 2, 3, 4, 5]);
  expect(await Promise.all([all[0], all[2], all[3], fifth])).toEqual([1, 3, 4, 5]);
});

it("places are free again when all is done, also after work that throws at once", async () => {
  const limit = createConcurrencyLimit(1);
  const broken = () => {
    throw new Error("at once");
  };

  await expect(limit(broken)).rejects.toThrow("at once");
  expect(await limit(async () => "free")).toBe("free");
});
