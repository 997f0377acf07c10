import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Service } from "../../demo/service.ts";
import { createDice } from "./support/dice.ts";
import { startWatch } from "./support/figures.ts";
import { createPlant, type Plant } from "./support/plant.ts";
import { badEnds, countEnds, startRequests } from "./support/requests.ts";

const TOKENS = 400;
const REQUESTS = 2_000;
const KILLS = 20;
// From a process's first request to its end.
const LIFE_MAX_MS = 2_500;
// Fetches that run at a kill, and documents that wait to be recorded, are fetched again: three quarters of the default of
// REFRESH_CONCURRENCY at one host, and 256. No more than a kill's share of the requests can be under way.
const REPEATED_MAX = Math.min(24 + 256, REQUESTS / KILLS);

let plant: Plant;
let service: Service;
beforeAll(async () => {
  plant = await createPlant({ tokens: TOKENS });
  await plant.chain.mineEvery(1);
  service = await plant.start("indexer");
  await plant.settled();
});
afterAll(() => plant?.close());

it("twenty kills at random moments lose none of 2,000 accepted refreshes and end none of them twice", async () => {
  const watch = startWatch("kill");
  const dice = createDice("kill");
  const requests = startRequests(plant, await plant.partner(service), TOKENS, dice);
  plant.origin.forget();
  const ends = new Map<string, string>();
  let endedAnew = 0;

  for (let kill = 1; kill <= KILLS; kill++) {
    requests.upTo((REQUESTS / KILLS) * kill);
    await sleep(dice.whole(0, LIFE_MAX_MS));
    await service.stop("SIGKILL");
    for (const { receipt, status, reason } of await requests.entries()) {
      const end = `${status} ${reason}`;
      if (ends.has(receipt) && ends.get(receipt) !== end) endedAnew++;
      if (status !== null) ends.set(receipt, end);
    }
    service = await plant.start("indexer");
  }
  await requests.sent();
  const entries = await requests.ended();

  watch.report({
    kills: KILLS,
    accepted: requests.accepted(),
    cut_off: requests.unanswered(),
    receipts: entries.length,
    ...countEnds(entries),
    fetches: plant.origin.requests.length,
  });
  expect(requests.accepted()).toBe(REQUESTS);
  expect(await requests.lost()).toEqual([]);
  expect(endedAnew).toBe(0);
  // One entry per request that the service accepted, answered or not, and each ended well.
  expect(new Set(entries.map(({ receipt }) => receipt)).size).toBe(entries.length);
  expect(entries.length).toBeLessThanOrEqual(requests.accepted() + requests.unanswered());
  expect(badEnds(entries)).toEqual([]);
  expect(await requests.stale()).toEqual([]);
  expect(plant.origin.requests.length).toBeLessThanOrEqual(entries.length + KILLS * REPEATED_MAX);
});
