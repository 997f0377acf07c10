/** Composition root of the serving half: the only file that knows Ponder's runtime. */

import { fileURLToPath } from "node:url";
import { db } from "ponder:api";
import schema from "ponder:schema";
import { Hono } from "hono";
import { graphql } from "ponder";
import { loadIndexConfig } from "../config.ts";
import { ACCESS_CHANNEL } from "./access/keys/key-store.ts";
import { accessJobs, createAccessModule, reencryptKeys } from "./access/module.ts";
import { createApp } from "./app/app.ts";
import { stopOnBootError } from "./boot.ts";
import { createCollections } from "./catalog/collections.ts";
import { createCatalogModule } from "./catalog/module.ts";
import { createChainCalls } from "./chain/contract/batched-calls.ts";
import { createAnomalyLog } from "./chain/index/anomalies.ts";
import { startServingIndexes } from "./chain/index/serving-indexes.ts";
import { chainTables } from "./chain/index/tables.ts";
import { startWatchdog } from "./chain/index/watchdog.ts";
import { createChainModule } from "./chain/module.ts";
import { loadServingConfig, redacted } from "./config.ts";
import { createConsole } from "./console/routes.tsx";
import { createDatabase } from "./db/database.ts";
import { listen } from "./db/listener.ts";
import { migrate } from "./db/migrate.ts";
import { createDelegationModule } from "./delegation/module.ts";
import { startEvents } from "./events/module.ts";
import { forgetOldEvents } from "./events/retention.ts";
import { createFetching } from "./fetch/fetching.ts";
import { createGraphqlEndpoint } from "./graphql/gateway/endpoint.ts";
import { ownSdl } from "./graphql/own/own.graphql.ts";
import { createResolvers } from "./graphql/own/resolvers.ts";
import { type Caller, graphqlRoutes, redactError } from "./graphql/routes.ts";
import { createLimitMetrics } from "./http/limits/metrics.ts";
import { redactSecrets } from "./http/text/redact.ts";
import { startDaily } from "./jobs/daily.ts";
import { createNoteHost } from "./jobs/hosts.ts";
import { createAllowlist } from "./media/display/allowlist.ts";
import { MEDIA_CHANNEL } from "./media/media-store.ts";
import { createMediaMetrics } from "./media/probes/metrics.ts";
import { startMediaPipeline } from "./media/probes/pipeline.ts";
import { createMedia } from "./media/service.ts";
import { collectMedia } from "./media/storage/collect.ts";
import { createDisk } from "./media/storage/disk.ts";
import { missFile } from "./media/storage/media-file-store.ts";
import { createReportStore } from "./metadata/records/report-store.ts";
import { metadataJobs } from "./metadata/records/retention.ts";
import { RENORMALISE_CHANNEL, startRenormaliser } from "./metadata/renormalise/renormalise-loop.ts";
import { createMetadata } from "./metadata/service.ts";
import { createTraitApproval } from "./metadata/traits/trait-approval.ts";
import { createUriReader } from "./metadata/uri/read-uri.ts";
import { createResolve } from "./metadata/uri/resolve.ts";
import { ponderRuntime } from "./ponder-runtime.ts";
import { databaseUrl } from "./postgres/database-url.ts";
import { startRefreshJobs } from "./refresh/jobs.ts";
import { createRefreshMetrics } from "./refresh/metrics.ts";
import { createRefreshModule, refreshJobs } from "./refresh/module.ts";
import { chooseProbe } from "./refresh/queue/hosts.ts";
import { depth, findQueued, REFRESH_CHANNEL } from "./refresh/queue/queue.ts";
import { RECEIPT_CHANNEL } from "./refresh/receipts/receipts.ts";
import { createSearch } from "./search/service.ts";
import { createTradeChecks } from "./trading/checks/checks.ts";
import { createReconcile } from "./trading/reconcile/reconcile.ts";
import { createTrading, startHeadMark } from "./trading/service.ts";

const PROJECT = fileURLToPath(new URL("../..", import.meta.url));

const runtime = ponderRuntime();
const logger = redactSecrets(runtime.logger);
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
const chainModule = createChainModule({ database, tables, index });
if (runtime.command === "start") await chainModule.takeIndex(PROJECT);
const { clients, latestBlock, heads, readBlock, witness } = chainModule;
const onLimitFault = createLimitMetrics(runtime.metrics);
const accessModule = createAccessModule({
  ...config,
  database,
  clients,
  onFault: onLimitFault,
  logger,
});
const { access, usage } = accessModule;
reencryptKeys(access, logger);

const calls = createChainCalls(clients);
const readUri = createUriReader(calls);
const fetching = createFetching(config);
const resolve = createResolve({ readUri, ...fetching });
const metadata = createMetadata({ tables, resolve, operatorContact: config.operatorContact });
const { refresh, operatorRequests } = createRefreshModule({
  database,
  metadata,
  calls,
  readUri,
  latestBlock,
  tokenLimiter: accessModule.rateLimits.anonymousTokens,
});
const refreshMetrics = createRefreshMetrics(runtime.metrics, database);
const collections = createCollections(index);
const allowlist = createAllowlist(database);
const disk = createDisk(config.mediaFolder);
const media = createMedia({ database, gateways: config.ipfsGateways, baseUrl: config.baseUrl });
const trading = createTrading({ database, tables, witness, maxAgeSeconds: config.tradeMaxAgeSeconds });
const tradeChecks = createTradeChecks({ ...config, database, tables, clients, witness });
const delegationModule = createDelegationModule({
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
const catalogModule = createCatalogModule({
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
  rootValue: createResolvers({ ...catalogModule, collections, refresh, search }),
  redactError,
  onError: (error) => logger.error({ msg: "GraphQL request failed", error }),
});

const isOn = config.refreshConcurrency > 0;
const noteHost = createNoteHost(chooseProbe);
const mediaPipeline = startMediaPipeline({
  database,
  fetching,
  disk,
  noteHost,
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
  noteHost,
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
  logAnomalies: createAnomalyLog({ database, tables, logger }),
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
  catalogModule,
  collections,
  search,
  operatorRequests,
  reconcile,
  refresh,
  renormaliser,
  traitApproval,
  tradeChecks,
  delegationModule,
  hub: events.hub,
  graphql: graphqlRoutes(endpoint, accessModule.rateLimits.clientAddress),
  images: { disk, onMissing: (name) => missFile(database, name) },
  rateLimits: accessModule.rateLimits,
  sessions: accessModule.sessions,
  console: createConsole({
    ...accessModule,
    ...catalogModule,
    database,
    collections,
    allowlist,
    traitApproval,
    operatorRequests,
    secrets: config.secrets,
    baseUrl: config.baseUrl,
    logger,
  }),
  health: { ...chainModule, stalled: watchdog.stalled, depth: () => depth(database) },
  ...config,
  tables,
  logger,
});
