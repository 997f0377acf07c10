import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import type { Database, Queryable } from "../../../src/api/db/database.ts";
import {
  claimDeliveries,
  type DeliveryLease,
  endAttempt,
  restartPending,
  skipDelivery,
} from "../../../src/api/webhooks/delivery-queue.ts";
import {
  countExtra,
  forgetOldDeliveries,
  readDeliveryState,
} from "../../../src/api/webhooks/delivery-store.ts";
import { endLongDeliveryWaits } from "../../../src/api/webhooks/long-waits.ts";
import { parkFollowers } from "../../../src/api/webhooks/parking.ts";
import { deliveryCaps } from "../../../src/api/webhooks/worker.ts";
import { countRowsRead, createTestDatabase } from "../../support/database/database.ts";
import { eventually } from "../../support/eventually.ts";
import { createMemoryLogger } from "../../support/processes/worker.ts";
import { CHAIN_ID, COLLECTION } from "../../support/refresh/refresh.ts";
import { createWebhookTest, MEDIA_BASE_URL } from "../../support/refresh/webhooks.ts";
import { startLocalServer } from "../../support/servers/local-server.ts";
import { accept, disorder } from "../../support/servers/webhook-receiver.ts";

const test = await createTestDatabase();
const {
  api,
  key,
  append,
  register,
  receiver: startReceiver,
  work,
  deliveries,
  webhook,
} = await createWebhookTest(test);

// Some tests say what PostgreSQL's statistics are.
await test.database.query("alter table vitrine.webhook_delivery set (autovacuum_enabled = false)");

beforeEach(async () => {
  await test.database.query("delete from vitrine.webhook");
  // Together these tests change more within a minute than an app may.
  await test.database.query("delete from vitrine.rate_limit");
});

const tokens = (count: number, each: number) =>
  Array.from({ length: count * each }, (_, index) => ({ token: String(index % count) }));
const eventIds = (messages: readonly { data: { id: number } }[]) => messages.map(({ data }) => data.id);

it("sends each event once, signed, with its type, its time and the event of the stream", async () => {
  const receiver = await startReceiver();
  const id = await register(receiver);
  work();
  const [event] = await append([{ token: String(2n ** 255n) }]);
  await eventually(
    () => receiver.accepted.length,
    (count) => count === 1,
  );
  const [message] = receiver.messages;

  expect(message).toMatchObject({
    type: "lock",
    at: message?.data.at,
    id: `msg_${id.replaceAll("-", "")}_${event}`,
    signatures: 1,
    data: {
      id: event,
      type: "lock",
      token_id: String(2n ** 255n),
      chain_id: CHAIN_ID,
      collection_address: COLLECTION,
    },
  });
  expect(Math.abs((message?.timestamp ?? 0) - Date.now() / 1_000)).toBeLessThan(60);
  const [delivery] = await eventually(
    () => deliveries(id),
    ([each]) => each.status === "delivered",
  );
  expect(delivery).toMatchObject({
    kind: "event",
    attempts: 1,
    response_status: 204,
    error: null,
    next_attempt_at: null,
  });
  expect(delivery.payload.data).toEqual(message?.data);
});

it("sends only events of its types and collections, from after its registration, and reverted ones of its types", async () => {
  const receiver = await startReceiver();
  await append([{ token: "1" }]);
  await register(receiver, "/locks", { event_types: ["lock"], collections: [`${CHAIN_ID}:${COLLECTION}`] });
  await register(receiver, "/all");
  work();
  const [mine, , other] = await append([
    { token: "1" },
    { token: "1", type: "unlock" },
    { token: "1", collection: "0x00000000000000000000000000000000000000fa", chainId: 2020 },
  ]);
  await test.database.query(
    `with taken as (update vitrine.event_counter set last = last + 1 returning last)
     insert into vitrine.event (id, type, subject, reverts, chain_id, collection, token_id)
     select last, 'reverted', 'lock', $1, $2, $3, 1 from taken`,
    [mine, CHAIN_ID, COLLECTION],
  );
  await eventually(
    () => receiver.accepted.length,
    (count) => count === 6,
  );
  const at = (path: string) => receiver.accepted.filter((message) => message.path === path);
  expect(at("/locks").map(({ type, data }) => [type, data.reverts ?? data.id])).toEqual([
    ["lock", mine],
    ["reverted", mine],
  ]);
  expect(eventIds(at("/all"))).toContain(other);
});

it("names the picture of a media event where the stream does, at MEDIA_BASE_URL", async () => {
  const receiver = await startReceiver();
  await register(receiver);
  work();
  await test.database.query(
    `with taken as (update vitrine.event_counter set last = last + 1 returning last)
     insert into vitrine.event (id, type, subject, chain_id, collection, token_id, payload)
     select last, 'media', 'media', $1, $2, 7, '{"status": "accepted", "file": "a.png"}' from taken`,
    [CHAIN_ID, COLLECTION],
  );

  await eventually(
    () => receiver.accepted.length,
    (count) => count === 1,
  );

  expect(receiver.messages[0]?.data).toMatchObject({
    type: "media",
    status: "cached",
    url: `${MEDIA_BASE_URL}/media/images/a.png`,
  });
});

