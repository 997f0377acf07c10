/** Asks a contract for a token's URI: `tokenURI` for ERC-721, `uri` for ERC-1155 (spec.md "What the service does" 2). */

import {
  BaseError,
  decodeFunctionResult,
  encodeFunctionData,
  type Hex,
  isHex,
  numberToHex,
  RpcRequestError,
} from "viem";
import { tokenReadsAbi } from "../../../abis/token-reads.ts";
import type { Standard } from "../../config.ts";
import type { TokenRef } from "../../domain/token-ref.ts";
import type { ChainClients } from "../chain/clients.ts";

export type UriRead =
  | { readonly kind: "read"; readonly uri: string; readonly standard: Standard }
  /** The contract has no such token, or no such function. */
  | { readonly kind: "reverted"; readonly message: string }
  /** The node could not answer; nothing is known about the token. */
  | { readonly kind: "unavailable"; readonly message: string };

/** Reads the URI as of `block`. With an unknown standard both functions are asked, `tokenURI` first. */
export type ReadUri = (token: TokenRef, standard: Standard | undefined, block: number) => Promise<UriRead>;

const functions = { erc721: "tokenURI", erc1155: "uri" } as const;

const REVERTED_CODE = 3;
// Nodes that give reverts another code say it in words: geth and its kin, Nethermind, Hardhat, anvil.
const REVERTED_WORDS =
  /revert|vm execution error|evm error|invalid opcode|invalid jump|stack (?:under|over)flow|out of gas/i;

export function createUriReader(clients: ChainClients): ReadUri {
  const readAs = async (token: TokenRef, standard: Standard, block: number): Promise<UriRead> => {
    const functionName = functions[standard];
    const client = clients.get(token.chainId);
    if (!client) return { kind: "unavailable", message: `no RPC endpoint for chain ${token.chainId}` };

    const data = encodeFunctionData({ abi: tokenReadsAbi, functionName, args: [BigInt(token.tokenId)] });
    let answer: unknown;
    try {
      // Not `readContract`: it takes every internal error of a node for a revert, and it fetches the URLs that a
      // contract names in an OffchainLookup (ERC-3668) from anywhere.
      answer = await client.request({
        method: "eth_call",
        params: [{ to: token.collection as Hex, data }, numberToHex(block)],
      });
    } catch (error) {
      return isRevert(error)
        ? { kind: "reverted", message: `${functionName}(${token.tokenId}) reverted` }
        : { kind: "unavailable", message: `the RPC endpoint did not answer ${functionName}` };
    }
    if (!isHex(answer)) {
      return { kind: "unavailable", message: `the RPC endpoint answered ${functionName} with no data` };
    }
    try {
      const uri = decodeFunctionResult({ abi: tokenReadsAbi, functionName, data: answer });
      return { kind: "read", uri, standard };
    } catch {
      return { kind: "reverted", message: `${functionName}(${token.tokenId}) did not answer a string` };
    }
  };

  return async (token, standard, block) => {
    if (standard) return readAs(token, standard, block);
    const erc721 = await readAs(token, "erc721", block);
    if (erc721.kind !== "reverted") return erc721;
    const erc1155 = await readAs(token, "erc1155", block);
    return erc1155.kind === "reverted" ? erc721 : erc1155;
  };
}

/** A revert is the contract's answer; every other error is the node's, and says nothing about the token. */
function isRevert(error: unknown): boolean {
  if (!(error instanceof BaseError)) return false;
  const answer = error.walk((cause) => cause instanceof RpcRequestError);
  if (!(answer instanceof RpcRequestError)) return false;
  return answer.code === REVERTED_CODE || REVERTED_WORDS.test(answer.details);
}
