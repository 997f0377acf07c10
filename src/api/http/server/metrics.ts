/** Tells Prometheus, and now and then the log, of connections that were ended for what their clients did not do. */

import { Counter, type Registry } from "prom-client";
import type { Logger } from "../logger.ts";
import type { EndReason } from "./unread.ts";

const NAME = "vitrine_connections_ended_total";
// Whoever opens thousands of connections must not fill the log with them.
const LOG_EVERY_MS = 10_000;

/** Takes the place of what an earlier start of the same process has registered. */
export function createConnectionMetrics(registry: Registry, logger: Logger): (reason: EndReason) => void {
  registry.removeSingleMetric(NAME);
  const ended = new Counter({
    name: NAME,
    help: "Connections ended because their clients did not read what they asked for, or sent a body too slowly",
    labelNames: ["reason"],
    registers: [registry],
  });
  let loggedAt = 0;
  return (reason) => {
    ended.inc({ reason });
    if (Date.now() - loggedAt < LOG_EVERY_MS) return;
    loggedAt = Date.now();
    logger.warn({ msg: "Ended a connection", reason, metric: NAME });
  };
}
