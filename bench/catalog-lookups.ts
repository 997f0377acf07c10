/** How long token lookups and `GET /livez` take while one client asks for facets as fast as it can, beside an idle service. */

import type { CollectionConfig } from "../src/config.ts";
import { startReplica } from "../test/support/processes/replica.ts";
import { type Client, createVersions, traitName, valueAt } from "./catalog-data.ts";
import { byPace } from "./rounds.ts";

const SECONDS = byPace(10, 0.3);
// Each may send 1,500 requests a second.
const APPS = 4;
const MEMORY_MB = 10_000;
// A document takes a third of a millisecond to write, and no run looks up a tenth of these tokens.
const DOCUMENTS_MAX = 100_000;

const below = (limit: number): number => Math.floor(Math.random() * limit);
const round = (value: number): number => Number(value.toFixed(2));
const quantile = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? 0;
const summary = (ms: readonly number[]) => ({
  p50_ms: round(quantile(ms, 0.5)),
  p99_ms: round(quantile(ms, 0.99)),
  max_ms: round(Math.max(...ms)),
  requests: ms.length,
});

export async function measureLookups(
  client: Client,
  given: { url: string; schema: string; collection: CollectionConfig; tokens: number },
) {
  const { url, schema, collection, tokens } = given;
  const readable = Math.min(tokens, DOCUMENTS_MAX);
  await createVersions(client, collection.address, readable);
  const replica = await startReplica({
    connectionString: url,
    schema,
    collections: [collection],
    memoryMb: MEMORY_MB,
    apps: APPS,
  });
  try {
    const { keys } = replica;
    const base = `http://127.0.0.1:${replica.port}`;
    let sent = 0;
    const get = async (path: string): Promise<number> => {
      const startedAt = performance.now();
      const response = await fetch(base + path, {
        headers: { "x-api-key": keys[sent++ % keys.length] ?? "" },
      });
      const body = await response.text();
      if (response.status !== 200)
        throw new Error(`${path} answered ${response.status}: ${body.slice(0, 200)}`);
      return performance.now() - startedAt;
    };
    const of = `/market/collections/${collection.address}`;
    const lookup = () => get(`${of}/tokens/${below(readable) + 1}`);
    const facets = () => {
      const values = Array.from({ length: 4 }, () => valueAt(3, below(20)));
      const criteria = JSON.stringify([{ name: traitName(3), values }]);
      return get(`${of}/traits?criteria=${encodeURIComponent(criteria)}`);
    };
    const during = async () => {
      await replica.report();
      const until = performance.now() + 1000 * SECONDS;
      const ms = { lookup: [] as number[], livez: [] as number[] };
      while (performance.now() < until) {
        ms.lookup.push(await lookup());
        ms.livez.push(await get("/livez"));
      }
      const { delayP99Ms } = await replica.report();
      return { lookup: summary(ms.lookup), livez: summary(ms.livez), main_loop_p99_ms: round(delayP99Ms) };
    };
    // The first request loads the search index, and the next ones warm it up.
    for (let nth = 0; nth < 50; nth++) await lookup();
    const idle = await during();
    let isOver = false;
    const asked: number[] = [];
    const asking = (async () => {
      while (!isOver) asked.push(await facets());
    })();
    const loaded = await during();
    isOver = true;
    await asking;
    return {
      idle,
      loaded,
      facets: summary(asked),
      above_idle_p99_ms: round(loaded.lookup.p99_ms - idle.lookup.p99_ms),
      bar: { above_idle_p99_ms: 10 },
    };
  } finally {
    await replica.kill();
  }
}