it("keeps the order of each token while attempts fail, and two processes work", async () => {
  const receiver = await startReceiver();
  await register(receiver);
  const failures = new Map<string, number>();
  receiver.answering = (message, response) => {
    const failed = failures.get(message.id) ?? 0;
    failures.set(message.id, failed + 1);
    if (failed < message.data.id % 3) response.writeHead(503).end("not now");
    else accept(message, response);
  };
  work();
  work();
  const sent = await append(tokens(10, 6));
  await eventually(
    () => receiver.accepted.length,
    (count) => count >= sent.length,
  );

  expect(new Set(eventIds(receiver.accepted))).toEqual(new Set(sent));
  expect(disorder(receiver.accepted)).toEqual([]);
  expect(disorder(receiver.messages)).toEqual([]);
  expect(receiver.forged).toEqual([]);
});

it("delivers to others at once while one receiver stalls, and gives the stalled one its own few connections", async () => {
  const [stalled, healthy] = [await startReceiver(), await startReceiver()];
  stalled.answering = () => undefined;
  const id = await register(stalled);
  await register(healthy);
  work();
  const sent = await append(tokens(100, 2));
  await eventually(
    () => healthy.accepted.length,
    (count) => count === sent.length,
  );

  expect(disorder(healthy.messages)).toEqual([]);
  expect(stalled.most()).toBeLessThanOrEqual(8);
  expect((await webhook(id)).pending).toBe(sent.length);
  await stalled.close();
});

it("pauses after the last retry, says so, keeps what it owes, and sends it in order after the resumption", async () => {
  const receiver = await startReceiver();
  const id = await register(receiver);
  receiver.answering = (_message, response) => void response.writeHead(500).end("broken\0 inside");
  const { logger, entries } = createMemoryLogger();
  work([1, 1], logger);
  const first = await append(tokens(1, 2));
  const paused = await eventually(
    () => webhook(id),
    ({ status }) => status === "paused",
  );
  expect(paused).toMatchObject({ paused_reason: "failing", pending: 2 });
  expect(paused.failing_since).toEqual(expect.any(String));
  expect(receiver.messages).toHaveLength(3);
  await eventually(
    () => entries,
    ({ length }) => length > 0,
  );
  expect(entries).toEqual([
    {
      level: "warn",
      msg: "Webhook paused",
      webhook: id,
      reason: "failing",
      detail: "http_status: the receiver answered 500",
    },
  ]);
  const [, failed] = await deliveries(id);
  expect(failed).toMatchObject({
    status: "pending",
    attempts: 3,
    response_status: 500,
    response_body: "broken inside",
    error: "http_status: the receiver answered 500",
  });

  const later = await append(tokens(1, 1));
  receiver.answering = accept;
  await eventually(
    () => webhook(id),
    ({ pending }) => pending === 3,
  );
  expect(receiver.accepted).toEqual([]);
  const resumed = await api.call(`/market-partner/webhooks/${id}`, {
    method: "PATCH",
    key,
    body: { status: "active" },
  });
  expect(resumed.body).toMatchObject({ status: "active", paused_reason: null, failing_since: null });
  await eventually(
    () => receiver.accepted.length,
    (count) => count === 3,
  );
  expect(eventIds(receiver.accepted)).toEqual([...first, ...later]);
});

it("goes on with a token's next events once one that always fails is skipped", async () => {
  const receiver = await startReceiver();
  const id = await register(receiver);
  const [poison] = await append(tokens(1, 1));
  receiver.answering = (message, response) =>
    message.data.id === poison ? void response.writeHead(500).end("never") : accept(message, response);
  work([3_600_000]);
  const later = await append([{ token: "0" }, { token: "0", type: "unlock" }, { token: "1" }]);
  const isPoison = ({ payload }: { payload: { data: { id: number } } }) => payload.data.id === poison;
  const tried = await eventually(
    async () => (await deliveries(id)).find(isPoison),
    (each) => each?.attempts === 1 && receiver.accepted.length === 1,
  );
  expect(eventIds(receiver.accepted)).toEqual([later[2]]);

  const skip = () =>
    api.call(`/market-partner/webhooks/${id}/deliveries/${tried.id}/skip`, { method: "POST", key });
  const skipped = await skip();
  expect([skipped.status, skipped.body]).toMatchObject([
    200,
    { id: tried.id, status: "skipped", attempts: 1, next_attempt_at: null, response_status: 500 },
  ]);
  await eventually(
    () => receiver.accepted.length,
    (count) => count === 3,
  );
  expect(eventIds(receiver.accepted)).toEqual([later[2], later[0], later[1]]);
  expect(receiver.messages.filter(({ data }) => data.id === poison)).toHaveLength(1);
  await eventually(
    () => webhook(id),
    ({ pending, failing_since: since }) => pending === 0 && since === null,
  );

  expect((await skip()).body).toEqual(skipped.body);
  expect((await api.readAudit(20)).filter(({ action }) => action === "webhooks.skip")).toHaveLength(1);
  const [delivered] = (await api.call(`/market-partner/webhooks/${id}/deliveries?status=delivered`, { key }))
    .body.items;
  const refused = await api.call(`/market-partner/webhooks/${id}/deliveries/${delivered.id}/skip`, {
    method: "POST",
    key,
  });
  expect([refused.status, refused.body.details]).toEqual([
    400,
    [{ path: "delivery_id", message: "must be that of a pending delivery; it is delivered" }],
  ]);
});

