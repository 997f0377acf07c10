import { afterEach, expect, it, vi } from "vitest";
import type { StreamEvent } from "../../../src/api/events/event.ts";
import { createSubscriber } from "../../../src/api/events/subscriber.ts";
import { CHAIN_ID, COLLECTION } from "../../support/refresh/refresh.ts";

afterEach(() => vi.useRealTimers());

const everything = { types: new Set<never>(), collections: new Set<never>(), chainId: undefined };
const event = (id: number): StreamEvent => ({
  id,
  subject: "lock",
  chainId: CHAIN_ID,
  collection: COLLECTION,
  tokenId: "1",
  body: undefined,
  text: `<${id}>`,
});

/** A subscriber whose connection accepts data when the test says so. */
function createSlowReader(start = 0) {
  const written: string[] = [];
  let isCut = false;
  let take = (): void => {};
  const wire = {
    write: (text: string) => {
      written.push(text);
      return new Promise<void>((resolve) => {
        take = resolve;
      });
    },
    cut: () => {
      isCut = true;
      take();
    },
    gone: new Promise<void>(() => {}),
  };
  const subscriber = createSubscriber(wire, everything, start);
  void subscriber.pump();
  return { reader: subscriber, written, isCut: () => isCut, take: () => take() };
}
const settle = () => vi.waitFor(() => Promise.resolve());

it("a heartbeat carries the id up to which there was nothing more, and none is sent ahead of queued events", async () => {
  const { reader: subscriber, written, take } = createSlowReader(41);
  subscriber.beat();
  await settle();
  expect(written).toEqual([": heartbeat\n\nid: 41\n\n"]);

  subscriber.offer(event(42));
  subscriber.beat();
  take();
  await vi.waitFor(() => expect(written).toHaveLength(2));

  expect(written[1]).toBe("<42>");
});

it("what comes while the other side is slow is written together, in order, and nothing twice", async () => {
  const { reader: subscriber, written, take } = createSlowReader();
  for (const id of [1, 2, 2, 1, 3]) subscriber.offer(event(id));
  await vi.waitFor(() => expect(written).toHaveLength(1));
  for (const id of [3, 4, 5]) subscriber.offer(event(id));
  take();
  await vi.waitFor(() => expect(written).toHaveLength(2));

  expect(written).toEqual(["<1><2><3>", "<4><5>"]);
});

it("a reader that takes nothing for 30 seconds gets a notice, and its connection is closed", async () => {
  vi.useFakeTimers();
  const { reader: subscriber, isCut } = createSlowReader();
  subscriber.offer(event(1));
  await vi.advanceTimersByTimeAsync(29_000);
  subscriber.poll();
  expect(subscriber.isOver).toBe(false);

  await vi.advanceTimersByTimeAsync(2_000);
  subscriber.poll();

  expect(subscriber.isOver).toBe(true);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(isCut()).toBe(true);
});

it("a step of the system's clock neither drops a reader nor keeps one that takes nothing", async () => {
  vi.useFakeTimers();
  const [ahead, behind] = [createSlowReader().reader, createSlowReader().reader];
  const startedAt = Date.now();
  for (const subscriber of [ahead, behind]) subscriber.offer(event(1));
  await vi.advanceTimersByTimeAsync(1_000);

  vi.setSystemTime(startedAt + 3_600_000);
  ahead.poll();
  expect(ahead.isOver).toBe(false);

  vi.setSystemTime(startedAt - 3_600_000);
  await vi.advanceTimersByTimeAsync(30_000);
  behind.poll();
  expect(behind.isOver).toBe(true);
});

it("a reader lets go of a write that never ends: once it is cut, and once the other side is gone", async () => {
  vi.useFakeTimers();
  let leave = (): void => {};
  const never = {
    write: () => new Promise<void>(() => {}),
    cut: () => {},
    gone: new Promise<void>((resolve) => {
      leave = resolve;
    }),
  };
  const [slow, gone] = [createSubscriber(never, everything, 0), createSubscriber(never, everything, 0)];
  let ended = 0;
  for (const subscriber of [slow, gone]) {
    subscriber.offer(event(1));
    void subscriber.pump().then(() => ended++);
  }
  await vi.advanceTimersByTimeAsync(31_000);

  slow.poll();
  await vi.advanceTimersByTimeAsync(2_000);
  expect(ended).toBe(1);

  gone.leave();
  leave();
  await vi.advanceTimersByTimeAsync(0);
  expect(ended).toBe(2);
});

it("a reader whose queue is full is dropped, with a word that says why", async () => {
  const { reader: subscriber, written, take } = createSlowReader();
  for (let id = 1; id <= 10_001; id++) subscriber.offer(event(id));
  expect(subscriber.isOver).toBe(true);

  await vi.waitFor(() => expect(written).toHaveLength(1));
  take();

  expect(written[0]).toMatch(/^: error: more than 10000 events were waiting/);
});
