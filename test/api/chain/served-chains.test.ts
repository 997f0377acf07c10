import { Registry } from "prom-client";
import { afterEach, expect, it } from "vitest";
import { createChainModule } from "../../../src/api/chain/module.ts";
import { endProbes } from "../../../src/api/chain/rpc/endpoint-health.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import { eventually } from "../../support/eventually.ts";
import { createMemoryLogger } from "../../support/processes/worker.ts";
import { COLLECTION } from "../../support/refresh/refresh.ts";
import { startLocalServer } from "../../support/servers/local-server.ts";

const test = await createTestDatabase();

afterEach(endProbes);

it("probes and counts the endpoints of chains with a collection only, as /freshness lists no others", async () => {
  const [served, idle] = await Promise.all([
    startLocalServer((_request, response) => void response.writeHead(500).end()),
    startLocalServer((_request, response) => void response.writeHead(500).end()),
  ]);
  const registry = new Registry();
  const { logger, entries } = createMemoryLogger();
  const chain = createChainModule({
    ...test,
    index: {
      chains: [
        { id: 1, rpcUrls: [idle.url] },
        { id: 31337, rpcUrls: [served.url] },
      ],
      collections: [{ chainId: 31337, address: COLLECTION, startBlock: 0 }],
      registries: [],
    },
  });

  chain.measure(registry);
  chain.watchEndpoints(logger);
  await eventually(
    () => entries,
    (lines) => lines.some(({ chain: id }) => id === 31337),
  );

  const chainsOf = async (name: string) =>
    (await registry.getSingleMetric(name)?.get())?.values.map(({ labels }) => labels.chain);
  for (const name of ["vitrine_rpc_calls_total", "vitrine_rpc_failures_total", "vitrine_chain_reorgs_total"])
    expect(await chainsOf(name)).toEqual([31337]);
  expect(entries.map(({ msg, chain: id }) => [msg, id])).toEqual([["An RPC endpoint is down", 31337]]);
  expect(idle.requests).toEqual([]);
  expect(chain.reportEndpoints(31337)).toMatchObject([{ status: "down" }]);
  await Promise.all([served.close(), idle.close()]);
});
