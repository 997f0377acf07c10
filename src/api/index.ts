/** Composition root of the serving half: the only file that knows Ponder's runtime. */

import { fileURLToPath } from "node:url";
import { db } from "ponder:api";
import schema from "ponder:schema";
import { Hono } from "hono";
import { graphql } from "ponder";
import { loadIndexConfig } from "../config.ts";
import { accessJobs, createAccessRoom, resealKeys } from "./access/room.ts";
import { ACCESS_CHANNEL } from "./access/store.ts";
import { stopOnBootError } from "./boot.ts";
import { createCollections } from "./catalog/collections.ts";
import { createCatalogRoom } from "./catalog/room.ts";
import { createAnomalyLog } from "./chain/anomalies.ts";
import { createChainCalls } from "./chain/calls-together.ts";
import { createChainRoom } from "./chain/room.ts";
import { startServingIndexes } from "./chain/serving-indexes.ts";
import { chainTables } from "./chain/tables.ts";
import { startWatchdog } from "./chain/watchdog.ts";
import { loadServingConfig, redacted } from "./config.ts";
import { createConsole } from "./console/routes.tsx";
import { maskSecrets } from "./contract/mask.ts";
import { createDelegationRoom } from "./delegation/service.ts";
import { forgetOldEvents } from "./events/retention.ts";
import { startEvents } from "./events/service.ts";
import { createGraphqlEndpoint } from "./graphql/endpoint.ts";
import { ownSdl } from "./graphql/own.graphql.ts";
import { createResolvers } from "./graphql/resolvers.ts";
import { type Caller, graphqlRoutes, maskError } from "./graphql/routes.ts";
import { createApp } from "./http/app.ts";
import { createAllowlist } from "./media/allowlist.ts";
import { collectMedia } from "./media/collect.ts";
import { createDisk } from "./media/disk.ts";
import { missFile } from "./media/media-file-store.ts";
import { MEDIA_CHANNEL } from "./media/media-store.ts";
import { createMediaMetrics } from "./media/metrics.ts";
import { startMediaPipeline } from "./media/pipeline.ts";
import { createMedia } from "./media/service.ts";
import { createFetching } from "./metadata/fetching.ts";
import { createUriReader } from "./metadata/read-uri.ts";
import { RENORMALISE_CHANNEL, startRenormaliser } from "./metadata/renormalise-loop.ts";
import { createReportStore } from "./metadata/report-store.ts";
import { createResolve } from "./metadata/resolve.ts";
import { metadataJobs } from "./metadata/retention.ts";
import { createMetadata } from "./metadata/service.ts";
import { createTraitApproval } from "./metadata/trait-approval.ts";
import { ponderRuntime } from "./ponder-runtime.ts";
import { noteHost, readPaused } from "./refresh/hosts.ts";
import { startRefreshJobs } from "./refresh/jobs.ts";
import { createRefreshMetrics } from "./refresh/metrics.ts";
import { depth, findQueued, REFRESH_CHANNEL } from "./refresh/queue.ts";
import { RECEIPT_CHANNEL } from "./refresh/receipts.ts";
import { createRefreshRoom, refreshJobs } from "./refresh/room.ts";
import { createSearch } from "./search/service.ts";
import { startDaily } from "./store/daily.ts";
import { createDatabase } from "./store/database.ts";
import { databaseUrl } from "./store/database-url.ts";
import { listen } from "./store/listener.ts";
import { migrate } from "./store/migrate.ts";
import { createLimitMetrics } from "./store/rate-limit-metrics.ts";
import { createTradeChecks } from "./trading/checks.ts";
import { createReconcile } from "./trading/reconcile.ts";
import { createTrading, startHeadMark } from "./trading/service.ts";

const PROJECT = fileURLToPath(new URL("../..", import.meta.url));

const runtime = ponderRuntime();
const logger = maskSecrets(runtime.logger);
runtime.letSigtermUnlockTheSchema();
runtime.stopWithSupervisor();

const { config, index, connectionString } = await stopOnBootError(async () => ({
  config: loadServingConfig(process.env),
  index: loadIndexConfig(process.env),
  connectionString: await databaseUrl(process.env),
}));
logger.info({ msg: "Vitrine configuration", ...redacted(config) });
runtime.guardServer(config.trustedProxies, logger);
await migrate(connectionString);

const tables = chainTables(runtime.schema, index.collections);
const database = createDatabase(connectionString, logger);
const chainRoom = createChainRoom({ database, tables, index });
if (runtime.command === "start") await chainRoom.takeIndex(PROJECT);
const { clients, latestBlock, heads, readBlock, witness } = chainRoom;
const onLimitFault = createLimitMetrics(runtime.metrics);
const accessRoom = createAccessRoom({
  ...config,
  database,
  clients,
  onFault: onLimitFault,
  logger,
});
const { access, usage } = accessRoom;
resealKeys(access, logger);

