/** Changes that a contract or a host makes without an event, on a real chain (docs/refresh.md, "Silent changes"). */

import { afterAll, beforeAll, expect, it } from "vitest";
import { type Chain, type Contract, startChain } from "../../demo/chain.ts";
import type { Service } from "../../demo/service.ts";
import { createSite, type Site, untilIndexed } from "../support/chain/chain-tables.ts";
import { lower } from "../support/chain/contract-answers.ts";
import { createPartner, eventually } from "../support/processes/world.ts";
import { type LocalServer, startLocalServer } from "../support/servers/local-server.ts";
import { createKey } from "../support/service-key.ts";

// Seven seconds between rounds.
const RESAMPLE_HOURS = "0.002";
const CONTRACTS = new URL("../contracts/", import.meta.url);
const TOKENS = 40;
// An unchanged collection's requests to its host per round.
const SAMPLES = 4;

let chain: Chain;
let host: LocalServer;
let site: Site;
let service: Service;
const names = ["rebased", "single", "replaced", "unchanged"] as const;
const heroes = {} as Record<(typeof names)[number], Contract>;
/** The prefix in the names of the host's documents, by the requested folder. */
const hostedNames = new Map<string, string>();
const asked = (folder: string): number =>
  host.requests.filter(({ url }) => url?.startsWith(`/${folder}/`)).length;

beforeAll(async () => {
  [chain, host] = await Promise.all([
    startChain({ contracts: CONTRACTS }),
    startLocalServer(({ url = "" }, response) => {
      const name = `${hostedNames.get(url.split("/")[1] ?? "") ?? "Hero"} at ${url}`;
      response.end(JSON.stringify({ name, image: `${host.url}/none.png` }));
    }),
  ]);
  for (const name of names) {
    const contract = await chain.deploy("SilentHeroes", [`${host.url}/${name}/`]);
    heroes[name] = contract;
    for (const from of [1n, 21n])
      await chain.write(contract, "mintRange", [chain.account(1).address, from, 20n]);
  }
  site = await createSite([{ chain, collections: names.map((name) => lower(heroes[name])) }], {
    REFRESH_CONCURRENCY: "8",
    RESAMPLE_HOURS,
    ALLOW_PRIVATE_HOSTS: host.host,
  });
  service = await site.start("silent");
  await untilIndexed(service, chain);
  for (const name of names) await untilServed(name, (id) => `Hero at /${name}/${id}`);
});
afterAll(async () => {
  await site.close();
  await host.close();
});

/** A collection's served names, by token id. */
async function served(name: keyof typeof heroes): Promise<Record<string, string>> {
  const rows = await site.query<{ id: string; name: string }>(
    `select token_id::text as id, name from vitrine.token
      where collection = '${lower(heroes[name])}' and served_version is not null`,
  );
  return Object.fromEntries(rows.map((row) => [row.id, row.name]));
}

const untilServed = (name: keyof typeof heroes, expected: (id: number) => string) =>
  eventually(
    () => served(name),
    (all) =>
      Object.keys(all).length === TOKENS &&
      Object.entries(all).every(([id, is]) => is === expected(Number(id))),
  );
const laps = async (name: keyof typeof heroes): Promise<number> => {
  const [row] = await site.query<{ laps: string }>(
    `select laps from vitrine.sampling where collection = '${lower(heroes[name])}'`,
  );
  return Number(row?.laps ?? 0);
};
const sweepsOf = async (name: keyof typeof heroes): Promise<number> =>
  (await site.query(`select from vitrine.sweep where collection = '${lower(heroes[name])}'`)).length;

it("every token is right in the end, and a collection that stays as it is costs its host next to nothing", async () => {
  const askedBefore = asked("unchanged");
  const lapsBefore = await laps("unchanged");
  expect(askedBefore).toBeGreaterThanOrEqual(TOKENS);

  await chain.write(heroes.rebased, "setBaseURI", [`${host.url}/moved/`]);
  await chain.write(heroes.single, "setTokenURI", [7n, `${host.url}/own/7`]);
  await chain.write(heroes.single, "setTokenURI", [38n, `${host.url}/own/38`]);
  hostedNames.set("replaced", "Another hero");

  await untilServed("rebased", (id) => `Hero at /moved/${id}`);
  await untilServed("single", (id) => `Hero at /${id === 7 || id === 38 ? "own" : "single"}/${id}`);
  await untilServed("replaced", (id) => `Another hero at /replaced/${id}`);

  // Some more rounds, in which the same changes trigger nothing again.
  const rounds = await laps("rebased");
  await eventually(
    () => laps("rebased"),
    (now) => now >= rounds + 2,
  );
  for (const name of ["rebased", "single", "replaced"] as const) expect(await sweepsOf(name), name).toBe(1);
  expect(await sweepsOf("unchanged")).toBe(0);
  const roundsOfUnchanged = (await laps("unchanged")) - lapsBefore;
  expect(roundsOfUnchanged).toBeGreaterThanOrEqual(2);
  // One round may have been running before.
  expect(asked("unchanged") - askedBefore).toBeLessThanOrEqual((roundsOfUnchanged + 1) * SAMPLES);
  expect(asked("unchanged") - askedBefore).toBeGreaterThan(0);
});

it("reports what samples found: in the report, in the log and in the metrics", async () => {
  const partner = createPartner(service.baseUrl, await createKey(service));
  const reports = await Promise.all(
    Array.from({ length: TOKENS }, (_, index) =>
      partner.call(`/market-partner/collections/${lower(heroes.replaced)}/tokens/${index + 1}/report`),
    ),
  );
  const triggers = reports.flatMap(({ body }) =>
    (body.versions as { trigger: string }[]).map(({ trigger }) => trigger),
  );
  // Four and sixteen more; the rest came with the sweep.
  expect(triggers.filter((trigger) => trigger === "sample").length).toBeGreaterThanOrEqual(5);
  expect(triggers).toContain("sweep");

  expect(service.log()).toContain("Sweeping a collection that changed without an event");
  const metrics = await (await fetch(`${service.baseUrl}/metrics`)).text();
  const metric = (name: string): number => Number(new RegExp(`^${name} (.+)$`, "m").exec(metrics)?.[1] ?? 0);
  // The documents reveal a base URI that changes between the two halves of a round.
  const sweeps = ["uri", "document"].map((what) => metric(`vitrine_sample_sweeps_total{what="${what}"}`));
  expect(sweeps.reduce((sum, count) => sum + count, 0)).toBe(3);
  expect(metric('vitrine_sample_rounds_total{outcome="unchanged"}')).toBeGreaterThan(0);
});
