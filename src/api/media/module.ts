/** Images, videos and animations: their probe results, the pictures rendered from them, and the allowed hosts. */

import type { Database } from "../db/database.ts";
import type { Fetching } from "../fetch/fetching.ts";
import type { StoreAddress } from "../store-address.ts";
import { createDecoder } from "./decoder/decoder.ts";
import { createAllowlist } from "./display/allowlist.ts";
import { createExamineMedia } from "./probes/examine-media.ts";
import { createFetchMedia } from "./probes/fetch-media.ts";
import { DECODERS } from "./probes/pipeline.ts";
import { createMedia } from "./service.ts";
import { openStore } from "./storage/disk.ts";
import { missFile } from "./storage/media-file-store.ts";
import { createMediaState } from "./storage/overview.ts";

export { ALLOWLIST_CHANNEL } from "./display/allowlist.ts";
export { hostPatternProblem, PORT_RULE, parseHostPattern } from "./display/host-pattern.ts";
export { MEDIA_CHANNEL, mediaMarks, nextProbe, shownFile, urlHash } from "./media-store.ts";
export { endLongMediaLeases, endLongMediaWaits } from "./probes/long-waits.ts";
export { createMediaMetrics } from "./probes/metrics.ts";
export { startMediaPipeline } from "./probes/pipeline.ts";
export { createMedia } from "./service.ts";
export { collectMedia } from "./storage/collect.ts";
export { imageRoutes } from "./storage/image-routes.ts";

/**
 * `mediaStore` holds the pictures; `mediaBaseUrl` is where they are served, without a trailing slash. Starts
 * no process: a decoder starts with its first file, ends after a minute without one, and ends with `decoder.close()`.
 */
export function createMediaModule({
  database,
  mediaStore,
  ipfsGateways,
  mediaBaseUrl,
  fetching,
  onDecoderLoss,
  onExamineFault,
}: {
  readonly database: Database;
  readonly mediaStore: StoreAddress;
  readonly ipfsGateways: readonly string[];
  readonly mediaBaseUrl: string;
  readonly fetching: Fetching;
  readonly onDecoderLoss: (cause: string) => void;
  readonly onExamineFault: (error: unknown) => void;
}) {
  const fetchMedia = createFetchMedia(fetching);
  const decoder = createDecoder({ processes: DECODERS, onLoss: onDecoderLoss });
  return {
    decoder,
    fetchMedia,
    examineMedia: createExamineMedia({
      fetchMedia,
      decoder,
      gateways: ipfsGateways,
      onFault: onExamineFault,
    }),
    media: createMedia({ database, gateways: ipfsGateways, baseUrl: mediaBaseUrl }),
    allowlist: createAllowlist(database),
    mediaState: createMediaState(database, mediaStore),
    /** For everything but serving. Has connections of its own if it is a bucket: slow readers hold none of them. */
    disk: openStore(mediaStore),
    images: { disk: openStore(mediaStore), onMissing: (name: string) => missFile(database, name) },
  };
}
