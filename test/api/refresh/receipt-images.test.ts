import sharp from "sharp";
import { beforeEach, describe, expect, it } from "vitest";
import type { LeaseWorker } from "../../../src/api/jobs/lease-worker.ts";
import { silentLogger } from "../../../src/api/logging/logger.ts";
import {
  settleImages,
  settleMore,
  startImageSettling,
} from "../../../src/api/refresh/receipts/receipt-images.ts";
import { createReceiptWaits } from "../../../src/api/refresh/receipts/waits.ts";
import { eventually } from "../../support/eventually.ts";
import { createWorkerSetup } from "../../support/processes/worker.ts";
import { ask, CHAIN_ID, COLLECTION, emptyTables, failed, found } from "../../support/refresh/refresh.ts";
import { createMediaHarness } from "../media/media-harness.ts";

const harness = await createMediaHarness();
const { test, database, server, answers, media } = harness;
const setup = createWorkerSetup(test);
const waits = createReceiptWaits(database);
const OWNER = { appId: "00000000-0000-4000-8000-000000000001" };
const square = (side: number, background = "#123456"): Promise<Buffer> =>
  sharp({ create: { width: side, height: side, channels: 3, background } })
    .png()
    .toBuffer();
const image = (path: string): string => `${server.url}${path}`;

beforeEach(async () => {
  await emptyTables(database);
  await database.query("truncate vitrine.event, vitrine.event_due");
});

/**
 * Returns a function that refreshes tokens and returns the receipt once its metadata are done. The worker starts with its
 * first call, after the request: earlier, it would take what a test has made wait.
 */
function start(documentOf: (tokenId: string) => unknown) {
  let worker: LeaseWorker | undefined;
  return async (tokenIds: readonly string[]) => {
    if (!worker) await setup.knowTokens(...tokenIds);
    const id = await setup.request(tokenIds);
    worker ??= setup.start(({ tokenId }) => found(documentOf(tokenId)), { media }).worker;
    worker.wake();
    await setup.done(id);
    return id;
  };
}

async function decided(id: string) {
  const waiting = waits.wait(id, OWNER, 20, { until: "media" });
  harness.startWorker().wake();
  return (await waiting)?.tokens.map(({ token_id, image: outcome, image_reason }) => [
    token_id,
    outcome,
    image_reason,
  ]);
}

