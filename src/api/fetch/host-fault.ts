/** Which failed fetches count against their host, for documents and media alike. */

import type { HostSignal } from "../jobs/host-limit.ts";
import type { FetchFailure } from "./fetch-failure.ts";
import { IPFS_HOST } from "./locate.ts";

const HOST_FAULTS: ReadonlySet<string> = new Set<FetchFailure>([
  "unreachable",
  "timeout",
  "http_status",
  "blocked_by_host",
]);

/**
 * True for a fault of the whole host; false for one of the content or our own. A gateway that answers with an error, or
 * too late, may only lack content that nobody has any more.
 */
export const isHostFault = (host: string | undefined, reason: string, transient: boolean): boolean =>
  transient && (host === IPFS_HOST ? reason === "unreachable" : HOST_FAULTS.has(reason));

/**
 * What a failed fetch says about its host's capacity; undefined if nothing, as for a fault of the content. A gateway's 429
 * and 503 count like any host's, unlike its other errors.
 */
export function signalOf(
  host: string | undefined,
  {
    reason,
    transient,
    status,
  }: { readonly reason: string; readonly transient: boolean; readonly status?: number },
): Exclude<HostSignal, "answered"> | undefined {
  if (status === 429) return "refused";
  if (status === 503) return "unavailable";
  return isHostFault(host, reason, transient) ? "failed" : undefined;
}
