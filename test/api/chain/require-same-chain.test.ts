/** Which endpoints keep a start from an index: those with another chain of the same id. */

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { expect, it, onTestFinished } from "vitest";
import { requireSameChain } from "../../../src/api/chain/index/require-same-chain.ts";

/** A node of this chain, whose every block is of this time. */
async function node(chainId: number, seconds: number): Promise<string> {
  const hex = (value: number): string => `0x${value.toString(16)}`;
  const server = createServer(async (request, response) => {
    const { id, method } = (await json(request)) as { id: number; method: string };
    const result = method === "eth_chainId" ? hex(chainId) : { number: "0x5", timestamp: hex(seconds) };
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ jsonrpc: "2.0", id, result }));
  }).listen(0);
  await new Promise((resolve) => server.once("listening", resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
const check = (...rpcUrls: string[]) =>
  requireSameChain(
    {
      schema: "x",
      content: { kind: "unrecorded" },
      finalized: [{ chainId: 2020, block: 5, timestamp: 100 }],
    } as unknown as Parameters<typeof requireSameChain>[0],
    [{ id: 2020, rpcUrls }],
  );

it("an endpoint of another id says nothing of the index, as it gets no calls", async () => {
  await expect(check(await node(2020, 100), await node(1, 200))).resolves.toBeUndefined();
});

it("one of several endpoints that has another chain of the same id ends the start: it would be read from", async () => {
  await expect(check(await node(2020, 100), await node(2020, 200))).rejects.toThrow(
    'Schema "x" holds an index of another chain 2020: its block 5 is of 1970-01-01T00:01:40.000Z, and that of PONDER_RPC_URL_2020 (endpoint 2) of 1970-01-01T00:03:20.000Z.',
  );
});
