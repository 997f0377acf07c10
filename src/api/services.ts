/** Builds every service once, in order of dependency. Shared by the service, its tests and its benches. */

import { join } from "node:path";
import { Registry } from "prom-client";
import type { IndexConfig } from "../config.ts";
import { type AccessModuleDeps, createAccessModule } from "./access/module.ts";
import { createCatalogModule, createCollections, readBySlugs } from "./catalog/module.ts";
import type { ChainTables } from "./chain/index/tables.ts";
import { type ChainModule, createChainModule } from "./chain/module.ts";
import type { ServingConfig } from "./config.ts";
import type { Database } from "./db/database.ts";
import { createDelegationModule } from "./delegation/module.ts";
import { createEventHub } from "./events/module.ts";
import { createFetching, createPosting, type Fetching } from "./fetch/fetching.ts";
import { createGatewayMetrics } from "./fetch/ipfs/gateway-metrics.ts";
import { createIsTrusted } from "./http/client-address.ts";
import { createErrorMetrics } from "./http/error-metrics.ts";
import { createLimitMetrics } from "./http/limits/metrics.ts";
import { createRequestMetrics } from "./http/request-metrics.ts";
import type { Logger } from "./logging/logger.ts";
import { createMediaMetrics, createMediaModule } from "./media/module.ts";
import { createMetadataModule, createResolve, createUriReader } from "./metadata/module.ts";
import type { ReadUri } from "./metadata/uri/read-uri.ts";
import type { Resolve } from "./metadata/uri/resolve.ts";
import { createRefreshModule, depth, findQueued } from "./refresh/module.ts";
import { createSearch } from "./search/module.ts";
import { createTradingModule } from "./trading/module.ts";
import { createWebhookModule } from "./webhooks/module.ts";

// What a search thread needs beside the indexes: its code, and the answers that it is about to give.
const THREAD_HEAP_MB = 128;
const BYTES_PER_MB = 1_000_000;

export interface ServiceDeps {
  readonly database: Database;
  /** Where threads of searches and exports connect; without it, all of them run in this one. */
  readonly connectionString?: string;
  readonly tables: ChainTables;
  readonly index: IndexConfig;
  readonly config: ServingConfig;
  readonly logger: Logger;
  /** Where metrics are registered; without it, none are collected. */
  readonly metrics?: Registry;
  /** Replaces parts that query chains and contracts. */
  readonly chain?: Partial<ChainModule>;
  readonly readUri?: ReadUri;
  readonly resolve?: Resolve;
  /** Replaces the limits of apps by tier, and UNSEEN_MAX. */
  readonly limits?: AccessModuleDeps["limits"];
  readonly unseenMax?: number;
}

