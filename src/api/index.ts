/** Composition root of the serving half: the only file that knows Ponder's runtime. */

import { fileURLToPath } from "node:url";
import { db } from "ponder:api";
import schema from "ponder:schema";
import { Hono } from "hono";
import { graphql } from "ponder";
import { loadIndexConfig } from "../config.ts";
import { createAccess } from "./access/service.ts";
import { stopOnBootError } from "./boot.ts";
import { createCollections } from "./catalog/collections.ts";
import { createReports } from "./catalog/reports.ts";
import { createCatalog } from "./catalog/service.ts";
import { createChainClients } from "./chain/clients.ts";
import { holdSchema, recordIndexBuild } from "./chain/index-build.ts";
import { createIndexHeads } from "./chain/index-heads.ts";
import { readIndexInputs } from "./chain/index-inputs.ts";
import { createLatestBlock, createReadBlock } from "./chain/read-block.ts";
import { startServingIndexes } from "./chain/serving-indexes.ts";
import { chainTables } from "./chain/tables.ts";
import { startWatchdog } from "./chain/watchdog.ts";
import { loadServingConfig, redacted } from "./config.ts";
import { createGraphqlEndpoint } from "./graphql/endpoint.ts";
import { ownSdl } from "./graphql/own.graphql.ts";
import { createResolvers } from "./graphql/resolvers.ts";
import { graphqlRoutes, maskError } from "./graphql/routes.ts";
import { createApp } from "./http/app.ts";
import { createAllowlist } from "./media/allowlist.ts";
import { createFetching } from "./metadata/fetching.ts";
import { createUriReader } from "./metadata/read-uri.ts";
import { createReportStore } from "./metadata/report-store.ts";
import { createResolve } from "./metadata/resolve.ts";
import { forgetOldVersions } from "./metadata/retention.ts";
import { createMetadata } from "./metadata/service.ts";
import { createTraitApproval } from "./metadata/trait-approval.ts";
import { ponderRuntime } from "./ponder-runtime.ts";
import { createCauses } from "./refresh/causes.ts";
import { startCauseLoop } from "./refresh/loop.ts";
import { depth, isQueued, REFRESH_CHANNEL } from "./refresh/queue.ts";
import { forgetOldReceipts, forgetOldSweeps } from "./refresh/retention.ts";
import { createRefresh } from "./refresh/service.ts";
import { createSweeps } from "./refresh/sweeps.ts";
import { startRefreshWorker } from "./refresh/worker.ts";
import { startDaily } from "./store/daily.ts";
import { createDatabase } from "./store/database.ts";
import { databaseUrl } from "./store/database-url.ts";
import { listen } from "./store/listener.ts";
import { migrate } from "./store/migrate.ts";
import { createReconcile } from "./trading/reconcile.ts";
import { createTrading, startHeadMark } from "./trading/service.ts";

const PROJECT = fileURLToPath(new URL("../..", import.meta.url));

const runtime = ponderRuntime();
const { logger } = runtime;
runtime.letSigtermUnlockTheSchema();
runtime.stopWithSupervisor();

const { config, index, connectionString } = await stopOnBootError(async () => ({
  config: loadServingConfig(process.env),
  index: loadIndexConfig(process.env),
  connectionString: await databaseUrl(process.env),
}));
logger.info({ msg: "Vitrine configuration", ...redacted(config) });
await migrate(connectionString);

const tables = chainTables(runtime.schema);
const database = createDatabase(connectionString, logger);
if (runtime.command === "start") {
  await holdSchema(database, tables);
  await recordIndexBuild(database, tables, readIndexInputs(PROJECT, index));
}
const clients = createChainClients(index.chains);
const latestBlock = createLatestBlock(clients);
const heads = createIndexHeads(database, tables);
const readBlock = createReadBlock(heads, latestBlock);

const readUri = createUriReader(clients);
const fetching = createFetching(config);
const resolve = createResolve({ readUri, ...fetching });
const metadata = createMetadata({ tables, resolve, operatorContact: config.operatorContact });
const refresh = createRefresh({ database, metadata, readUri, latestBlock });
const collections = createCollections(index);
const allowlist = createAllowlist(database);
const trading = createTrading({ database, tables, maxAgeSeconds: config.tradeMaxAgeSeconds });
const { firstBlock } = collections;
const reconcile = createReconcile({
  database,
  tables,
  clients,
  firstBlock,
  knownInRange: metadata.knownInRange,
});
const catalog = createCatalog({
  database,
  metadata,
  trading,
  allowlist,
  gateways: config.ipfsGateways,
  isQueued: (chainId, collection, tokenId) => isQueued(database, { chainId, collection, tokenId }),
});
const reports = createReports({
  catalog,
  allowlist,
  store: createReportStore(database),
  fetching,
  operatorContact: config.operatorContact,
});

const ponderGraphql = new Hono().use("/graphql", graphql({ db, schema }));
// Hono's own handler would print a stack trace whenever a client goes away.
ponderGraphql.onError((error) => {
  throw error;
});
const endpoint = await createGraphqlEndpoint<undefined>({
  ponder: (request) => ponderGraphql.fetch(request),
  ownSdl,
  rootValue: createResolvers({ collections, catalog, refresh }),
  maskError,
  onError: (error) => logger.error({ msg: "GraphQL request failed", error }),
});

const worker = startRefreshWorker({
  database,
  tables,
  metadata,
  readBlock,
  chainIds: [...clients.keys()],
  concurrency: config.refreshConcurrency,
  logger,
});
const causes = startCauseLoop({
  causes: createCauses({ database, tables, metadata }),
  sweeps: createSweeps({ database, metadata }),
  logger,
});
const headMark = await startHeadMark({ database, tables, logger });
const watchdog = startWatchdog({
  heads,
  latestBlock,
  logger,
  onStall: (reason) => {
    // A replica that only serves can't index on, and asks nobody to.
    const isAsked = runtime.command === "start" && runtime.askForRestart(reason);
    logger.error({ msg: reason, restart: isAsked ? "asked for" : "restart the indexer" });
  },
});
const servingIndexes = startServingIndexes({ connectionString, schema: runtime.schema, heads, logger });
const daily = startDaily({
  database,
  jobs: [forgetOldVersions, forgetOldReceipts, forgetOldSweeps],
  logger,
});
const wake = (): void => {
  causes.wake();
  worker.wake();
};
const listener = listen(connectionString, [REFRESH_CHANNEL, `${runtime.schema}_live_query`], wake, logger);

runtime.onStop(async () => {
  headMark.stop();
  watchdog.stop();
  servingIndexes.stop();
  // Each on its own: a database that is gone must not keep the rest from stopping.
  const ends = await Promise.allSettled([listener.close(), causes.stop(), worker.stop(), daily.stop()]);
  for (const end of ends) {
    if (end.status === "rejected") logger.warn({ msg: "Did not stop cleanly", reason: String(end.reason) });
  }
  await database.close();
});

export default createApp({
  database,
  access: createAccess(database),
  allowlist,
  catalog,
  collections,
  reconcile,
  refresh,
  reports,
  traitApproval: createTraitApproval(database),
  graphql: graphqlRoutes(endpoint),
  health: { heads, latestBlock, stalled: watchdog.stalled, depth: () => depth(database) },
  operatorToken: config.operatorToken,
  baseUrl: config.baseUrl,
  logger,
});
