/** How foreign hosts are reached, as configured by the operator: in the service and in the CLI. */

import type { ExtraScheme, FetchConfig } from "../config.ts";
import { createGatewayHealth, type GatewayHealth } from "./gateway-health.ts";
import { createGuardedFetch, type GuardedFetch } from "./guarded-fetch.ts";

/** How foreign documents and media are fetched. */
export interface Fetching {
  readonly fetch: GuardedFetch;
  /** Also reaches the operator's own gateways on private addresses; used only for content paths on them. */
  readonly fetchFromGateway: GuardedFetch;
  readonly gateways: readonly string[];
  /** Shared by all users of the same gateways; without it, each user learns alone. */
  readonly health?: GatewayHealth | undefined;
  /** Nothing is counted without it. */
  readonly extraSchemes?: ReadonlySet<ExtraScheme> | undefined;
}

/** Created once per process, so that all users share what it learns about the gateways. */
export function createFetching(config: FetchConfig): Fetching {
  const { baseUrl, operatorContact, ipfsGateways, extraSchemes, allowedPrivateHosts } = config;
  const contact = operatorContact ? `; ${operatorContact}` : "";
  const userAgent = `Vitrine/0.1 (NFT metadata service; ${baseUrl}${contact})`;
  return {
    fetch: createGuardedFetch(allowedPrivateHosts, userAgent),
    fetchFromGateway: createGuardedFetch(allowedPrivateHosts, userAgent, { gateways: ipfsGateways }),
    gateways: ipfsGateways,
    health: createGatewayHealth(ipfsGateways),
    extraSchemes,
  };
}
