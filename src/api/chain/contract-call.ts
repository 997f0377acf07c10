/** Asks a contract at a block, and tells what the contract answers from what its node fails to say. */

import { BaseError, type Hex, isHex, numberToHex, type PublicClient, RpcRequestError } from "viem";

export type CallAnswer =
  | { readonly kind: "answered"; readonly data: Hex }
  | { readonly kind: "reverted" }
  /** The node could not answer, or holds no state of that block; nothing is known of the contract. */
  | { readonly kind: "unavailable" };

const REVERTED_CODE = 3;
// Nodes that give reverts another code say it in words: geth and its kin, Nethermind, Hardhat, anvil.
const REVERTED_WORDS =
  /revert|vm execution error|evm error|invalid opcode|invalid jump|stack (?:under|over)flow|out of gas|gas uint64 overflow|return data out of bounds|write protection|max code size exceeded|response (?:size exceeded|is too big)/i;

/** Never rejects. Calls made together travel in one request. */
export async function callContract(
  client: PublicClient,
  contract: string,
  data: Hex,
  block: number,
): Promise<CallAnswer> {
  try {
    // Not `readContract`: it takes every internal error of a node for a revert, and it fetches the URLs that a
    // contract names in an OffchainLookup (ERC-3668) from anywhere.
    const answer: unknown = await client.request({
      method: "eth_call",
      params: [{ to: contract as Hex, data }, numberToHex(block)],
    });
    return isHex(answer) ? { kind: "answered", data: answer } : { kind: "unavailable" };
  } catch (error) {
    return { kind: isRevert(error) ? "reverted" : "unavailable" };
  }
}

/** A revert is the contract's answer; every other error is the node's. */
function isRevert(error: unknown): boolean {
  if (!(error instanceof BaseError)) return false;
  const answer = error.walk((cause) => cause instanceof RpcRequestError);
  if (!(answer instanceof RpcRequestError)) return false;
  return answer.code === REVERTED_CODE || REVERTED_WORDS.test(answer.details);
}
