/** Everything that probes media in one process: fetches, decoders and the worker over them. */

import type { Disk } from "flydrive";
import type { Database } from "../../db/database.ts";
import type { Logger } from "../../http/logger.ts";
import type { NoteHost } from "../../jobs/hosts.ts";
import type { LeaseWorker } from "../../jobs/lease-worker.ts";
import { createDecoder } from "../decoder/decoder.ts";
import { createFetchMedia } from "./fetch-media.ts";
import type { MediaMetrics } from "./metrics.ts";
import { createProbe } from "./probe.ts";
import { startMediaWorker } from "./worker.ts";

const PROBES_AT_ONCE = 8;
/** Each uses 130 MB, and briefly up to 550 MB for the worst file that is accepted. */
export const DECODERS = 2;

export interface MediaPipelineDeps {
  readonly database: Database;
  readonly fetching: Parameters<typeof createFetchMedia>[0];
  readonly disk: Disk;
  readonly noteHost: NoteHost;
  readonly metrics: MediaMetrics;
  /** False leaves the work to other processes. */
  readonly isOn: boolean;
  readonly logger: Logger;
}

export function startMediaPipeline(deps: MediaPipelineDeps): LeaseWorker {
  const { database, disk, noteHost, metrics, logger } = deps;
  const decoder = createDecoder({
    processes: DECODERS,
    onLoss(cause) {
      metrics.decoderLost();
      logger.warn({ msg: "Lost a decoder", cause });
    },
  });
  const worker = startMediaWorker({
    database,
    probe: createProbe({ database, disk, metrics, decoder, fetchMedia: createFetchMedia(deps.fetching) }),
    noteHost,
    metrics,
    concurrency: deps.isOn ? PROBES_AT_ONCE : 0,
    logger,
  });
  return {
    wake: worker.wake,
    async stop() {
      // What is being decoded is released, not awaited.
      await Promise.all([worker.stop(), decoder.close()]);
    },
  };
}
