/**
 * Prometheus metrics of IPFS gateways, on Ponder's public /metrics. Only the operator's own gateways are named, by their
 * hosts: a path may hold a key, and anybody may name any other host.
 */

import { Counter, type Registry } from "prom-client";
import { metricOptions } from "../../http/metric-options.ts";

export interface GatewayMetrics {
  /** A gateway sent other bytes than those it was asked for; undefined for one that is not the operator's. */
  mismatched(gateway: string | undefined): void;
  /** A late gateway was called off, since another one had the content first. */
  hedged(gateway: string | undefined): void;
}

export const noGatewayMetrics: GatewayMetrics = { mismatched: () => undefined, hedged: () => undefined };

const OTHER = "other";
const hostOf = (gateway: string | undefined): string =>
  gateway === undefined ? OTHER : new URL(gateway).host;

/** Each of the operator's gateways has its series from the start: an alert sees no increase from nothing to one. */
export function createGatewayMetrics(registry: Registry, gateways: readonly string[]): GatewayMetrics {
  const counter = (name: string, help: string) => {
    const counter = new Counter(metricOptions(registry)(name, help, "gateway"));
    for (const gateway of [...gateways, undefined]) counter.inc({ gateway: hostOf(gateway) }, 0);
    return counter;
  };
  const mismatches = counter(
    "vitrine_gateway_mismatches_total",
    "Answers of IPFS gateways whose bytes were not those of the CID, by gateway",
  );
  const hedges = counter(
    "vitrine_gateway_hedges_total",
    "Requests to IPFS gateways that were called off, since another gateway had the content first, by gateway",
  );
  return {
    mismatched: (gateway) => mismatches.inc({ gateway: hostOf(gateway) }),
    hedged: (gateway) => hedges.inc({ gateway: hostOf(gateway) }),
  };
}
