/** Combines many contract calls into one eth_call, through Multicall3 (https://github.com/mds1/multicall3). */

import { type Address, decodeFunctionResult, encodeFunctionData, type Hex, multicall3Abi } from "viem";
import type { ChainClient } from "../rpc/clients.ts";
import { type CallAnswer, callContract, hasCode } from "./contract-call.ts";

export interface Call {
  readonly contract: string;
  readonly data: Hex;
}

// The same address on every chain that has it.
const MULTICALL3: Address = "0xca11bde05977b3631167028862be2a173976ca11";
const AGGREGATE = { abi: multicall3Abi, functionName: "aggregate3" } as const;

/** Whether the contract exists on the chain at that block; undefined if the node gave no answer. Never rejects. */
export const hasMulticall = (client: ChainClient, block: number): Promise<boolean | undefined> =>
  hasCode(client.alone, MULTICALL3, block);

/**
 * One result per call, in their order; never rejects. None is ever reported as reverted: earlier calls may have used up
 * the gas of one that failed, and each call keeps only 63/64 of the remaining gas from the next (EIP-150).
 */
export async function callThroughMulticall(
  client: ChainClient,
  calls: readonly Call[],
  block: number,
): Promise<readonly CallAnswer[]> {
  const refused = (because: "call" | "node" | "silence") =>
    calls.map((): CallAnswer => ({ kind: "unavailable", because }));
  try {
    const args = calls.map(({ contract, data }) => ({
      target: contract as Address,
      allowFailure: true,
      callData: data,
    }));
    const together = encodeFunctionData({ ...AGGREGATE, args: [args] });
    const answer = await callContract(client.alone, MULTICALL3, together, block);
    if (answer.kind !== "answered") return refused(answer.kind === "reverted" ? "call" : answer.because);
    const results = decodeFunctionResult({ ...AGGREGATE, data: answer.data });
    if (results.length !== calls.length) return refused("call");
    return results.map(({ success, returnData }) =>
      success ? { kind: "answered", data: returnData } : { kind: "unavailable", because: "call" },
    );
  } catch {
    return refused("call");
  }
}