describe("the image of a receipt's token", () => {
  it("is pending once the metadata are done, and decided by the probe", async () => {
    answers.set("/a.png", { body: await square(600) });
    const refresh = start(() => ({ name: "Hero", image: image("/a.png") }));

    const id = await refresh(["1"]);

    expect((await setup.receipt(id))?.tokens).toEqual([
      { token_id: "1", status: "updated", reason: null, image: "pending", image_reason: null },
    ]);
    expect(await decided(id)).toEqual([["1", "updated", null]]);
  });

  it("is decided as well where the token was waiting for a sweep", async () => {
    answers.set("/a.png", { body: await square(600) });
    const refresh = start(() => ({ name: "Hero", image: image("/a.png") }));
    await ask(database, ["1"], { trigger: "sweep" });

    expect(await decided(await refresh(["1"]))).toEqual([["1", "updated", null]]);
  });

  it("is unchanged, updated or rejected by what the URL answers now, and earlier receipts keep their answer", async () => {
    answers.set("/a.png", { body: await square(600) });
    const refresh = start(() => ({ name: "Hero", image: image("/a.png") }));
    const again = async () => {
      await harness.pass("10 seconds");
      await database.query(
        "update vitrine.refresh set last_started_at = last_started_at - interval '10 seconds'",
      );
      const id = await refresh(["1"]);
      return [id, await decided(id)] as const;
    };
    const [first, ...outcomes] = [await again(), await again()];
    answers.set("/a.png", { body: await square(600, "#ffffff") });
    const changed = await again();
    answers.set("/a.png", { body: await square(300) });
    const [, refused] = await again();

    expect(first?.[1]).toEqual([["1", "updated", null]]);
    expect(outcomes.map(([, tokens]) => tokens)).toEqual([[["1", "unchanged", null]]]);
    expect(changed[1]).toEqual([["1", "updated", null]]);
    expect(refused).toEqual([["1", "rejected", "image_too_small: 300x300, at least 480x480"]]);
    expect((await setup.receipt(first?.[0] ?? ""))?.tokens).toMatchObject([{ image: "updated" }]);
  });

  it("is another one where the document names another URL, though that was probed before", async () => {
    answers.set("/a.png", { body: await square(600) });
    answers.set("/b.png", { body: await square(600, "#ffffff") });
    const named: Record<string, string> = { "1": "/a.png", "2": "/b.png" };
    const refresh = start((tokenId) => ({ name: "Hero", image: image(named[tokenId] ?? "") }));
    const first = await decided(await refresh(["1", "2"]));
    named["1"] = "/b.png";
    await harness.pass("10 seconds");
    await database.query(
      "update vitrine.refresh set last_started_at = last_started_at - interval '10 seconds'",
    );

    const second = await decided(await refresh(["1", "2"]));

    expect(first).toEqual([
      ["1", "updated", null],
      ["2", "updated", null],
    ]);
    expect(second).toEqual([
      ["1", "updated", null],
      ["2", "unchanged", null],
    ]);
  });

  it("of a token without an indexed transfer is decided once its media are probed", async () => {
    answers.set("/a.png", { body: await square(600) });
    const { worker } = setup.start(() => found({ name: "Hero", image: image("/a.png") }), { media });
    const id = await setup.request(["1"]);
    worker.wake();
    await setup.done(id);
    expect((await setup.receipt(id))?.tokens).toMatchObject([{ status: "updated", image: "pending" }]);

    await harness.enqueue({ image: image("/a.png") });

    expect(await decided(id)).toEqual([["1", "updated", null]]);
  });

  it("is decided without a probe where the document names none, or none that can be fetched", async () => {
    const documents: Record<string, unknown> = {
      "1": { name: "Hero" },
      "2": { name: "Hero", image: "data:image/png;base64,AAAA" },
    };
    const refresh = start((tokenId) => documents[tokenId]);

    const id = await refresh(["1", "2"]);

    expect((await setup.receipt(id))?.tokens).toMatchObject([
      { token_id: "1", image: "none", image_reason: null },
      { token_id: "2", image: "rejected", image_reason: expect.stringMatching(/^unsupported_scheme: /) },
    ]);
  });

  it("stays as it was where no document could be read", async () => {
    const { worker } = setup.start(() => failed("invalid_json"), { media });
    await setup.knowTokens("1");
    const id = await setup.request(["1"]);
    worker.wake();

    expect((await setup.done(id))?.tokens).toMatchObject([{ status: "failed", image: "unchanged" }]);
  });

  it("names the fault while the URL can't be read, and waits on", async () => {
    answers.set("/a.png", { status: 503 });
    const refresh = start(() => ({ name: "Hero", image: image("/a.png") }));
    const id = await refresh(["1"]);
    harness.startWorker().wake();
    await harness.settled();

    expect((await setup.receipt(id))?.tokens).toMatchObject([
      { image: "pending", image_reason: expect.stringMatching(/^http_status: .*503.*; trying again$/) },
    ]);
  });
});

