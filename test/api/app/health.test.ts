import { beforeEach, describe, expect, it } from "vitest";
import { createRateLimits } from "../../../src/api/access/limits/rate-limits.ts";
import { createIndexHeads } from "../../../src/api/chain/index/index-heads.ts";
import type { EndpointReport } from "../../../src/api/chain/rpc/endpoints.ts";
import { createPoints } from "../../../src/api/http/limits/rate-limiter.ts";
import { anonymousGraphqlLimit, mediaLimit } from "../../../src/api/http/limits/tiers.ts";
import { depth } from "../../../src/api/refresh/queue/overview-store.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import { createTestApp } from "../../support/processes/app.ts";
import { failingWhen } from "../../support/processes/worker.ts";
import { ask, CHAIN_ID, emptyTables } from "../../support/refresh/refresh.ts";

const test = await createTestDatabase();
const { database, tables } = test;
const heads = createIndexHeads(database, tables);

const rpc: EndpointReport[] = [
  { endpoint: 1, host: "a.example", status: "down", reason: "timeout", latestBlock: 99 },
  { endpoint: 2, host: "b.example", status: "used", reason: null, latestBlock: 100 },
];
const collection = `0x${"ab".repeat(20)}`;
const search = () => ({
  bytes: 5.4,
  max: 1_000,
  outside: [{ collection: { chainId: CHAIN_ID, collection }, bytes: 2_000.6 }],
});
const appWith = (
  latestBlock: () => Promise<number>,
  stalled: ReadonlySet<number> = new Set(),
  isIndexer?: boolean,
) =>
  createTestApp(test, {
    health: {
      ...{ heads, latestBlock, stalled, isIndexer, search },
      depth: () => depth(database),
      reportEndpoints: () => rpc,
    },
  });

beforeEach(async () => {
  await emptyTables(database);
  await database.query(`truncate ${tables.checkpoint}`);
});

describe("/livez", () => {
  it("is answered to an orchestrator that shares the address of a client past every limit, without the database", async () => {
    const from = "203.0.113.90";
    for (const limit of [anonymousGraphqlLimit, mediaLimit])
      await createPoints(database, limit).take(from, limit.requests);
    const away = failingWhen(database, () => true);
    const rateLimits = createRateLimits({
      database: away,
      trustedProxies: [],
      baseUrl: "http://localhost",
      countUsage: () => {},
    });
    const api = createTestApp(test, { rateLimits, database: away });

    const statuses = new Set<number>();
    for (let sent = 0; sent < mediaLimit.requests + 100; sent++)
      statuses.add((await api.call("/livez", { from })).status);

    expect([...statuses]).toEqual([200]);
    expect((await createTestApp(test).call("/freshness", { from })).status).toBe(429);
  });
});

describe("/freshness", () => {
  it("reports how far each chain is indexed and how far its node is, without a key", async () => {
    await test.setHead({ chainId: CHAIN_ID, block: 90, age: 50 });

    const { status, body } = await appWith(async () => 100).call("/freshness");

    expect(status).toBe(200);
    expect(body.chains).toEqual([
      {
        chain_id: CHAIN_ID,
        head: 100,
        indexed: 90,
        lag_seconds: expect.any(Number),
        ready: true,
        rpc: [
          { endpoint: 1, host: "a.example", status: "down", reason: "timeout", latest_block: 99 },
          { endpoint: 2, host: "b.example", status: "used", reason: null, latest_block: 100 },
        ],
      },
    ]);
    expect(body.chains[0].lag_seconds).toBeGreaterThanOrEqual(50);
  });

  it("calls an index that has all there is not behind, however long ago that was", async () => {
    await test.setHead({ chainId: CHAIN_ID, block: 90, age: 5_000 });

    const { body } = await appWith(async () => 90).call("/freshness");

    expect(body.chains[0]).toMatchObject({ head: 90, lag_seconds: 0 });
  });

  it("answers without the node's head while the node is away", async () => {
    await test.setHead({ chainId: CHAIN_ID, block: 90, age: 5, ready: false });

    const { status, body } = await appWith(() => Promise.reject(new Error("away"))).call("/freshness");

    expect(status).toBe(200);
    expect(body.chains[0]).toMatchObject({ head: null, indexed: 90, ready: false });
  });

  it("is measured again at once after a failure", async () => {
    let isAway = true;
    const api = createTestApp(test, {
      health: {
        heads: createIndexHeads(
          failingWhen(database, () => isAway),
          tables,
        ),
        latestBlock: async () => 100,
        stalled: new Set(),
        depth: () => depth(database),
        reportEndpoints: () => rpc,
        search,
        now: () => 1_800_000_000_000,
      },
    });
    const failed = await api.call("/freshness");
    isAway = false;

    expect([failed.status, (await api.call("/freshness")).status]).toEqual([500, 200]);
  });

  it("reports which collections PostgreSQL answers for, since their search index doesn't fit", async () => {
    const { body } = await appWith(async () => 90).call("/freshness");

    expect(body.search).toEqual({
      bytes: 5,
      bytes_max: 1_000,
      from_database: [{ chain_id: CHAIN_ID, collection_address: collection, bytes: 2_001 }],
    });
  });

  it("reports how much waits in the queue and for how long", async () => {
    await ask(database, ["1", "2"]);
    await database.query(
      "update vitrine.refresh set waiting_since = now() - interval '90 seconds' where token_id = 1",
    );

    const { body } = await appWith(async () => 90).call("/freshness");

    expect(body.queue.waiting).toBe(2);
    expect(body.queue.oldest_seconds).toBeGreaterThanOrEqual(90);
  });
});

describe("/livez", () => {
  it("is 200 while every index goes on and 503 while one stands still, naming it", async () => {
    const stalled = new Set<number>();
    const app = appWith(async () => 90, stalled);
    expect(await app.call("/livez")).toMatchObject({ status: 200, body: { live: true, stalled_chains: [] } });

    stalled.add(CHAIN_ID);

    expect(await app.call("/livez")).toMatchObject({
      status: 503,
      body: { live: false, stalled_chains: [CHAIN_ID] },
    });
  });

  it("is 200 of a replica, which load balancers need most while nobody indexes, and names what stands still", async () => {
    const replica = appWith(async () => 90, new Set([CHAIN_ID]), false);

    expect(await replica.call("/livez")).toMatchObject({
      status: 200,
      body: { live: true, stalled_chains: [CHAIN_ID] },
    });
  });
});
