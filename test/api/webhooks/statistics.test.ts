/** Bursts after a quiet time: PostgreSQL still plans by the statistics of that. */

import { randomUUID } from "node:crypto";
import { beforeEach, describe, expect, it } from "vitest";
import type { Queryable } from "../../../src/api/db/database.ts";
import { claimDeliveries, endAttempt, restartMostPending } from "../../../src/api/webhooks/delivery-queue.ts";
import { parkFollowers, wakeParked } from "../../../src/api/webhooks/parking.ts";
import { deliveryCaps } from "../../../src/api/webhooks/worker.ts";
import { countRowsRead, createTestDatabase } from "../../support/database/database.ts";
import { countPlanWork } from "../../support/database/plan-work.ts";
import { createWebhookTest } from "../../support/refresh/webhooks.ts";

const test = await createTestDatabase();
const { register, receiver } = await createWebhookTest(test);
const EVENTS = 4_000;
const COLUMNS = "webhook_id, message_id, kind, event_type, event_id, subject, body, status, due_at";
let id: string;
let other: string;

beforeEach(async () => {
  await test.database.query("delete from vitrine.webhook");
  await test.database.query("delete from vitrine.rate_limit");
  await test.database.query("truncate vitrine.webhook_delivery");
  const server = await receiver();
  [id, other] = [await register(server, "/a"), await register(server, "/b")];
});

interface Deliveries {
  readonly webhookId: string;
  readonly count: number;
  readonly tokens: number;
  readonly status?: string;
  readonly dueAt?: string;
}

const insert = ({ webhookId, count, tokens, status = "pending", dueAt = "now" }: Deliveries) =>
  test.database.query(
    `insert into vitrine.webhook_delivery (${COLUMNS})
     select $1, n, 'event', 'lock', n, (n - 1) % $3::int, '{}', $4, $5::timestamptz from generate_series(1, $2::int) n`,
    [webhookId, count, tokens, status, dueAt],
  );
const read = (work: (tx: Queryable) => Promise<unknown>) =>
  test.database.transaction((tx) =>
    countRowsRead(tx, ["vitrine"], async () => {
      await work(tx);
    }),
  );
const claim = (tx: Queryable) => claimDeliveries(tx, 100, randomUUID(), 60, deliveryCaps);

const QUIET: readonly (readonly [string, () => readonly Deliveries[]])[] = [
  ["everything had arrived", () => [{ webhookId: id, count: 3_000, tokens: 7, status: "delivered" }]],
  ["all that waited was parked", () => [{ webhookId: id, count: 3_000, tokens: 1, dueAt: "infinity" }]],
  [
    "another webhook alone owed much",
    () => [
      { webhookId: other, count: 3_000, tokens: 1 },
      { webhookId: id, count: 3, tokens: 1 },
    ],
  ],
];

describe.each(QUIET)("where statistics say that %s", (_name, quiet) => {
  beforeEach(async () => {
    for (const deliveries of quiet()) await insert(deliveries);
    await test.database.query("analyze vitrine.webhook_delivery");
    await test.database.query("truncate vitrine.webhook_delivery");
  });

  it.each([
    ["one token", 1],
    ["many tokens", 2_000],
  ])("events of %s are parked, claimed and ended by few reads", async (_tokens, tokens) => {
    await insert({ webhookId: id, count: EVENTS, tokens });

    expect(await read((tx) => parkFollowers(tx, id))).toBeLessThan(EVENTS * 20);
    expect(
      await read(async (tx) => {
        const [lease] = await claim(tx);
        if (!lease) throw new Error("nothing was claimed");
        const attempt = { responseStatus: 200, responseBody: null, error: null, durationMs: 1 };
        expect(await endAttempt(tx, lease, { ...attempt, isDelivered: true }, undefined)).toBeDefined();
      }),
    ).toBeLessThan(EVENTS);
  });

  it.each([
    ["made due again", "tomorrow", restartMostPending],
    ["made due that are parked behind none", "infinity", wakeParked],
  ])("events are %s by few reads", async (_how, dueAt, makeDue) => {
    await insert({ webhookId: id, count: EVENTS, tokens: EVENTS, dueAt });

    const work = await test.database.transaction((tx) =>
      countPlanWork(tx, (queries) => makeDue(queries, id)),
    );
    expect(work).toBeLessThan(EVENTS * 50);
    expect(await test.database.query("select from vitrine.webhook_delivery where due_at > now()")).toEqual(
      [],
    );
  });
});
