/** The network edge of the metadata room as the operator configured it: in the service and on the terminal. */

import type { FetchConfig } from "../config.ts";
import type { Fetching } from "./examine.ts";
import { createGatewayHealth } from "./gateway-health.ts";
import { createGuardedFetch } from "./guarded-fetch.ts";

/** Made once in a process: whoever resolves through it shares what it has learnt of the gateways. */
export function createFetching(config: FetchConfig): Fetching {
  const { baseUrl, operatorContact, ipfsGateways, extraSchemes, allowedPrivateHosts } = config;
  const gatewayHosts = ipfsGateways.map((url) => {
    const { hostname, port, protocol } = new URL(url);
    return `${hostname}:${port || (protocol === "https:" ? "443" : "80")}`;
  });
  const contact = operatorContact ? `; ${operatorContact}` : "";
  const userAgent = `Vitrine/0.1 (NFT metadata service; ${baseUrl}${contact})`;
  return {
    fetch: createGuardedFetch(allowedPrivateHosts, userAgent),
    fetchFromGateway: createGuardedFetch(new Set([...allowedPrivateHosts, ...gatewayHosts]), userAgent),
    gateways: ipfsGateways,
    health: createGatewayHealth(ipfsGateways),
    extraSchemes,
  };
}
