import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Service } from "../../demo/service.ts";
import { eventually } from "../support/processes/world.ts";
import type { Endpoint, Fault } from "./support/endpoint.ts";
import { startEndpoint } from "./support/endpoint.ts";
import { startWatch } from "./support/figures.ts";
import { createPlant, type Plant } from "./support/plant.ts";

const AWAY_MS = 30_000;
const BLOCKS_OLD = 40;
const ENDS_WITHIN_MS = 120_000;

let plant: Plant;
let other: Endpoint;
beforeAll(async () => {
  plant = await createPlant({ tokens: 1 });
  other = await startEndpoint(plant.chain.rpcUrl);
  await plant.chain.mineEvery(1);
});
afterAll(async () => {
  await plant?.close();
  await other?.close();
});

interface ChainFreshness {
  readonly indexed: number;
  readonly rpc: readonly { endpoint: number; status: string; reason: string | null }[];
}
/** The service closes idle connections, possibly just as one is reused. */
const get = async (url: string): Promise<unknown> => {
  const response = await fetch(url, { headers: { connection: "close" } });
  return response.json();
};
const freshness = async (service: Service): Promise<ChainFreshness | undefined> => {
  const { chains } = (await get(`${service.baseUrl}/freshness`)) as { chains: ChainFreshness[] };
  return chains[0];
};
const indexed = async (service: Service): Promise<number> => {
  const status = (await get(`${service.baseUrl}/status`)) as Record<string, { block: { number: number } }>;
  return status[plant.chain.chainId]?.block.number ?? 0;
};
const caughtUp = async (service: Service): Promise<boolean> =>
  (await indexed(service)) >= Number(await plant.chain.blockNumber()) - 1;

type Trouble = readonly [name: string, begin: () => unknown, end: () => unknown];
const failing = (fault: Fault): Trouble => [fault, () => plant.rpc.fail(fault), () => plant.rpc.fail()];
const troubles = (): Trouble[] => [
  ["refused", () => plant.rpc.goAway(), () => plant.rpc.comeBack()],
  ...(["hang", "429", "500", "html", "nothing", "null", "empty", "error", "huge"] as const).map(failing),
  ["40 blocks old", () => plant.rpc.lag((head) => ({ head: head - BLOCKS_OLD })), () => plant.rpc.lag()],
];

async function measure(service: Service, [name, begin, end]: Trouble, endpoints: number): Promise<void> {
  const watch = startWatch(`endpoint ${name}, ${endpoints} endpoints`);
  await eventually(() => caughtUp(service), Boolean, ENDS_WITHIN_MS);
  await begin();
  await sleep(AWAY_MS);
  const during = await freshness(service);
  const lag = Number(await plant.chain.blockNumber()) - (await indexed(service));
  await end();
  const backAt = watch.seconds();
  await eventually(() => caughtUp(service), Boolean, ENDS_WITHIN_MS);
  watch.report({
    blocks_behind: lag,
    seconds_until_caught_up: Math.round((watch.seconds() - backAt) * 10) / 10,
    said:
      during?.rpc?.map(({ status, reason }) => `${status} ${reason ?? ""}`.trim()).join(", ") ?? "nothing",
  });
  // It continues with a second endpoint, a few blocks behind if the fault keeps two cores busy.
  if (endpoints > 1) expect(lag).toBeLessThan(AWAY_MS / 1_000 / 2);
}

it("one endpoint that fails for 30 s in any way is noticed as soon as it is back", async () => {
  const service = await plant.start("indexer");
  for (const trouble of troubles()) await measure(service, trouble, 1);
  await service.stop();
}, 1_800_000);

it("of two endpoints, one that fails for 30 s keeps the index from nothing", async () => {
  const service = await plant.start("indexer", {
    [`PONDER_RPC_URL_${plant.chain.chainId}`]: `${plant.rpc.url},${other.url}`,
  });
  for (const trouble of troubles()) await measure(service, trouble, 2);
}, 1_800_000);