it("does not record the attempt of a delivery that is skipped meanwhile", async () => {
  const receiver = await startReceiver();
  const id = await register(receiver);
  let answer = (): void => undefined;
  receiver.answering = (_message, response) => {
    answer = () => void response.writeHead(500).end();
  };
  work([1]);
  await append(tokens(1, 1));
  await eventually(
    () => receiver.messages.length,
    (count) => count === 1,
  );
  const [{ id: delivery }] = await deliveries(id);
  await api.call(`/market-partner/webhooks/${id}/deliveries/${delivery}/skip`, { method: "POST", key });
  receiver.answering = accept;
  answer();
  const [next] = await append(tokens(1, 1));
  await eventually(
    () => receiver.accepted.length,
    (count) => count === 1,
  );
  expect(eventIds(receiver.accepted)).toEqual([next]);
  expect((await deliveries(id)).map(({ status }: { status: string }) => status)).toContain("skipped");
});

describe("a webhook whose attempts fail", () => {
  const DAY_MS = 86_400_000;

  async function failing() {
    const receiver = await startReceiver();
    const id = await register(receiver);
    receiver.answering = (_message, response) => void response.writeHead(500).end();
    work([DAY_MS, DAY_MS, DAY_MS]);
    let sent = 0;
    const untilTried = () =>
      eventually(
        () => deliveries(id),
        (all) => all.length === sent && all.every(({ attempts }: { attempts: number }) => attempts === 1),
      );
    return {
      id,
      /** Its webhook after the failed attempt of another event. */
      async event() {
        sent += (await append([{ token: String(sent) }])).length;
        await untilTried();
        return webhook(id);
      },
      async test() {
        sent++;
        await api.call(`/market-partner/webhooks/${id}/test`, { method: "POST", key });
        await untilTried();
      },
      async passHours(hours: number) {
        const earlier = (column: string) => `${column} = ${column} - $2 * interval '1 hour'`;
        await test.database.query(`update vitrine.webhook set ${earlier("failing_since")} where id = $1`, [
          id,
          hours,
        ]);
        await test.database.query(
          `update vitrine.webhook_delivery set ${earlier("created_at")} where webhook_id = $1`,
          [id, hours],
        );
      },
    };
  }

  it("is paused after three days, though new events leave none of them its last attempt", async () => {
    const { event, passHours } = await failing();
    await event();
    await passHours(71);
    expect(await event()).toMatchObject({ status: "active" });
    await passHours(2);
    expect(await event()).toMatchObject({ status: "paused", paused_reason: "failing", pending: 3 });
  });

  it("is not paused for a test that failed days before its first event, nor for an event that was skipped", async () => {
    const { id, event, test: sendTest, passHours } = await failing();
    await sendTest();
    await passHours(80);
    expect(await event()).toMatchObject({ status: "active" });
    const [{ id: delivery }] = await deliveries(id);
    await api.call(`/market-partner/webhooks/${id}/deliveries/${delivery}/skip`, { method: "POST", key });
    await passHours(80);
    expect(await event()).toMatchObject({ status: "active" });
  });
});

describe("an attempt that ends after its webhook was changed", () => {
  /** A webhook whose first receiver has the attempt of an event and doesn't answer it yet. */
  async function attempt(pausesMs: readonly number[]) {
    const [old, next] = [await startReceiver(), await startReceiver()];
    const id = await register(old);
    let answer = (_status: number): void => undefined;
    old.answering = (_message, response) => {
      answer = (status) => void response.writeHead(status).end();
    };
    work(pausesMs);
    const [event = 0] = await append(tokens(1, 1));
    await eventually(
      () => old.messages.length,
      (count) => count === 1,
    );
    next.secrets.set("/hook", old.secrets.get("/hook") ?? "");
    const change = (body: object) =>
      api.call(`/market-partner/webhooks/${id}`, { method: "PATCH", key, body });
    return { id, old, next, event, change, answer: (status: number) => answer(status) };
  }
  const HOUR_MS = 3_600_000;

  it.each([
    ["410", 410],
    ["500", 500],
    ["204", 204],
  ])("at its former URL, with %s, keeps nothing from the new one", async (_title, status) => {
    const { id, next, event, change, answer } = await attempt([HOUR_MS]);
    expect((await change({ url: `${next.url}/hook` })).body).toMatchObject({ status: "active" });
    const [later = 0] = await append(tokens(1, 1));

    answer(status);

    await eventually(
      () => eventIds(next.accepted),
      (accepted) => accepted.includes(later),
    );
    expect(await webhook(id)).toMatchObject({ status: "active", failing_since: null });
    expect(eventIds(next.accepted)).toEqual([event, later]);
  });

  it("of a test, at its former URL with 410, doesn't pause it", async () => {
    const [old, next] = [await startReceiver(), await startReceiver()];
    const id = await register(old);
    let answer = (): void => undefined;
    old.answering = (_message, response) => {
      answer = () => void response.writeHead(410).end();
    };
    work();
    await api.call(`/market-partner/webhooks/${id}/test`, { method: "POST", key });
    await eventually(
      () => old.messages.length,
      (count) => count === 1,
    );
    await api.call(`/market-partner/webhooks/${id}`, {
      method: "PATCH",
      key,
      body: { url: `${next.url}/hook` },
    });

    answer();

    await eventually(
      () => deliveries(id),
      ([sent]) => sent.status === "failed",
    );
    expect(await webhook(id)).toMatchObject({ status: "active" });
  });

  it.each([
    ["an event", "lock"],
    ["a test", "test"],
  ])(
    "as the first one of %s, with 410, doesn't pause a webhook that was resumed meanwhile",
    async (_title, type) => {
      const receiver = await startReceiver();
      const id = await register(receiver);
      let answer = (): void => undefined;
      receiver.answering = (message, response) => {
        if (message.type === type && message.data.token_id !== "2")
          answer = () => void response.writeHead(410).end();
        else response.writeHead(410).end();
      };
      work([HOUR_MS]);
      if (type === "test") await api.call(`/market-partner/webhooks/${id}/test`, { method: "POST", key });
      else await append([{ token: "1" }]);
      await eventually(
        () => receiver.messages.length,
        (count) => count === 1,
      );
      await append([{ token: "2" }]);
      await eventually(
        () => webhook(id),
        ({ paused_reason: reason }) => reason === "gone",
      );
      receiver.answering = accept;
      await api.call(`/market-partner/webhooks/${id}`, { method: "PATCH", key, body: { status: "active" } });
      await eventually(
        () => receiver.accepted.length,
        (count) => count === 1,
      );

      answer();

      await eventually(
        () => deliveries(id),
        (all) => all.every(({ status }: { status: string }) => status !== "pending"),
      );
      expect(await webhook(id)).toMatchObject({ status: "active", failing_since: null });
    },
  );

  it("as its last one, doesn't pause a webhook that was resumed meanwhile", async () => {
    const { id, old, event, change, answer } = await attempt([1]);
    answer(500);
    await eventually(
      () => old.messages.length,
      (count) => count === 2,
    );
    await change({ status: "paused" });
    old.answering = accept;
    await change({ status: "active" });

    answer(500);

    await eventually(
      () => eventIds(old.accepted),
      (accepted) => accepted.includes(event),
    );
    const [later = 0] = await append(tokens(1, 1));
    await eventually(
      () => eventIds(old.accepted),
      (accepted) => accepted.includes(later),
    );
    expect(await webhook(id)).toMatchObject({ status: "active" });
  });
});

