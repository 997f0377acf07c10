import { afterAll, beforeAll, expect, it } from "vitest";
import { eventually } from "../support/processes/world.ts";
import { startWatch } from "./support/figures.ts";
import { documentNamed } from "./support/origin.ts";
import { createPlant, type Partner, type Plant } from "./support/plant.ts";

const TOKENS = 300;
const ENDS_WITHIN_MS = 120_000;
const WHOLE_COLLECTION = [0n, 2n ** 256n - 1n] as const;

let plant: Plant;
let partners: Partner[];
beforeAll(async () => {
  plant = await createPlant({ tokens: TOKENS });
  await plant.chain.mineEvery(1);
  // Fewer leases at once than tokens, so that neither can take them all.
  const REFRESH_CONCURRENCY = "16";
  // The contact in the User-Agent identifies who fetched.
  const indexer = await plant.start("indexer", {
    OPERATOR_CONTACT: "indexer@vitrine.example",
    REFRESH_CONCURRENCY,
  });
  const replica = await plant.start("replica", {
    OPERATOR_CONTACT: "replica@vitrine.example",
    REFRESH_CONCURRENCY,
  });
  partners = [await plant.partner(indexer), await plant.partner(replica)];
  await plant.settled();
});
afterAll(() => plant?.close());

const ids = Array.from({ length: TOKENS }, (_, index) => index + 1);
const countEach = () => ids.map((id) => plant.origin.count(`/t/${id}`));
const byWhom = (who: string): number =>
  plant.origin.requests.filter(({ agent }) => agent.includes(who)).length;

const triggers: readonly (readonly [name: string, fetchesMax: number, ask: () => Promise<unknown>])[] = [
  [
    "an event for each token",
    1,
    () =>
      plant.callAll(
        "emitMetadataUpdate",
        ids.map((id) => [BigInt(id)]),
      ),
  ],
  [
    "an event for the whole collection",
    1,
    () => plant.chain.write(plant.heroes, "emitBatchMetadataUpdate", WHOLE_COLLECTION),
  ],
  [
    "a request for each token, of either replica in turn",
    1,
    () =>
      Promise.all(
        ids.map((id) => (partners[id % partners.length] as Partner).refresh(plant.address, [String(id)])),
      ),
  ],
  [
    "a request for each token, of both replicas at once",
    // The second request joins a pending fetch, and gets its own after a fetch that has started.
    2,
    () =>
      Promise.all(
        [ids.slice(0, 100), ids.slice(100, 200), ids.slice(200)].flatMap((some) =>
          partners.map((partner) => partner.refresh(plant.address, some.map(String))),
        ),
      ),
  ],
];

it.each(triggers)(
  "two replicas on one queue fetch no token twice for %s",
  async (trigger, fetchesMax, ask) => {
    const watch = startWatch(`replicas: ${trigger}`);
    plant.origin.behave((path) => ({ body: documentNamed(`${path} after ${trigger}`), delayMs: 20 }));
    plant.origin.forget();

    await ask();
    await eventually(
      async () => countEach(),
      (counts) => counts.every((count) => count > 0),
      ENDS_WITHIN_MS,
    );
    await plant.settled();
    const open = await plant.query("select 1 from vitrine.receipt_token where status is null");

    const counts = countEach();
    watch.report({
      tokens: TOKENS,
      fetches: plant.origin.requests.length,
      by_indexer: byWhom("indexer@"),
      by_replica: byWhom("replica@"),
      fetches_per_token_max: Math.max(...counts),
    });
    expect(Math.max(...counts)).toBeLessThanOrEqual(fetchesMax);
    expect(byWhom("indexer@")).toBeGreaterThan(0);
    expect(byWhom("replica@")).toBeGreaterThan(0);
    expect(open).toEqual([]);
  },
);
