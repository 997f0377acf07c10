/** Which chain a question about delegations means. */

import { ApiError } from "../http/errors.ts";

/**
 * Without a name, the first that can be asked about. Throws INVALID_REQUEST, naming the parameter, for a chain without
 * an RPC endpoint, and for one that can't be asked about.
 */
export type ChainChoice = (chainId: number | undefined, parameter: string) => number;

/** `askable` are those of the chains that the registry in question tells of. */
export function createChainChoice(
  chains: readonly { readonly id: number }[],
  askable: readonly number[] = chains.map(({ id }) => id),
): ChainChoice {
  const known = chains.map(({ id }) => id);
  return (chainId, parameter) => {
    const refuse = (message: string): never => {
      throw new ApiError("INVALID_REQUEST", [{ path: parameter, message }]);
    };
    if (chainId === undefined) return askable[0] ?? refuse("no delegate registry is indexed here");
    if (!known.includes(chainId))
      return refuse(`chain ${chainId} is not served here; known chains are ${known.join(", ")}`);
    return askable.includes(chainId)
      ? chainId
      : refuse(`the delegate registry of chain ${chainId} is not indexed here`);
  };
}
