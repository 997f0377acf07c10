import { Registry } from "prom-client";
import { expect, it } from "vitest";
import { createIndexHeads } from "../../../src/api/chain/index/index-heads.ts";
import { createIndexMetrics } from "../../../src/api/chain/index/metrics.ts";
import { createDatabase } from "../../../src/api/db/database.ts";
import { silentLogger } from "../../../src/api/logging/logger.ts";
import { createTestDatabase } from "../../support/database/database.ts";

const test = await createTestDatabase();
const { database, tables } = test;

/** By chain, seconds since the newest indexed block. */
async function agesIn(registry: Registry): Promise<Record<string, number>> {
  const text = await registry.metrics();
  const series = [...text.matchAll(/^vitrine_index_block_timestamp_seconds\{chain="(\d+)"\} (\d+)$/gm)];
  const now = Math.floor(Date.now() / 1_000);
  return Object.fromEntries(series.map(([, chain, at]) => [chain, Math.round((now - Number(at)) / 10) * 10]));
}

it("the time of each chain's newest block is there once the index is complete, whoever builds it", async () => {
  const registry = new Registry();
  createIndexMetrics(registry, createIndexHeads(database, tables));
  expect(await agesIn(registry)).toEqual({});

  await test.setHead({ chainId: 1, block: 50, age: 600 });
  await test.setHead({ chainId: 2020, block: 70, age: 3_600 });
  expect(await agesIn(registry)).toEqual({ 1: 600, 2020: 3_600 });

  await test.setHead({ chainId: 1, block: 60, ready: false });
  expect(await agesIn(registry)).toEqual({});
});

it("a database that is away fails no other metric", async () => {
  const registry = new Registry();
  const away = createDatabase("postgresql://nobody@127.0.0.1:1/nothing", silentLogger);
  createIndexMetrics(registry, createIndexHeads(away, tables));

  expect(await agesIn(registry)).toEqual({});
  await away.close();
});

it("a database that says nothing keeps no other metric waiting for its answer", async () => {
  const registry = new Registry();
  createIndexMetrics(registry, { read: () => new Promise(() => undefined) });

  expect(await agesIn(registry)).toEqual({});
});