describe("an image that more entries wait for than are answered at once", () => {
  const WAITING = 2_500;
  const outcomes = () =>
    database.query<{ image: string; reason: string | null; entries: number }>(
      `select image, image_reason as reason, count(*)::int as entries from vitrine.receipt_token
        group by image, image_reason order by image, count(*)`,
    );
  const left = () => database.query("select from vitrine.image_outcome");

  async function request(): Promise<void> {
    await start(() => ({ name: "Hero", image: image("/a.png") }))(["1"]);
    await database.query(
      `insert into vitrine.receipt_token (receipt_id, position, chain_id, collection, token_id, wanted, status, image,
                                          image_hash, image_before, image_probe)
       select receipt_id, position + n, chain_id, collection, n, wanted, status, image, image_hash, image_before, image_probe
         from vitrine.receipt_token, generate_series(2, $1::int) n`,
      [WAITING],
    );
  }

  it("answers all of them, though the process that probed it is gone by then", async () => {
    answers.set("/a.png", { body: await square(600) });
    await request();
    harness.startWorker().wake();
    await harness.settled();
    const [first, rest] = await outcomes();
    expect(first?.entries).toBeGreaterThan(0);
    expect([first?.image, rest?.image]).toEqual(["pending", "updated"]);

    const settling = startImageSettling(database, silentLogger);
    await eventually(left, (rows) => rows.length === 0);
    await settling.stop();

    expect(await outcomes()).toEqual([{ image: "updated", reason: null, entries: WAITING }]);
  });

  it("answers them with what became of it last", async () => {
    answers.set("/a.png", { status: 503 });
    await request();
    harness.startWorker().wake();
    await harness.settled();
    await settleMore(database, 1_000);
    answers.set("/a.png", { body: await square(300) });
    await harness.pass("1 day");
    await harness.settled();

    while (await settleMore(database, 1_000));

    expect(await outcomes()).toEqual([
      { image: "rejected", reason: "image_too_small: 300x300, at least 480x480", entries: WAITING },
    ]);
  });

  it("answers them by the probe that they waited for, though a later one is to be tried again", async () => {
    answers.set("/a.png", { body: await square(600) });
    await request();
    harness.startWorker().wake();
    await harness.settled();
    const [end] = await database.query<{ urlHash: string; started: string }>(
      `select encode(url_hash, 'hex') as "urlHash", started from vitrine.image_outcome`,
    );
    const { urlHash = "", started = "0" } = end ?? {};
    const later = { urlHash, started: String(BigInt(started) + 1n), isFirst: false, file: null };

    await database.transaction((tx) =>
      settleImages(tx, { ...later, status: "pending", reason: "http_status: 503" }, 1),
    );
    while (await settleMore(database, 1_000));

    expect(await outcomes()).toEqual([{ image: "updated", reason: null, entries: WAITING }]);
  });

  it("says to all of them why it can't be read, and they wait on", async () => {
    answers.set("/a.png", { status: 503 });
    await request();
    harness.startWorker().wake();
    await harness.settled();

    while (await settleMore(database, 1_000));

    expect(await outcomes()).toEqual([
      { image: "pending", reason: expect.stringMatching(/503.*; trying again$/), entries: WAITING },
    ]);
    expect(await left()).toEqual([]);
  });
});

describe("a picture that changes", () => {
  const due = () =>
    database.query<{ tokenId: string | null; payload: unknown }>(
      `select token_id as "tokenId", payload from vitrine.event_due where type = 'media' order by token_id`,
    );

  it("is published for each token that serves it, once per change", async () => {
    answers.set("/a.png", { body: await square(600) });
    const refresh = start((id) => ({ name: "Hero", image: image(id === "3" ? "/b.png" : "/a.png") }));
    const id = await refresh(["1", "2", "3"]);
    harness.startWorker().wake();
    await harness.settled();

    const shown = { status: "accepted", file: expect.stringMatching(/^[0-9a-f]{64}\.png$/), reason: null };
    const first = await due();
    expect(first.filter(({ tokenId }) => tokenId !== "3")).toEqual([
      { tokenId: "1", payload: shown },
      { tokenId: "2", payload: shown },
    ]);
    await database.query("truncate vitrine.event_due");
    await harness.pass("10 seconds");
    await harness.enqueue({ image: image("/a.png") });
    await harness.settled();
    expect(await due()).toEqual([]);
    expect((await setup.receipt(id))?.done).toBe(true);
  });

  it.each([
    ["for each token where a thousand share it", 1_000, 1_000],
    ["once for the collection where more do", 1_001, 1],
  ])("is published %s", async (_, tokens, events) => {
    answers.set("/a.png", { body: await square(600) });
    const refresh = start(() => ({ name: "Hero", image: image("/a.png") }));
    await refresh(["1"]);
    await database.query(
      `insert into vitrine.token (chain_id, collection, token_id, image_key)
       select $1, $2, id, (select image_key from vitrine.token where token_id = 1) from generate_series(2, $3::int) id`,
      [CHAIN_ID, COLLECTION, tokens],
    );
    harness.startWorker().wake();
    await harness.settled();

    const published = await due();
    expect(published).toHaveLength(events);
    expect(published[0]).toMatchObject({
      tokenId: events === 1 ? null : "1",
      payload: { status: "accepted" },
    });
  });
});
