import { afterAll, beforeAll, expect, it } from "vitest";
import type { Service } from "../../demo/service.ts";
import { eventually } from "../support/processes/world.ts";
import { startWatch } from "./support/figures.ts";
import { documentNamed } from "./support/origin.ts";
import { createPlant, type Plant } from "./support/plant.ts";

const TOKENS = 100;
const EVENTS = 50_000;
const EVENTS_PER_CALL = 1_000;
// One call per block and one block per second, so that calls do not coincide.
const PARTS = EVENTS / EVENTS_PER_CALL;
const ENDS_WITHIN_MS = 240_000;
// A token starts at most once per 5 s, and requests in the meantime take one more start.
const SPACING_SECONDS = 5;
const AFTERWARDS = 2;

let plant: Plant;
let service: Service;
beforeAll(async () => {
  plant = await createPlant({ tokens: TOKENS });
  await plant.chain.mineEvery(1);
  service = await plant.start("indexer");
  await plant.settled();
});
afterAll(() => plant?.close());

it("50,000 events on 100 tokens cost a few fetches per token, and the last document is served", async () => {
  const watch = startWatch("storm");
  let part = 0;
  plant.origin.behave((path) => ({ body: documentNamed(`${path} in part ${part}`) }));
  plant.origin.forget();
  const calls = Array.from({ length: EVENTS_PER_CALL }, (_, index) => [BigInt((index % TOKENS) + 1)]);

  for (part = 1; part < PARTS; part++) await plant.callAll("emitMetadataUpdate", calls);
  await plant.callAll("emitMetadataUpdate", calls);
  const emittedAfter = watch.seconds();
  const partner = await plant.partner(service);
  const names = async () =>
    Promise.all(
      calls.slice(0, TOKENS).map(async ([id = 0n]) => (await partner.token(plant.address, String(id))).name),
    );
  await eventually(
    names,
    (all) => all.every((name, index) => name === `/t/${index + 1} in part ${part}`),
    ENDS_WITHIN_MS,
  );
  await eventually(
    () =>
      plant.query<{ events: number }>(
        "select count(*)::int as events from faults.metadata_update where source = 'MetadataUpdate'",
      ),
    ([row]) => row?.events === EVENTS,
    ENDS_WITHIN_MS,
  );
  await plant.settled();

  const counts = calls.slice(0, TOKENS).map(([id]) => plant.origin.count(`/t/${id}`));
  const seconds = watch.seconds();
  watch.report({
    events: EVENTS,
    tokens: TOKENS,
    seconds_until_all_were_mined: emittedAfter,
    fetches: plant.origin.requests.length,
    fetches_per_token_max: Math.max(...counts),
  });
  expect(Math.max(...counts)).toBeLessThanOrEqual(Math.ceil(seconds / SPACING_SECONDS) + AFTERWARDS);
});
