/** The chain that a delegation query means. */

import type { IndexConfig } from "../../config.ts";
import { ApiError } from "../http/errors.ts";

/**
 * Defaults to the first chain of collections.json that can be queried. Throws INVALID_REQUEST, naming the parameter, for a
 * chain without an RPC endpoint or one that can't be queried.
 */
export type ChainChoice = (chainId: number | undefined, parameter: string) => number;

/** `askable` are the chains that the registry in question covers. */
export function createChainChoice(
  { chains, collections }: Pick<IndexConfig, "chains" | "collections">,
  askable: readonly number[] = chains.map(({ id }) => id),
): ChainChoice {
  const known = chains.map(({ id }) => id);
  // As everywhere else. `chains` are by id: a new chain of a lower id would change what a query means.
  const inOrder = [...collections.map(({ chainId }) => chainId), ...known];
  const first = inOrder.find((id) => askable.includes(id));
  return (chainId, parameter) => {
    const refuse = (message: string): never => {
      throw new ApiError("INVALID_REQUEST", [{ path: parameter, message }]);
    };
    if (chainId === undefined) return first ?? refuse("no delegate registry is indexed here");
    if (!known.includes(chainId))
      return refuse(`chain ${chainId} is not served here; known chains are ${known.join(", ")}`);
    return askable.includes(chainId)
      ? chainId
      : refuse(`the delegate registry of chain ${chainId} is not indexed here`);
  };
}
