/** Which failed fetches count against the host that was asked, for documents and media alike (design: "Refresh"). */

import type { HostSignal } from "../jobs/host-limit.ts";
import type { FetchFailure } from "./guarded-fetch.ts";
import { IPFS_HOST } from "./locate.ts";

const HOST_FAULTS: ReadonlySet<string> = new Set<FetchFailure>([
  "unreachable",
  "timeout",
  "http_status",
  "blocked_by_host",
]);

/**
 * True for a fault of the whole host, as opposed to one of the content or of ours. Gateways that answer in time with an
 * error, or not in time, may only lack this content, which nobody may have any more.
 */
export const isHostFault = (host: string | undefined, reason: string, transient: boolean): boolean =>
  transient && (host === IPFS_HOST ? reason === "unreachable" : HOST_FAULTS.has(reason));

/**
 * What a failed fetch says of how much its host bears; undefined where it says nothing, as of one that gave an answer of the
 * content's own. Unlike its other faults, a gateway's refusals are those of any host.
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
