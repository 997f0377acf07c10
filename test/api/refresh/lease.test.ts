import { beforeEach, describe, expect, it } from "vitest";
import { claim, nextDueMs } from "../../../src/api/refresh/queue/claim.ts";
import {
  complete,
  lockLeases,
  release,
  renew,
  reschedule,
  returnExpired,
} from "../../../src/api/refresh/queue/leases.ts";
import { findQueued } from "../../../src/api/refresh/queue/queue.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import {
  ask,
  CHAIN_ID,
  COLLECTION,
  claimOne,
  emptyTables,
  passSeconds,
  readQueue,
  SHARE,
} from "../../support/refresh/refresh.ts";

const test = await createTestDatabase();
const { database, tables } = test;

beforeEach(() => emptyTables(database));

describe("a finished fetch", () => {
  it("answers what was requested when it started", async () => {
    await ask(database, ["1"]);
    await ask(database, ["1"]);

    expect(await complete(database, [await claimOne(test)])).toHaveLength(1);

    expect(await readQueue(database)).toMatchObject([{ requested: 2, done: 2, lease: null, attempts: 0 }]);
    expect(await findQueued(database, CHAIN_ID, COLLECTION, ["1"])).toEqual(new Set());
  });

  it("runs once more, and only once, for requests that came while it ran", async () => {
    await ask(database, ["1"]);
    const first = await claimOne(test);
    for (let i = 0; i < 3; i++) await ask(database, ["1"]);

    await complete(database, [first]);
    expect(await readQueue(database)).toMatchObject([{ requested: 4, done: 1 }]);
    await passSeconds(database, 5);
    await complete(database, [await claimOne(test)]);

    expect(await readQueue(database)).toMatchObject([{ requested: 4, done: 4 }]);
    await passSeconds(database, 100);
    expect(await claim(database, tables, SHARE, 1)).toEqual([]);
  });

  it("can't be ended twice", async () => {
    await ask(database, ["1"]);
    const lease = await claimOne(test);
    await complete(database, [lease]);

    expect(await complete(database, [lease])).toEqual([]);
    expect(await reschedule(database, lease, 0, "timeout")).toBe(false);
  });
});

describe("a lease", () => {
  it("keeps the token from others for 15 seconds, and then no longer", async () => {
    await ask(database, ["1"]);
    const first = await claimOne(test);

    await passSeconds(database, 14);
    await returnExpired(database);
    expect(await claim(database, tables, SHARE, 1)).toEqual([]);
    await passSeconds(database, 2);
    await returnExpired(database);
    const second = await claimOne(test);

    expect(second.id).not.toBe(first.id);
    expect(second.attempts).toBe(2);
  });

  it("once lost ends nothing: the fetch of the new holder stays as it is", async () => {
    await ask(database, ["1"]);
    const lost = await claimOne(test);
    await passSeconds(database, 16);
    await returnExpired(database);
    const lease = await claimOne(test);
    const before = await readQueue(database);

    expect(await complete(database, [lost])).toEqual([]);
    expect(await reschedule(database, lost, 1_000, "timeout")).toBe(false);
    await renew(database, [lost]);
    await release(database, [lost]);

    expect(await readQueue(database)).toEqual(before);
    expect(await complete(database, [lease])).toEqual([lease]);
  });

  it("lasts while it is renewed", async () => {
    await ask(database, ["1", "2"]);
    const leases = await claim(database, tables, SHARE, 2);
    const [renewed] = leases;
    if (!renewed) throw new Error("nothing was due");

    await passSeconds(database, 14);
    await renew(database, [renewed]);
    await passSeconds(database, 14);
    await returnExpired(database);

    const other = leases.find((lease) => lease !== renewed)?.tokenId;
    expect((await claim(database, tables, SHARE, 2)).map(({ tokenId }) => tokenId)).toEqual([other]);
  });

  it("is renewed while another is being recorded, however long that takes", async () => {
    await ask(database, ["1", "2"]);
    const leases = await claim(database, tables, SHARE, 2);
    const [recorded] = leases;
    if (!recorded) throw new Error("nothing was due");
    await passSeconds(database, 14);

    await database.transaction(async (tx) => {
      await lockLeases(tx, [recorded], []);
      await renew(database, leases);
    });
    await passSeconds(database, 14);
    await returnExpired(database);

    expect((await claim(database, tables, SHARE, 2)).map(({ tokenId }) => tokenId)).toEqual([
      recorded.tokenId,
    ]);
  });

  it("that ran out is taken up again at once, whatever an anonymous caller has to wait for", async () => {
    await ask(database, ["1"], { anonymous: true });
    await claimOne(test);
    await ask(database, ["1"], { anonymous: true });

    await passSeconds(database, 16);
    await returnExpired(database);

    expect(await claimOne(test)).toMatchObject({ started: "2", attempts: 2 });
  });

  it("that ran out waits for the end of its host's pause, as any token that waits", async () => {
    await ask(database, ["1"]);
    await database.query("update vitrine.refresh set host = 'host.example'");
    await claimOne(test);
    await database.query(
      "insert into vitrine.host (host, failures, paused_until, reason) values ('host.example', 5, now() + interval '20 minutes', 'timeout')",
    );

    await passSeconds(database, 16);
    expect(await nextDueMs(database, SHARE)).toBe(0);
    await returnExpired(database);
    expect(await readQueue(database)).toMatchObject([{ lease: null, attempts: 1, done: 0 }]);
    expect(await claim(database, tables, SHARE, 1)).toEqual([]);
    expect(await nextDueMs(database, SHARE)).toBeGreaterThan(1_000_000);

    await database.query("update vitrine.host set paused_until = now()");
    expect(await nextDueMs(database, SHARE)).toBe(0);
    expect(await claim(database, tables, SHARE, 1)).toMatchObject([{ tokenId: "1", attempts: 2 }]);
  });

  it("released leaves the token to the next process after the spacing, with no try used up", async () => {
    await ask(database, ["1"]);
    await release(database, [await claimOne(test)]);

    expect(await readQueue(database)).toMatchObject([{ lease: null, attempts: 0, dueIn: 5, done: 0 }]);
    await passSeconds(database, 5);
    expect(await claimOne(test)).toMatchObject({ attempts: 1 });
  });
});

describe("another try", () => {
  it.each([false, true])(
    "waits no longer for a request that came during the fetch than for one after it (anonymous: %s)",
    async (anonymous) => {
      await ask(database, ["1", "2"]);
      for (const lease of await claim(database, tables, SHARE, 2)) {
        if (lease.tokenId === "1")
          await ask(database, ["1"], { trigger: anonymous ? "graphql" : "rest", anonymous });
        await reschedule(database, lease, 3_600_000, "http_status: the host answered 429");
      }

      await passSeconds(database, 4);
      expect(await claim(database, tables, SHARE, 2)).toEqual([]);
      await passSeconds(database, 2);
      expect(await claim(database, tables, SHARE, 2)).toMatchObject([{ tokenId: "1" }]);
      await passSeconds(database, 3_500);
      expect(await claim(database, tables, SHARE, 2)).toMatchObject([]);
    },
  );

  it("waits for its delay and counts", async () => {
    await ask(database, ["1"]);
    expect(await reschedule(database, await claimOne(test), 20_000, "timeout: so it was")).toBe(true);

    expect(await readQueue(database)).toMatchObject([{ done: 0, lease: null, attempts: 1, dueIn: 20 }]);
    await passSeconds(database, 20);
    expect(await claimOne(test)).toMatchObject({ attempts: 2 });
  });
});
