import { beforeEach, describe, expect, it } from "vitest";
import { createMetadata } from "../../../src/api/metadata/service.ts";
import { viewProgress } from "../../../src/api/operator/refresh-views.ts";
import { createOperatorRequests } from "../../../src/api/refresh/operator-requests.ts";
import { claim } from "../../../src/api/refresh/queue/claim.ts";
import { complete } from "../../../src/api/refresh/queue/leases.ts";
import { settle, type TokenStatus } from "../../../src/api/refresh/receipts/receipts.ts";
import { forgetOldReceipts } from "../../../src/api/refresh/receipts/retention.ts";
import { addSweep } from "../../../src/api/refresh/triggers/new-sweeps.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import {
  ask,
  CHAIN_ID,
  COLLECTION,
  createFakeResolve,
  emptyTables,
  failed,
  makeDue,
  readQueue,
  SHARE,
} from "../../support/refresh/refresh.ts";
import { createTriggerSetup } from "../../support/refresh/triggers.ts";

const test = await createTestDatabase();
const { database, tables } = test;
const setup = createTriggerSetup(test);
const requests = createOperatorRequests({
  database,
  metadata: createMetadata({ resolve: createFakeResolve(() => failed("timeout")).resolve, tables }),
  askExistence: async () => new Map(),
});
const collection = { chainId: CHAIN_ID, address: COLLECTION, startBlock: 0 };
const nothing = async (): Promise<void> => undefined;
const request = (accept = false) => requests.requestCollection(collection, accept, nothing);
const UINT256_MAX = (2n ** 256n - 1n).toString();

beforeEach(async () => {
  await emptyTables(database);
  await setup.clear();
});

const know = (count: number) =>
  setup.know(Object.fromEntries(Array.from({ length: count }, (_, id) => [String(id), null])));

async function progress(id: string) {
  const read = await requests.progress(id);
  if (!read) throw new Error("no such refresh");
  return viewProgress(id, read);
}

/** Completes up to `count` of the pending fetches, by token id. */
async function fetchSome(count: number, end: (id: number) => readonly [TokenStatus, string | null]) {
  await makeDue(database);
  const leases = await claim(database, tables, { ...SHARE, perHost: count }, count);
  await database.transaction(async (tx) => {
    await complete(tx, leases);
    await settle(
      tx,
      leases.map((lease) => {
        const [status, reason] = end(Number(lease.tokenId));
        return { lease, status, reason };
      }),
    );
  });
  return leases.length;
}

describe("a refresh of a whole collection", () => {
  it("reports how many tokens it has asked for, how many there are, and what became of each", async () => {
    await know(1_200);
    const id = await request();
    expect(await progress(id)).toMatchObject({ done: false, tokens: { waiting: 0 }, sweep: { asked: 0 } });

    await setup.sweeps().advance();
    expect(await progress(id)).toMatchObject({
      done: false,
      tokens: { waiting: 500 },
      sweep: { asked: 500, known: 1_200, counted: true, finished: false },
    });

    let ended = 0;
    while (!(await progress(id)).done) {
      ended += await fetchSome(300, (token) =>
        token % 3 === 0
          ? ["updated", null]
          : token % 3 === 1
            ? ["unchanged", null]
            : ["failed", token < 600 ? "timeout: it took long" : "http_status: the host answered 404"],
      );
      await setup.sweeps().advance();
    }

    expect(ended).toBe(1_200);
    expect(await progress(id)).toMatchObject({
      tokens: { waiting: 0, updated: 400, unchanged: 400, failed: 400, not_found: 0 },
      failures: [
        { code: "http_status", tokens: 200, example: { reason: "http_status: the host answered 404" } },
        { code: "timeout", tokens: 200, example: { token_id: "2", reason: "timeout: it took long" } },
      ],
      sweep: { asked: 1_200, known: 1_200, finished: true },
    });
  });

  it("keeps no more entries than wait, however many have ended", async () => {
    await know(3_000);
    const id = await request();
    for (let round = 0; round < 8; round++) {
      await setup.sweeps().advance();
      await fetchSome(500, () => ["updated", null]);
    }

    const entries = await database.query("select from vitrine.receipt_token");
    expect((await progress(id)).tokens.updated).toBe(3_000);
    expect(entries.length).toBeLessThanOrEqual(500);
  });

  it("counts a large collection in steps, and says so until it has", async () => {
    await database.query(
      "insert into vitrine.token (chain_id, collection, token_id) select $1, $2, generate_series(1, 12000)",
      [CHAIN_ID, COLLECTION],
    );
    const id = await request();
    await database.query("update vitrine.sweep set known = 5000, counted = 5000");
    expect((await progress(id)).sweep).toMatchObject({ known: 5_000, counted: false });

    await setup.sweeps().advance();

    expect((await progress(id)).sweep).toMatchObject({ known: 12_000, counted: true, asked: 500 });
  });

  it("of a collection without a known token is done as soon as somebody looked", async () => {
    const id = await request();

    await setup.sweeps().advance();

    expect(await progress(id)).toMatchObject({ done: true, sweep: { known: 0, finished: true } });
  });

  it("stands behind what else waits, and voids no block that an event named", async () => {
    await know(1);
    await ask(database, [["0", 77]], { trigger: "event" });
    await request();

    await setup.sweeps().advance();

    expect(await readQueue(database)).toMatchObject([{ requested: 2, priority: 20, minBlock: 77 }]);
  });

  it("joins one that has not started, the chain's own too, and never one that has", async () => {
    await know(600);
    await addSweep(database, {
      chainId: CHAIN_ID,
      collection: COLLECTION,
      from: "0",
      to: UINT256_MAX,
      block: 50,
      skipRead: true,
    });

    const first = await request();
    const again = await request(true);
    expect(again).toBe(first);
    expect(
      await database.query(
        "select block::int, skip_read as skip, accept, receipt_id as id from vitrine.sweep",
      ),
    ).toEqual([{ block: 50, skip: false, accept: true, id: first }]);

    await setup.sweeps().advance();
    expect(await database.query("select distinct accept from vitrine.refresh")).toEqual([{ accept: true }]);
    expect(await request()).not.toBe(first);
  });

  it("is not made where its note can't be written", async () => {
    const failing = requests.requestCollection(collection, false, () => Promise.reject(new Error("no room")));

    await expect(failing).rejects.toThrow("no room");
    expect(await database.query("select from vitrine.sweep")).toEqual([]);
    expect(await database.query("select from vitrine.receipt")).toEqual([]);
  });

  it("keeps its receipt for as long as it takes", async () => {
    await know(600);
    const id = await request();
    await database.query("update vitrine.receipt set created_at = now() - interval '40 days'");

    expect(await forgetOldReceipts.run(database)).toBe(0);
    await setup.sweeps().advance();
    expect((await progress(id)).tokens.waiting).toBe(500);

    await database.query("update vitrine.sweep set finished_at = now()");
    expect(await forgetOldReceipts.run(database)).toBe(1);
  });
});
