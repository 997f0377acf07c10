/**
 * What a delegation allows, by the registry's own checks (DelegateRegistry.sol), in SQL that the registry's answers and
 * trade checks share. `d` is a row of the chain index's delegations.
 */

import type { DelegationType } from "../../../domain/delegation-hash.ts";

/** A delegation with these rights satisfies every check. */
export const EMPTY_RIGHTS = `0x${"0".repeat(64)}`;

// The registry marks empty and revoked slots with these two addresses, so they never delegate anything.
const NOBODIES = `('0x${"0".repeat(40)}', '0x${"0".repeat(39)}1')`;

/** The scope of a check: the whole wallet, a contract, or a contract's tokens. */
export type Scope = DelegationType;

/** The parameters, or other SQL, for what is checked. */
export interface Asked {
  readonly contract: string;
  readonly tokenId: string;
}

/** SQL: `d` is active and satisfies these rights: an unlimited delegation satisfies any, a limited one only its own. */
export const standsFor = (rights: string): string =>
  `d.enabled and d."from" not in ${NOBODIES} and d.rights in ('${EMPTY_RIGHTS}', ${rights})`;

const OF_TOKEN: readonly Scope[] = ["ERC721", "ERC1155"];

/**
 * SQL: each way in which `d` may cover what is checked. Wider types include narrower ones: a wallet covers its
 * contracts, and a contract its tokens. The type decides the scope, never the id: token 0 is a token. Of one wallet's
 * delegations to another with the same rights, at most one is in each way.
 */
export function waysToCover(scope: Scope, { contract, tokenId }: Asked): readonly string[] {
  const ways = ["d.type = 'ALL'"];
  if (scope !== "ALL") ways.push(`d.type = 'CONTRACT' and d.contract = ${contract}`);
  if (scope === "ERC20") ways.push(`d.type = 'ERC20' and d.contract = ${contract}`);
  if (OF_TOKEN.includes(scope))
    ways.push(`d.type = '${scope}' and d.contract = ${contract} and d.token_id = ${tokenId}`);
  return ways;
}

/** SQL: `d` covers what is checked. */
export const covers = (scope: Scope, asked: Asked): string =>
  `(${waysToCover(scope, asked)
    .map((way) => `(${way})`)
    .join(" or ")})`;
