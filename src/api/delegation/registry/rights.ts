/**
 * What a delegation allows, as the registry's own checks have it (DelegateRegistry.sol), in SQL: one meaning for the
 * registry's answers and for the statements that trade checks are made by. `d` is a row of the index's delegations.
 */

import type { DelegationType } from "../../../domain/delegation-hash.ts";

/** A delegation with these rights satisfies every check. */
export const EMPTY_RIGHTS = `0x${"0".repeat(64)}`;

// The registry marks empty and revoked slots with these two, so they never delegate anything.
const NOBODIES = `('0x${"0".repeat(40)}', '0x${"0".repeat(39)}1')`;

/** What a check is about: the whole wallet, a contract, or tokens of it. */
export type Scope = DelegationType;

/** The parameters, or other SQL, that hold what is asked for. */
export interface Asked {
  readonly contract: string;
  readonly tokenId: string;
}

/** SQL: `d` stands, and counts for these rights: an unlimited one for any, a limited one for its own alone. */
export const standsFor = (rights: string): string =>
  `d.enabled and d."from" not in ${NOBODIES} and d.rights in ('${EMPTY_RIGHTS}', ${rights})`;

const OF_TOKEN: readonly Scope[] = ["ERC721", "ERC1155"];

/**
 * SQL: `d` reaches what is asked for. Wider types fall through to narrower ones: a whole wallet covers its contracts,
 * and a contract its tokens. The type tells the scope, never the id: token 0 is a token.
 */
export function covers(scope: Scope, { contract, tokenId }: Asked): string {
  const ways = ["d.type = 'ALL'"];
  if (scope !== "ALL") ways.push(`d.type = 'CONTRACT' and d.contract = ${contract}`);
  if (scope === "ERC20") ways.push(`d.type = 'ERC20' and d.contract = ${contract}`);
  if (OF_TOKEN.includes(scope))
    ways.push(`d.type = '${scope}' and d.contract = ${contract} and d.token_id = ${tokenId}`);
  return `(${ways.map((way) => `(${way})`).join(" or ")})`;
}
