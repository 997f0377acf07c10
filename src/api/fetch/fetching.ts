/** How foreign hosts are reached, as configured by the operator: in the service and in the CLI. */

import type { ExtraScheme, FetchConfig } from "../config.ts";
import { createGatewayHealth, type GatewayHealth } from "./gateway-health.ts";
import { createGuardedFetch, type GuardedFetch } from "./guarded-fetch.ts";
import { createGuardedPost, type GuardedPost } from "./guarded-post.ts";

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

const userAgentOf = ({ baseUrl, operatorContact }: FetchConfig): string =>
  `Vitrine/0.1 (NFT metadata service; ${baseUrl}${operatorContact ? `; ${operatorContact}` : ""})`;

/** Posts to hosts that others chose, such as webhooks' receivers. */
export const createPosting = (config: FetchConfig): GuardedPost =>
  createGuardedPost(config.allowedPrivateHosts, userAgentOf(config));

/** Created once per process, so that all users share what it learns about the gateways. */
export function createFetching(config: FetchConfig): Fetching {
  const { ipfsGateways, extraSchemes, allowedPrivateHosts } = config;
  const userAgent = userAgentOf(config);
  return {
    fetch: createGuardedFetch(allowedPrivateHosts, userAgent),
    fetchFromGateway: createGuardedFetch(allowedPrivateHosts, userAgent, { gateways: ipfsGateways }),
    gateways: ipfsGateways,
    health: createGatewayHealth(ipfsGateways),
    extraSchemes,
  };
}
