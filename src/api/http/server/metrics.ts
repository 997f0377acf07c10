/** Reports connections that the server ended because of their clients to Prometheus and, at intervals, to the log. */

import { Counter, type Registry } from "prom-client";
import { atMostEvery } from "../../async/at-most-every.ts";
import type { Logger } from "../../logging/logger.ts";
import { metricOptions } from "../metric-options.ts";
import type { EndReason } from "./unread.ts";

const NAME = "vitrine_connections_ended_total";
// A client that opens thousands of connections must not fill the log with them.
const LOG_EVERY_MS = 10_000;

export function createConnectionMetrics(registry: Registry, logger: Logger): (reason: EndReason) => void {
  const ended = new Counter(
    metricOptions(registry)(
      NAME,
      "Connections ended because their clients read answers or sent bodies too slowly, or had too many connections or requests",
      "reason",
    ),
  );
  const warn = atMostEvery(LOG_EVERY_MS, (reason: EndReason) =>
    logger.warn({ msg: "Ended a connection", reason, metric: NAME }),
  );
  return (reason) => {
    ended.inc({ reason });
    warn(reason);
  };
}
