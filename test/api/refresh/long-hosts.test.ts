/** A document that names a host of thousands of characters holds up neither its own refresh nor other tokens. */

import { beforeEach, expect, it } from "vitest";
import { hostOf } from "../../support/long-host.ts";
import { createWorkerSetup } from "../../support/processes/worker.ts";
import { ask, emptyTables, found, makeDue, readQueue } from "../../support/refresh/refresh.ts";
import { createTriggerSetup } from "../../support/refresh/triggers.ts";
import { createMediaHarness } from "../media/media-harness.ts";

const { database, media, server, test } = await createMediaHarness();
const { tables } = test;
const setup = createTriggerSetup(test, media);
const fetches = createWorkerSetup(test);

const long = `https://${hostOf(6_000)}/7.png`;
const hero = (tokenId: string) => ({
  name: "Hero",
  image: tokenId === "7" ? long : `${server.url}/${tokenId}.png`,
});

beforeEach(async () => {
  await emptyTables(database);
  await setup.clear();
  await database.query(`truncate ${tables.tokenState}, ${tables.collectionState}, ${tables.meta}`);
  await setup.setChain(100, 70);
  await database.query(
    `insert into ${tables.meta} values ('app', jsonb_build_object('is_ready', 1))
     on conflict (key) do update set value = excluded.value`,
  );
});

const pending = async () =>
  (await readQueue(database)).filter(({ requested, done }) => requested > done).map(({ tokenId }) => tokenId);

/** Has tokens read as by a worker, until nothing is pending. */
async function read(tokenIds: readonly string[], anonymous: boolean): Promise<void> {
  await ask(database, tokenIds, { trigger: anonymous ? "graphql" : "rest", anonymous });
  await makeDue(database);
  fetches.start(({ tokenId }) => found(hero(tokenId), { block: 90 }), { media });
  await expect.poll(pending).toEqual([]);
}

const named = () => database.query("select url from vitrine.media order by url");

it("an unseen token's stops no trigger of its chain once it is minted", async () => {
  await read(["7", "8"], true);
  await setup.mint("7", 80);
  await setup.mint("8", 80);
  await setup.mint("9", 80);

  await setup.triggers().handleBatch();

  expect(await named()).toEqual([{ url: `${server.url}/8.png` }]);
  expect(await pending()).toEqual(["9"]);
});

it("a listed token's is stored, and so are those read with it", async () => {
  await setup.mint("7", 80);
  await setup.mint("8", 80);
  await setup.triggers().handleBatch();

  await read(["7", "8"], false);

  expect(await named()).toEqual([{ url: `${server.url}/8.png` }]);
  expect(
    await database.query(
      `select token_id::text as id, last_outcome as outcome from vitrine.token order by token_id`,
    ),
  ).toEqual([
    { id: "7", outcome: "good" },
    { id: "8", outcome: "good" },
  ]);
});
