import { Registry } from "prom-client";
import { beforeEach, describe, expect, it } from "vitest";
import { createRefreshMetrics } from "../../../src/api/refresh/metrics.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import { failingWhen } from "../../support/processes/worker.ts";
import { ask, COLLECTION, emptyTables } from "../../support/refresh/refresh.ts";

const { database } = await createTestDatabase();

beforeEach(() => emptyTables(database));

/** A scrape's samples by name and labels. */
async function scrape(registry: Registry): Promise<Record<string, number>> {
  const lines = (await registry.metrics()).split("\n").filter((line) => line && !line.startsWith("#"));
  return Object.fromEntries(
    lines.map((line) => {
      const end = line.lastIndexOf(" ");
      return [line.slice(0, end), Number(line.slice(end + 1))];
    }),
  );
}

describe("gauges of the queue", () => {
  it("report what waits by urgency, how long, paused hosts and what sweeps have left", async () => {
    await ask(database, ["1", "2"], { trigger: "rest" });
    await ask(database, ["3"], { trigger: "event" });
    await database.query(`
      update vitrine.refresh set waiting_since = now() - interval '100 s' where token_id = 3;
      insert into vitrine.host (host, failures, paused_until, reason)
      values ('a.example', 5, now() + interval '1 h', 'x'), ('b.example', 1, null, 'x')`);
    await database.query(
      `insert into vitrine.sweep (chain_id, collection, from_token_id, to_token_id, block, skip_read, known, passed, finished_at)
       values (1, $1, 0, 9, 1, false, 10, 4, null), (1, $1, 0, 9, 1, false, 70, 20, null), (1, $1, 0, 9, 1, false, 5, 0, now())`,
      [COLLECTION],
    );
    const registry = new Registry();
    createRefreshMetrics(registry, database);

    const samples = await scrape(registry);

    expect(samples).toMatchObject({
      'vitrine_refresh_queue_tokens{priority="request"}': 2,
      'vitrine_refresh_queue_tokens{priority="event"}': 1,
      'vitrine_refresh_queue_tokens{priority="background"}': 0,
      vitrine_refresh_paused_hosts: 1,
      vitrine_refresh_sweeps: 2,
      vitrine_refresh_sweep_tokens: 56,
    });
    const age = samples.vitrine_refresh_queue_oldest_seconds ?? 0;
    expect(age).toBeGreaterThanOrEqual(100);
    expect(age).toBeLessThan(200);
  });

  it("are absent while the database does not answer, and the scrape goes on without them", async () => {
    const registry = new Registry();
    const metrics = createRefreshMetrics(
      registry,
      failingWhen(database, () => true),
    );
    metrics.fetched({ status: "updated", reason: null, durationMs: 1 });

    const names = Object.keys(await scrape(registry));

    expect(names.filter((name) => /queue|paused|sweep/.test(name))).toEqual([]);
    expect(names).toContain('vitrine_refresh_fetches_total{outcome="updated",reason="none"}');
  });

  it("cost the database one query per five seconds, however many scrapers there are", async () => {
    let rechecks = 0;
    const counted = failingWhen(database, () => {
      rechecks++;
      return false;
    });
    const registry = new Registry();
    createRefreshMetrics(registry, counted);

    await Promise.all([scrape(registry), scrape(registry)]);
    await scrape(registry);

    expect(rechecks).toBe(3);
  });
});

describe("counts of fetches", () => {
  it("report outcome and the word that the reason starts with, and never a host", async () => {
    const registry = new Registry();
    const { fetched } = createRefreshMetrics(registry, database);

    fetched({ status: "updated", reason: null, durationMs: 300 });
    fetched({ status: "unchanged", reason: null, durationMs: 5 });
    for (const host of ["a", "b"])
      fetched({ status: "failed", reason: `timeout: ${host}.example took long`, durationMs: 30_000 });
    fetched({ status: "retried", reason: "c.example is down", durationMs: 1 });

    const text = await registry.metrics();
    expect(await scrape(registry)).toMatchObject({
      'vitrine_refresh_fetches_total{outcome="updated",reason="none"}': 1,
      'vitrine_refresh_fetches_total{outcome="failed",reason="timeout"}': 2,
      'vitrine_refresh_fetches_total{outcome="retried",reason="other"}': 1,
      'vitrine_refresh_versions_total{kind="served"}': 1,
      'vitrine_refresh_versions_total{kind="failed"}': 2,
      'vitrine_refresh_fetch_duration_seconds_sum{outcome="failed"}': 60,
      'vitrine_refresh_fetch_duration_seconds_bucket{le="0.5",outcome="updated"}': 1,
      'vitrine_refresh_fetch_duration_seconds_bucket{le="0.25",outcome="updated"}': 0,
    });
    expect(text).not.toContain("example");
  });

  it("go on under the same names where the file is loaded again", async () => {
    const registry = new Registry();
    createRefreshMetrics(registry, database);

    createRefreshMetrics(registry, database).fetched({ status: "updated", reason: null, durationMs: 1 });

    expect((await scrape(registry))['vitrine_refresh_versions_total{kind="served"}']).toBe(1);
  });
});
