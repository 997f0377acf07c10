import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Service } from "../../demo/service.ts";
import { eventually } from "../support/processes/world.ts";
import { createDice } from "./support/dice.ts";
import { startWatch } from "./support/figures.ts";
import { documentNamed } from "./support/origin.ts";
import { createPlant, type Partner, type Plant } from "./support/plant.ts";

const TOKENS = 120;
const AWAY_MS = 30_000;
const LAG_BLOCKS = 5;
const BEHIND_MS = 10_000;
const ENDS_WITHIN_MS = 120_000;
// The service trusts its chain index's head for 30 s; after that it asks the node for its own.
const OLD_HEAD_SECONDS = 31;

let plant: Plant;
let service: Service;
let partner: Partner;
const names = new Map<number, string>();
beforeAll(async () => {
  plant = await createPlant({ tokens: TOKENS });
  // `/t/7` is token 7's document until its contract names `/new/7`.
  plant.origin.behave((path) => {
    const [, folder, id] = path.split("/");
    return { body: documentNamed(folder === "new" ? `New ${id}` : (names.get(Number(id)) ?? `Old ${id}`)) };
  });
  await plant.chain.mineEvery(1);
  service = await plant.start("indexer");
  partner = await plant.partner(service);
  await plant.settled();
});
afterAll(() => plant?.close());

const range = (from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_, n) => from + n);
const servedName = async (id: number): Promise<string | null> =>
  (await partner.token(plant.address, id)).name;
const point = (id: number) =>
  plant.chain.write(plant.heroes, "setTokenURI", [BigInt(id), `${plant.origin.url}/new/${id}`]);
const untilNew = (ids: readonly number[]) =>
  eventually(
    () => Promise.all(ids.map(servedName)),
    (all) => all.every((name, index) => name === `New ${ids[index]}`),
    ENDS_WITHIN_MS,
  );
/** True for the service's own calls; the rest are Ponder's. */
const isRead = (methods: readonly string[]): boolean =>
  methods.some((method) => method === "eth_call" || method === "eth_blockNumber");
const isDone = async (receipt: unknown): Promise<boolean> =>
  (await partner.call(`/market-partner/refreshes/${receipt}`)).body.done === true;
const settled = (receipt: unknown) => eventually(() => isDone(receipt), Boolean, ENDS_WITHIN_MS);
const tokensOf = async (receipt: unknown) =>
  (await partner.call(`/market-partner/refreshes/${receipt}`)).body.tokens as { status: string }[];

it("an RPC endpoint that is gone for 30 s costs no request, no event and nothing that is served", async () => {
  const watch = startWatch("rpc gone");
  const asked = range(1, 50);
  const announced = range(51, 99);
  const minted = TOKENS + 1;
  for (const id of [...asked, ...announced]) names.set(id, `Renamed ${id}`);

  await plant.rpc.goAway();
  const { body } = await partner.refresh(plant.address, asked.map(String));
  await plant.callAll(
    "emitMetadataUpdate",
    announced.map((id) => [BigInt(id)]),
  );
  await plant.chain.write(plant.heroes, "mint", [plant.chain.account(1).address, BigInt(minted)]);
  const unseen = await partner.refresh(plant.address, [String(minted)]);
  await sleep(AWAY_MS);
  const during = await Promise.all([isDone(body.refresh_id), isDone(unseen.body.refresh_id), servedName(1)]);
  await plant.rpc.comeBack();
  const backAt = watch.seconds();
  await settled(body.refresh_id);
  await settled(unseen.body.refresh_id);
  await eventually(
    () => Promise.all(announced.map(servedName)),
    (all) => all.every((name, index) => name === `Renamed ${announced[index]}`),
    ENDS_WITHIN_MS,
  );

  watch.report({
    away_seconds: AWAY_MS / 1_000,
    refreshes: asked.length + 1,
    events: announced.length + 1,
    seconds_until_all_was_well: Math.round((watch.seconds() - backAt) * 10) / 10,
  });
  expect(during).toEqual([false, false, "Old 1"]);
  expect(unseen.body.tokens).toEqual([{ token_id: String(minted), status: "queued" }]);
  expect((await tokensOf(body.refresh_id)).map(({ status }) => status)).toEqual(asked.map(() => "updated"));
  expect(await servedName(minted)).toBe(`Old ${minted}`);
});

