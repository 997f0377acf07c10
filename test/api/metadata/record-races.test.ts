/** A fetch that is recorded while another transaction changes what its token serves sees the change as a whole. */

import { beforeEach, expect, it } from "vitest";
import { silentLogger } from "../../../src/api/logging/logger.ts";
import { NORMALISER } from "../../../src/api/metadata/document/normalise.ts";
import { createRenormaliser } from "../../../src/api/metadata/renormalise/renormalise.ts";
import { createMetadata } from "../../../src/api/metadata/service.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import { untilWaiting } from "../../support/database/keep-locked.ts";
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
const HERO = { name: "Hero", image: "https://img.example/1.png" };
const document = found(HERO);

const versions = () =>
  database.query<{ trigger: string; outcome: string }>(
    "select trigger, outcome from vitrine.version order by number",
  );
const servedName = async () =>
  (await database.query<{ name: string | null }>("select name from vitrine.token")).map(({ name }) => name);

/** Makes older rules read the served document, as `more` says. */
async function readByOlderRules(more = ""): Promise<void> {
  await database.query(`update vitrine.version set normaliser = $1${more}`, [NORMALISER - 1]);
}

/** Applies new rules to the token; once its row is locked, `meanwhile` starts, and has to wait for the row. */
async function applyRules(meanwhile: () => Promise<unknown>): Promise<void> {
  const [applied, commit] = [createBarrier(), createBarrier()];
  const renormaliser = createRenormaliser({
    database,
    tables,
    logger: silentLogger,
    media: {
      async noteSeen() {
        applied.open();
        await commit.opened;
      },
    },
  });
  // The pass starts, and counts.
  await renormaliser.advance();
  await renormaliser.advance();
  const applying = renormaliser.advance();
  await applied.opened;
  const other = meanwhile();
  await untilWaiting(database);
  commit.open();
  await Promise.all([applying, other]);
}

const fetchEnds = (resolution: typeof document) =>
  database.transaction((tx) => metadata.recordAll(tx, [{ token: ref("1"), trigger: "event", resolution }]));

beforeEach(async () => {
  await emptyTables(database);
  await database.query("truncate vitrine.renormalise, vitrine.event_due");
  await database.transaction((tx) => recordOne(metadata, tx, ref("1"), "mint", document));
});

it("one of the same document confirms the version that new rules have just made of it", async () => {
  await readByOlderRules(`, metadata = replace(metadata, 'Hero', 'Zero')`);

  await applyRules(async () => {
    expect(await fetchEnds(document)).toEqual([{ status: "unchanged", reason: null }]);
  });

  expect(await versions()).toEqual([
    { trigger: "mint", outcome: "updated" },
    { trigger: "renormalise", outcome: "updated" },
  ]);
});

it("one of the same document confirms a version that new rules have just read alike", async () => {
  await readByOlderRules();

  await applyRules(async () => {
    expect(await fetchEnds(document)).toEqual([{ status: "unchanged", reason: null }]);
  });

  expect(await versions()).toEqual([{ trigger: "mint", outcome: "updated" }]);
});

it("one of a less complete document does not replace the version that new rules have just made", async () => {
  await readByOlderRules(`, metadata = replace(metadata, 'Hero', 'Zero')`);

  await applyRules(async () => {
    expect(await fetchEnds(found({ name: "No image" }))).toMatchObject([{ status: "failed" }]);
  });

  expect(await servedName()).toEqual(["Hero"]);
});
