/** The block that deployed a contract, by binary search of its code. */

import type { Address, PublicClient } from "viem";

/**
 * The first block with the contract's code. Throws a sentence that asks for `--start-block` where the node has no state
 * of old blocks. A contract that was destroyed and deployed again may have an earlier first block, which no search of
 * its code finds.
 */
export async function findDeployment(client: PublicClient, address: Address, head: bigint): Promise<bigint> {
  const hasCode = async (block: bigint): Promise<boolean> => {
    const code = await client.getCode({ address, blockNumber: block }).catch((cause: Error) => {
      throw new Error(
        `the endpoint has no state of block ${block} (${firstLine(cause)}), so the deployment can't be found; use an archive endpoint (--rpc) or pass --start-block.`,
        { cause },
      );
    });
    return code !== undefined && code !== "0x";
  };
  let [without, withCode] = [-1n, head];
  while (withCode - without > 1n) {
    const middle = (without + withCode) / 2n;
    if (await hasCode(middle)) withCode = middle;
    else without = middle;
  }
  return withCode;
}

export const firstLine = ({ message, ...error }: Error & { readonly details?: string }): string =>
  (error.details ?? message).split("\n")[0] ?? "";
