import { expect, it } from "vitest";
import type { Database } from "../../../src/api/db/database.ts";
import { createMetadata } from "../../../src/api/metadata/service.ts";
import { claim } from "../../../src/api/refresh/queue/claim.ts";
import type { Lease } from "../../../src/api/refresh/queue/leases.ts";
import { createRecorder } from "../../../src/api/refresh/worker/recorder.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import { ask, createFakeResolve, failed, found, SHARE } from "../../support/refresh/refresh.ts";

const MIB = 1024 * 1024;
const test = await createTestDatabase();
const { database, tables } = test;
const metadata = createMetadata({ resolve: createFakeResolve(() => failed("timeout")).resolve, tables });

/** A recorder over tokens that are being fetched, and how many transactions it has begun. */
async function start(tokenIds: readonly string[], isMoreComing: () => boolean) {
  let transactions = 0;
  const counted: Database = {
    ...database,
    transaction: (work, kind) => {
      transactions++;
      return database.transaction(work, kind);
    },
  };
  await ask(database, tokenIds);
  const leases = await claim(database, tables, SHARE, tokenIds.length);
  const recorder = createRecorder({
    database: counted,
    metadata,
    noteHost: async () => undefined,
    isMoreComing,
  });
  const record = () => {
    const lease = leases.pop();
    if (!lease) throw new Error("no lease is left");
    return recorder.record({ lease, resolution: found({ name: "Hero", image: "https://x.example/a.png" }) });
  };
  return { record, transactions: () => transactions };
}

it("the first outcomes of a burst are recorded together, though one comes before the others", async () => {
  const { record, transactions } = await start(["1", "2", "3", "4"], () => true);

  const first = record();
  await new Promise((done) => setImmediate(done));
  const ends = await Promise.all([first, record(), record(), record()]);

  expect(ends).toEqual(["recorded", "recorded", "recorded", "recorded"]);
  expect(transactions()).toBe(1);
});

it("an outcome is recorded at once if no other fetch is under way", async () => {
  const { record, transactions } = await start(["11"], () => false);

  const end = record();

  expect(transactions()).toBe(1);
  expect(await end).toBe("recorded");
});

it("an outcome is recorded soon though fetches that are under way never end", async () => {
  const { record } = await start(["21"], () => true);

  expect(await record()).toBe("recorded");
});

it("what a caller asked for is recorded before a sweep's documents that were fetched earlier", async () => {
  const tokenIds = Array.from({ length: 7 }, (_, nth) => String(31 + nth));
  await ask(database, tokenIds);
  const leases = await claim(database, tables, SHARE, tokenIds.length);
  const recorder = createRecorder({ database, metadata, noteHost: async () => undefined });
  const ended: string[] = [];
  // Four are a batch.
  const description = "x".repeat(2_000_000);
  const resolution = found({ name: "Hero", image: "https://x.example/a.png", description });
  const recording = leases.map(async (lease, nth) => {
    const isLast = nth === leases.length - 1;
    await recorder.record({ lease: { ...lease, priority: isLast ? 30 : 10 }, resolution });
    ended.push(isLast ? "caller" : "sweep");
  });
  await Promise.all(recording);

  // The first has begun before the others come.
  expect(ended.indexOf("caller")).toBe(1);
});

it("documents of hosts leave no space to fetches of the same priority or a lower one; those of contracts do", async () => {
  await ask(database, ["41"]);
  const [lease] = await claim(database, tables, SHARE, 1);
  if (!lease) throw new Error("no lease");
  const document = found({ name: "Hero" });
  if (document.kind !== "document") throw new Error("no document");
  const spaceBeside = (host: string | undefined, bytes: number): boolean[] => {
    const recorder = createRecorder({
      database: { ...database, transaction: () => new Promise(() => undefined) },
      metadata,
      noteHost: async () => undefined,
    });
    const body = Buffer.alloc(bytes);
    const resolution = { ...document, document: { ...document.document, body }, host };
    void recorder.record({ lease: { ...lease, priority: 10 }, resolution });
    return [5, 10, 20].map(recorder.hasSpace);
  };

  expect(spaceBeside("meta.example", 64 * MIB)).toEqual([true, true, true]);
  expect(spaceBeside("meta.example", 64 * MIB + 1)).toEqual([false, false, true]);
  expect(spaceBeside(undefined, 64 * MIB + 1)).toEqual([true, true, true]);
});

it("says when there is space again, also after what could not be recorded, and nothing while there is some", async () => {
  await ask(database, ["42", "43"]);
  const [lease, other] = await claim(database, tables, SHARE, 2);
  const document = found({ name: "Hero" });
  if (!lease || !other || document.kind !== "document") throw new Error("no lease");
  const spaces: boolean[] = [];
  const recorder = createRecorder({
    database: { ...database, transaction: () => Promise.reject(new Error("the database is away")) },
    metadata,
    noteHost: async () => undefined,
    onSpace: () => spaces.push(recorder.hasSpace(0)),
  });
  const record = (each: Lease, bytes: number) =>
    recorder.record({
      lease: each,
      resolution: {
        ...document,
        document: { ...document.document, body: Buffer.alloc(bytes) },
        host: "meta.example",
      },
    });

  await expect(record(lease, 64 * MIB)).rejects.toThrow("away");
  expect(spaces).toEqual([]);
  await expect(record(other, 64 * MIB + 1)).rejects.toThrow("away");
  expect(spaces).toEqual([true]);
});
