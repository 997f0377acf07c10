import { afterAll, beforeAll, expect, it } from "vitest";
import type { Service } from "../../demo/service.ts";
import { eventually } from "../support/processes/world.ts";
import { startWatch } from "./support/figures.ts";
import { createPlant, type Partner, type Plant } from "./support/plant.ts";

const MINTS = 20;
const ENDS_WITHIN_MS = 120_000;

let plant: Plant;
let service: Service;
let partner: Partner;
beforeAll(async () => {
  plant = await createPlant({ tokens: 1 });
  await plant.chain.mineEvery(1);
  service = await plant.start("indexer");
  partner = await plant.partner(service);
  await plant.settled();
});
afterAll(() => plant?.close());

it("a token that was minted a moment ago and is refreshed by REST is not `Token not found`", async () => {
  const watch = startWatch("mint");
  const answers = [];
  let unseen = 0;

  for (let id = 2; id < 2 + MINTS; id++) {
    await plant.chain.write(plant.heroes, "mint", [plant.chain.account(1).address, BigInt(id)]);
    answers.push(await partner.refresh(plant.address, [String(id)]));
    const [row] = await plant.query<{ seen: boolean }>(
      `select exists (select from faults.token_state where token_id = ${id}) as seen`,
    );
    if (!row?.seen) unseen++;
  }
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  const receipts = await Promise.all(
    answers.map(({ body }) =>
      eventually(
        () => partner.call(`/market-partner/refreshes/${body.refresh_id}`),
        (answer) => answer.body.done === true,
        ENDS_WITHIN_MS,
      ),
    ),
  );
  const unminted = await partner.refresh(plant.address, ["999999"]);

  watch.report({ mints: MINTS, not_yet_indexed_when_asked: unseen });
  expect(unseen).toBeGreaterThan(0);
  const statuses = receipts.map(({ body }) => (body.tokens as { status: string }[])[0]?.status);
  expect(statuses.filter((status) => status !== "updated" && status !== "unchanged")).toEqual([]);
  expect(unminted).toMatchObject({ status: 400, body: { message: "Token not found" } });
});
