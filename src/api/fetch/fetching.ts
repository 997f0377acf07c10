/** How foreign hosts are reached, as configured by the operator: in the service and in the CLI. */

import type { ExtraScheme, FetchConfig } from "../config.ts";
import { createGuardedFetch } from "./guarded-fetch.ts";
import { createGuardedPost, type GuardedPost } from "./guarded-post.ts";
import { type ContentDeps, createFetchContent, type FetchContent } from "./ipfs/fetch-content.ts";

/** How foreign documents and media are fetched. */
export interface Fetching extends Omit<ContentDeps, "metrics" | "onMismatch"> {
  /** Shared by all users of the same gateways; without it, each user learns alone. */
  readonly fetchContent?: FetchContent | undefined;
  /** None without it. */
  readonly extraSchemes?: ReadonlySet<ExtraScheme> | undefined;
}

const userAgentOf = ({ baseUrl, operatorContact }: FetchConfig): string =>
  `Vitrine/0.1 (NFT metadata service; ${baseUrl}${operatorContact ? `; ${operatorContact}` : ""})`;

/** Posts to hosts that others chose, such as webhooks' receivers. */
export const createPosting = (config: FetchConfig): GuardedPost =>
  createGuardedPost(config.allowedPrivateHosts, userAgentOf(config));

/** Created once per process, so that all users share what it learns about the gateways. */
export function createFetching(
  config: FetchConfig,
  watching: Pick<ContentDeps, "metrics" | "onMismatch"> = {},
): Fetching {
  const { ipfsGateways, ipfsUnverified, extraSchemes, allowedPrivateHosts } = config;
  const userAgent = userAgentOf(config);
  const fetching = {
    fetch: createGuardedFetch(allowedPrivateHosts, userAgent),
    fetchFromGateway: createGuardedFetch(allowedPrivateHosts, userAgent, { gateways: ipfsGateways }),
    gateways: ipfsGateways,
    ipfsUnverified,
    extraSchemes,
  };
  return { ...fetching, fetchContent: createFetchContent({ ...fetching, ...watching }) };
}
