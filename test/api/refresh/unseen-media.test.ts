/** Media of tokens without a transfer: no host is asked for them before there is one. */

import { beforeEach, describe, expect, it } from "vitest";
import { silentLogger } from "../../../src/api/logging/logger.ts";
import { collectMedia } from "../../../src/api/media/storage/collect.ts";
import { NORMALISER } from "../../../src/api/metadata/document/normalise.ts";
import { createRenormaliser } from "../../../src/api/metadata/renormalise/renormalise.ts";
import { createMetadata } from "../../../src/api/metadata/service.ts";
import { claim } from "../../../src/api/refresh/queue/claim.ts";
import type { Trigger } from "../../../src/api/refresh/queue/queue.ts";
import { purgeNeverTransferred } from "../../../src/api/refresh/triggers/purge.ts";
import { createRecorder } from "../../../src/api/refresh/worker/recorder.ts";
import { createWorkerSetup, noteHost } from "../../support/processes/worker.ts";
import {
  ask,
  CHAIN_ID,
  COLLECTION,
  createFakeResolve,
  emptyTables,
  failed,
  found,
  makeDue,
  readQueue,
  SHARE,
} from "../../support/refresh/refresh.ts";
import { createTriggerSetup } from "../../support/refresh/triggers.ts";
import { createMediaHarness } from "../media/media-harness.ts";
import { png } from "../media/pictures.ts";

const harness = await createMediaHarness();
const { answers, asked, database, disk, media, server, settled, startWorker, test } = harness;
const { tables } = test;
const setup = createTriggerSetup(test, media);
const fetches = createWorkerSetup(test);
const metadata = createMetadata({ resolve: createFakeResolve(() => failed("timeout")).resolve, tables });
const collections = [{ chainId: CHAIN_ID, address: COLLECTION, startBlock: 0 }];

const hero = (tokenId: string) => ({ name: "Hero", image: `${server.url}/${tokenId}.png` });
const pictures = async (): Promise<string[]> =>
  (
    await database.query<{ url: string }>(
      "select url from vitrine.media where wanted > done order by length(url), url",
    )
  ).map(({ url }) => url.replace(`${server.url}/`, "").replace(".png", ""));

beforeEach(async () => {
  await emptyTables(database);
  await setup.clear();
  await database.query(`truncate ${tables.tokenState}, ${tables.collectionState}, ${tables.meta}`);
  await setHead(100);
});

async function setHead(block: number): Promise<void> {
  await setup.setChain(block, block - 30);
  await database.query(
    `insert into ${tables.meta} values ('app', jsonb_build_object('is_ready', 1))
     on conflict (key) do update set value = excluded.value`,
  );
}

/** Has tokens read as by a worker, until nothing is pending. */
async function read(tokenIds: readonly string[], trigger: Trigger = "graphql", block = 90): Promise<void> {
  // Before the worker starts: a fetch that is under way would leave the request to a later one.
  await ask(database, tokenIds, { trigger, anonymous: trigger === "graphql" });
  await makeDue(database);
  fetches.start(({ tokenId }) => found(hero(tokenId), { block }), { media });
  await expect
    .poll(async () => (await readQueue(database)).filter(({ requested, done }) => requested > done))
    .toEqual([]);
}

describe("what the document of an unseen token names", () => {
  it("is not asked for, and its host is blamed for nothing, however often callers have it read", async () => {
    for (const id of ["7", "8"]) answers.set(`/${id}.png`, { breaks: true });
    startWorker();

    await read(["7", "8"]);
    await read(["7", "8"], "rest");
    await settled();

    expect(await database.query("select from vitrine.media")).toEqual([]);
    expect(asked("/7.png")).toBe(0);
    expect(await database.query("select from vitrine.host")).toEqual([]);
  });

  it("is asked for and cached once the token's transfer is indexed, without another fetch of the document", async () => {
    answers.set("/7.png", { body: await png(480, 480) });
    startWorker();
    await read(["7", "8"]);

    await setup.mint("7", 80);
    await setup.triggers().handleBatch();

    expect((await readQueue(database)).filter(({ requested, done }) => requested > done)).toEqual([]);
    await settled();
    expect((await harness.read({ image: `${server.url}/7.png` })).image.status).toBe("cached");
    expect([asked("/7.png"), asked("/8.png")]).toEqual([1, 0]);
  });

  it("is asked for once a minted range covers the token", async () => {
    await read(["5", "50"]);
    await setup.add({ block: 80, source: "mint", from: 1n, to: 9n });
    const sweeps = setup.sweeps();

    await setup.triggers().handleBatch();
    await sweeps.advance();

    expect(await pictures()).toEqual(["5"]);
  });

  it("is asked for by the daily round that finds the transfer of a token that was hidden", async () => {
    await read(["7", "8"]);
    await setup.mint("7", 80);
    await test.setHead({ chainId: CHAIN_ID, block: 100 });
    const [round] = purgeNeverTransferred({ metadata, media, collections });

    await round?.run(database);

    expect(await pictures()).toEqual(["7"]);
  });

  it("is asked for whichever comes first, the end of the fetch or the transfer", async () => {
    const ids = Array.from({ length: 60 }, (_, index) => String(index + 1));
    await ask(database, ids);
    const leases = await claim(database, tables, SHARE, 100);
    expect(leases).toHaveLength(ids.length);
    const recorder = createRecorder({ database, metadata, media, noteHost });
    const unseen = new Map(ids.map((id) => [id, 90]));
    await metadata.addUnseenTokens(database, CHAIN_ID, COLLECTION, unseen);
    for (const id of ids) await setup.mint(id, 80);

    await Promise.all([
      ...leases.map((lease) =>
        recorder.record({ lease, resolution: found(hero(lease.tokenId), { block: 90 }) }),
      ),
      setup.triggers().handleBatch(),
    ]);

    expect(await pictures()).toEqual(ids);
  });
});

describe("what walks over all that is served", () => {
  it("leaves the pictures of unseen tokens alone in the daily round, and keeps those of listed and of burned ones", async () => {
    for (const id of ["1", "2"]) await setup.mint(id, 80);
    await setup.triggers().handleBatch();
    await read(["1", "2", "7"]);
    await database.query(
      `update ${tables.tokenState} set burned = true, burned_block = 95 where token_id = 2`,
    );
    await database.query("truncate vitrine.media");

    await collectMedia({ media, metadata, disk, collections }).run(database);

    expect(await pictures()).toEqual(["1", "2"]);
  });

  it("leaves them alone when new rules read stored documents again", async () => {
    await setup.mint("1", 80);
    await setup.triggers().handleBatch();
    await read(["1", "7"]);
    await database.query("truncate vitrine.media");
    await database.query("update vitrine.version set normaliser = $1, complete = false", [NORMALISER - 1]);
    const renormaliser = createRenormaliser({ database, tables, media, logger: silentLogger });

    while ((await renormaliser.advance()) === "moved");

    expect(await database.query("select from vitrine.version where trigger = 'renormalise'")).toHaveLength(2);
    expect(await pictures()).toEqual(["1"]);
  });
});
