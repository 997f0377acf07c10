import { randomUUID } from "node:crypto";
import { afterAll, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import type { Database } from "../../../src/api/db/database.ts";
import { listen } from "../../../src/api/db/listener.ts";
import { silentLogger } from "../../../src/api/logging/logger.ts";
import { enqueue } from "../../../src/api/refresh/queue/queue.ts";
import { answerOverdue } from "../../../src/api/refresh/receipts/receipt-timeout.ts";
import { addReceipt, RECEIPT_CHANNEL, settle } from "../../../src/api/refresh/receipts/receipts.ts";
import { createReceiptWaits, WAITS_PER_OWNER_MAX } from "../../../src/api/refresh/receipts/waits.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import { CHAIN_ID, COLLECTION } from "../../support/refresh/refresh.ts";

const test = await createTestDatabase();
const POLL = { timeout: 20_000 };
const APP = { appId: randomUUID() };
const OTHER = { appId: randomUUID() };

/** The database of those who wait, which ask it for their receipts alone: it counts those that were read. */
let reads = 0;
const database: Database = {
  ...test.database,
  query: async <Row>(sql: string, parameters?: readonly unknown[], name?: string) => {
    const rows = await test.database.query<Row>(sql, parameters, name);
    reads++;
    return rows;
  },
};

const waits = createReceiptWaits(database);
/** The ids in notifications. */
const notified: string[] = [];
let isConnected = (): void => {};
const connected = new Promise<void>((resolve) => {
  isConnected = resolve;
});
const listener = listen(
  test.url,
  [RECEIPT_CHANNEL],
  (_channel, ids) => {
    isConnected();
    if (ids !== undefined) notified.push(ids);
    waits.wake(ids);
  },
  silentLogger,
);
afterAll(() => listener.close());

beforeEach(async () => {
  await connected;
  await test.database.query("truncate vitrine.receipt, vitrine.receipt_token cascade");
  reads = 0;
});

async function addOne(owner = APP, tokenId = "1"): Promise<string> {
  const id = randomUUID();
  const tokens = [{ tokenId, mark: "5" }];
  await addReceipt(test.database, { id, owner, chainId: CHAIN_ID, collection: COLLECTION, tokens });
  return id;
}

const lease = (tokenId: string) =>
  ({ chainId: CHAIN_ID, collection: COLLECTION, tokenId, started: "5" }) as Parameters<
    typeof settle
  >[1][number]["lease"];

describe("a caller that waits for its receipt", () => {
  it("gets it as soon as it is settled, by whichever process, without polling", async () => {
    const id = await addOne();
    const waiting = waits.wait(id, APP, 30);
    await expect.poll(() => reads, POLL).toBe(1);

    await test.database.transaction((tx) =>
      settle(tx, [{ lease: lease("1"), status: "updated", reason: null }]),
    );
    expect(await waiting).toMatchObject({ done: true, tokens: [{ status: "updated" }] });
    expect(reads).toBeLessThanOrEqual(2);
  });

  it.each([199, 200, 201, 401])(
    "is notified of each of %i receipts that one fetch answers, 200 at a time",
    async (receipts) => {
      const ids = await Promise.all(Array.from({ length: receipts }, () => addOne()));
      notified.length = 0;

      await settle(test.database, [{ lease: lease("1"), status: "updated", reason: null }]);

      await expect.poll(() => notified.length, POLL).toBe(Math.ceil(receipts / 200));
      expect(notified.flatMap((note) => note.split(",")).sort()).toEqual(ids.sort());
      expect(Math.max(...notified.map((note) => note.split(",").length))).toBe(Math.min(receipts, 200));
    },
  );

  it("waits for no timer between the first change and its answer", async () => {
    const id = await addOne();
    vi.useFakeTimers({ toFake: ["setTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const waiting = waits.wait(id, APP, 30);
    await expect.poll(() => reads, POLL).toBe(1);

    await settle(test.database, [{ lease: lease("1"), status: "updated", reason: null }]);

    expect(await waiting).toMatchObject({ done: true });
  });

  it("is answered with its receipt so far when the process stops, as whoever comes later is", async () => {
    const id = await addOne();
    const own = createReceiptWaits(database);
    const waiting = own.wait(id, APP, 30);
    await expect.poll(() => reads, POLL).toBe(1);

    await own.stop();

    // Read before `stop` resolved, after which the database may be closed.
    expect(reads).toBe(2);
    expect(await waiting).toMatchObject({ done: false, tokens: [{ status: "queued" }] });
    expect(await own.wait(id, APP, 30)).toMatchObject({ done: false });
  });

  it("learns of a host that was paused too long", async () => {
    const id = await addOne();
    const waiting = waits.wait(id, APP, 30);
    await expect.poll(() => reads, POLL).toBe(1);
    await test.database.query(`
      insert into vitrine.host (host, failures, paused_until, reason)
      values ('h.example', 5, now() + interval '1 hour', 'away')`);
    const tokens = new Map([["1", 0]]);
    await enqueue(test.database, {
      chainId: CHAIN_ID,
      collection: COLLECTION,
      tokens,
      trigger: "rest",
      anonymous: false,
    });
    await test.database.query("update vitrine.refresh set wanted = 6, host = 'h.example'");
    await test.database.query("update vitrine.receipt set created_at = now() - interval '1 hour'");

    expect(await answerOverdue(test.database)).toBe(1);
    expect(await waiting).toMatchObject({ done: true, tokens: [{ status: "failed" }] });
    expect(reads).toBeLessThanOrEqual(2);
  });

  it("finds out by itself where the notification was lost", async () => {
    const id = await addOne();
    const waiting = waits.wait(id, APP, 30);
    await expect.poll(() => reads, POLL).toBe(1);
    await test.database.query("update vitrine.receipt_token set status = 'updated'");

    expect(await waiting).toMatchObject({ done: true });
  });

  it("is answered at once, as it stands, where its app has too many waiting; other apps wait", async () => {
    const id = await addOne();
    const others = Array.from({ length: WAITS_PER_OWNER_MAX }, () => waits.wait(id, APP, 30));
    const theirs = await addOne(OTHER, "2");

    expect(await waits.wait(id, APP, 30)).toMatchObject({ done: false, tokens: [{ status: "queued" }] });
    const waiting = waits.wait(theirs, OTHER, 30);
    await expect.poll(() => reads, POLL).toBe(WAITS_PER_OWNER_MAX + 2);
    await settle(test.database, [
      { lease: lease("1"), status: "updated", reason: null },
      { lease: lease("2"), status: "failed", reason: "timeout" },
    ]);
    expect((await waiting)?.tokens).toMatchObject([{ token_id: "2", status: "failed", reason: "timeout" }]);
    expect((await Promise.all(others)).every((receipt) => receipt?.done)).toBe(true);
    // Its slots are free again.
    await waits.wait(id, APP, 30);
  });

  it("that goes away is not waited for any longer", async () => {
    const id = await addOne();
    const gone = new AbortController();
    const waiting = waits.wait(id, APP, 1_000, { gone: gone.signal });
    await expect.poll(() => reads, POLL).toBe(1);
    gone.abort();

    expect(await waiting).toMatchObject({ done: false });
  });

  it("costs nobody else a notification: what no receipt waits for sends nothing", async () => {
    const id = await addOne();
    notified.length = 0;
    await settle(test.database, [{ lease: lease("99"), status: "updated", reason: null }]);
    await settle(test.database, [{ lease: lease("1"), status: "updated", reason: null }]);

    await expect.poll(() => notified, POLL).toEqual([id]);
  });
});
