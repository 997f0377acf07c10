import { beforeEach, describe, expect, it } from "vitest";
import { createSweepEnds } from "../../../src/api/refresh/collections/sweep-ends.ts";
import { claim } from "../../../src/api/refresh/queue/claim.ts";
import { complete, type Lease } from "../../../src/api/refresh/queue/leases.ts";
import { settle, type TokenStatus } from "../../../src/api/refresh/receipts/receipts.ts";
import { addSweep } from "../../../src/api/refresh/triggers/new-sweeps.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import { createTestApp, FAR_CHAIN_ID, FAR_COLLECTION } from "../../support/processes/app.ts";
import { createMemoryLogger } from "../../support/processes/worker.ts";
import {
  ask,
  CHAIN_ID,
  COLLECTION,
  emptyTables,
  makeDue,
  readQueue,
  SHARE,
} from "../../support/refresh/refresh.ts";
import { createTriggerSetup } from "../../support/refresh/triggers.ts";

const test = await createTestDatabase();
const { database, tables } = test;
const setup = createTriggerSetup(test);
const { metadata } = setup;
const api = createTestApp(test);
const key = await api.createKey();
const otherKey = await api.createKey(["market-partner"], "Others");
const { logger, entries } = createMemoryLogger();
const issues = [{ code: "missing_name", kind: "document", count: 3 }];
const ends = createSweepEnds({ database, logger, metadata, readIssueCounts: async () => issues });
const PATH = `/market-partner/collections/${COLLECTION}/refresh_collection?chain_id=${CHAIN_ID}`;

beforeEach(async () => {
  await emptyTables(database);
  await database.query("truncate vitrine.event_due");
  await setup.clear();
});

const know = (count: number) =>
  setup.know(Object.fromEntries(Array.from({ length: count }, (_, id) => [String(id), null])));
const post = (by = key) => api.call(PATH, { key: by, method: "POST" });
const receipt = async (id: string, by = key) =>
  (await api.call(`/market-partner/refreshes/${id}`, { key: by })).body;
const cancel = (id: string, by = key) =>
  api.call(`/market-partner/refreshes/${id}`, { key: by, method: "DELETE" });
const events = () =>
  database.query<{ payload: object }>(
    "select type, chain_id::int as chain, collection, token_id as token, payload from vitrine.event_due",
  );

async function start(): Promise<string> {
  const { status, body } = await post();
  expect(status).toBe(200);
  return body.refresh_id;
}

async function lease(count: number): Promise<Lease[]> {
  await makeDue(database);
  return claim(database, tables, { ...SHARE, perHost: count }, count);
}
const end = (leases: readonly Lease[], status: TokenStatus = "updated", reason: string | null = null) =>
  database.transaction(async (tx) => {
    await complete(tx, leases);
    await settle(
      tx,
      leases.map((each) => ({ lease: each, status, reason })),
    );
  });

