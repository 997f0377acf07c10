/** When collections are sampled, and by which process (docs/refresh.md, "Silent changes"). */

import { setTimeout as sleep } from "node:timers/promises";
import { Registry } from "prom-client";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { createIndexHeads } from "../../../src/api/chain/index/index-heads.ts";
import {
  createSampling,
  type SamplingDeps,
  startSampling,
} from "../../../src/api/refresh/sampling/service.ts";
import { addSampled, claimRound } from "../../../src/api/refresh/sampling/store.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import { eventually } from "../../support/eventually.ts";
import { createMemoryLogger } from "../../support/processes/worker.ts";
import { CHAIN_ID, COLLECTION, emptyTables } from "../../support/refresh/refresh.ts";
import {
  collection,
  HEAD,
  HOUR,
  ids,
  running,
  startSampledCollection,
} from "../../support/refresh/sampling.ts";

const TOKENS = 20;
const FIRST = 4;

const test = await createTestDatabase();
const { database, tables } = test;

beforeEach(async () => {
  await emptyTables(database);
  await test.setHead({ chainId: CHAIN_ID, block: HEAD });
});

/** A collection that has been read, and processes that sample it every six hours by default. */
async function setUp() {
  const sampled = await startSampledCollection(test);
  await sampled.fill(ids(TOKENS));
  await database.query("truncate vitrine.sampling");

  const deps: SamplingDeps = {
    database,
    tables,
    metadata: sampled.metadata,
    readUri: sampled.readUri,
    heads: createIndexHeads(database, tables),
    collections: [{ chainId: CHAIN_ID, address: COLLECTION }],
    hours: 6,
    isOn: true,
    logger: createMemoryLogger().logger,
  };
  const start = (overrides: Partial<SamplingDeps> = {}) => {
    const sampling = startSampling({ ...deps, ...overrides });
    onTestFinished(() => sampling.stop());
    return sampling;
  };
  return {
    ...sampled,
    start,
    create: (overrides: Partial<SamplingDeps>) => createSampling({ ...deps, ...overrides }),
    /** A process that runs once. */
    runOnce: async (overrides: Partial<SamplingDeps> = {}): Promise<void> =>
      createSampling({ ...deps, ...overrides })?.pass(running),
  };
}

const rows = () => database.query<{ collection: string }>("select collection from vitrine.sampling");

describe("a collection", () => {
  it("is sampled for the first time so long after its first document was found, and no restart begins early", async () => {
    const sampled = await setUp();

    for (let restarts = 0; restarts < 3; restarts++) {
      await sampled.runOnce();
      expect(await sampled.dueIn()).toBeGreaterThan(6 * HOUR - 60);
    }
    expect(sampled.reads).toEqual([]);

    await sampled.passHours(6);
    await sampled.runOnce();

    expect(new Set(sampled.reads)).toEqual(new Set(ids(TOKENS)));
    expect(await sampled.dueIn()).toBeGreaterThan(6 * HOUR - 60);
    await sampled.rest();
    await sampled.runOnce();
    expect(sampled.reads).toHaveLength(TOKENS + FIRST);
  });

  it("that has no document yet has no round ahead", async () => {
    const sampled = await setUp();
    await database.query("update vitrine.token set served_version = null");

    await sampled.runOnce();

    expect(await rows()).toEqual([]);
  });

  it("waits no longer than a shorter time between rounds says", async () => {
    const sampled = await setUp();
    await sampled.runOnce();

    await sampled.runOnce({ hours: 1.5 });

    expect(await sampled.dueIn()).toBeLessThanOrEqual(1.5 * HOUR);
    expect(await sampled.dueIn()).toBeGreaterThan(1.5 * HOUR - 60);
  });

  it("goes on being sampled by itself", async () => {
    const sampled = await setUp();
    sampled.start({ hours: 0.001 });
    sampled.contract.uriOf = (id) => `${sampled.url}/b/${id}`;

    await eventually(
      async () => (await database.query("select from vitrine.sweep")).length,
      (sweeps) => sweeps === 1,
    );
    await sampled.rest();
    sampled.contract.uriOf = (id) => `${sampled.url}/c/${id}`;

    await eventually(
      async () => (await database.query("select from vitrine.sweep")).length,
      (sweeps) => sweeps === 2,
    );
  });
});

