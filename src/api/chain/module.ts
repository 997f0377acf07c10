/** The chains: their nodes, and the chain index. */

import type { Registry } from "prom-client";
import type { IndexConfig } from "../../config.ts";
import type { Database } from "../db/database.ts";
import type { Logger } from "../logging/logger.ts";
import { createChainCalls } from "./contract/batched-calls.ts";
import { createLatestBlock, createReadBlock } from "./contract/read-block.ts";
import { recordIndexBuild } from "./index/index-build.ts";
import { createIndexHeads } from "./index/index-heads.ts";
import { readIndexInputs } from "./index/index-inputs.ts";
import { createIndexMetrics } from "./index/metrics.ts";
import { currentSchemaLock, lockSchema } from "./index/schema-lock.ts";
import type { ChainTables } from "./index/tables.ts";
import { createChainClients } from "./rpc/clients.ts";
import { forgetDelivered, keepDelivered } from "./rpc/delivered-store.ts";
import { endpointsOf } from "./rpc/endpoints.ts";
import { createHeadWitness, hashAtEndpoints } from "./rpc/head-witness.ts";
import { createChainMetrics } from "./rpc/metrics.ts";
import { deliveredBlocksOf } from "./rpc/ponder-transport.ts";

export { createAnomalyLog } from "./index/anomalies.ts";
export { startHeadMark } from "./index/head-mark.ts";
export { startServingIndexes } from "./index/serving-indexes.ts";
export { chainTables } from "./index/tables.ts";
export { startWatchdog } from "./index/watchdog.ts";

export function createChainModule({
  database,
  tables,
  index,
}: {
  readonly database: Database;
  readonly tables: ChainTables;
  readonly index: IndexConfig;
}) {
  // Nothing is indexed or read of a chain without a collection. /freshness doesn't list it, so no alert may be about it.
  const chains = index.chains.filter(({ id }) => index.collections.some(({ chainId }) => chainId === id));
  const clients = createChainClients(chains);
  const latestBlock = createLatestBlock(clients);
  const heads = createIndexHeads(database, tables);
  const endpoints = new Map(chains.map((chain) => [chain.id, endpointsOf(chain)]));
  return {
    clients,
    calls: createChainCalls(clients),
    /** Starts probing the RPC endpoints, and logging which are down. */
    watchEndpoints: (logger: Logger): void => {
      for (const each of endpoints.values()) each.watch(logger);
    },
    /** The state of a chain's RPC endpoints, in configuration order. */
    reportEndpoints: (chainId: number) => endpoints.get(chainId)?.report() ?? [],
    /** Registers the metrics of the chain index and of the chains' nodes. */
    measure(registry: Registry): void {
      createIndexMetrics(registry, heads);
      createChainMetrics(
        registry,
        chains.map((chain) => ({
          chain: chain.id,
          blocks: deliveredBlocksOf(chain.id),
          endpoints: endpointsOf(chain),
        })),
      );
    },
    latestBlock,
    heads,
    readBlock: createReadBlock(heads, latestBlock),
    witness: createHeadWitness(hashAtEndpoints(endpoints)),

    /**
     * Marks the chain index as this process's, records its build inputs, and stores every block that Ponder receives
     * from now on. `project` is the project folder.
     */
    async takeIndex(project: string): Promise<void> {
      await lockSchema(database, tables, currentSchemaLock());
      await recordIndexBuild(database, tables, readIndexInputs(project, index));
      await forgetDelivered(database, tables.schema);
      for (const { id } of chains) {
        await deliveredBlocksOf(id).keepWith((blocks) => keepDelivered(database, tables.schema, id, blocks));
      }
    },
  };
}

export type ChainModule = ReturnType<typeof createChainModule>;
