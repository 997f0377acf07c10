/** Collections of one name on several chains. */

import type { TokenView } from "../catalog/tokens/token-view.ts";
import { chainName } from "./chains.ts";
import type { Site } from "./env.ts";

/** The name of a token's chain, if a collection on another chain has the name of the token's collection. */
export function chainOfTwin(
  { collections }: Pick<Site, "collections">,
  { chain_id, collection_address }: Pick<TokenView, "chain_id" | "collection_address">,
): string | undefined {
  const own = collections.all.find(
    ({ chainId, address }) => chainId === chain_id && address === collection_address,
  );
  const name = own?.name ?? collection_address;
  const hasTwin = collections.all.some(
    (each) => each.chainId !== chain_id && (each.name ?? each.address) === name,
  );
  return hasTwin ? chainName(chain_id) : undefined;
}
