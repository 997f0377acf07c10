/** The worker that probes media, over the process's fetches and decoders. */

import type { Database } from "../../db/database.ts";
import type { NoteHost } from "../../jobs/hosts.ts";
import type { LeaseWorker } from "../../jobs/lease-worker.ts";
import type { Logger } from "../../logging/logger.ts";
import type { Decoder } from "../decoder/decoder.ts";
import type { MediaDisk } from "../storage/media-disk.ts";
import type { FetchMedia } from "./fetch-media.ts";
import type { MediaMetrics } from "./metrics.ts";
import { createProbe } from "./probe.ts";
import { type OnImageProbed, startMediaWorker } from "./worker.ts";

const PROBES_AT_ONCE = 8;
/** Each uses 130 MB, and briefly up to 550 MB for the worst file that is accepted. */
export const DECODERS = 2;

export interface MediaPipelineDeps {
  readonly database: Database;
  readonly fetchMedia: FetchMedia;
  /** Closed when the pipeline stops. */
  readonly decoder: Decoder;
  readonly disk: MediaDisk;
  readonly noteHost: NoteHost;
  readonly onImageProbed?: OnImageProbed | undefined;
  readonly metrics: MediaMetrics;
  /** False leaves the work to other processes. */
  readonly isOn: boolean;
  readonly logger: Logger;
}

export function startMediaPipeline(deps: MediaPipelineDeps): LeaseWorker {
  const { database, disk, fetchMedia, decoder, noteHost, onImageProbed, metrics, logger } = deps;
  const worker = startMediaWorker({
    database,
    probe: createProbe({ database, disk, metrics, decoder, fetchMedia }),
    noteHost,
    onImageProbed,
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