describe("a refresh of a whole collection by an app", () => {
  it("is logged at its end with the id of the request that asked for it, once", async () => {
    await know(2);
    const { headers, body } = await post();
    await setup.sweeps().advance();
    await end(await lease(2), "unchanged");
    await ends.endFinished();
    await ends.endFinished();

    const request_id = headers.get("x-request-id");
    expect(entries.filter((entry) => entry.request_id === request_id)).toMatchObject([
      { msg: "Refresh ended", refresh_id: body.refresh_id, status: "done", total: 2, unchanged: 2 },
    ]);
  });

  it("is read and cancelled by its id in upper case, and answers with that in lower case", async () => {
    await know(2);
    const id = await start();

    expect(await receipt(id.toUpperCase())).toEqual(await receipt(id));
    expect(await cancel(id.toUpperCase())).toMatchObject({ status: 200, body: { refresh_id: id } });
  });

  it("counts in its digest what a probe of an image holds just then", async () => {
    await know(3);
    await start();
    await setup.sweeps().advance();
    await end(await lease(3));
    await database.transaction(async (tx) => {
      await tx.query("select from vitrine.receipt_token where token_id = 1 for update");
      expect(await ends.endFinished()).toBe(1);
    });

    expect(await events()).toMatchObject([{ payload: { counts: { total: 3, updated: 3 } } }]);
  });

  it("reads every listed token, and its receipt counts them in place of a list", async () => {
    await know(1_200);
    const id = await start();
    await setup.sweeps().advance();
    expect(await receipt(id)).toMatchObject({
      refresh_id: id,
      chain_id: CHAIN_ID,
      collection_address: COLLECTION,
      status: "running",
      done: false,
      counted: true,
      counts: { total: 1_200, queued: 1_200, fetching: 0, updated: 0, cancelled: 0 },
    });
    expect(await receipt(id)).not.toHaveProperty("tokens");

    const some = await lease(10);
    expect((await receipt(id)).counts).toMatchObject({ queued: 1_190, fetching: 10 });
    await end(some, "failed", "timeout: it took long");
    for (let round = 0; round < 4; round++) {
      await end(await lease(500), "unchanged");
      await setup.sweeps().advance();
    }
    expect(await ends.endFinished()).toBe(1);

    expect(await receipt(id)).toMatchObject({
      status: "done",
      done: true,
      counts: { total: 1_200, queued: 0, fetching: 0, unchanged: 1_190, failed: 10, cancelled: 0 },
      failures: [{ code: "timeout", count: 10, example: { token_id: "0", reason: "timeout: it took long" } }],
    });
  });

  it("keeps the receipt cheap: what has ended is folded, however many tokens there are", async () => {
    await know(3_000);
    await start();
    for (let round = 0; round < 8; round++) {
      await setup.sweeps().advance();
      await end(await lease(500));
    }
    await ends.endFinished();

    expect(await database.query("select from vitrine.receipt_token")).toHaveLength(0);
    expect(await database.query("select from vitrine.receipt_outcome")).toHaveLength(1);
  });

  it("runs one at a time: a second request is refused and names the one that runs", async () => {
    await know(3);
    const id = await start();

    const again = await post();
    expect([again.status, again.body.code, again.body.details]).toEqual([
      409,
      "REFRESH_RUNNING",
      [{ path: "refresh_id", message: id }],
    ]);
    const other = await post(otherKey);
    expect([other.status, other.text.includes(id)]).toEqual([409, false]);

    await setup.sweeps().advance();
    await end(await lease(10));
    expect((await post()).status).toBe(409);
    await ends.endFinished();
    expect((await post()).status).toBe(200);
  });

  it("of two requests at the same moment accepts one", async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => post()));

    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(409)]);
  });

  it("is for apps that hold the collection, and its receipt for the one that asked", async () => {
    const { key: poor } = await api.access.createKey(
      { name: "Poor", apis: ["market-partner"], collections: [`${FAR_CHAIN_ID}:${FAR_COLLECTION}`] },
      "tests",
    );
    expect([(await post(poor)).status, (await post(poor)).body.code]).toEqual([403, "NOT_ALLOWED"]);

    const id = await start();
    expect((await api.call(`/market-partner/refreshes/${id}`, { key: otherKey })).status).toBe(404);
    expect((await cancel(id, otherKey)).status).toBe(404);
    expect((await receipt(id)).status).toBe("running");
  });

  it("publishes one event when it ends, with what became of the tokens and the issues left", async () => {
    await know(2);
    const id = await start();
    await setup.sweeps().advance();
    await end(await lease(10));
    expect(await events()).toEqual([]);

    await Promise.all([ends.endFinished(), ends.endFinished()]);
    await ends.endFinished();

    expect(await events()).toEqual([
      {
        type: "collection_refreshed",
        chain: CHAIN_ID,
        collection: COLLECTION,
        token: null,
        payload: {
          refresh_id: id,
          status: "done",
          counts: { total: 2, updated: 2, unchanged: 0, failed: 0, not_found: 0, cancelled: 0 },
          issues,
        },
      },
    ]);
  });

  it("ends without issues where they can't be counted, rather than never", async () => {
    await start();
    await setup.sweeps().advance();
    const readIssueCounts = () => Promise.reject(new Error("too slow"));
    await createSweepEnds({ database, logger, metadata, readIssueCounts }).endFinished();

    expect(await events()).toMatchObject([{ payload: { status: "done", issues: null } }]);
  });
});