it("has its few connections however often it is paused and resumed while its receiver stalls", async () => {
  const stalled = await startReceiver();
  stalled.answering = () => undefined;
  const id = await register(stalled);
  work();
  await append(tokens(40, 1));
  for (let nth = 0; nth < 4; nth++) {
    await eventually(
      () => stalled.messages.length,
      (count) => count >= 8,
    );
    for (const status of ["paused", "active"])
      await api.call(`/market-partner/webhooks/${id}`, { method: "PATCH", key, body: { status } });
    // Two claims later.
    await sleep(250);
  }
  expect(stalled.most()).toBe(8);
  await stalled.close();
});

it("looks for what is due past none of the events that wait, of a paused webhook or an active one", async () => {
  const WAITING = 5_000;
  const DUE = 8;
  const receiver = await startReceiver();
  const [paused, active] = [await register(receiver, "/a"), await register(receiver, "/b")];
  await api.call(`/market-partner/webhooks/${paused}`, { method: "PATCH", key, body: { status: "paused" } });
  await test.database.query(
    `insert into vitrine.webhook_delivery (webhook_id, message_id, kind, event_type, event_id, subject, body)
     select $1, n, 'event', 'lock', n, n, '{}' from generate_series(1, $2::int) n`,
    [paused, WAITING],
  );
  // As in the first minute of a burst: PostgreSQL has no statistics of what is due.
  await test.database.query(
    `insert into vitrine.webhook_delivery (webhook_id, message_id, kind, event_type, event_id, subject, body)
     select $1, n, 'event', 'lock', n, n % 4000, '{}' from generate_series(1, $2::int) n`,
    [active, WAITING],
  );
  await api.call(`/market-partner/webhooks/${paused}/test`, { method: "POST", key });
  let extra = 0;
  let claimed: readonly { readonly webhookId: string; readonly kind: string }[] = [];

  const read = await test.database.transaction((tx) =>
    countRowsRead(tx, ["vitrine"], async () => {
      extra = await countExtra(tx, paused, 100);
      claimed = await claimDeliveries(tx, 100, randomUUID(), 60, deliveryCaps);
    }),
  );

  expect(extra).toBe(1);
  const events = Array.from({ length: DUE }, () => [active, "event"]);
  expect(claimed.map(({ webhookId, kind }) => [webhookId, kind]).sort()).toEqual(
    [[paused, "test"], ...events].sort(),
  );
  expect(read).toBeLessThan(WAITING / 10);
});

