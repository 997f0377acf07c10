/** A scripted contract: the node's answers to the few calls that show whether a token exists. */

import { decodeFunctionData, type Hex, numberToHex, parseAbi } from "viem";
import type { ChainCalls } from "../../../src/api/chain/contract/batched-calls.ts";
import { nobodysSignature } from "../../../src/api/chain/contract/unknown-function.ts";

const abi = parseAbi([
  "function ownerOf(uint256 id) view returns (address)",
  "function exists(uint256 id) view returns (bool)",
  "function totalSupply(uint256 id) view returns (uint256)",
  nobodysSignature,
]);

export type AskedFunction = "ownerOf" | "exists" | "totalSupply" | "nobody";

/** A word, raw bytes, or why there is none. */
export type FakeAnswer = bigint | Hex | "reverts" | "unavailable";

/** Calls on any contract of the chain, answered by the script and recorded in `asked`. */
export function createFakeCalls(
  chainId: number,
  script: (functionName: AskedFunction, tokenId: string) => FakeAnswer,
) {
  const asked: string[] = [];
  const calls: ChainCalls = new Map([
    [
      chainId,
      async (_contract, data) => {
        const { functionName, args } = decodeFunctionData({ abi, data });
        const name = functionName.startsWith("vitrine") ? "nobody" : (functionName as AskedFunction);
        asked.push(`${name}(${args[0]})`);
        const answer = script(name, String(args[0]));
        if (answer === "reverts")
          return { kind: "reverted", revert: { data: undefined, message: "it reverts" } };
        if (answer === "unavailable") return { kind: "unavailable", because: "silence" };
        return {
          kind: "answered",
          data: typeof answer === "bigint" ? numberToHex(answer, { size: 32 }) : answer,
        };
      },
    ],
  ]);
  return { calls, asked };
}

/** An ERC-721 contract with the tokens for which `has` returns true. */
export const ownerOfOnly =
  (has: (tokenId: string) => boolean) =>
  (functionName: AskedFunction, tokenId: string): FakeAnswer =>
    functionName === "ownerOf" && has(tokenId) ? 0xa1n : "reverts";
