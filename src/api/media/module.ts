/** Images, videos and animations: their probe results, the pictures rendered from them, and the allowed hosts. */

import type { Database } from "../db/database.ts";
import { createAllowlist } from "./display/allowlist.ts";
import { createMedia } from "./service.ts";
import { createDisk } from "./storage/disk.ts";
import { missFile } from "./storage/media-file-store.ts";

export { PORT_RULE, parseHostPattern } from "./display/allowlist.ts";
export { MEDIA_CHANNEL } from "./media-store.ts";
export { createMediaMetrics } from "./probes/metrics.ts";
export { startMediaPipeline } from "./probes/pipeline.ts";
export { collectMedia } from "./storage/collect.ts";
export { imageRoutes } from "./storage/image-routes.ts";

/** `mediaFolder` stores the pictures; `baseUrl` is the public URL of this service, without a trailing slash. */
export function createMediaModule({
  database,
  mediaFolder,
  ipfsGateways,
  baseUrl,
}: {
  readonly database: Database;
  readonly mediaFolder: string;
  readonly ipfsGateways: readonly string[];
  readonly baseUrl: string;
}) {
  const disk = createDisk(mediaFolder);
  return {
    media: createMedia({ database, gateways: ipfsGateways, baseUrl }),
    allowlist: createAllowlist(database),
    images: { disk, onMissing: (name: string) => missFile(database, name) },
  };
}