describe("a token with tens of thousands of pending events", () => {
  const WAITING = 50_000;
  const HOUR_MS = 3_600_000;

  /** A webhook that owes so many events of token 1, and one of token 2 behind them. Most are parked. */
  async function owing() {
    const id = await register(await startReceiver());
    await test.database.query("truncate vitrine.webhook_delivery");
    await test.database.query(
      `insert into vitrine.webhook_delivery (webhook_id, message_id, kind, event_type, event_id, subject, body)
       select $1, n, 'event', 'lock', n, case when n > $2::int then 2 else 1 end, '{}' from generate_series(1, $2::int + 1) n`,
      [id, WAITING],
    );
    // Otherwise it depends on autovacuum what PostgreSQL knows; statistics.test.ts has what it may know instead.
    await test.database.query("analyze vitrine.webhook_delivery");
    await parkFollowers(test.database, id);
    return id;
  }
  const claim = (tx: Queryable = test.database) => claimDeliveries(tx, 100, randomUUID(), 60, deliveryCaps);
  const eventsOf = (leases: readonly { readonly eventId: string | null }[]) =>
    leases.map(({ eventId }) => Number(eventId)).sort((a, b) => a - b);
  const failed = { isDelivered: false, responseStatus: 500, responseBody: null, error: "x", durationMs: 1 };
  /** Rows that a transaction has read, and that it has written. */
  async function countRows(run: (tx: Queryable) => Promise<void>) {
    return test.database.transaction(async (tx) => {
      let written = 0;
      const writes = async () => {
        const [row] = await tx.query<{ count: number }>(
          "select sum(n_tup_upd)::int as count from pg_stat_xact_user_tables where schemaname = 'vitrine'",
        );
        return row?.count ?? 0;
      };
      const read = await countRowsRead(tx, ["vitrine"], async () => {
        const before = await writes();
        await run(tx);
        written = (await writes()) - before;
      });
      return { read, written };
    });
  }
  async function claimAll(): Promise<DeliveryLease[]> {
    const leases: DeliveryLease[] = [];
    for (let nth = 0; nth < 3; nth++) leases.push(...(await claim()));
    return leases;
  }

  it("has its first one alone claimed, with what waits for nothing behind it, and then claims read few of the others", async () => {
    await owing();

    expect(eventsOf(await claimAll())).toEqual([1, WAITING + 1]);

    let claimed: readonly DeliveryLease[] = [];
    const { read, written } = await countRows(async (tx) => {
      claimed = await claim(tx);
    });
    expect(claimed).toEqual([]);
    expect(read).toBeLessThan(WAITING / 10);
    expect(written).toBe(0);
  });

  it("has an attempt recorded by a few rows, whether it failed or arrived, and then the next one is due", async () => {
    await owing();
    const first = (await claimAll()).find(({ eventId }) => Number(eventId) === 1);
    if (!first) throw new Error("the first one was not claimed");
    for (const isDelivered of [false, true]) {
      await test.database.query(
        "update vitrine.webhook_delivery set claim = $2, claimed_until = now() + interval '1 minute' where id = $1",
        [first.id, first.claim],
      );
      const { written } = await countRows(async (tx) => {
        expect(await endAttempt(tx, first, { ...failed, isDelivered }, HOUR_MS)).toBeDefined();
      });
      expect(written).toBeLessThan(5);
      expect(eventsOf(await claim())).toEqual(isDelivered ? [2] : []);
    }
  });

  it("has its first one due at once after a resumption, and no other", async () => {
    const id = await owing();
    const first = (await claimAll()).find(({ eventId }) => Number(eventId) === 1);
    if (!first) throw new Error("the first one was not claimed");
    await test.database.transaction((tx) => endAttempt(tx, first, failed, HOUR_MS));

    const { written } = await countRows((tx) => restartPending(tx, id));

    expect(written).toBeLessThan(5);
    expect(eventsOf(await claim())).toEqual([1]);
  });

  it("has the first one that is left due after old ones were deleted", async () => {
    const id = await owing();
    await claimAll();
    await test.database.query(
      "delete from vitrine.webhook_delivery where webhook_id = $1 and event_id < 1000",
      [id],
    );
    expect(eventsOf(await claim())).toEqual([]);

    await forgetOldDeliveries.run(test.database);

    expect(eventsOf(await claim())).toEqual([1_000]);
  });

  it("has the first one that is left due, though the process dies right after it deleted old ones", async () => {
    const id = await owing();
    const change = (status: string) =>
      api.call(`/market-partner/webhooks/${id}`, { method: "PATCH", key, body: { status } });
    await change("paused");
    // The first event of the token is one of those.
    await test.database.query(
      "update vitrine.webhook_delivery set created_at = now() - interval '8 days' where event_id < 1000",
    );
    let isDead = false;
    const dying: Database = {
      ...test.database,
      async query<Row>(...statement: Parameters<Database["query"]>) {
        if (isDead) throw new Error("the process has died");
        isDead = true;
        return test.database.query<Row>(...statement);
      },
    };
    await expect(forgetOldDeliveries.run(dying)).rejects.toThrow("died");

    await change("active");

    expect(eventsOf(await claimAll())).toEqual([1_000, WAITING + 1]);
  });

  it("has the next one due, though the two before it end at once while it is parked", async () => {
    const id = await owing();
    const ids = await test.database.query<{ id: string }>(
      "select id from vitrine.webhook_delivery where event_id < 3 order by event_id",
    );
    const [first, second] = ids.map((row) => row.id);
    // More are due before the third than are left unparked.
    await test.database.query(
      `update vitrine.webhook_delivery set due_at = now() - case when event_id = 3 then interval '0' else interval '1 hour' end
        where event_id < 400`,
    );
    let ending: Promise<boolean> | undefined;
    await test.database.transaction(async (tx) => {
      await skipDelivery(tx, id, second ?? "");
      await parkFollowers(test.database, id);
      ending = test.database.transaction((other) => skipDelivery(other, id, first ?? ""));
      const isWaiting = eventually(
        () => test.database.query("select from pg_locks where not granted"),
        (locks) => locks.length > 0,
      );
      await Promise.race([ending, isWaiting]);
    });
    await ending;

    expect(eventsOf(await claim())).toEqual([3, WAITING + 1]);
  });

  it.each([
    ["256", 0],
    ["257", 1],
  ])("has those past the first 256 that wait parked: of %s, %s", async (waiting, parked) => {
    const id = await owing();
    await test.database.query(
      "delete from vitrine.webhook_delivery where subject = '2' or event_id > $1::int + 1",
      [waiting],
    );
    await test.database.query("update vitrine.webhook_delivery set due_at = now()");

    await parkFollowers(test.database, id);

    const rows = await test.database.query("select from vitrine.webhook_delivery where due_at = 'infinity'");
    expect(rows).toHaveLength(parked);
  });

  it("waits for no clock: its parked events stay where they are", async () => {
    await owing();
    await claimAll();

    expect(await endLongDeliveryWaits([HOUR_MS])(test.database, 100)).toBe(0);
  });
});

