/** How strangers' hosts are reached, as the operator configured it: in the service and on the terminal. */

import type { ExtraScheme, FetchConfig } from "../config.ts";
import { createGatewayHealth, type GatewayHealth } from "./gateway-health.ts";
import { createGuardedFetch, type GuardedFetch } from "./guarded-fetch.ts";

/** How strangers' documents and media are fetched. */
export interface Fetching {
  readonly fetch: GuardedFetch;
  /** Also reaches the operator's own gateways on private addresses; used for content paths on them, nothing else. */
  readonly fetchFromGateway: GuardedFetch;
  readonly gateways: readonly string[];
  /** Shared by all who ask the same gateways; absent, each user learns alone. */
  readonly health?: GatewayHealth | undefined;
  /** None when absent. */
  readonly extraSchemes?: ReadonlySet<ExtraScheme> | undefined;
}

/** Made once in a process: whoever resolves through it shares what it has learnt of the gateways. */
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
