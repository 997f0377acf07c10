/** The background work of one process: started together, woken by the database, and stopped together. */

import type { Registry } from "prom-client";
import type { IndexConfig } from "../config.ts";
import { ACCESS_CHANNEL, accessJobs, reencryptKeys } from "./access/module.ts";
import { createContractReader, startContractReads } from "./catalog/module.ts";
import { createAnomalyLog, startHeadMark, startServingIndexes, startWatchdog } from "./chain/module.ts";
import type { ServingConfig } from "./config.ts";
import { listen } from "./db/listener.ts";
import { forgetOldEvents, startEvents } from "./events/module.ts";
import { startDaily } from "./jobs/daily.ts";
import { createNoteHost, endLongPauses, forgetUnaskedHosts } from "./jobs/hosts.ts";
import { startLongWaits } from "./jobs/long-waits.ts";
import {
  ALLOWLIST_CHANNEL,
  collectMedia,
  endLongMediaLeases,
  endLongMediaWaits,
  MEDIA_CHANNEL,
  startMediaPipeline,
} from "./media/module.ts";
import { metadataJobs, RENORMALISE_CHANNEL, startRenormaliser } from "./metadata/module.ts";
import {
  chooseProbe,
  createRefreshMetrics,
  endLongTokenLeases,
  endLongTokenWaits,
  onImageProbed,
  RECEIPT_CHANNEL,
  REFRESH_CHANNEL,
  refreshJobs,
  startRefreshJobs,
} from "./refresh/module.ts";
import type { Services } from "./services.ts";
import {
  endLongDeliveryClaims,
  endLongDeliveryWaits,
  forgetOldDeliveries,
  readPosition,
  startWebhooks,
  WEBHOOK_CHANNEL,
} from "./webhooks/module.ts";

export interface BackgroundDeps {
  readonly services: Services;
  readonly config: ServingConfig;
  readonly index: IndexConfig;
  readonly connectionString: string;
  readonly metrics: Registry;
  /** False while nobody indexes: then an index that stands has not stalled. */
  readonly isIndexed: boolean;
  /** Called once when a chain's index stops advancing while its node advances. */
  readonly onStall: (reason: string) => void;
}

export interface Background {
  /** The chains whose chain index has stalled. */
  readonly stalled: ReadonlySet<number>;
  /** Resolves when nothing runs. A part that fails to stop is logged and does not block the others. */
  stop(): Promise<void>;
}

export async function startBackground(deps: BackgroundDeps): Promise<Background> {
  const { services, config, index, connectionString, metrics, isIndexed, onStall } = deps;
  const { database, tables, access, allowlist, metadata, media, refresh, search, logger, chain } = services;
  const { collections } = index;
  const { heads, latestBlock } = chain;
  const isOn = config.refreshConcurrency > 0;
  reencryptKeys(access, logger);
  chain.watchEndpoints(logger);

  const noteHost = createNoteHost(chooseProbe);
  const mediaPipeline = startMediaPipeline({
    database,
    fetchMedia: services.fetchMedia,
    decoder: services.decoder,
    disk: services.disk,
    noteHost,
    onImageProbed,
    metrics: services.mediaMetrics,
    isOn,
    logger,
  });
  const renormaliserLoop = startRenormaliser({ renormaliser: services.renormaliser, isOn, metrics, logger });
  // Before the chain triggers, which need to know how far the chain index has been.
  const headMark = await startHeadMark({ database, tables, logger });
  const refreshWork = startRefreshJobs({
    ...services,
    ...chain,
    noteHost,
    chainIds: [...chain.clients.keys()],
    collections,
    concurrency: config.refreshConcurrency,
    resampleHours: config.resampleHours,
    metrics: createRefreshMetrics(metrics, database),
    registry: metrics,
    readIssueCounts: services.catalogModule.collectionHealth.readIssueCounts,
  });
  const contractReads = startContractReads({
    ...chain,
    database,
    readContract: createContractReader(services.fetching, chain.calls),
    sampleTokens: async (db, chainId, collection) =>
      (await metadata.readContract(db, chainId, collection)).owned,
    collections,
    registries: index.registries,
    hours: config.resampleHours,
    isOn,
    logger,
  });
  const webhookWork = startWebhooks({
    ...services,
    pausesMs: config.webhookPausesMs,
    isOn,
    metrics,
  });
  const longWaits = startLongWaits({
    database,
    ends: [
      endLongPauses,
      endLongTokenWaits,
      endLongTokenLeases,
      endLongMediaWaits,
      endLongMediaLeases,
      endLongDeliveryWaits(config.webhookPausesMs),
      endLongDeliveryClaims,
    ],
    isOn,
    logger,
  });
  const events = startEvents({
    ...services,
    connectionString,
    collections,
    onNews: webhookWork.wakeForEvents,
  });
  const logAnomalies = createAnomalyLog({ database, tables, logger });
  const watchdog = startWatchdog({ logAnomalies, heads, latestBlock, logger, isIndexed, onStall });
  const servingIndexes = startServingIndexes({ connectionString, schema: tables.schema, heads, logger });
  const daily = startDaily({
    database,
    jobs: [
      ...metadataJobs,
      ...refreshJobs({ metadata, media, collections }),
      forgetOldEvents(readPosition),
      forgetOldDeliveries,
      forgetUnaskedHosts,
      ...accessJobs,
      collectMedia({ media, metadata, disk: services.disk, collections }),
    ],
    logger,
  });

  const wakers: Readonly<Record<string, (payload?: string) => void>> = {
    [REFRESH_CHANNEL]: () => refreshWork.wake(),
    [MEDIA_CHANNEL]: () => mediaPipeline.wake(),
    [`${tables.schema}_live_query`]: () => refreshWork.wakeForChain(),
    [RECEIPT_CHANNEL]: (payload) => refresh.waits.wake(payload),
    [ACCESS_CHANNEL]: () => access.forget(),
    [ALLOWLIST_CHANNEL]: () => allowlist.forget(),
    [RENORMALISE_CHANNEL]: () => renormaliserLoop.wake(),
    [WEBHOOK_CHANNEL]: () => webhookWork.wake(),
  };
  // No channel means that the connection was lost for a while, so anything may have changed.
  const wake = (channel?: string, payload?: string): void => {
    if (channel !== undefined) wakers[channel]?.(payload);
    else for (const each of new Set(Object.values(wakers))) each();
  };
  const listener = listen(connectionString, Object.keys(wakers), wake, logger, tables.schema);
  const warmSearch = search.keepWarm(collections);

  return {
    stalled: watchdog.stalled,
    async stop() {
      warmSearch.stop();
      headMark.stop();
      watchdog.stop();
      servingIndexes.stop();
      // Each on its own: a lost database must not keep the rest from stopping.
      const ends = await Promise.allSettled([
        events.stop(),
        refresh.waits.stop(),
        webhookWork.stop(),
        longWaits.stop(),
        listener.close(),
        refreshWork.stop(),
        contractReads.stop(),
        mediaPipeline.stop(),
        renormaliserLoop.stop(),
        daily.stop(),
        services.usage.stop(),
        search.close(),
      ]);
      for (const end of ends) {
        if (end.status === "rejected")
          logger.warn({ msg: "Did not stop cleanly", reason: String(end.reason) });
      }
    },
  };
}
