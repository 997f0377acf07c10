import { beforeEach, expect, it, onTestFinished } from "vitest";
import { endLongPauses } from "../../../src/api/jobs/hosts.ts";
import { startLongWaits } from "../../../src/api/jobs/long-waits.ts";
import { webhookPausesMs } from "../../../src/api/jobs/retry-policies.ts";
import { silentLogger } from "../../../src/api/logging/logger.ts";
import { endLongTokenWaits } from "../../../src/api/refresh/module.ts";
import { endLongDeliveryClaims, endLongDeliveryWaits } from "../../../src/api/webhooks/module.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import { eventually } from "../../support/eventually.ts";
import { CHAIN_ID, COLLECTION } from "../../support/refresh/refresh.ts";
import { createWebhookTest } from "../../support/refresh/webhooks.ts";

const test = await createTestDatabase();
const { database } = test;
const { append, register, receiver: startReceiver, work } = await createWebhookTest(test);
const MINUTE = 60_000;

beforeEach(() => database.query("truncate vitrine.refresh, vitrine.host, vitrine.webhook_delivery"));

/** What a service does each minute. */
async function passOnce(pausesMs: readonly number[] = []): Promise<void> {
  const loop = startLongWaits({
    database,
    ends: [endLongPauses, endLongTokenWaits, endLongDeliveryWaits(pausesMs), endLongDeliveryClaims],
    isOn: true,
    logger: silentLogger,
  });
  await loop.stop();
}

const addToken = (id: number, trigger: string, priority: number, wait: string, host = "a.example") =>
  database.query(
    `insert into vitrine.refresh (chain_id, collection, token_id, wanted, priority, trigger, host, not_before)
     values ($1, $2, $3, 1, $4, $5, $6, now() + $7::interval)`,
    [CHAIN_ID, COLLECTION, id, priority, trigger, host, wait],
  );
const dueTokens = async () =>
  (
    await database.query<{ id: number }>(
      "select token_id::int as id from vitrine.refresh where not_before <= now() order by token_id",
    )
  ).map(({ id }) => id);

it("tokens are due that would wait longer than any retry, or any recheck; others wait on", async () => {
  await addToken(1, "rest", 30, "59 minutes");
  await addToken(2, "rest", 30, "61 minutes");
  await addToken(3, "recheck", 10, "23 hours");
  await addToken(4, "recheck", 10, "25 hours", "b.example");
  await addToken(5, "event", 20, "2 days", "");

  await passOnce();

  expect(await dueTokens()).toEqual([2, 4, 5]);
});

it("all tokens are due that do, however many", async () => {
  await database.query(
    `insert into vitrine.refresh (chain_id, collection, token_id, wanted, priority, trigger, host, not_before)
     select $1, $2, n, 1, 20, 'event', 'a.example', now() + interval '1 week' from generate_series(1, 2500) n`,
    [CHAIN_ID, COLLECTION],
  );

  // Of one pass: the next comes a minute later.
  const loop = startLongWaits({ database, ends: [endLongTokenWaits], isOn: true, logger: silentLogger });
  onTestFinished(() => loop.stop());

  await eventually(
    async () => (await dueTokens()).length,
    (count) => count === 2_500,
  );
});

it("what can't be ended now keeps nothing else waiting", async () => {
  await addToken(1, "rest", 30, "2 hours");
  const loop = startLongWaits({
    database,
    ends: [() => Promise.reject(new Error("the table is locked")), endLongTokenWaits],
    isOn: true,
    logger: silentLogger,
  });
  onTestFinished(() => loop.stop());

  await eventually(dueTokens, (ids) => ids.length === 1);
});

it("hosts are asked again that would be paused longer than any; others stay paused", async () => {
  await database.query(
    `insert into vitrine.host (host, failures, reason, paused_until)
     values ('long.example', 9, 'timeout', now() + interval '1 hour'), ('short.example', 9, 'timeout', now() + interval '9 minutes')`,
  );

  await passOnce();

  expect(await database.query("select host from vitrine.host where paused_until > now()")).toEqual([
    { host: "short.example" },
  ]);
});

it("a webhook's next attempt is made that would come later than after its longest pause", async () => {
  const receiver = await startReceiver();
  receiver.answering = (_message, response) => void response.writeHead(500).end();
  await register(receiver);
  const worker = work([90 * MINUTE, MINUTE]);
  await append([{ token: "1" }]);
  const attempts = async () =>
    (await database.query<{ attempts: number }>("select attempts from vitrine.webhook_delivery"))[0]
      ?.attempts;
  await eventually(attempts, (count) => count === 1);
  const postpone = (wait: string) =>
    database.query("update vitrine.webhook_delivery set due_at = now() + $1::interval", [wait]);

  await postpone("89 minutes");
  await passOnce([90 * MINUTE, MINUTE]);
  expect(await database.query("select from vitrine.webhook_delivery where due_at > now()")).toHaveLength(1);

  await postpone("91 minutes");
  await passOnce([90 * MINUTE, MINUTE]);
  worker.wake();
  await eventually(attempts, (count) => count === 2);
});

it("deliveries that a crashed process held are free again, and leave their webhook its places", async () => {
  const receiver = await startReceiver();
  await register(receiver);
  const accepted = (count: number) =>
    eventually(
      () => receiver.accepted.length,
      (reached) => reached >= count,
    );
  const { stop } = work();
  // As many as a webhook may have at once.
  await append(Array.from({ length: 8 }, (_, nth) => ({ token: String(nth) })));
  await accepted(8);
  await stop();
  // All eight attempts were under way when the process died and the clock stepped back by six hours.
  await database.query(
    `update vitrine.webhook_delivery set status = 'pending', claim = gen_random_uuid(), claimed_until = now() + interval '6 hours',
            due_at = now() + interval '6 hours'`,
  );
  await append([{ token: "99" }]);

  await passOnce(webhookPausesMs);
  work();

  await accepted(8 + 9);
});

it("a delivery that a process sends stays its own", async () => {
  const receiver = await startReceiver();
  await register(receiver);
  const { stop } = work();
  await append([{ token: "1" }]);
  await eventually(
    () => receiver.accepted.length,
    (reached) => reached === 1,
  );
  await stop();
  await database.query(
    "update vitrine.webhook_delivery set status = 'pending', claim = gen_random_uuid(), claimed_until = now() + interval '10 seconds'",
  );

  await passOnce();

  expect(await database.query("select from vitrine.webhook_delivery where claim is null")).toHaveLength(0);
});