it("gives no event after a restore the id of one that was sent since the dump", async () => {
  const receiver = await startReceiver();
  const id = await register(receiver);
  work();
  const [kept = 0, lost = 0] = await append(tokens(1, 2));
  const sent = (count: number) =>
    eventually(
      () => receiver.accepted.map((message) => message.id),
      (ids) => ids.length === count,
    );
  await sent(2);
  // As deploy/backup/restore.sh leaves it.
  await test.database.transaction(async (tx) => {
    await tx.query("delete from vitrine.event where id = $1", [lost]);
    await tx.query("update vitrine.event_counter set last = $1", [kept]);
    await tx.query("update vitrine.webhook_position set event_id = $1, history = '0a1b2c3d4e5f'", [kept]);
    await tx.query("delete from vitrine.webhook_delivery where event_id = $1", [lost]);
  });
  onTestFinished(() => void test.database.query("update vitrine.webhook_position set history = null"));

  expect(await append(tokens(1, 1))).toEqual([lost]);

  const name = `msg_${id.replaceAll("-", "")}`;
  expect(await sent(3)).toEqual([`${name}_${kept}`, `${name}_${lost}`, `${name}_0a1b2c3d4e5f_${lost}`]);
});

it("sends hundreds of events of one token in order while attempts fail, the webhook is resumed and one is skipped", async () => {
  const receiver = await startReceiver();
  const id = await register(receiver);
  const sent = await append(tokens(1, 400));
  const failures = new Set<string>();
  const answer: typeof accept = (message, response) => {
    if (message.data.id % 7 > 0 || failures.has(message.id)) return accept(message, response);
    failures.add(message.id);
    response.writeHead(503).end();
  };
  const held: { destroy(): void }[] = [];
  receiver.answering = answer;
  work(Array.from({ length: 100 }, () => 1));
  const accepted = (count: number) =>
    eventually(
      () => receiver.accepted.length,
      (reached) => reached >= count,
      100_000,
    );
  await accepted(20);
  // Hundreds wait behind one attempt, however fast the others were.
  receiver.answering = (_message, response) => void held.push(response);
  await eventually(
    () => held.length,
    (count) => count > 0,
  );
  for (const status of ["paused", "active"])
    await api.call(`/market-partner/webhooks/${id}`, { method: "PATCH", key, body: { status } });
  // The newest, far behind what is due.
  await parkFollowers(test.database, id);
  const [{ id: skipped, next_attempt_at: nextAt }] = await deliveries(id);
  expect(nextAt).toBeNull();
  await api.call(`/market-partner/webhooks/${id}/deliveries/${skipped}/skip`, { method: "POST", key });
  receiver.answering = answer;
  for (const response of held) response.destroy();
  await accepted(sent.length - 1);

  expect(disorder(receiver.messages)).toEqual([]);
  expect(new Set(eventIds(receiver.accepted))).toEqual(new Set(sent.slice(0, -1)));
}, 120_000);

it("pauses at once where the receiver answers 410, and another URL resumes it", async () => {
  const receiver = await startReceiver();
  const id = await register(receiver);
  receiver.answering = (_message, response) => void response.writeHead(410).end();
  work();
  const [event = 0] = await append(tokens(1, 1));
  expect(
    await eventually(
      () => webhook(id),
      ({ status }) => status === "paused",
    ),
  ).toMatchObject({ paused_reason: "gone" });
  expect(receiver.messages).toHaveLength(1);

  const moved = await startReceiver();
  moved.secrets.set("/hook", receiver.secrets.get("/hook") ?? "");
  const changed = await api.call(`/market-partner/webhooks/${id}`, {
    method: "PATCH",
    key,
    body: { url: `${moved.url}/hook` },
  });
  expect(changed.body).toMatchObject({ status: "active", paused_reason: null });
  await eventually(
    () => eventIds(moved.accepted),
    (accepted) => accepted.includes(event),
  );
  expect(receiver.messages).toHaveLength(1);
});

it("follows no redirect, and reaches no private address under a public-looking name", async () => {
  const receiver = await startReceiver();
  const secret = await startLocalServer((_request, response) => void response.end());
  const redirected = await register(receiver, "/redirect");
  receiver.answering = (_message, response) => void response.writeHead(307, { location: secret.url }).end();
  const registered = await api.call("/market-partner/webhooks", {
    key,
    body: { url: "https://localhost.example/" },
  });
  await test.database.query("update vitrine.webhook set url = $2, host = 'x' where id = $1", [
    registered.body.id,
    `http://localhost:${secret.port}/`,
  ]);
  work();
  await append(tokens(1, 1));
  const [redirect] = await eventually(
    () => deliveries(redirected),
    ([each]) => each?.attempts > 0,
  );
  const [refused] = await eventually(
    () => deliveries(registered.body.id),
    ([each]) => each?.attempts > 0,
  );

  expect(redirect.error).toBe("redirect: the receiver answered 307; redirects are not followed");
  expect(refused).toMatchObject({ response_status: null, error: "host_refused: localhost is this machine" });
  expect(secret.requests).toHaveLength(0);
  expect(secret.connections()).toBe(0);
  await secret.close();
});

