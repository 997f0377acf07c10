/** A collection that moves away from a host that is paused, and what a token costs that still is there. */

import { beforeEach, describe, expect, it } from "vitest";
import { claim } from "../../../src/api/refresh/queue/claim.ts";
import { complete } from "../../../src/api/refresh/queue/leases.ts";
import type { Trigger } from "../../../src/api/refresh/queue/priorities.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import { eventually } from "../../support/eventually.ts";
import { answerHero, createReplicas, type Host, startHost } from "../../support/processes/replicas.ts";
import { createWorkerSetup } from "../../support/processes/worker.ts";
import { ask, emptyTables, makeDue, passSeconds, readQueue, SHARE } from "../../support/refresh/refresh.ts";

const test = await createTestDatabase();
const { database, tables } = test;
const setup = createWorkerSetup(test);
const startReplica = createReplicas(test);
beforeEach(() => emptyTables(database));

const ids = (from: number, count: number): string[] =>
  Array.from({ length: count }, (_, index) => String(from + index));

/** Puts tokens of which each was read before under a host that is paused, or whose pause has ended. */
async function read(host: string, tokenIds: readonly string[], pausedFor = "1 hour"): Promise<void> {
  await ask(database, tokenIds, { trigger: "event" });
  await database.query("update vitrine.refresh set host = $1, done = wanted", [host]);
  await database.query(
    `insert into vitrine.host (host, failures, paused_until, reason) values ($1, 9, now() + $2::interval, 'timeout: no answer')`,
    [host, pausedFor],
  );
}

const hosts = async (): Promise<string[]> =>
  (await database.query<{ host: string }>("select host from vitrine.refresh order by token_id")).map(
    ({ host }) => host,
  );

describe("a token whose host is paused", () => {
  let dead: Host;
  let alive: Host;
  beforeEach(async () => {
    [dead, alive] = [await startHost(answerHero), await startHost(answerHero)];
  });

  it("is read from another host at once when its contract names that one by now", async () => {
    await read(dead.host, ["1000"]);
    startReplica([dead, alive]);

    const receipt = await setup.done(await setup.request(["1000"]));

    expect(receipt?.tokens).toMatchObject([{ status: "updated" }]);
    expect(dead.requests).toHaveLength(0);
  });

  it.each<Trigger>(["event", "mint", "reorg", "sweep"])("so after the trigger %s too", async (trigger) => {
    await read(dead.host, ids(1000, 20));
    startReplica([dead, alive]);

    await ask(database, ids(1000, 20), { trigger });

    await eventually(
      async () => alive.requests.length,
      (count) => count === 20,
    );
    expect(dead.requests).toHaveLength(0);
  });

  it("is read from the new host after the pause as well, without waiting for the old one's probe", async () => {
    await read(dead.host, ids(1000, 20), "-1 minute");
    // Being probed by another process.
    await ask(database, ["100"]);
    await database.query("update vitrine.refresh set host = $1 where token_id = 100", [dead.host]);
    await claim(database, tables, SHARE, 1);
    await database.query(
      "update vitrine.refresh set leased_until = now() + interval '1 hour' where token_id = 100",
    );
    startReplica([dead, alive]);

    const receipt = await setup.done(await setup.request(ids(1000, 20)));

    expect(new Set(receipt?.tokens.map(({ status }) => status))).toEqual(new Set(["updated"]));
  });

  it("waits for the end of the pause where its contract still names it", async () => {
    await read(dead.host, ["100"]);
    const receipt = await setup.request(["100"]);
    expect(await hosts()).toEqual([""]);
    startReplica([dead, alive]);

    await eventually(hosts, ([host]) => host === dead.host);

    expect((await setup.receipt(receipt))?.tokens).toMatchObject([
      { status: "queued", reason: expect.stringContaining("the host is paused until") },
    ]);
    expect((await readQueue(database))[0]?.dueIn).toBeGreaterThan(3_000);
    expect(dead.requests).toHaveLength(0);
  });

  it("is none of many that ask its host at once when the pause is over", async () => {
    dead.listener = (_request, response) => response.writeHead(500).end();
    await read(dead.host, ids(100, 20), "0 seconds");
    await ask(database, ids(100, 20));
    startReplica([dead, alive]);

    await eventually(hosts, (now) => now.every((host) => host === dead.host));
    await eventually(
      async () => dead.requests.length,
      (count) => count > 0,
    );

    expect(dead.most()).toBe(1);
  });

  it("is the host's one probe, however often it is named while it is fetched", async () => {
    await read(dead.host, ids(1000, 3), "0 seconds");
    await ask(database, ids(1000, 3), { trigger: "event" });
    await database.query("update vitrine.refresh set host = $1", [dead.host]);
    await makeDue(database);
    const [probe] = await claim(database, tables, SHARE, 10);

    await ask(database, [probe?.tokenId ?? ""], { trigger: "event" });
    await makeDue(database);

    expect(await claim(database, tables, SHARE, 10)).toEqual([]);
  });

  it("is read again if it was requested during the last try at the old host", async () => {
    await read(dead.host, ["1000"]);
    await database.query("update vitrine.host set paused_until = now()");
    await ask(database, ["1000"], { trigger: "recheck" });
    const leases = await claim(database, tables, SHARE, 1);
    const receipt = await setup.request(["1000"]);
    await complete(database, leases, () => ({ status: "failed", host: dead.host }));
    await database.query("update vitrine.host set paused_until = now() + interval '1 hour'");
    await passSeconds(database, 6);
    startReplica([dead, alive]);

    expect((await setup.done(receipt))?.tokens).toMatchObject([{ status: "updated" }]);
  });
});

describe("the URI of a token whose host is paused", () => {
  it.each<Trigger>(["recheck", "sample"])("is not read for a %s", async (trigger) => {
    await read("dead.example", ["1"]);

    await ask(database, ["1"], { trigger });

    expect(await hosts()).toEqual(["dead.example"]);
  });

  it("is not read for a caller without a key", async () => {
    await read("dead.example", ["1"]);

    await ask(database, ["1"], { trigger: "graphql", anonymous: true });

    expect(await hosts()).toEqual(["dead.example"]);
  });

  it("is read for sweeps once a minute", async () => {
    await read("dead.example", ["1"]);
    const sweepAfter = async (seconds: number): Promise<string[]> => {
      await database.query(
        "update vitrine.refresh set host = 'dead.example', last_started_at = now() - $1 * interval '1 second'",
        [seconds],
      );
      await ask(database, ["1"], { trigger: "sweep" });
      return hosts();
    };

    expect(await sweepAfter(55)).toEqual(["dead.example"]);
    expect(await sweepAfter(61)).toEqual([""]);
  });

  it("is not read where the host answers", async () => {
    await read("dead.example", ["1"]);
    await database.query("update vitrine.refresh set host = 'alive.example'");
    await makeDue(database);

    await ask(database, ["1"]);

    expect(await hosts()).toEqual(["alive.example"]);
  });
});
