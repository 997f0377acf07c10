/** Reads a token's URI: `tokenURI` for ERC-721, `uri` for ERC-1155 (spec.md "What the service does" 2). */

import { decodeFunctionResult, encodeFunctionData, prepareEncodeFunctionData } from "viem";
import { tokenReadsAbi } from "../../../../abis/token-reads.ts";
import type { Standard } from "../../../config.ts";
import type { TokenRef } from "../../../domain/token-ref.ts";
import type { ChainCalls } from "../../chain/contract/batched-calls.ts";

export type UriRead =
  | { readonly kind: "read"; readonly uri: string; readonly standard: Standard }
  /** The contract has no such token or no such function. */
  | { readonly kind: "reverted"; readonly message: string }
  /**
   * The node gave no answer; nothing is known about the token. `answered`: the node is up and rejects this call, for
   * example by its time or size limit, so a retry may never help.
   */
  | { readonly kind: "unavailable"; readonly message: string; readonly answered: boolean };

/**
 * Reads the URI as of `block`. With an unknown standard it calls both functions, `tokenURI` first. Concurrent reads are
 * batched, and no token affects another's result.
 */
export type ReadUri = (token: TokenRef, standard: Standard | undefined, block: number) => Promise<UriRead>;

const functions = { erc721: "tokenURI", erc1155: "uri" } as const;
// Prepared, because a selector is a Keccak hash, computed anew at each call otherwise.
const tokenUri = prepareEncodeFunctionData({ abi: tokenReadsAbi, functionName: functions.erc721 });
const uri = prepareEncodeFunctionData({ abi: tokenReadsAbi, functionName: functions.erc1155 });
const encodeRead = {
  erc721: (tokenId: bigint) => encodeFunctionData({ ...tokenUri, args: [tokenId] }),
  erc1155: (tokenId: bigint) => encodeFunctionData({ ...uri, args: [tokenId] }),
};

export function createUriReader(together: ChainCalls): ReadUri {
  const readAs = async (token: TokenRef, standard: Standard, block: number): Promise<UriRead> => {
    const functionName = functions[standard];
    const call = together.get(token.chainId);
    if (!call) {
      const message = `no RPC endpoint for chain ${token.chainId}`;
      return { kind: "unavailable", message, answered: false };
    }

    const data = encodeRead[standard](BigInt(token.tokenId));
    const answer = await call(token.collection, data, block);
    if (answer.kind === "reverted") {
      return { kind: "reverted", message: `${functionName}(${token.tokenId}) reverted` };
    }
    if (answer.kind === "unavailable") {
      const answered = answer.because === "call";
      const how = answered ? "refused" : "did not answer";
      return { kind: "unavailable", message: `the RPC endpoint ${how} ${functionName}`, answered };
    }
    try {
      const uri = decodeFunctionResult({ abi: tokenReadsAbi, functionName, data: answer.data });
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
