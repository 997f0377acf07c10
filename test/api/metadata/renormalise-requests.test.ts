/** A pass that the operator requests reads every stored document again, whatever another process is at just then. */

import { beforeEach, expect, it } from "vitest";
import { silentLogger } from "../../../src/api/logging/logger.ts";
import { NORMALISER } from "../../../src/api/metadata/document/normalise.ts";
import { createRenormaliser } from "../../../src/api/metadata/renormalise/renormalise.ts";
import { createMetadata } from "../../../src/api/metadata/service.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import { keepLocked, untilWaiting } from "../../support/database/keep-locked.ts";
import { createBarrier } from "../../support/processes/worker.ts";
import {
  createFakeResolve,
  emptyTables,
  failed,
  found,
  recordOne,
  ref,
} from "../../support/refresh/refresh.ts";

const { database, tables } = await createTestDatabase();
const metadata = createMetadata({ resolve: createFakeResolve(() => failed("timeout")).resolve, tables });
const deps = { database, tables, media: { noteSeen: async () => undefined }, logger: silentLogger };
const renormaliser = createRenormaliser(deps);
const request = () => renormaliser.request(async () => undefined);

const record = (tokenId: string) =>
  database.transaction((tx) =>
    recordOne(
      metadata,
      tx,
      ref(tokenId),
      "rest",
      found({ name: "Hero", image: "https://img.example/1.png" }),
    ),
  );
const readByOlderRules = (tokenId: string) =>
  database.query("update vitrine.version set normaliser = $1 where token_id = $2", [NORMALISER - 1, tokenId]);
async function runToEnd(): Promise<void> {
  while ((await renormaliser.advance()) !== "idle");
}
const unread = () =>
  database.query("select token_id::int as id from vitrine.version where normaliser < $1", [NORMALISER]);

/** A pass is finished, and has passed the document of token 1 without reading it. */
beforeEach(async () => {
  await emptyTables(database);
  await database.query("truncate vitrine.renormalise, vitrine.event_due");
  await record("1");
  await record("2");
  await readByOlderRules("2");
  await runToEnd();
  await readByOlderRules("1");
});

it("another process looks for what is left", async () => {
  const release = await keepLocked(database, "lock table vitrine.version in access exclusive mode");
  const looking = renormaliser.advance();
  await untilWaiting(database);
  await request();
  await Promise.all([release(), looking]);

  expect(await renormaliser.progress()).toMatchObject({ finishedAt: null });
  await runToEnd();
  expect(await unread()).toEqual([]);
});

it("another process reads a document that a release before has read since", async () => {
  await record("3");
  await readByOlderRules("3");
  await database.query("update vitrine.version set metadata = '{}' where token_id = 3");
  const [reading, end] = [createBarrier(), createBarrier()];
  const other = createRenormaliser({
    ...deps,
    media: {
      async noteSeen() {
        reading.open();
        await end.opened;
      },
    },
  }).advance();
  await reading.opened;
  await request();
  end.open();
  await other;

  await runToEnd();
  expect(await unread()).toEqual([]);
  expect(await renormaliser.progress()).toMatchObject({ total: 1, done: 1 });
});
