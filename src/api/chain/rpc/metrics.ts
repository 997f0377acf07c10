/**
 * Prometheus metrics of the chains' nodes, on Ponder's public /metrics: endpoints are numbered, since their hosts are the
 * operator's business.
 */

import { Counter, type Registry } from "prom-client";
import { metricOptions } from "../../http/metric-options.ts";
import type { DeliveredBlocks } from "./delivered-blocks.ts";
import type { EndpointCounts, Endpoints } from "./endpoints.ts";

/** What this process has counted of a chain. */
export interface MeasuredChain {
  readonly chain: number;
  readonly blocks: Pick<DeliveredBlocks, "reorgs">;
  readonly endpoints: Pick<Endpoints, "counts">;
}

/** Registers the metrics, with a series for each chain and endpoint from the start. */
export function createChainMetrics(registry: Registry, chains: readonly MeasuredChain[]): void {
  const counter = <Label extends string>(
    name: string,
    help: string,
    labelNames: Label[],
    collect: (this: Counter<Label>) => void,
  ): void => {
    new Counter({ ...metricOptions(registry)(name, help, ...labelNames), collect });
  };
  const ofEndpoints = (name: string, help: string, pick: (counts: EndpointCounts) => number): void =>
    counter(name, help, ["chain", "endpoint"], function () {
      this.reset();
      for (const { chain, endpoints } of chains) {
        for (const each of endpoints.counts()) this.inc({ chain, endpoint: each.endpoint }, pick(each));
      }
    });

  counter(
    "vitrine_chain_reorgs_total",
    "Reorgs that replaced blocks which this process had received for the index",
    ["chain"],
    function () {
      this.reset();
      for (const { chain, blocks } of chains) this.inc({ chain }, blocks.reorgs());
    },
  );
  ofEndpoints(
    "vitrine_rpc_calls_total",
    "JSON-RPC calls of this process, probes among them, by the endpoint's position",
    ({ calls }) => calls,
  );
  ofEndpoints(
    "vitrine_rpc_failures_total",
    "Those of them that had no usable answer",
    ({ failures }) => failures,
  );
}