const calls = createChainCalls(clients);
const readUri = createUriReader(calls);
const fetching = createFetching(config);
const resolve = createResolve({ readUri, ...fetching });
const metadata = createMetadata({ tables, resolve, operatorContact: config.operatorContact });
const { refresh, operatorRequests } = createRefreshRoom({
  database,
  metadata,
  calls,
  readUri,
  latestBlock,
  tokenLimiter: accessRoom.gate.anonymousTokens,
});
const refreshMetrics = createRefreshMetrics(runtime.metrics, database);
const collections = createCollections(index);
const allowlist = createAllowlist(database);
const disk = createDisk(config.mediaFolder);
const media = createMedia({ database, gateways: config.ipfsGateways, baseUrl: config.baseUrl });
const trading = createTrading({ database, tables, witness, maxAgeSeconds: config.tradeMaxAgeSeconds });
const tradeChecks = createTradeChecks({ ...config, database, tables, clients, witness });
const delegationRoom = createDelegationRoom({
  database,
  tables,
  index,
  url: config.delegationUrl,
  key: config.delegationApiKey,
  onFault: onLimitFault,
});
const { firstBlock } = collections;
const { knownInRange } = metadata;
const reconcile = createReconcile({ database, tables, clients, firstBlock, knownInRange });
const search = createSearch({ database, tables, logger });
const catalogRoom = createCatalogRoom({
  database,
  tables,
  collections,
  metadata,
  trading,
  allowlist,
  media,
  search,
  findQueued: (chainId, collection, tokenIds) => findQueued(database, chainId, collection, tokenIds),
  audit: access.audit,
  fetching,
  reportStore: createReportStore(database),
  operatorContact: config.operatorContact,
});

const ponderGraphql = new Hono().use("/graphql", graphql({ db, schema }));
// Hono's own handler would print a stack trace whenever a client goes away.
ponderGraphql.onError((error) => {
  throw error;
});
const endpoint = await createGraphqlEndpoint<Caller>({
  ponder: (request) => ponderGraphql.fetch(request),
  ownSdl,
  rootValue: createResolvers({ ...catalogRoom, collections, refresh, search }),
  maskError,
  onError: (error) => logger.error({ msg: "GraphQL request failed", error }),
});

const isOn = config.refreshConcurrency > 0;
const mediaPipeline = startMediaPipeline({
  database,
  fetching,
  disk,
  hosts: { paused: readPaused, note: noteHost },
  metrics: createMediaMetrics(runtime.metrics),
  isOn,
  logger,
});
const renormaliser = startRenormaliser({ database, tables, media, isOn, metrics: runtime.metrics, logger });
// Before causes are looked for: it tells them how far the index has been.
const headMark = await startHeadMark({ database, tables, logger });
const refreshWork = startRefreshJobs({
  database,
  tables,
  metadata,
  media,
  readUri,
  readBlock,
  heads,
  chainIds: [...clients.keys()],
  collections: index.collections,
  concurrency: config.refreshConcurrency,
  resampleHours: config.resampleHours,
  metrics: refreshMetrics,
  registry: runtime.metrics,
  logger,
});
const events = startEvents({ database, connectionString, tables, collections: index.collections, logger });
const watchdog = startWatchdog({
  tellAnomalies: createAnomalyLog({ database, tables, logger }),
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
  jobs: [
    ...metadataJobs,
    ...refreshJobs({ metadata, media, collections: index.collections }),
    forgetOldEvents,
    ...accessJobs,
    collectMedia({ media, metadata, disk, collections: index.collections }),
  ],
  logger,
});
const wake = (channel?: string, payload?: string): void => {
  if (channel === undefined || channel === RECEIPT_CHANNEL) refresh.waits.wake(payload);
  if (channel === undefined || channel === ACCESS_CHANNEL) access.forget();
  if (channel === undefined || channel === RENORMALISE_CHANNEL) renormaliser.wake();
  if (channel === ACCESS_CHANNEL || channel === RECEIPT_CHANNEL || channel === RENORMALISE_CHANNEL) return;
  refreshWork.wake();
  mediaPipeline.wake();
};
const channels = [REFRESH_CHANNEL, RECEIPT_CHANNEL, MEDIA_CHANNEL, ACCESS_CHANNEL, RENORMALISE_CHANNEL];
const listener = listen(connectionString, [...channels, `${runtime.schema}_live_query`], wake, logger);
const warmSearch = search.keepWarm(index.collections);

runtime.onStop(async () => {
  warmSearch.stop();
  headMark.stop();
  watchdog.stop();
  servingIndexes.stop();
  // Each on its own: a database that is gone must not keep the rest from stopping.
  const ends = await Promise.allSettled([
    events.stop(),
    listener.close(),
    refreshWork.stop(),
    mediaPipeline.stop(),
    renormaliser.stop(),
    daily.stop(),
    usage.stop(),
  ]);
  for (const end of ends) {
    if (end.status === "rejected") logger.warn({ msg: "Did not stop cleanly", reason: String(end.reason) });
  }
  await database.close();
});

const traitApproval = createTraitApproval(database);

export default createApp({
  database,
  access,
  allowlist,
  catalogRoom,
  collections,
  search,
  operatorRequests,
  reconcile,
  refresh,
  renormaliser,
  traitApproval,
  tradeChecks,
  delegationRoom,
  hub: events.hub,
  graphql: graphqlRoutes(endpoint, accessRoom.gate.clientAddress),
  images: { disk, onMissing: (name) => missFile(database, name) },
  gate: accessRoom.gate,
  sessions: accessRoom.sessions,
  console: createConsole({
    ...accessRoom,
    ...catalogRoom,
    database,
    collections,
    allowlist,
    traitApproval,
    operatorRequests,
    secrets: config.secrets,
    baseUrl: config.baseUrl,
    logger,
  }),
  health: { ...chainRoom, stalled: watchdog.stalled, depth: () => depth(database) },
  ...config,
  tables,
  logger,
});
