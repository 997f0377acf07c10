import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Service } from "../../demo/service.ts";
import { eventually } from "../support/processes/world.ts";
import { startWatch } from "./support/figures.ts";
import { documentNamed } from "./support/origin.ts";
import { createPlant, type Partner, type Plant } from "./support/plant.ts";

const ENDS_WITHIN_MS = 120_000;
// When the reorg happens between the event and the read of the URI, and between that and the document.
const READ_LATER = { lostOnly: 1, moved: 2 };
const FETCHED_LATER = { lostOnly: 3, moved: 4 };
const MINTED_AND_LOST = 5;
const TOKENS = 4;
const REORGS = 8;
const REORG_BLOCKS = 10;
// Ponder polls for a new head every second.
const POLL_MS = 1_000;

let plant: Plant;
let service: Service;
let partner: Partner;
beforeAll(async () => {
  plant = await createPlant({ tokens: TOKENS });
  plant.origin.behave((path) => ({ body: documentNamed(path) }));
  await plant.chain.mineEvery(1);
  service = await plant.start("indexer");
  partner = await plant.partner(service);
  await plant.settled();
});
afterAll(() => plant?.close());

const servedName = async (id: number): Promise<string | null> =>
  (await partner.token(plant.address, id)).name;
const names = () => Promise.all([1, 2, 3, 4].map(servedName));
const point = (id: number, side: string) =>
  plant.chain.write(plant.heroes, "setTokenURI", [BigInt(id), `${plant.origin.url}/${side}/${id}`]);

it("a reorg between an event and its fetch leaves what the surviving chain says", async () => {
  const watch = startWatch("reorg between event and fetch");
  const { chain, origin, rpc } = plant;
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  origin.behave((path) => ({
    body: documentNamed(path),
    ...(path.startsWith("/lost/") && { delayedUntil: released }),
  }));
  const snapshot = await chain.snapshot();

  const late = Object.values(FETCHED_LATER);
  for (const id of late) await point(id, "lost");
  await eventually(
    async () => late.map((id) => origin.count(`/lost/${id}`)),
    (counts) => !counts.includes(0),
  );
  const reads = rpc.pause("eth_call");
  for (const id of Object.values(READ_LATER)) await point(id, "lost");
  await chain.write(plant.heroes, "mint", [chain.account(1).address, BigInt(MINTED_AND_LOST)]);
  await eventually(
    () =>
      plant.query<{ started: number }>(
        `select count(*)::int as started from vitrine.refresh
          where token_id in (1, 2) and lease is not null and wanted > done`,
      ),
    ([row]) => row?.started === 2 && reads.paused() > 0,
  );

  const head = await chain.blockNumber();
  await chain.revert(snapshot);
  await point(READ_LATER.moved, "won");
  await point(FETCHED_LATER.moved, "won");
  await chain.mine(Number(head - (await chain.blockNumber())) + 1);
  reads.release();
  release();
  const expected = ["/t/1", "/won/2", "/t/3", "/won/4"];
  await eventually(names, (all) => JSON.stringify(all) === JSON.stringify(expected), ENDS_WITHIN_MS);
  await plant.settled();

  const lost = await partner.call(`/market/collections/${plant.address}/tokens/${MINTED_AND_LOST}`);
  const reorgs = service.log().match(/reorg/gi)?.length ?? 0;
  watch.report({
    requests_of_the_lost_side: origin.requests.filter(({ path }) => path.startsWith("/lost/")).length,
    requests: origin.requests.length,
  });
  expect(reorgs).toBeGreaterThan(0);
  expect(await names()).toEqual(expected);
  expect(lost.body.tradable ?? false).toBe(false);
});

it.each([1, 3, 6, 12, 29])(
  "a reorg of %i blocks with locks and unlocks in each is followed to what the surviving chain says",
  async (depth) => {
    const watch = startWatch(`reorg ${depth} deep`);
    const { chain, heroes } = plant;
    await chain.mineEvery(0);
    await chain.rpc("evm_setAutomine", [true]);
    const send = (name: string, id: number) => chain.write(heroes, name, [BigInt(id)], chain.account(2));
    await chain.write(heroes, "updateApprovedContracts", [[chain.account(2).address], [true]]);
    await send("lockId", 1);
    await send("lockId", 2);
    await indexed();
    const before = await locks();
    const snapshot = await chain.snapshot();
    // Token 1 is repeatedly unlocked and locked again; token 3 gets more and more locks.
    for (let block = 0; block < depth; block++) await send(block % 2 === 0 ? "unlockId" : "lockId", 1);
    await send("lockId", 3);
    await indexed();

    await chain.revert(snapshot);
    await send("unlockId", 2);
    await chain.mineEvery(1);
    const revertedAt = watch.seconds();
    await chain.mine(depth + 1);
    const expected = { ...before, 2: (before[2] ?? 0) - 1 };
    await eventually(locks, (now) => JSON.stringify(now) === JSON.stringify(expected), ENDS_WITHIN_MS);

    watch.report({ depth, seconds_until_followed: Math.round((watch.seconds() - revertedAt) * 10) / 10 });
    expect(await locks()).toEqual(expected);
    await send("unlockId", 1);
  },
);

it("reorgs on top of each other, while the one before is still followed, leave no lock of any lost side", async () => {
  const watch = startWatch("reorgs on top of each other");
  const { chain, heroes } = plant;
  const locker = chain.account(2);
  await chain.mineEvery(0);
  await chain.rpc("evm_setAutomine", [true]);
  await chain.write(heroes, "updateApprovedContracts", [[locker.address], [true]]);
  await indexed();
  const before = await locks();
  for (let round = 0; round < REORGS; round++) {
    const snapshot = await chain.snapshot();
    for (let block = 0; block < REORG_BLOCKS; block++) {
      // Each token is locked and unlocked in turn: a locker may not lock a token twice.
      const name = Math.floor(block / TOKENS) % 2 === 0 ? "lockId" : "unlockId";
      await chain.write(heroes, name, [BigInt(1 + (block % TOKENS))], locker);
    }
    // Every other one before anybody can have seen all of it.
    if (round % 2 === 0) await indexed();
    await sleep(POLL_MS / 2);
    await chain.revert(snapshot);
    await chain.rpc("evm_increaseTime", [1]);
  }
  await chain.mineEvery(1);
  await chain.mine(REORG_BLOCKS + 1);
  await eventually(locks, (now) => JSON.stringify(now) === JSON.stringify(before), ENDS_WITHIN_MS);
  await indexed();

  watch.report({ reorgs: REORGS, reorgs_seen: service.log().match(/Reorged block/g)?.length ?? 0 });
  expect(await locks()).toEqual(before);
});

const locks = async (): Promise<Record<number, number>> => {
  const rows = await plant.query<{ id: number; locks: number }>(
    "select token_id::int as id, lock_count as locks from faults.token_state where token_id <= 4 order by 1",
  );
  return Object.fromEntries(rows.map(({ id, locks: count }) => [id, count]));
};
const indexed = async (): Promise<void> => {
  const head = Number(await plant.chain.blockNumber());
  await eventually(
    async () => {
      const response = await fetch(`${service.baseUrl}/status`);
      return (await response.json()) as Record<string, { block: { number: number } }>;
    },
    (status) => (status[plant.chain.chainId]?.block.number ?? 0) >= head,
    ENDS_WITHIN_MS,
  );
};
