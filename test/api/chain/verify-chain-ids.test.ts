/** What a start says of endpoints that don't answer, or serve another chain. */

import { createServer } from "node:http";
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from "vitest";
import { endProbes } from "../../../src/api/chain/rpc/endpoint-health.ts";
import { endpointsOf } from "../../../src/api/chain/rpc/endpoints.ts";
import { verifyChainIds } from "../../../src/api/chain/rpc/verify-chain-ids.ts";

let lines: string[];
beforeEach(() => {
  lines = [];
  vi.spyOn(process.stderr, "write").mockImplementation((text) => lines.push(String(text)) > 0);
});
afterEach(() => {
  vi.restoreAllMocks();
  endProbes();
});

async function endpoint(status: number, body: object): Promise<string> {
  const server = createServer((_request, response) => {
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  }).listen(0);
  await new Promise((resolve) => server.once("listening", resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as { port: number }).port}/secret-key`;
}
const chainOf = (...rpcUrls: string[]) => [{ id: 2020, rpcUrls }];

it("names the endpoint that doesn't answer and its status, but not its address, and goes on", async () => {
  const good = await endpoint(200, { jsonrpc: "2.0", id: 1, result: "0x7e4" });
  const denied = await endpoint(401, { error: "no key" });

  await verifyChainIds(chainOf(good, denied, "http://127.0.0.1:9/secret-key"));

  expect(lines.toSorted()).toEqual([
    "vitrine: PONDER_RPC_URL_2020 (endpoint 2) answered with status 401 for eth_chainId; it is asked again.\n",
    "vitrine: PONDER_RPC_URL_2020 (endpoint 3) gave no answer (HttpRequestError) for eth_chainId; it is asked again.\n",
  ]);
});

it("goes on without the endpoint of another chain where another one serves this one, and gives it no call", async () => {
  const other = await endpoint(200, { jsonrpc: "2.0", id: 1, result: "0x1" });
  const good = await endpoint(200, { jsonrpc: "2.0", id: 1, result: "0x7e4" });
  const chain = { id: 2020, rpcUrls: [other, good] };

  await verifyChainIds([chain]);

  expect(lines).toEqual([
    "vitrine: PONDER_RPC_URL_2020 (endpoint 1) serves chain 1, not 2020, and gets no calls until it serves chain 2020; point it to chain 2020 or remove it.\n",
  ]);
  const pool = endpointsOf(chain);
  expect(pool.report()[0]).toMatchObject({ endpoint: 1, status: "down", reason: "chain_1" });
  expect(pool.places()).toEqual([2]);
  const answers = [{}, { spread: true }].map((options) =>
    pool.ask({ method: "eth_chainId" }, { waitMs: 5_000, ...options }),
  );
  expect(await Promise.all(answers)).toEqual(answers.map(() => ({ kind: "answer", result: "0x7e4" })));
  expect(pool.counts()[0]).toEqual({ endpoint: 1, calls: 0, failures: 0 });
});

it("ends a start whose endpoints all serve other chains", async () => {
  const others = await Promise.all(
    ["0x1", "0xa"].map((result) => endpoint(200, { jsonrpc: "2.0", id: 1, result })),
  );

  await expect(verifyChainIds(chainOf(...others))).rejects.toThrow(
    "PONDER_RPC_URL_2020 (endpoint 1) serves chain 1, not 2020; point it to chain 2020 or rename the variable.",
  );
});

it("ends a start whose endpoint serves another chain", async () => {
  const other = await endpoint(200, { jsonrpc: "2.0", id: 1, result: "0x1" });

  await expect(verifyChainIds(chainOf(other))).rejects.toThrow(
    "PONDER_RPC_URL_2020 (endpoint 1) serves chain 1, not 2020; point it to chain 2020 or rename the variable.",
  );
  expect(lines).toEqual([]);
});
