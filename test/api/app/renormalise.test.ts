import { beforeEach, describe, expect, it } from "vitest";
import { listen } from "../../../src/api/db/listener.ts";
import { silentLogger } from "../../../src/api/logging/logger.ts";
import { NORMALISER } from "../../../src/api/metadata/document/normalise.ts";
import { RENORMALISE_CHANNEL } from "../../../src/api/metadata/renormalise/renormalise-store.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import { eventually } from "../../support/eventually.ts";
import { createTestApp, type Sent } from "../../support/processes/app.ts";
import { emptyTables, found, recordOne, ref } from "../../support/refresh/refresh.ts";
import { OPERATOR_TOKEN } from "../../support/service-key.ts";

const test = await createTestDatabase();
const { database } = test;
const api = createTestApp(test);
const PATH = "/admin/metadata/renormalise";
const admin = (sent: Sent = {}) =>
  api.call(PATH, { ...sent, headers: { authorization: `Bearer ${OPERATOR_TOKEN}` } });
const post = () => admin({ method: "POST" });
const NOTHING = {
  normaliser: NORMALISER,
  total: null,
  done: 0,
  changed: 0,
  rejected: 0,
  missing: 0,
  failed: 0,
  running: false,
  started_at: null,
  finished_at: null,
};

async function storeOld(...tokenIds: readonly string[]): Promise<void> {
  for (const tokenId of tokenIds)
    await database.transaction((tx) =>
      recordOne(
        api.metadata,
        tx,
        ref(tokenId),
        "rest",
        found({ name: "Hero", image: "https://i.example/1.png" }),
      ),
    );
  await database.query(
    "update vitrine.version set normaliser = $1, metadata = replace(metadata, 'Hero', 'Old')",
    [NORMALISER - 1],
  );
}

beforeEach(async () => {
  await emptyTables(database);
  await database.query("truncate vitrine.renormalise, vitrine.audit");
});

describe("GET /admin/metadata/renormalise", () => {
  it("reports how far it is: before the first pass, on the way, and at the end", async () => {
    await storeOld("1", "2");
    expect((await admin()).body).toEqual(NOTHING);

    await api.renormaliser.advance();
    await api.renormaliser.advance();
    expect((await admin()).body).toEqual({
      ...NOTHING,
      total: 2,
      running: true,
      started_at: expect.stringMatching(/Z$/),
    });

    await api.renormaliser.advance();
    await api.renormaliser.advance();
    expect((await admin()).body).toEqual({
      ...NOTHING,
      total: 2,
      done: 2,
      changed: 2,
      started_at: expect.stringMatching(/Z$/),
      finished_at: expect.stringMatching(/Z$/),
    });
  });

  it("says that nobody works at it where no process has for a while", async () => {
    await storeOld("1");
    await api.renormaliser.advance();
    await api.renormaliser.advance();
    await database.query("update vitrine.renormalise set worked_at = now() - interval '1 minute'");

    expect((await admin()).body).toMatchObject({ total: 1, done: 0, running: false, finished_at: null });
  });
});

describe("POST /admin/metadata/renormalise", () => {
  const audit = () => database.query("select actor, action, subject, detail from vitrine.audit");

  it("wakes the processes, leaves an audit row, and answers how far it is", async () => {
    const woken: (string | undefined)[] = [];
    const listener = listen(test.url, [RENORMALISE_CHANNEL], (channel) => woken.push(channel), silentLogger);
    await eventually(
      () => woken.length,
      (count) => count > 0,
    );

    const { status, body } = await post();

    expect(status).toBe(200);
    expect(body).toEqual({ ...NOTHING, started_at: expect.any(String) });
    await eventually(
      () => woken,
      (channels) => channels.includes(RENORMALISE_CHANNEL),
    );
    await listener.close();
    expect(await audit()).toEqual([
      {
        actor: "operator",
        action: "metadata.renormalise",
        subject: "metadata",
        detail: { normaliser: NORMALISER },
      },
    ]);
  });

  it("leaves one that is under way where it is, and restarts one that is finished", async () => {
    await storeOld("1", "2");
    await post();
    await api.renormaliser.advance();
    expect((await post()).body).toMatchObject({ total: 2, finished_at: null });

    for (let end = ""; end !== "idle"; ) end = await api.renormaliser.advance();
    expect((await admin()).body).toMatchObject({ total: 2, done: 2, changed: 2 });

    expect((await post()).body).toMatchObject({ total: null, done: 0, finished_at: null });
    for (let end = ""; end !== "idle"; ) end = await api.renormaliser.advance();
    expect((await admin()).body).toMatchObject({
      total: 0,
      done: 0,
      changed: 0,
      finished_at: expect.any(String),
    });
    expect(await database.query("select from vitrine.version")).toHaveLength(4);
  });

  it("is nowhere to be found without the operator's token", async () => {
    expect((await api.call(PATH, { method: "POST" })).status).toBe(404);
    expect((await api.call(PATH)).status).toBe(404);
    expect(await audit()).toEqual([]);
    expect((await api.call(PATH, { headers: { authorization: "Bearer wrong" } })).status).toBe(401);
  });
});