describe("a sweep that a contract's event starts", () => {
  const MAX = 2n ** 256n - 1n;
  const triggers = setup.triggers();
  const announce = async (block: number, to = MAX) => {
    const id = await setup.add({ block, from: 0n, to });
    await triggers.handleBatch();
    return id;
  };

  it("publishes one event when it ends, whatever process ends it, and its tokens are rechecked", async () => {
    await know(3);
    await setup.setChain(100, 70);
    await announce(90);
    expect(await ends.endFinished()).toBe(0);
    await setup.sweeps().advance();
    const leases = await lease(10);
    expect(await database.query("select from vitrine.refresh where looks = 0")).toHaveLength(3);
    await end(leases.slice(0, 2));
    expect(await ends.endFinished()).toBe(0);
    await end(leases.slice(2), "failed", "timeout: it took long");

    await Promise.all([ends.endFinished(), ends.endFinished()]);
    await ends.endFinished();

    expect(await events()).toEqual([
      {
        type: "collection_refreshed",
        chain: CHAIN_ID,
        collection: COLLECTION,
        token: null,
        payload: {
          refresh_id: expect.any(String),
          status: "done",
          counts: { total: 3, updated: 2, unchanged: 0, failed: 1, not_found: 0, cancelled: 0 },
          issues,
        },
      },
    ]);
    const [{ id } = { id: "" }] = await database.query<{ id: string }>(
      "select receipt_id as id from vitrine.sweep",
    );
    expect((await api.call(`/market-partner/refreshes/${id}`, { key })).status).toBe(404);
  });

  it("counts announcements that come before it starts as one, and one that comes later as another", async () => {
    await know(2);
    await setup.setChain(100, 70);
    for (const block of [80, 81, 82]) await announce(block);
    await setup.sweeps().advance();
    await announce(90);
    await setup.sweeps().advance();
    await end(await lease(10));
    await ends.endFinished();

    expect(await events()).toHaveLength(2);
  });

  it("publishes nothing for a range, nor for what another index has handled", async () => {
    await know(2);
    await setup.setChain(100, 70);
    await announce(80, 1n);
    const id = await setup.add({ block: 81, from: 0n, to: MAX });
    await database.query(
      "insert into vitrine.cause_cursor (schema, chain_id, handled) values ('old', $1, $2)",
      [CHAIN_ID, id],
    );
    await triggers.handleBatch();
    await setup.sweeps().advance();
    await end(await lease(10));
    await setup.sweeps().advance();
    await ends.endFinished();

    expect(await database.query("select from vitrine.sweep where finished_at is not null")).toHaveLength(2);
    expect(await events()).toEqual([]);
  });

  it("holds up no other sweep's end while its host is away, however often its contract announces", async () => {
    await know(1);
    await setup.setChain(500, 70);
    for (let block = 100; block < 130; block++) {
      await announce(block);
      await setup.sweeps().advance();
    }
    const unended = await database.query(
      "select from vitrine.sweep where receipt_id is not null and ended_at is null",
    );
    expect(unended).toHaveLength(10);
    await database.query(
      `insert into vitrine.sweep (chain_id, collection, from_token_id, to_token_id, block, skip_read, receipt_id, finished_at)
       select 1, 'x' || n, 0, 9, 1, false, gen_random_uuid(), now() from generate_series(1, 120) n`,
    );
    await database.query(
      `insert into vitrine.receipt (id, made_by, chain_id, collection)
       select receipt_id, 'chain', 1, collection from vitrine.sweep where chain_id = 1`,
    );
    await database.query(
      `insert into vitrine.receipt_token (receipt_id, position, chain_id, collection, token_id, wanted)
       select receipt_id, 1, 1, collection, 1, 1 from vitrine.sweep where chain_id = 1`,
    );
    await end(await lease(10));

    expect(await ends.endFinished()).toBe(10);
  });
});

