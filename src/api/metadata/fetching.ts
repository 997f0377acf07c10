/** The network edge of the metadata room as the operator configured it: in the service and on the terminal. */

import type { FetchConfig } from "../config.ts";
import type { Fetching } from "./examine.ts";
import { createGatewayHealth } from "./gateway-health.ts";
import { createGuardedFetch } from "./guarded-fetch.ts";

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
