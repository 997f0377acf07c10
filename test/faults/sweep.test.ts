import { afterAll, beforeAll, expect, it } from "vitest";
import type { Service } from "../../demo/service.ts";
import { eventually } from "../support/processes/world.ts";
import { createDice } from "./support/dice.ts";
import { startWatch } from "./support/figures.ts";
import { documentNamed } from "./support/origin.ts";
import { createPlant, type Plant } from "./support/plant.ts";

const TOKENS = 5_000;
const EXPLICIT = 20;
const ENDS_WITHIN_MS = 240_000;
// Long enough for the explicit requests to arrive during a sweep.
const ANSWER_MS = 100;
// Fetches that run at a kill, and documents that wait to be recorded, are fetched again, as are explicitly requested ones.
const REPEATED_MAX = 24 + 256;
const WHOLE_COLLECTION = [0n, 2n ** 256n - 1n] as const;

let plant: Plant;
let service: Service;
beforeAll(async () => {
  plant = await createPlant({ tokens: TOKENS });
  await plant.chain.mineEvery(1);
  service = await plant.start("indexer");
  await plant.settled();
});
afterAll(() => plant?.close());

const isSwept = async (): Promise<boolean> => {
  const [row] = await plant.query<{ open: number }>(
    `select (select count(*)::int from vitrine.sweep where finished_at is null)
          + (select count(*)::int from vitrine.refresh where wanted > done and trigger = 'sweep') as open`,
  );
  return row?.open === 0;
};

it("an event for a whole collection starves no explicit request, and goes on after a kill where it was", async () => {
  const watch = startWatch("sweep");
  const dice = createDice("sweep");
  const partner = await plant.partner(service);
  plant.origin.forget();
  plant.origin.behave((path) => ({ body: documentNamed(`${path}, swept`), delayMs: ANSWER_MS }));
  const swept = (): number => plant.origin.requests.length;

  await plant.chain.write(plant.heroes, "emitBatchMetadataUpdate", WHOLE_COLLECTION);
  await eventually(
    async () => swept(),
    (count) => count > 0,
    ENDS_WITHIN_MS,
  );
  const asked: string[] = [];
  const ends: unknown[] = [];
  const startedAt = watch.seconds();
  for (let request = 0; request < EXPLICIT; request++) {
    // From the end, which the sweep reaches last.
    const id = String(dice.whole(TOKENS - 500, TOKENS));
    asked.push(id);
    ends.push((await partner.refresh(plant.address, [id], "?wait=10")).body.tokens);
  }
  const explicitSeconds = Math.round((watch.seconds() - startedAt) * 10) / 10;
  const isUnderWay = !(await isSwept());
  const fetchedAtKill = dice.whole(TOKENS / 4, TOKENS / 2);
  await eventually(
    async () => swept(),
    (count) => count >= fetchedAtKill,
    ENDS_WITHIN_MS,
  );
  const wasUnderWay = !(await isSwept());
  await service.stop("SIGKILL");
  const beforeKill = swept();
  service = await plant.start("indexer");
  await eventually(isSwept, Boolean, ENDS_WITHIN_MS);

  const stale = await plant.query<{ id: string }>(
    `select t.token_id as id from vitrine.token t join vitrine.version v on v.id = t.served_version
      where v.metadata::jsonb ->> 'name' not like '%, swept'`,
  );
  watch.report({
    tokens: TOKENS,
    explicit_requests: EXPLICIT,
    seconds_for_them_one_after_another: explicitSeconds,
    fetches_before_the_kill: beforeKill,
    fetches: swept(),
  });
  expect(isUnderWay && wasUnderWay).toBe(true);
  expect(ends).toMatchObject(
    asked.map((id) => [
      { token_id: id, status: expect.stringMatching(/^(updated|unchanged)$/), reason: null },
    ]),
  );
  expect(stale).toEqual([]);
  expect(swept()).toBeLessThanOrEqual(TOKENS + EXPLICIT + REPEATED_MAX);
});
