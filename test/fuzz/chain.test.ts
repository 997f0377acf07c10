/**
 * Three collections and a delegate registry under random transactions, of which many end on a side that the chain gives up:
 * in the end the service says what the contracts say. FUZZ_SECONDS sets the duration (60), FUZZ_SEED repeats the
 * transactions of a run; what the service had seen before a reorg depends on the machine.
 */

import { randomInt } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Chain, startChain } from "../../demo/chain.ts";
import type { Service } from "../../demo/service.ts";
import { type Origin, startOrigin } from "../faults/support/origin.ts";
import { createReader, createSite, type Site, untilIndexed } from "../support/chain/chain-tables.ts";
import { lower } from "../support/chain/contract-answers.ts";
import { createPartner } from "../support/processes/world.ts";
import { createRandom } from "../support/random.ts";
import { createKey } from "../support/service-key.ts";
import { environmentNumber, SEED_MAX } from "../support/setup/environment-number.ts";
import { createBranches, createMoves, type Ledger, SIDES } from "./support/chain-moves.ts";
import { contractsSay, serviceSays } from "./support/chain-truth.ts";

const seed = environmentNumber("FUZZ_SEED") ?? randomInt(SEED_MAX);
const seconds = environmentNumber("FUZZ_SECONDS") ?? 60;
const SCHEMA = "fuzz_chain";
const ROUNDS = 6;
const MOVES_MAX = 8;
// Ponder polls for a new head every second.
const SEEN_MS_MAX = 1_500;
// Mostly a second; a token that was burned meanwhile is read by its recheck, the second of which is after five minutes.
const FOLLOWED_MS = 400_000;

const say = (line: object): void => void process.stdout.write(`${JSON.stringify(line)}\n`);

let chain: Chain;
let origin: Origin;
let site: Site;
let service: Service;
let ledger: Ledger;
beforeAll(async () => {
  say({ test: "chain", seed, seconds });
  [chain, origin] = await Promise.all([startChain(), startOrigin((path) => ({ body: documentOf(path) }))]);
  const heroes = await chain.deploy("VitrineHeroes", [`${origin.url}/${SIDES[0]}/`]);
  const items = await chain.deploy("VitrineItems", [`${origin.url}/${SIDES[0]}/{id}`]);
  const early = await chain.deploy("EarlyHeroes");
  const registry = await chain.deploy("DelegateRegistryV2");
  const actors = { holders: [1, 2, 3].map(chain.account), lockers: [4, 5].map(chain.account) };
  ledger = { chain, heroes, items, early, registry, actors, documents: origin.url };
  const lockers = actors.lockers.map(({ address }) => address);
  await chain.write(heroes, "updateApprovedContracts", [lockers, lockers.map(() => true)]);
  site = await createSite(
    [{ chain, collections: [heroes, items, early].map(lower), registry: lower(registry) }],
    {
      ALLOW_PRIVATE_HOSTS: origin.host,
      REFRESH_CONCURRENCY: "8",
    },
  );
  service = await site.start(SCHEMA);
});
afterAll(async () => {
  await site?.close();
  await origin?.close();
});

/** Its name is its path. */
const documentOf = (path: string): string =>
  JSON.stringify({
    name: path,
    image: "https://img.example/a.png",
    attributes: [{ trait_type: "Side", value: path.split("/")[1] ?? "" }],
  });

it("follows every branch to what the contracts say", async () => {
  const moves = createMoves(ledger);
  const branches = createBranches(chain);
  const partner = createPartner(service.baseUrl, await createKey(service));
  const reader = createReader(service.baseUrl);
  const startedAt = Date.now();
  let [epochs, reorgs, tokens] = [0, 0, 0];
  for (; Date.now() - startedAt < seconds * 1_000; epochs++) {
    const random = createRandom(seed, epochs);
    for (let round = 0; round < ROUNDS; round++) {
      for (let count = random.whole(1, MOVES_MAX); count > 0; count--) {
        await branches.mark();
        await moves.any(random);
        if (random.chance(0.2)) await sleep(random.whole(0, SEEN_MS_MAX));
      }
      if (random.chance(0.6) && (await branches.goBack(random)) > 0) reorgs++;
    }
    await branches.outgrow();
    await untilIndexed(service, chain);
    const before = BigInt(random.whole(1, Number(await chain.blockNumber())));
    const truth = await contractsSay(ledger, before);
    tokens = [truth.found, truth.foundEarly].flatMap(({ all = [] }) => all).length;
    const said = await untilFollowed(truth, () => serviceSays(ledger, partner, reader, before));
    expect(said, `seed ${seed}, epoch ${epochs}`).toEqual(truth);
  }
  say({ test: "chain", epochs, reorgs, tokens });
  expect(epochs).toBeGreaterThan(0);
});

/** What the service says once it is the truth, or in the end. Until it has noticed a reorg, it may refuse a block. */
async function untilFollowed<Said>(truth: Said, ask: () => Promise<Said>): Promise<Said | string> {
  for (const until = Date.now() + FOLLOWED_MS; ; await sleep(200)) {
    const said = await ask().catch((error: Error) => error.message);
    if (isDeepStrictEqual(said, truth) || Date.now() > until) return said;
  }
}