it("delivers what a receiver missed while it was down", async () => {
  const receiver = await startReceiver();
  await register(receiver);
  work(Array.from({ length: 100 }, () => 20));
  await receiver.shut();
  const sent = await append(tokens(5, 3));
  await eventually(
    () =>
      test.database.query(
        "select from vitrine.webhook_delivery where error like 'unreachable%' and status = 'pending'",
      ),
    (rows) => rows.length > 0,
  );
  await receiver.open();
  await eventually(
    () => receiver.accepted.length,
    (count) => count === sent.length,
  );
  expect(disorder(receiver.messages)).toEqual([]);
});

it("sends tests and resends once, under the same id, also while it is paused", async () => {
  const receiver = await startReceiver();
  const id = await register(receiver);
  work();
  await append(tokens(1, 1));
  await eventually(
    () => receiver.accepted.length,
    (count) => count === 1,
  );
  const at = `/market-partner/webhooks/${id}`;
  await api.call(at, { method: "PATCH", key, body: { status: "paused" } });
  const [delivered] = await eventually(
    () => deliveries(id),
    ([each]) => each.status === "delivered",
  );
  const tested = await api.call(`${at}/test`, { method: "POST", key });
  const resent = await api.call(`${at}/deliveries/${delivered.id}/resend`, { method: "POST", key });
  await eventually(
    () => receiver.accepted.length,
    (count) => count === 3,
  );

  expect(tested).toMatchObject({
    status: 202,
    body: { kind: "test", event_type: "test", status: "pending" },
  });
  expect(resent).toMatchObject({ status: 202, body: { kind: "resend", message_id: delivered.message_id } });
  expect(receiver.accepted.map(({ type }) => type).toSorted()).toEqual(["lock", "lock", "test"]);
  expect(receiver.accepted.filter((message) => message.id === delivered.message_id)).toHaveLength(2);

  receiver.answering = (_message, response) => void response.writeHead(500).end();
  const failing = await api.call(`${at}/test`, { method: "POST", key });
  const ended = await eventually(
    async () => (await deliveries(id)).find((each: { id: string }) => each.id === failing.body.id),
    (each) => each.status !== "pending",
  );
  expect(ended).toMatchObject({ status: "failed", attempts: 1, response_status: 500 });
  expect(await webhook(id)).toMatchObject({ status: "paused", paused_reason: "requested" });
});

describe("a resend during the attempt", () => {
  const HOUR_MS = 3_600_000;

  /** A webhook whose receiver has an attempt and doesn't answer it yet, and the resend of its delivery. */
  async function resent(pausesMs: readonly number[], ask: (id: string) => Promise<unknown>) {
    const receiver = await startReceiver();
    const id = await register(receiver);
    let answer = (_status: number): void => undefined;
    receiver.answering = (_message, response) => {
      answer = (status) => void response.writeHead(status).end();
    };
    const { metrics } = work(pausesMs);
    await ask(id);
    const arrived = (count: number) =>
      eventually(
        () => receiver.messages.length,
        (sent) => sent === count,
      );
    await arrived(1);
    const [{ id: delivery }] = await deliveries(id);
    const { status, body } = await api.call(`/market-partner/webhooks/${id}/deliveries/${delivery}/resend`, {
      method: "POST",
      key,
    });
    expect(status).toBe(202);
    return { id, receiver, delivery, body, arrived, metrics, answer: (status: number) => answer(status) };
  }
  const appendOne = () => append(tokens(1, 1));

  it.each([
    ["its next one is an hour away", [HOUR_MS]],
    ["it is the last one", []],
  ])("of an event is sent at once when that fails, though %s", async (_title, pausesMs) => {
    const { id, receiver, delivery, body, arrived, metrics, answer } = await resent(pausesMs, appendOne);
    expect(body).toMatchObject({ id: delivery, kind: "event", status: "pending" });

    answer(500);
    await arrived(2);
    receiver.answering = accept;
    answer(204);

    const [sent] = await eventually(
      () => deliveries(id),
      ([each]) => each.status === "delivered",
    );
    expect(sent).toMatchObject({ id: delivery, attempts: 2 });
    expect(await webhook(id)).toMatchObject({ status: "active", pending: 0 });
    // Not given up: it was tried again.
    const counted = await metrics.metrics();
    expect(counted).toContain('vitrine_webhook_deliveries_total{outcome="retried"} 1');
    expect(counted).not.toContain('outcome="failed"');
  });

  it("of an event counts once: the attempt after it waits as long as ever", async () => {
    const { id, arrived, answer } = await resent([HOUR_MS, HOUR_MS], appendOne);
    answer(500);
    await arrived(2);
    answer(500);

    const [failed] = await eventually(
      () => deliveries(id),
      ([each]) => each.attempts === 2,
    );
    expect(Date.parse(failed.next_attempt_at) - Date.parse(failed.attempted_at)).toBeGreaterThan(HOUR_MS / 2);
  });

  it("of an event that arrives by it sends nothing more", async () => {
    const { id, receiver, answer } = await resent([HOUR_MS], appendOne);
    answer(204);
    await eventually(
      () => deliveries(id),
      ([each]) => each.status === "delivered",
    );
    await api.call(`/market-partner/webhooks/${id}/test`, { method: "POST", key });
    await eventually(
      () => receiver.messages.length,
      (count) => count > 1,
    );

    expect(receiver.messages.map(({ type }) => type)).toEqual(["lock", "test"]);
  });

  it("of a test is another delivery of the same message", async () => {
    const { id, delivery, body, arrived, answer } = await resent([], (webhookId) =>
      api.call(`/market-partner/webhooks/${webhookId}/test`, { method: "POST", key }),
    );
    expect(body).toMatchObject({ kind: "resend", event_type: "test", status: "pending" });
    expect(body.id).not.toBe(delivery);

    answer(500);
    await arrived(2);
    answer(204);

    const sent = await eventually(
      () => deliveries(id),
      ([each]) => each.status === "delivered",
    );
    expect(sent).toMatchObject([
      { id: body.id, message_id: body.message_id },
      { id: delivery, message_id: body.message_id, status: "failed" },
    ]);
  });
});