describe("a cancelled refresh of a collection", () => {
  it("fetches nothing more, records what is being fetched, and counts the rest", async () => {
    await know(1_200);
    const id = await start();
    await setup.sweeps().advance();
    await end(await lease(20));
    const running = await lease(5);

    const { status, body } = await cancel(id);
    expect([status, body]).toEqual([200, { refresh_id: id, status: "cancelled" }]);

    expect(await lease(500)).toEqual([]);
    await setup.sweeps().advance();
    expect(await lease(500)).toEqual([]);
    expect(await receipt(id)).toMatchObject({
      status: "cancelled",
      done: false,
      counts: { total: 1_200, queued: 0, fetching: 5, updated: 20, cancelled: 1_175 },
    });

    expect(await ends.endFinished()).toBe(0);
    await end(running);
    expect(await ends.endFinished()).toBe(1);
    expect(await receipt(id)).toMatchObject({
      status: "cancelled",
      done: true,
      counts: { total: 1_200, queued: 0, fetching: 0, updated: 25, cancelled: 1_175 },
    });
    expect(await events()).toMatchObject([
      { payload: { status: "cancelled", counts: { cancelled: 1_175 } } },
    ]);
    expect((await post()).status).toBe(200);
  });

  it.each([
    ["before its tokens were counted", 700, 0],
    // Two pages of the count are done.
    ["while its tokens were being counted", 10_700, 500],
  ])("%s is counted on, and ends with the true numbers", async (_title, tokens, queued) => {
    await know(tokens);
    const id = await start();
    if (queued > 0) await setup.sweeps().advance();
    expect((await receipt(id)).counts.total).toBeLessThan(tokens);

    await cancel(id);
    await setup.sweeps().advance();

    expect(await receipt(id)).toMatchObject({ status: "cancelled", done: false, counted: false });
    expect(await lease(500)).toEqual([]);
    expect(await events()).toEqual([]);

    expect(await ends.endFinished()).toBe(1);

    const counts = { total: tokens, updated: 0, unchanged: 0, failed: 0, not_found: 0, cancelled: tokens };
    expect(await receipt(id)).toMatchObject({ status: "cancelled", done: true, counted: true, counts });
    expect(await events()).toMatchObject([{ payload: { refresh_id: id, status: "cancelled", counts } }]);
    expect((await post()).status).toBe(200);
  });

  it("is counted by one process at a time, in steps, and not once its process stops", async () => {
    await know(10_700);
    const id = await start();
    await cancel(id);
    const counted = async () => (await receipt(id)).counts.total;

    await ends.endFinished(AbortSignal.abort());
    expect(await counted()).toBe(5_000);

    await database.transaction(async (tx) => {
      await tx.query("select from vitrine.sweep for update");
      expect(await ends.endFinished()).toBe(0);
    });
    expect(await counted()).toBe(5_000);

    const ended = await Promise.all([ends.endFinished(), ends.endFinished()]);
    expect(ended.reduce((sum, each) => sum + each)).toBe(1);
    expect(await counted()).toBe(10_700);
  });

  it("lets the next one start as soon as it has ended, which the request waits for", async () => {
    await know(3);
    const id = await start();
    await setup.sweeps().advance();
    const running = await lease(1);
    await cancel(id);

    const next = post();
    await end(running);
    expect(await ends.endFinished()).toBe(1);

    const { status, body } = await next;
    expect([status, body.refresh_id === id]).toEqual([200, false]);
  });

  it("refuses the next one where a fetch of it goes on for longer", async () => {
    await know(1);
    const id = await start();
    await setup.sweeps().advance();
    await lease(1);
    await cancel(id);

    const { status, body } = await post();

    expect([status, body.code]).toEqual([409, "REFRESH_RUNNING"]);
  });

  it("leaves what others requested in the queue", async () => {
    await know(4);
    await ask(database, [["0", 77]], { trigger: "event" });
    const id = await start();
    await setup.sweeps().advance();
    await ask(database, ["1"], { trigger: "rest" });

    await cancel(id);

    const queue = await readQueue(database);
    expect(queue.map(({ requested, done }) => requested > done)).toEqual([true, true, false, false]);
    expect(queue[0]).toMatchObject({ minBlock: 77, priority: 20 });
    // A token that was withdrawn can be requested again, and is read then.
    await ask(database, ["2"], { trigger: "rest" });
    expect((await lease(10)).map(({ tokenId }) => tokenId).sort()).toEqual(["0", "1", "2"]);
  });

  it("drops a fetch whose process died, and one that would be retried", async () => {
    await know(2);
    const id = await start();
    await setup.sweeps().advance();
    await lease(2);
    await cancel(id);
    await database.query("update vitrine.refresh set leased_until = now() - interval '1 second'");

    expect(await ends.endFinished()).toBe(1);

    expect((await receipt(id)).counts).toMatchObject({ fetching: 0, cancelled: 2 });
    expect(await lease(10)).toEqual([]);
  });

  it("takes no sweep of the chain with it", async () => {
    await know(3);
    const id = await start();
    const range = { from: "0", to: (2n ** 256n - 1n).toString(), block: 50, skipRead: false };
    await addSweep(database, { chainId: CHAIN_ID, collection: COLLECTION, ...range });

    await cancel(id);
    await setup.sweeps().advance();

    expect(await lease(10)).toHaveLength(3);
  });

  it("answers the same again, and leaves one that is done as it is", async () => {
    const id = await start();
    await cancel(id);
    expect((await cancel(id)).body.status).toBe("cancelled");
    await ends.endFinished();
    expect((await cancel(id)).body.status).toBe("cancelled");

    const next = await start();
    await setup.sweeps().advance();
    await ends.endFinished();
    expect((await cancel(next)).body.status).toBe("done");
    expect((await receipt(next)).status).toBe("done");
  });

  it("that was read whole before is cancelled in its event as in its receipt", async () => {
    await know(2);
    const id = await start();
    await setup.sweeps().advance();
    await end(await lease(2));
    const ending = createSweepEnds({
      database,
      logger,
      metadata,
      async readIssueCounts() {
        expect((await cancel(id)).body.status).toBe("cancelled");
        return issues;
      },
    });

    expect(await ending.endFinished()).toBe(1);

    const counts = { total: 2, updated: 2, cancelled: 0 };
    expect(await receipt(id)).toMatchObject({ status: "cancelled", done: true, counts });
    expect(await events()).toMatchObject([{ payload: { status: "cancelled", counts } }]);
  });

  it("is found below its collection too, and not below another", async () => {
    const id = await start();
    const below = (address: string, chainId: number) =>
      api.call(`/market-partner/collections/${address}/refreshes/${id}?chain_id=${chainId}`, {
        key,
        method: "DELETE",
      });

    expect((await below(FAR_COLLECTION, FAR_CHAIN_ID)).status).toBe(404);
    expect((await below(COLLECTION, FAR_CHAIN_ID)).status).toBe(404);
    expect((await below(COLLECTION, CHAIN_ID)).body).toEqual({ refresh_id: id, status: "cancelled" });
  });

  it("is not a refresh of listed tokens, which can't be cancelled", async () => {
    await know(1);
    const { body } = await api.call(`/market-partner/collections/${COLLECTION}/refresh_metadata`, {
      key,
      body: { token_ids: ["0"] },
    });

    const { status, body: answer } = await cancel(body.refresh_id);
    expect([status, answer.code]).toEqual([404, "NOT_FOUND"]);
    expect((await receipt(body.refresh_id)).tokens).toHaveLength(1);
  });
});