it("behind a balancer whose second node lags by blocks, new metadata is served in the end, and stays", async () => {
  const watch = startWatch("rpc lagging node");
  const dice = createDice("rpc lagging node");
  const ids = range(1, 12);
  let lagging = 0;
  // Ponder is spared; another test covers it.
  plant.rpc.lag((head, methods) => {
    if (!isRead(methods) || dice.next() < 0.5) return undefined;
    lagging++;
    return { head: head - LAG_BLOCKS };
  });
  const seen = new Map<number, string>();
  const wentBack: string[] = [];
  const readNames = async (): Promise<boolean> => {
    for (const id of ids) {
      const name = (await servedName(id)) ?? "nothing";
      if (seen.get(id) === `New ${id}` && name !== `New ${id}`) wentBack.push(`${id}: ${name}`);
      seen.set(id, name);
    }
    return ids.every((id) => seen.get(id) === `New ${id}`);
  };

  const receipts: unknown[] = [];
  for (const id of ids) {
    await point(id);
    receipts.push((await partner.refresh(plant.address, [String(id)])).body.refresh_id);
    await readNames();
  }
  await eventually(readNames, Boolean, ENDS_WITHIN_MS);
  for (const receipt of receipts) await settled(receipt);
  const again = await partner.refresh(plant.address, ids.map(String));
  await settled(again.body.refresh_id);
  await readNames();
  plant.rpc.lag();

  watch.report({ tokens: ids.length, answered_by_the_lagging_node: lagging, went_back: wentBack.length });
  expect(wentBack).toEqual([]);
  expect(lagging).toBeGreaterThan(0);
  expect([...seen.values()]).toEqual(ids.map((id) => `New ${id}`));
});

it("a node that answers for a block it has not seen from an older one is found out by the recheck", async () => {
  const watch = startWatch("rpc clamping node");
  const ids = range(41, 60);
  const block = Number(await plant.chain.blockNumber());
  plant.rpc.lag((_, methods) => (isRead(methods) ? { head: block, clamps: true } : undefined));
  plant.origin.forget();

  for (const id of ids) await point(id);
  await eventually(
    async () => ids.map((id) => plant.origin.count(`/t/${id}`)),
    (counts) => counts.every((count) => count > 0),
    ENDS_WITHIN_MS,
  );
  const meanwhile = await Promise.all(ids.map(servedName));
  plant.rpc.lag();
  await untilNew(ids);

  watch.report({
    tokens: ids.length,
    read_too_early: meanwhile.filter((name) => name?.startsWith("New") !== true).length,
  });
});

it("while the chain stands still, a node that lags takes nothing new away", async () => {
  const watch = startWatch("rpc lagging node, old head");
  const ids = range(61, 80);
  const before = Number(await plant.chain.blockNumber());
  for (const id of ids) await point(id);
  await untilNew(ids);
  await plant.chain.mineEvery(0);
  const { timestamp } = await plant.chain.publicClient.getBlock();

  plant.rpc.lag((_, methods) => (isRead(methods) ? { head: before } : undefined));
  await eventually(
    async () => Date.now() / 1_000 - Number(timestamp),
    (age) => age > OLD_HEAD_SECONDS,
    ENDS_WITHIN_MS,
  );
  const { body } = await partner.refresh(plant.address, ids.map(String), "?wait=10");
  const during = await Promise.all(ids.map(servedName));
  plant.rpc.lag();
  await plant.chain.mineEvery(1);
  await settled(body.refresh_id);
  const after = await Promise.all(ids.map(servedName));

  const isOld = (name: string | null): boolean => name?.startsWith("New") !== true;
  watch.report({
    tokens: ids.length,
    replaced_by_old: during.filter(isOld).length,
    old_in_the_end: after.filter(isOld).length,
  });
  expect(during).toEqual(ids.map((id) => `New ${id}`));
  expect(after).toEqual(ids.map((id) => `New ${id}`));
});

it("a whole endpoint that falls behind and catches up serves what is new in the end", async () => {
  const watch = startWatch("rpc endpoint falls behind");
  const ids = range(81, 100);
  const before = Number(await plant.chain.blockNumber());
  for (const id of ids) await point(id);
  await untilNew(ids);

  plant.rpc.lag(() => ({ head: before }));
  const { body } = await partner.refresh(plant.address, ids.map(String), "?wait=10");
  await sleep(BEHIND_MS);
  const during = await Promise.all(ids.map(servedName));
  plant.rpc.lag();
  await untilNew(ids);
  await settled(body.refresh_id);
  await plant.settled();
  const after = await Promise.all(ids.map(servedName));

  watch.report({
    tokens: ids.length,
    old_meanwhile: during.filter((name) => name?.startsWith("New") !== true).length,
  });
  expect(after).toEqual(ids.map((id) => `New ${id}`));
});