it("signs with both secrets after a rotation", async () => {
  const receiver = await startReceiver();
  const id = await register(receiver);
  work();
  const rotated = await api.call(`/market-partner/webhooks/${id}/rotate`, { method: "POST", key });
  expect(rotated.body.secret).not.toBe(receiver.secrets.get("/hook"));
  await append(tokens(1, 1));
  await eventually(
    () => receiver.accepted.length,
    (count) => count === 1,
  );
  receiver.secrets.set("/hook", rotated.body.secret);
  await append(tokens(1, 1));
  await eventually(
    () => receiver.accepted.length,
    (count) => count === 2,
  );

  expect(receiver.forged).toEqual([]);
  expect(receiver.accepted.map(({ signatures }) => signatures)).toEqual([2, 2]);
  await test.database.query("update vitrine.webhook set old_secret_until = now() where id = $1", [id]);
  await append(tokens(1, 1));
  await eventually(
    () => receiver.accepted.length,
    (count) => count === 3,
  );
  expect(receiver.accepted.at(-1)?.signatures).toBe(1);
});

it("signs with a secret that was made by the webhook's id in upper case, and names it as ever", async () => {
  const receiver = await startReceiver();
  const id = await register(receiver);
  const at = `/market-partner/webhooks/${id.toUpperCase()}`;
  const rotated = await api.call(`${at}/rotate`, { method: "POST", key });
  receiver.secrets.set("/hook", rotated.body.secret);
  await api.call(`${at}/test`, { method: "POST", key });
  work();
  await eventually(
    () => receiver.messages.length + receiver.forged.length,
    (count) => count > 0,
  );

  expect(receiver.forged).toEqual([]);
  expect(receiver.accepted).toMatchObject([{ signatures: 2, data: { webhook_id: id } }]);
});

it("sends nothing that the previous secret alone would sign", async () => {
  const receiver = await startReceiver();
  const id = await register(receiver);
  await api.call(`/market-partner/webhooks/${id}/rotate`, { method: "POST", key });
  // As if another VITRINE_SECRET had encrypted it.
  await test.database.query("update vitrine.webhook set secret = old_secret || '\\x00' where id = $1", [id]);
  work([3_600_000]);
  await append(tokens(1, 1));

  const [delivery] = await eventually(
    () => deliveries(id),
    ([each]) => each?.attempts > 0 || receiver.messages.length > 0,
  );

  expect(receiver.messages).toEqual([]);
  expect(delivery).toMatchObject({
    status: "pending",
    error: "the secret can't be read with VITRINE_SECRET; rotate it",
  });
});

it("sends nothing while its app lacks the permission", async () => {
  const receiver = await startReceiver();
  await register(receiver);
  await test.database.query("update vitrine.app set apis = '{market}'");
  const started = work();
  await append(tokens(1, 1));
  await eventually(
    () =>
      test.database.query<{ behind: number }>(
        "select c.last - p.event_id as behind from vitrine.event_counter c, vitrine.webhook_position p",
      ),
    ([row]) => Number(row?.behind) === 0,
  );
  await test.database.query("update vitrine.app set apis = '{market,market-partner}'");
  const [after] = await append(tokens(1, 1));
  await eventually(
    () => receiver.accepted.length,
    (count) => count === 1,
  );
  expect(eventIds(receiver.accepted)).toEqual([after]);
  // The receiver has the message a moment before its sender has recorded it.
  await eventually(
    () => started.metrics.metrics(),
    (text) => text.includes('vitrine_webhook_deliveries_total{outcome="delivered"} '),
  );
});

it("counts no wait of an app that gets nothing", async () => {
  const id = await register(await startReceiver());
  await test.database.query("truncate vitrine.webhook_delivery");
  await test.database.query(
    `insert into vitrine.webhook_delivery (webhook_id, message_id, kind, event_type, event_id, subject, body, created_at)
     select $1, n, 'event', 'lock', n, n, '{}', now() - interval '1 hour' from generate_series(1, 3) n`,
    [id],
  );
  const state = await readDeliveryState(test.database);
  expect(state).toMatchObject({ paused: 0, pending: 3 });
  expect(Math.round(state.lagSeconds / 100)).toBe(36);

  await test.database.query("update vitrine.app set apis = '{market}'");
  const withdrawn = await readDeliveryState(test.database);
  await test.database.query("update vitrine.app set apis = '{market,market-partner}'");

  expect(withdrawn).toEqual({ paused: 0, pending: 3, lagSeconds: 0 });
});
