/** A tiny JSON-RPC node over real HTTP that answers eth_call, singly and in batches. */

import { type AbiFunction, decodeFunctionData, encodeAbiParameters, type Hex } from "viem";
import { tokenReadsAbi } from "../../../abis/token-reads.ts";
import { type LocalServer, startLocalServer } from "../../support/servers/local-server.ts";

export interface EthCall {
  readonly functionName: AbiFunction["name"];
  readonly tokenId: bigint;
  readonly to: string;
  readonly block: string;
}

/** The node's answer to one call, or the HTTP status with which it refuses the whole request. */
export type NodeAnswer =
  | { readonly result: unknown }
  | { readonly error: { readonly code: number; readonly message: string; readonly data?: unknown } }
  | { readonly httpStatus: number };

export interface JsonRpcNode extends LocalServer {
  /** Every call so far, oldest first. */
  readonly calls: readonly EthCall[];
}

export const uriResult = (uri: string): NodeAnswer => ({
  result: encodeAbiParameters([{ type: "string" }], [uri]),
});

export async function startJsonRpcNode(answerTo: (call: EthCall) => NodeAnswer): Promise<JsonRpcNode> {
  const calls: EthCall[] = [];
  const server = await startLocalServer(async (request, response) => {
    const body = JSON.parse(Buffer.concat(await request.toArray()).toString());
    const answers = [body].flat().map(({ id, method, params }) => {
      // Only the collection is deployed here.
      if (method === "eth_getCode") return { id, result: "0x" };
      if (method !== "eth_call") return { id, error: { code: -32601, message: `no method ${method}` } };
      const [{ to, data }, block] = params as [{ to: string; data: Hex }, string];
      const { functionName, args } = decodeFunctionData({ abi: tokenReadsAbi, data });
      const call = { functionName, tokenId: args[0], to, block };
      calls.push(call);
      return { id, ...answerTo(call) };
    });
    const refused = answers.find((answer) => "httpStatus" in answer);
    if (refused) return response.writeHead((refused as { httpStatus: number }).httpStatus).end();
    const sent = answers.map((answer) => ({ jsonrpc: "2.0", ...answer }));
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify(Array.isArray(body) ? sent : sent[0]));
  });
  return { ...server, calls };
}
