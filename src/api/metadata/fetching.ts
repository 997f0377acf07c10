/** The network edge of the metadata room as the operator configured it: in the service and on the terminal. */

import type { FetchConfig } from "../config.ts";
import type { Fetching } from "./examine.ts";
import { createGuardedFetch } from "./guarded-fetch.ts";

export function createFetching(config: FetchConfig): Fetching {
  const { baseUrl, operatorContact, ipfsGateways, allowedPrivateHosts } = config;
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
  };
}