describe("a round is made", () => {
  it("by one of several processes", async () => {
    const sampled = await setUp();
    await addSampled(database, [collection], 0);

    await Promise.all([1, 2, 3, 4].map(() => sampled.runOnce()));

    expect(sampled.reads.toSorted()).toEqual(ids(TOKENS).toSorted());
    expect(sampled.reads).toHaveLength(TOKENS);
  });

  it("by another process after one that was killed while it read, whose own end then counts for nothing", async () => {
    const sampled = await setUp();
    await addSampled(database, [collection], 0);
    const killed = await claimRound(database, [collection]);
    if (!killed) throw new Error("no round is due");

    await sampled.runOnce();
    expect(sampled.reads).toEqual([]);
    // Its lease runs out.
    await sampled.passHours(1);
    const other = await claimRound(database, [collection]);
    expect(other?.lease).not.toBe(killed.lease);

    sampled.contract.uriOf = (id) => `${sampled.url}/b/${id}`;
    expect(await sampled.rounds.begin(killed, HEAD, running)).toBe("lost");
    expect(await database.query("select from vitrine.sweep")).toEqual([]);
    if (other) expect(await sampled.rounds.begin(other, HEAD, running)).toBe("changed");
  });

  it("to its end by another process than the one that asked for its documents", async () => {
    const sampled = await setUp();
    await addSampled(database, [collection], 0);
    const due = await claimRound(database, [collection]);
    if (!due) throw new Error("no round is due");
    sampled.host.nameAt = (path) => `Changed at ${path}`;
    await sampled.rounds.begin(due, HEAD, running);
    await sampled.rest();

    await sampled.runOnce();
    await sampled.rest();
    await sampled.runOnce();

    expect(await database.query("select from vitrine.sweep where by_sample")).toHaveLength(1);
  });

  it("once by several processes, down to its sweep", async () => {
    const sampled = await setUp();
    await addSampled(database, [collection], 0);
    sampled.host.nameAt = (path) => `Changed at ${path}`;

    for (let rechecks = 0; rechecks < 3; rechecks++) {
      await Promise.all([1, 2, 3].map(() => sampled.runOnce()));
      await sampled.rest();
    }

    expect(await database.query("select from vitrine.sweep")).toHaveLength(1);
    const samples = (await sampled.versions()).filter(({ trigger }) => trigger === "sample");
    expect(samples).toHaveLength(TOKENS);
  });

  it("by several processes, none of which ends it before the documents are there that another has just asked for", async () => {
    const sampled = await setUp();
    await addSampled(database, [collection], 0);
    sampled.host.nameAt = (path) => `Changed at ${path}`;
    await sampled.runOnce();
    await sampled.rest();
    // Nothing that is asked for now arrives.
    sampled.host.answer = () => undefined;
    const [first] = await database.query<Record<string, unknown>>(
      "select asked_at::text, tokens::text[], marks::text[], further::text[] from vitrine.sampling",
    );

    for (let times = 0; times < 300; times++) {
      // One after another, so that some begin while the first one ends.
      const starts = Array.from({ length: 10 }, (_, nth) => sleep(nth));
      await Promise.all(starts.map((start) => start.then(() => sampled.rounds.settle(collection))));
      expect(await database.query("select from vitrine.sampling where asked_at is not null")).toHaveLength(1);

      await database.query("delete from vitrine.refresh where wanted > done");
      await database.query(
        "update vitrine.sampling set asked_at = $1, tokens = $2, marks = $3, further = $4",
        Object.values(first ?? {}),
      );
    }
  });
});

