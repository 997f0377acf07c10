/** Clocks that are set back while a service runs: nothing waits until they have caught up. */

import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from "vitest";
import { createIndexHeads } from "../../../src/api/chain/index/index-heads.ts";
import type { Queryable } from "../../../src/api/db/database.ts";
import { createMetadata } from "../../../src/api/metadata/service.ts";
import { claim } from "../../../src/api/refresh/queue/claim.ts";
import { returnExpired } from "../../../src/api/refresh/queue/leases.ts";
import { endLongTokenLeases } from "../../../src/api/refresh/queue/long-waits.ts";
import { createUnseenQueue } from "../../../src/api/refresh/queue/unseen-queue.ts";
import { createReceiptTimeout } from "../../../src/api/refresh/receipts/receipt-timeout.ts";
import { addReceipt } from "../../../src/api/refresh/receipts/receipts.ts";
import { createReceiptWaits } from "../../../src/api/refresh/receipts/waits.ts";
import { createSampling } from "../../../src/api/refresh/sampling/service.ts";
import { addSampled, claimRound } from "../../../src/api/refresh/sampling/store.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import { createMemoryLogger } from "../../support/processes/worker.ts";
import {
  ask,
  CHAIN_ID,
  COLLECTION,
  createFakeResolve,
  emptyTables,
  found,
  passSeconds,
  readQueue,
  SHARE,
} from "../../support/refresh/refresh.ts";
import { running } from "../../support/refresh/sampling.ts";

const test = await createTestDatabase();
const { database, tables } = test;

beforeEach(async () => {
  await emptyTables(database);
  vi.useFakeTimers({ toFake: ["Date"] });
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

/** Sets the clock back by an hour. */
const setBack = () => vi.setSystemTime(Date.now() - 3_600_000);

it("a caller who waits for a receipt is answered in time", async () => {
  const app = { appId: randomUUID() };
  const id = randomUUID();
  const tokens = [{ tokenId: "1", mark: "1" }];
  await addReceipt(database, { id, owner: app, chainId: CHAIN_ID, collection: COLLECTION, tokens });
  const waits = createReceiptWaits(database);
  onTestFinished(() => waits.stop());
  const waiting = waits.wait(id, app, 0.3);

  setBack();

  expect(await Promise.race([waiting, sleep(5_000, "late")])).toMatchObject({ done: false });
});

it("the queue of unknown tokens is counted again, and has capacity for as many as have left it", async () => {
  let waiting = 10;
  const db: Queryable = { query: async <Row>() => [{ waiting }] as Row[] };
  const queue = createUnseenQueue(db, 10);
  expect(await queue.open().isLeft()).toBe(false);
  waiting = 0;

  setBack();
  await sleep(1_100);

  expect(await queue.open().isLeft()).toBe(true);
});

it("receipts that wait too long are looked for every ten seconds", async () => {
  let checks = 0;
  const query = async () => {
    checks++;
    return [];
  };
  const timeout = createReceiptTimeout({ ...database, query });
  await timeout.check();
  await timeout.check();
  expect(checks).toBe(1);

  setBack();
  const now = performance.now();
  vi.spyOn(performance, "now").mockReturnValue(now + 11_000);
  await timeout.check();

  expect(checks).toBe(2);
});

it("collections are sampled on", async () => {
  await test.setHead({ chainId: CHAIN_ID, block: 10 });
  const addresses = ["a", "b", "c"].map((digit) => COLLECTION.replace(/^0x./, `0x${digit}`));
  const sampling = createSampling({
    database,
    tables,
    metadata: createMetadata({ resolve: createFakeResolve(() => found({})).resolve, tables }),
    readUri: async () => ({ kind: "reverted", message: "reverted" }),
    heads: createIndexHeads(database, tables),
    collections: addresses.map((address) => ({ chainId: CHAIN_ID, address })),
    hours: 0.01,
    isOn: true,
    logger: createMemoryLogger().logger,
  });
  const due = async () =>
    (await database.query("select from vitrine.sampling where next_at <= now()")).length;
  await database.query(
    `insert into vitrine.sampling (chain_id, collection, next_at)
     select $1, collection, now() - interval '1 minute' from unnest($2::text[]) as c(collection)`,
    [CHAIN_ID, addresses],
  );
  await sampling?.pass(running);
  expect(await due()).toBe(1);

  setBack();
  await sleep(1_500);
  await sampling?.pass(running);

  expect(await due()).toBe(0);
});

it("a token whose process has died is fetched again, after a step back of the database's clock too", async () => {
  await ask(database, ["1", "2"]);
  await claim(database, tables, SHARE, 2);
  await passSeconds(database, -3_600);
  await database.query(
    "update vitrine.refresh set leased_until = now() + interval '14 seconds' where token_id = 2",
  );

  await returnExpired(database);
  expect((await readQueue(database)).map(({ lease }) => lease !== null)).toEqual([true, true]);
  expect(await endLongTokenLeases(database, 10)).toBe(1);

  const [lost, held] = await readQueue(database);
  expect(lost).toMatchObject({ lease: null, dueIn: 0, attempts: 1 });
  expect(held?.lease).not.toBeNull();
});

it("a collection whose process has died is sampled on, after a step back of the database's clock too", async () => {
  const place = { chainId: CHAIN_ID, collection: COLLECTION };
  await addSampled(database, [place], 0);
  await database.query(
    "update vitrine.sampling set next_at = now(), lease = $1, leased_until = now() + interval '1 hour', swept_for_uris_at = now() + interval '1 hour'",
    [randomUUID()],
  );

  expect(await claimRound(database, [place])).toMatchObject({ ...place, isDayOver: true });
  expect(await claimRound(database, [place])).toBeUndefined();
});
