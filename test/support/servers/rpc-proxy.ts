/** An HTTP proxy before a real node that records requests and may obstruct them. */

import type { ServerResponse } from "node:http";
import { startLocalServer } from "./local-server.ts";

export interface RpcCall {
  readonly id: number;
  readonly method: string;
  readonly params: readonly unknown[];
}

export interface RpcRequest {
  readonly calls: readonly RpcCall[];
  readonly isBatch: boolean;
}

/** Answers instead of the node, or returns false. */
export type Obstacle = (request: RpcRequest, response: ServerResponse) => boolean;

export async function startRpcProxy(nodeUrl: string) {
  const requests: RpcRequest[] = [];
  let obstacle: Obstacle = () => false;
  const server = await startLocalServer(async (incoming, response) => {
    const body = Buffer.concat(await incoming.toArray()).toString();
    const parsed = JSON.parse(body) as RpcCall | RpcCall[];
    const request = { calls: [parsed].flat(), isBatch: Array.isArray(parsed) };
    requests.push(request);
    if (obstacle(request, response)) return;
    const headers = { "content-type": "application/json" };
    const answer = await fetch(nodeUrl, { method: "POST", headers, body });
    response.writeHead(answer.status, headers).end(Buffer.from(await answer.arrayBuffer()));
  });
  return {
    ...server,
    /** Every HTTP request since the last `reset`, oldest first. */
    rpcRequests: requests as readonly RpcRequest[],
    /** How often a method was called, alone or in batches. */
    count: (method: string): number =>
      requests.flatMap(({ calls }) => calls).filter((call) => call.method === method).length,
    reset(next: Obstacle = () => false): void {
      requests.length = 0;
      obstacle = next;
    },
  };
}

export type RpcProxy = Awaited<ReturnType<typeof startRpcProxy>>;