describe("no round is begun", () => {
  it.each([
    { why: "with RESAMPLE_HOURS=0", how: { hours: 0 } },
    { why: "by a process that leaves the queue to others", how: { isOn: false } },
    {
      why: "for a collection that is configured no more",
      how: { collections: [{ chainId: 1, address: COLLECTION }] },
    },
  ])("$why", async ({ how }) => {
    const sampled = await setUp();
    await addSampled(database, [collection], 0);

    await sampled.runOnce(how);

    expect(sampled.reads).toEqual([]);
  });

  it("on a chain whose index is not ready, nor is it put off", async () => {
    const sampled = await setUp();
    await addSampled(database, [collection], 0);
    await test.setHead({ chainId: CHAIN_ID, block: HEAD, ready: false });

    await sampled.runOnce();
    expect(sampled.reads).toEqual([]);
    expect(await sampled.dueIn()).toBeLessThanOrEqual(0);

    await test.setHead({ chainId: CHAIN_ID, block: HEAD });
    await sampled.runOnce();
    expect(sampled.reads).toHaveLength(TOKENS);
  });

  it("together with others that are due: they are spread", async () => {
    const sampled = await setUp();
    const others = ["0xa", "0xb", "0xc"].map((address) => ({ chainId: CHAIN_ID, collection: address }));
    await addSampled(database, others, 0);

    await sampled.runOnce({
      collections: others.map(({ collection: address }) => ({ chainId: CHAIN_ID, address })),
    });

    expect(await database.query("select from vitrine.sampling where next_at > now()")).toHaveLength(1);
  });
});

it("a process stops while a node keeps it waiting, and the round is left to the next one", async () => {
  const sampled = await setUp();
  await addSampled(database, [collection], 0);
  let asked = 0;
  const never = async (): Promise<never> => {
    asked++;
    return new Promise(() => undefined);
  };
  const sampling = sampled.start({ readUri: never });
  await eventually(
    () => asked,
    (calls) => calls === TOKENS,
  );

  await sampling.stop();

  const [row] = await database.query<{ lease: string | null }>("select lease from vitrine.sampling");
  expect(row?.lease).toBeNull();
  expect(await sampled.dueIn()).toBeLessThanOrEqual(600);
});

it("a database that fails for a moment is tried again", async () => {
  const sampled = await setUp();
  const { logger, entries } = createMemoryLogger();
  const heads = createIndexHeads(database, tables);
  let fails = true;
  const failing = { read: async () => (fails ? Promise.reject(new Error("away")) : heads.read()) };
  sampled.start({ hours: 0.001, heads: failing, logger });
  await eventually(
    () => entries.length,
    (count) => count > 0,
  );
  expect(entries[0]).toEqual({ level: "warn", msg: "Could not sample collections", reason: "away" });

  fails = false;

  await eventually(
    () => sampled.reads.length,
    (reads) => reads >= TOKENS,
  );
});

it("the metrics count rounds, samples, changes and sweeps", async () => {
  const sampled = await setUp();
  await addSampled(database, [collection], 0);
  /** What a process has counted in its time, by the end of the metric's name and its label. */
  const count = async (rechecks: number): Promise<Record<string, number>> => {
    const registry = new Registry();
    const sampling = sampled.create({ registry });
    for (let looked = 0; looked < rechecks; looked++) {
      await sampling?.pass(running);
      await sampled.rest();
    }
    const metrics = await registry.getMetricsAsJSON();
    return Object.fromEntries(
      metrics.flatMap(({ name, values }) =>
        values.map(({ labels, value }) => [
          `${name.replace(/^vitrine_sample_|_total$/g, "")} ${Object.values(labels)}`,
          value,
        ]),
      ),
    );
  };

  sampled.host.nameAt = (path) => `Changed at ${path}`;
  expect(await count(3)).toEqual({
    "rounds changed": 1,
    "tokens uri": TOKENS,
    "tokens document": TOKENS,
    "changes uri": 0,
    "changes document": TOKENS,
    "sweeps document": 1,
  });

  sampled.contract.uriOf = (id) => `${sampled.url}/b/${id}`;
  await sampled.passHours(6);
  expect(await count(1)).toEqual({
    "rounds changed": 1,
    "tokens uri": TOKENS,
    "changes uri": TOKENS,
    "sweeps uri": 1,
  });

  await sampled.passHours(6);
  sampled.contract.answer = () => ({ kind: "unavailable", message: "away", answered: false });
  expect(await count(1)).toEqual({ "rounds postponed": 1 });
});
