/** One round of requests over HTTP. */

import autocannon from "autocannon";
import { byPace, type Round } from "./rounds.ts";

// A round ends with the first sample after so many seconds.
const SECONDS = byPace(1.5, 0.2);
const SAMPLE_MS = byPace(1_000, 300);

/**
 * Sends the requests in turn, dealt out to the connections: as autocannon does it by itself, all would ask the same at the
 * same moment, and build every request anew. Fails if a request was answered with another status than 2xx, or not at
 * all.
 */
export async function loadHttp({ requests = [], ...options }: autocannon.Options): Promise<Required<Round>> {
  const connections = options.connections ?? 1;
  let nth = 0;
  const setupClient = (client: autocannon.Client): void => {
    const first = nth++ % connections;
    const own = requests.filter((_, at) => at % connections === first % requests.length);
    if (own.length > 0) client.setRequests(own);
  };
  const result = await autocannon({ ...options, setupClient, duration: SECONDS, sampleInt: SAMPLE_MS });
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${options.url}: ${result.non2xx} other answers, ${result.errors} errors`);
  const perSecond = (result.requests.average * 1_000) / SAMPLE_MS;
  return { perSecond, p50: result.latency.p50, p99: result.latency.p99 };
}
