import { afterAll, beforeAll, expect, it } from "vitest";
import type { Service } from "../../demo/service.ts";
import { eventually } from "../support/processes/world.ts";
import { startWatch } from "./support/figures.ts";
import { documentNamed } from "./support/origin.ts";
import { createPlant, type Partner, type Plant } from "./support/plant.ts";

const TOKENS = 400;
const REQUEST_TOKENS_MAX = 100;
const ENDS_WITHIN_MS = 120_000;
// After a kill Ponder resumes behind its last 30 blocks, which a fast chain mines within seconds.
const BLOCKS_BEFORE = 5;
const BLOCKS_AFTER = 27;

let plant: Plant;
let service: Service;
let partner: Partner;
beforeAll(async () => {
  plant = await createPlant({ tokens: TOKENS });
  service = await plant.start("indexer");
  partner = await plant.partner(service);
  await plant.settled();
});
afterAll(() => plant?.close());

const ids = Array.from({ length: TOKENS }, (_, index) => index + 1);
const pages = Array.from({ length: TOKENS / REQUEST_TOKENS_MAX }, (_, page) =>
  ids.slice(page * REQUEST_TOKENS_MAX, (page + 1) * REQUEST_TOKENS_MAX).map(String),
);
const namesServed = async (): Promise<string[]> => {
  const rows = await plant.query<{ name: string | null }>(
    `select v.metadata::jsonb ->> 'name' as name
       from vitrine.token t left join vitrine.version v on v.id = t.served_version order by t.token_id`,
  );
  return rows.map(({ name }) => name ?? "none");
};

it("after a kill on a fast chain nothing is read from before what the index had seen", async () => {
  const watch = startWatch("fast chain");
  const expected = ids.map((id) => `/new/${id}`);
  plant.origin.behave((path) => ({ body: documentNamed(path), delayMs: 50 }));
  const setTime = () => plant.chain.rpc("evm_setTime", [Date.now()]);
  await setTime();
  await plant.chain.mine(BLOCKS_BEFORE);
  for (const page of pages) {
    await plant.callAll(
      "setTokenURI",
      page.map((id) => [BigInt(id), `${plant.origin.url}/new/${id}`]),
    );
  }
  await eventually(namesServed, (all) => all.join() === expected.join(), ENDS_WITHIN_MS);

  await plant.chain.mine(BLOCKS_AFTER - pages.length);
  const receipts: unknown[] = [];
  // More than is fetched before the kill: the rest is due as soon as the service is back.
  for (const page of pages) receipts.push((await partner.refresh(plant.address, page)).body.refresh_id);
  await service.stop("SIGKILL");
  service = await plant.start("indexer");
  const answers = await Promise.all(
    receipts.map((receipt) =>
      eventually(
        () => partner.call(`/market-partner/refreshes/${receipt}`),
        ({ body }) => body.done === true,
        ENDS_WITHIN_MS,
      ),
    ),
  );

  const ends = answers.flatMap(({ body }) => body.tokens as { token_id: string; status: string }[]);
  const served = await namesServed();
  const old = served.filter((name, index) => name !== expected[index]);
  const wrong = ends.filter(({ status }) => status !== "unchanged");
  watch.report({
    refreshes: ends.length,
    ended_other_than_unchanged: wrong.length,
    served_old_in_the_end: old.length,
  });
  expect(old).toEqual([]);
  expect(wrong).toEqual([]);
});
