/** A second gateway beside the first takes a turn of its own, so that hedging never exceeds a host's limit. */

import { setTimeout as sleep } from "node:timers/promises";
import { beforeEach, expect, it, onTestFinished } from "vitest";
import { createGuardedFetch } from "../../../src/api/fetch/guarded-fetch.ts";
import { createMetadata } from "../../../src/api/metadata/service.ts";
import { createResolve } from "../../../src/api/metadata/uri/resolve.ts";
import { startRefreshWorker } from "../../../src/api/refresh/worker/worker.ts";
import { createTestDatabase } from "../../support/database.ts";
import { eventually } from "../../support/eventually.ts";
import { Blocks, type GatewayConduct, startIpfsGateway } from "../../support/ipfs-gateway.ts";
import { ask, CHAIN_ID, COLLECTION, emptyTables, readQueue } from "../../support/refresh.ts";
import { createMemoryLogger, noteHost } from "../../support/worker.ts";

const test = await createTestDatabase();
const { database, tables } = test;
beforeEach(() => emptyTables(database));

const never = (): Promise<never> => new Promise(() => undefined);

/** Refreshes tokens whose gateways behave as told, and returns what was served and who was asked. */
async function refresh(concurrency: number, conducts: readonly GatewayConduct[], tokens = 3) {
  const blocks = new Blocks();
  const names = Array.from({ length: tokens }, (_, index) => String(index + 1));
  const documents = names.map((name) => [
    name,
    `{"name":"Hero ${name}","image":"https://img.example/1.png"}`,
  ]);
  const cid = await blocks.add(Object.fromEntries(documents));
  const gateways = await Promise.all(conducts.map((conduct) => startIpfsGateway(blocks, conduct)));
  for (const gateway of gateways) onTestFinished(() => gateway.close());
  const fetch = createGuardedFetch(new Set(gateways.map(({ host }) => host)), "test");
  const resolve = createResolve({
    readUri: async ({ tokenId }) => ({ kind: "read", uri: `ipfs://${cid}/${tokenId}`, standard: "erc721" }),
    fetch,
    fetchFromGateway: fetch,
    gateways: gateways.map(({ url }) => url),
  });
  const metadata = createMetadata({ resolve, tables });
  const worker = startRefreshWorker({
    database,
    tables,
    metadata,
    noteHost,
    readBlock: async () => 1,
    chainIds: [CHAIN_ID],
    concurrency,
    logger: createMemoryLogger().logger,
  });
  onTestFinished(() => worker.stop());
  await ask(database, names);
  worker.wake();
  await eventually(
    () => readQueue(database),
    (rows) => rows.every(({ requested, done }) => requested === done),
  );
  const served = await metadata.readServed(database, CHAIN_ID, COLLECTION, names);
  return {
    served: names.map((name) => served.get(name)),
    asked: gateways.map(({ requests }) => requests.length),
  };
}

it("is asked while the host has turns free, and what it sends is recorded as verified", async () => {
  const { served, asked } = await refresh(16, [{ after: never }, {}]);

  for (const [index, token] of served.entries())
    expect(token).toMatchObject({ verified: "cid", metadata: { name: `Hero ${index + 1}` } });
  expect(asked).toEqual([3, 3]);
});

it("is not asked while the host has none", async () => {
  const { served, asked } = await refresh(1, [{ after: () => sleep(2_500) }, {}]);

  expect(served.map((token) => token?.verified)).toEqual(["cid", "cid", "cid"]);
  expect(asked[1]).toBe(0);
});

it("gives its turn back, however many gateways were asked for one document", async () => {
  const failing = { after: () => sleep(1_200), car: 500 };
  const { served } = await refresh(4, [failing, { after: never }, {}], 8);

  expect(served.map((token) => token?.verified)).toEqual(Array.from({ length: 8 }, () => "cid"));
});
