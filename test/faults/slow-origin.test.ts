import { afterAll, beforeAll, expect, it } from "vitest";
import type { Service } from "../../demo/service.ts";
import { eventually } from "../support/processes/world.ts";
import { startWatch } from "./support/figures.ts";
import { documentNamed } from "./support/origin.ts";
import { createPlant, type Partner, type Plant } from "./support/plant.ts";

const SLOW = 1;
const OTHERS = 200;
const TOKENS = SLOW + OTHERS;
const ENDS_WITHIN_MS = 120_000;
const SLOW_PATH = `/t/${SLOW}`;

let plant: Plant;
let service: Service;
let partner: Partner;
beforeAll(async () => {
  plant = await createPlant({ tokens: TOKENS });
  await plant.chain.mineEvery(1);
  service = await plant.start("indexer");
  partner = await plant.partner(service);
  await plant.settled();
  plant.origin.forget();
});
afterAll(() => plant?.close());

const receiptOf = async (receipt: unknown) => {
  const { body } = await partner.call(`/market-partner/refreshes/${receipt}`);
  return body as { done: boolean; tokens: { status: string }[] };
};
const refresh = async (ids: readonly number[]) =>
  (await partner.refresh(plant.address, ids.map(String))).body.refresh_id;
const ended = (receipt: unknown) =>
  eventually(
    () => receiptOf(receipt),
    ({ done }) => done,
    ENDS_WITHIN_MS,
  );

it("a slow answer that is asked for twice holds up nobody else, of its own host either", async () => {
  const watch = startWatch("slow origin");
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  plant.origin.behave((path) => ({
    body: documentNamed(`New ${path}`),
    ...(path === SLOW_PATH && { delayedUntil: released }),
  }));

  const first = await refresh([SLOW]);
  await eventually(
    async () => plant.origin.count(SLOW_PATH),
    (count) => count === 1,
  );
  const second = await refresh([SLOW]);
  const others = Array.from({ length: OTHERS }, (_, index) => SLOW + 1 + index);
  const receipts = [await refresh(others.slice(0, OTHERS / 2)), await refresh(others.slice(OTHERS / 2))];
  const ends = await Promise.all(receipts.map(ended));
  const othersAfter = watch.seconds();
  const meanwhile = [await receiptOf(first), await receiptOf(second)];
  const countMeanwhile = plant.origin.count(SLOW_PATH);
  release();
  const slowEnds = [await ended(first), await ended(second)];

  watch.report({
    others: OTHERS,
    seconds_until_the_others_were_done: othersAfter,
    requests_for_the_slow_one: plant.origin.count(SLOW_PATH),
  });
  expect(ends.flatMap(({ tokens }) => tokens).every(({ status }) => status === "updated")).toBe(true);
  expect(meanwhile.map(({ done }) => done)).toEqual([false, false]);
  // A request joins a pending fetch, never a started one: the second gets its own afterwards.
  expect(countMeanwhile).toBe(1);
  expect(plant.origin.count(SLOW_PATH)).toBe(2);
  const isGood = (status: string): boolean => status === "updated" || status === "unchanged";
  expect(slowEnds.flatMap(({ tokens }) => tokens).every(({ status }) => isGood(status))).toBe(true);
  expect((await partner.token(plant.address, SLOW)).name).toBe(`New ${SLOW_PATH}`);
});
