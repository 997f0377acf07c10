/** How many requests callers may send: apps by tier, all others by client address. */

import type { RateLimit } from "./rate-limit.ts";

// Short windows: an app that went over its limit by mistake is served again within seconds.
const WINDOW_SECONDS = 10;

const tier = (name: string, requests: number): RateLimit => ({
  name: `tier-${name}`,
  requests,
  seconds: WINDOW_SECONDS,
});

/** Named like the tiers in other developer consoles; a new app in the console gets the first one. */
export const tiers = {
  basic: tier("basic", 300),
  intermediate: tier("intermediate", 1_500),
  advanced: tier("advanced", 15_000),
} as const;

export type Tier = keyof typeof tiers;
export const tierNames = Object.keys(tiers) as [Tier, ...Tier[]];
export const isTier = (text: string): text is Tier => Object.hasOwn(tiers, text);

/** Ponder's own routes that cost something, per client and process: enough for a scraper, probes and a person. */
export const ponderRouteLimit: RateLimit = { name: "ponder", requests: 300, seconds: WINDOW_SECONDS };

/**
 * Token ids that callers without a key may refresh, per client. Ten a second are more than a player of a marketplace
 * needs, and a small part of what one process fetches.
 */
export const anonymousTokensLimit: RateLimit = {
  name: "anonymous-tokens",
  requests: 600,
  seconds: 60,
  unit: "token ids",
  scope: "pages and GraphQL combined",
};

/** Images, per client: a collection page shows 40, and a household opens several pages in a second. */
export const mediaLimit: RateLimit = { name: "media", requests: 3_000, seconds: WINDOW_SECONDS };

/** Callers without a key, per client. */
export const anonymousGraphqlLimit: RateLimit = {
  name: "graphql",
  requests: 600,
  seconds: WINDOW_SECONDS,
  scope: "pages and GraphQL combined",
};

/** spec.md "Limits": the delegation registry without a key, per client. */
export const registryLimit: RateLimit = { name: "registry", requests: 25, seconds: 10 };
