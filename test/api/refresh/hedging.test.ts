/** A second gateway beside the first takes a turn of its own, so that hedging never exceeds a host's limit. */

import { setTimeout as sleep } from "node:timers/promises";
import { beforeEach, expect, it, onTestFinished } from "vitest";
import { createGuardedFetch } from "../../../src/api/fetch/guarded-fetch.ts";
import { createMetadata } from "../../../src/api/metadata/service.ts";
import { createResolve } from "../../../src/api/metadata/uri/resolve.ts";
import { startRefreshWorker } from "../../../src/api/refresh/worker/worker.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import { eventually } from "../../support/eventually.ts";
import { createBarrier, createMemoryLogger, noteHost } from "../../support/processes/worker.ts";
import { ask, CHAIN_ID, COLLECTION, emptyTables, readQueue } from "../../support/refresh/refresh.ts";
import { Blocks, type GatewayConduct, startIpfsGateway } from "../../support/servers/ipfs-gateway.ts";

const test = await createTestDatabase();
const { database, tables } = test;
beforeEach(() => emptyTables(database));

const never = (): Promise<never> => new Promise(() => undefined);

/** A replica with gateways of the given conduct; tokens 1 to 9 are on IPFS. */
async function start(concurrency: number, conducts: readonly GatewayConduct[]) {
  const blocks = new Blocks();
  const all = Array.from({ length: 9 }, (_, index) => String(index + 1));
  const documents = all.map((name) => [name, `{"name":"Hero ${name}","image":"https://img.example/1.png"}`]);
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
  return {
    /** Returns what is served once all are done. */
    async refresh(...names: readonly string[]) {
      await ask(database, names);
      worker.wake();
      await eventually(
        () => readQueue(database),
        (rows) => rows.every(({ requested, done }) => requested === done),
      );
      const served = await metadata.readServed(database, CHAIN_ID, COLLECTION, names);
      return names.map((name) => served.get(name));
    },
    asked: () => gateways.map(({ requests }) => requests.length),
  };
}

it("is asked while the host has turns free, and what it sends is recorded as verified", async () => {
  const { refresh, asked } = await start(16, [{ after: never }, {}]);

  for (const [index, token] of (await refresh("1", "2", "3")).entries())
    expect(token).toMatchObject({ verified: "cid", metadata: { name: `Hero ${index + 1}` } });
  expect(asked()).toEqual([3, 3]);
});

it("is not asked while the host has none", async () => {
  const { refresh, asked } = await start(1, [{ after: () => sleep(2_500) }, {}]);

  expect((await refresh("1", "2")).map((token) => token?.verified)).toEqual(["cid", "cid"]);
  expect(asked()[1]).toBe(0);
});

it("gives its turn back, however many gateways were asked for one document", async () => {
  const first: { after: () => Promise<unknown>; car?: number } = { after: () => sleep(1_200), car: 404 };
  const { refresh } = await start(16, [first, { after: never }, {}]);
  for (const name of ["1", "2"]) expect(await refresh(name)).toMatchObject([{ verified: "cid" }]);

  // As many as are always allowed at once.
  const four = createBarrier();
  let arrived = 0;
  first.car = undefined;
  first.after = () => {
    if (++arrived === 4) four.open();
    return four.opened;
  };
  expect(await refresh("3", "4", "5", "6")).toMatchObject(Array(4).fill({ verified: "cid" }));
  expect(arrived).toBe(4);
});
