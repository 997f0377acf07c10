import { expect, it } from "vitest";
import { createConcurrencyLimit } from "../../../src/api/async/concurrency.ts";

/** Work that ends on request. */
function createWork(limit: ReturnType<typeof createConcurrencyLimit>) {
  const started: number[] = [];
  const ends = new Map<number, { resolve: (value: number) => void; reject: (error: Error) => void }>();
  const run = (nth: number, signal?: AbortSignal, party?: string): Promise<number> =>
    limit(
      () => {
        started.push(nth);
        return new Promise<number>((resolve, reject) => ends.set(nth, { resolve, reject }));
      },
      signal,
      party,
    );
  return { started, ends, run };
}
const settle = () => new Promise((resolve) => setImmediate(resolve));

it("what comes first starts first, and no more than so many run at once, failed ones included", async () => {
  const { started, ends, run } = createWork(createConcurrencyLimit(2));
  const all = [1, 2, 3, 4].map((nth) => run(nth));
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

it("work whose signal is aborted before its turn never starts, and the next takes its place", async () => {
  const { started, ends, run } = createWork(createConcurrencyLimit(1));
  const gone = AbortSignal.abort(new Error("gone before"));
  const leaving = new AbortController();
  const first = run(1, leaving.signal);
  const [left, late] = [run(2, leaving.signal), run(3, gone)];
  const next = run(4);
  leaving.abort(new Error("left"));
  await expect(left).rejects.toThrow("left");
  await expect(late).rejects.toThrow("gone before");

  // What has started goes on.
  ends.get(1)?.resolve(1);
  await settle();
  ends.get(4)?.resolve(4);
  expect([await first, await next]).toEqual([1, 4]);
  expect(started).toEqual([1, 4]);
});

it("work whose signal is aborted as its turn comes does not start, and passes the turn on", async () => {
  const { started, ends, run } = createWork(createConcurrencyLimit(1));
  const leaving = new AbortController();
  const first = run(1);
  const [left, next] = [run(2, leaving.signal), run(3)];
  await settle();
  // After the first has passed its turn on, and before the second has taken it.
  ends.get(1)?.resolve(1);
  queueMicrotask(() => leaving.abort(new Error("left")));

  await expect(left).rejects.toThrow("left");
  await settle();
  ends.get(3)?.resolve(3);
  expect([await first, await next, started]).toEqual([1, 3, [1, 3]]);
});

it("parties take turns, whoever has queued more, and one that has left has none", async () => {
  const { started, ends, run } = createWork(createConcurrencyLimit(1));
  const leaving = new AbortController();
  const all = [1, 2, 3, 4].map((nth) => run(nth, undefined, "many"));
  const left = run(5, leaving.signal, "leaves");
  const others = [run(6, undefined, "few"), run(7, undefined, "few"), run(8, undefined, "late")];
  leaving.abort(new Error("left"));
  await expect(left).rejects.toThrow("left");

  for (const nth of [1, 2, 6, 8, 3, 7, 4]) {
    ends.get(nth)?.resolve(nth);
    await settle();
  }

  expect(started).toEqual([1, 2, 6, 8, 3, 7, 4]);
  expect(await Promise.all([...all, ...others])).toEqual([1, 2, 3, 4, 6, 7, 8]);
});