/** Starts nothing but the counting of usage, which `usage.stop()` ends. */
export function createServices(deps: ServiceDeps) {
  const { database, tables, index, config, logger, metrics } = deps;
  const onFault = metrics && createLimitMetrics(metrics);

  // The chains, and the collections on them.
  const chain: ChainModule = { ...createChainModule({ database, tables, index }), ...deps.chain };
  const { clients, calls, witness, heads, latestBlock } = chain;
  if (metrics) chain.measure(metrics);
  const collections = createCollections(index, (slugs) => readBySlugs(database, slugs));

  // Who calls, and how often.
  const accessModule = createAccessModule({
    ...config,
    database,
    clients,
    logger,
    ...(onFault && { onFault }),
    ...(deps.limits && { limits: deps.limits }),
  });
  const { access, rateLimits } = accessModule;

  // What is fetched: documents, and the media that they name.
  const readUri = deps.readUri ?? createUriReader(calls);
  const fetching = createWatchedFetching(deps);
  const resolve = deps.resolve ?? createResolve({ readUri, ...fetching });
  const mediaMetrics = createMediaMetrics(metrics ?? new Registry());
  const mediaModule = createMediaModule({
    ...config,
    database,
    fetching,
    onDecoderLoss(cause) {
      mediaMetrics.decoderLost();
      logger.warn({ msg: "Lost a decoder", cause });
    },
    onExamineFault: (error) => logger.error({ msg: "Could not check the media of a document", error }),
  });
  const { media, allowlist, examineMedia } = mediaModule;
  const metadataModule = createMetadataModule({ ...config, database, tables, resolve, media, logger });
  const { metadata, reportStore } = metadataModule;
  const refreshModule = createRefreshModule({
    database,
    metadata,
    calls,
    readUri,
    latestBlock,
    tokenLimiter: rateLimits.anonymousTokens,
    logger,
    ...(deps.unseenMax !== undefined && { unseenMax: deps.unseenMax }),
  });

  // What is asked: trade checks, searches, collections and tokens, delegations.
  const tradingModule = createTradingModule({
    ...config,
    database,
    tables,
    clients,
    witness,
    firstBlock: collections.firstBlock,
    knownInRange: metadata.knownInRange,
  });
  const search = createSearchOf(deps);
  const catalogModule = createCatalogModule({
    database,
    tables,
    collections,
    metadata,
    trading: tradingModule.trading,
    allowlist,
    media,
    search,
    findQueued: (chainId, collection, tokenIds, db = database) =>
      findQueued(db, chainId, collection, tokenIds),
    ...exportsOf(deps),
    logger,
    audit: access.audit,
    fetching,
    examineMedia,
    reportStore,
    operatorContact: config.operatorContact,
  });
  const delegationModule = createDelegationModule({
    database,
    tables,
    index,
    url: config.delegationUrl,
    key: config.delegationApiKey,
    ...(onFault && { onFault }),
  });

  // What is sent: events to subscribers and to webhooks.
  const webhookModule = createWebhookModule({ ...config, database, access });
  const hub = createEventHub({ database, mediaBaseUrl: config.mediaBaseUrl, logger });

  return {
    database,
    tables,
    logger,
    chain,
    collections,
    ...accessModule,
    fetching,
    post: createPosting(config),
    readUri,
    ...mediaModule,
    mediaMetrics,
    ...metadataModule,
    ...refreshModule,
    ...tradingModule,
    search,
    catalogModule,
    delegationModule,
    ...webhookModule,
    hub,
    countError: metrics && createErrorMetrics(metrics),
    measureRequests: metrics && createRequestMetrics(metrics),
    health: {
      heads,
      latestBlock,
      reportEndpoints: chain.reportEndpoints,
      stalled: new Set() as ReadonlySet<number>,
      depth: () => depth(database),
      search: () => search.state,
    },
    secrets: config.secrets,
    operatorToken: config.operatorToken,
    isTrustedCaller: createIsTrusted(config.trustedProxies),
    autoApprove: config.autoApprove,
    demoWallet: config.demoWallet ? clients.get(collections.all[0]?.chainId ?? 0) : undefined,
    baseUrl: config.baseUrl,
    mediaBaseUrl: config.mediaBaseUrl,
  };
}

export type Services = ReturnType<typeof createServices>;

/** Tells the operator of gateways that return wrong bytes. */
const createWatchedFetching = ({ config, logger, metrics }: ServiceDeps): Fetching =>
  createFetching(config, {
    ...(metrics && { metrics: createGatewayMetrics(metrics, config.ipfsGateways) }),
    onMismatch: (gateway, cause) =>
      logger.warn({
        msg: "Paused an IPFS gateway that returned the wrong bytes",
        gateway,
        cause,
      }),
  });

/** With indexes in threads of their own, if there is something that these can connect to. */
const createSearchOf = ({ database, tables, config, logger, metrics, connectionString }: ServiceDeps) =>
  createSearch({
    database,
    tables,
    logger,
    memoryMax: config.searchMemoryMb * BYTES_PER_MB,
    ...(metrics && { metrics }),
    ...(connectionString !== undefined && {
      threads: {
        connectionString,
        count: config.searchThreads,
        heapMb: config.searchMemoryMb + THREAD_HEAP_MB,
      },
    }),
  });

/** Where exports are prepared, and what a thread needs that runs one. */
const exportsOf = ({ tables, config, connectionString }: ServiceDeps) => ({
  exportFolder: join(config.dataFolder, "tmp"),
  ...(connectionString !== undefined && {
    exportSettings: {
      connectionString,
      tables,
      tradeMaxAgeSeconds: config.tradeMaxAgeSeconds,
      ipfsGateways: config.ipfsGateways,
      mediaBaseUrl: config.mediaBaseUrl,
      operatorContact: config.operatorContact,
    },
  }),
});
