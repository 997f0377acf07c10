/** How many requests an app may send to the gateway APIs, by its tier. */

import type { RateLimit } from "./rate-limit.ts";

// Short windows: an app that went over its limit by mistake is served again within seconds.
const WINDOW_SECONDS = 10;

const tier = (name: string, requests: number): RateLimit => ({
  name: `tier-${name}`,
  requests,
  seconds: WINDOW_SECONDS,
});

/** Named as developer consoles of the field name them; an app of the console starts with the first. */
export const tiers = {
  basic: tier("basic", 300),
  intermediate: tier("intermediate", 1_500),
  advanced: tier("advanced", 15_000),
} as const;

export type Tier = keyof typeof tiers;
export const tierNames = Object.keys(tiers) as [Tier, ...Tier[]];
export const isTier = (text: string): text is Tier => Object.hasOwn(tiers, text);

/** At Ponder's own routes that cost something, by client address, in each process: a scraper, probes, and somebody who looks. */
export const ponderRouteLimit: RateLimit = { name: "ponder", requests: 300, seconds: WINDOW_SECONDS };

/**
 * Token ids that callers without a key may have refreshed, by client address, over GraphQL and by pages together. Ten a
 * second are more than a marketplace's player asks for, and few beside what one process fetches.
 */
export const anonymousTokensLimit: RateLimit = { name: "anonymous-tokens", requests: 600, seconds: 60 };

/** Pictures, by client address: a page of a collection shows 40, and a household opens several in a second. */
export const mediaLimit: RateLimit = { name: "media", requests: 3_000, seconds: WINDOW_SECONDS };

/** Of callers without a key, by client address. */
export const anonymousGraphqlLimit: RateLimit = { name: "graphql", requests: 600, seconds: WINDOW_SECONDS };
