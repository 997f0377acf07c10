/** The clients that read contracts, over real endpoints: they and the index share what is known of each. */

import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { type Chain, startChain } from "../../../demo/chain.ts";
import { type ChainClient, createChainClients } from "../../../src/api/chain/rpc/clients.ts";
import { type Endpoints, endpointsOf } from "../../../src/api/chain/rpc/endpoints.ts";
import { eventually } from "../../support/eventually.ts";
import { type RpcProxy, startRpcProxy } from "../../support/servers/rpc-proxy.ts";

let chain: Chain;
let first: RpcProxy;
let second: RpcProxy;
let client: ChainClient;
let pool: Endpoints;

beforeAll(async () => {
  chain = await startChain();
});
afterAll(() => chain.close());

beforeEach(async () => {
  first = await startRpcProxy(chain.rpcUrl);
  second = await startRpcProxy(chain.rpcUrl);
  const config = { id: chain.chainId, rpcUrls: [first.url, second.url] };
  const created = createChainClients([config]).get(chain.chainId);
  if (!created) throw new Error("there is no client of the chain");
  client = created;
  pool = endpointsOf(config);
  return () => Promise.all([first.close(), second.close()]);
});

const calls = () => pool.counts().map((counts) => [counts.calls, counts.failures]);
const readCode = (at: ChainClient["alone"]) =>
  at.request({ method: "eth_getCode", params: ["0x0000000000000000000000000000000000000001", "latest"] });

it("count their calls with the pool's: batched, alone and to one endpoint", async () => {
  await Promise.all([readCode(client), readCode(client)]);
  await readCode(client.alone);
  const [, other] = client.endpoints();
  if (other) await readCode(other);

  expect(first.rpcRequests.map((request) => request.calls.length)).toEqual([2, 1]);
  expect(calls()).toEqual([
    [3, 0],
    [1, 0],
  ]);
});

it("count a revert as an answer, and ask no other endpoint", async () => {
  // Creation code that reverts at once.
  const reverting = client.alone.request({
    method: "eth_call",
    params: [{ data: "0x60006000fd" }, "latest"],
  });

  await expect(reverting).rejects.toThrow(/revert/);
  expect(calls()).toEqual([
    [1, 0],
    [0, 0],
  ]);
});

it("count a call that its caller gives up as no failure, and not one that was given up before", async () => {
  first.reset(() => true);
  const [slow] = client.endpoints();
  const given = new AbortController();
  const call = slow?.request({ method: "eth_getCode", params: ["0x01", "latest"] }, { signal: given.signal });
  await eventually(
    () => first.count("eth_getCode"),
    (asked) => asked === 1,
  );
  given.abort();

  await expect(call).rejects.toThrow();
  await expect(slow?.request({ method: "eth_blockNumber" }, { signal: given.signal })).rejects.toThrow();
  first.reset();
  const [[, failures = -1] = []] = calls();
  expect(failures).toBe(0);
});

it.each([
  ["a call", () => readCode(client)],
  ["a call to it alone", () => client.endpoints()[0]?.request({ method: "eth_blockNumber" })],
])("leave out an endpoint that %s has found down, and use it when it is back", async (_what, call) => {
  first.reset((_request, response) => {
    response.writeHead(503).end();
    return true;
  });

  await Promise.resolve(call()).catch(() => undefined);
  await eventually(
    () => client.endpoints().length,
    (usable) => usable === 1,
  );
  const asked = first.count("eth_getCode");
  await readCode(client.alone);
  const failures = calls()[0]?.[1];

  expect(first.count("eth_getCode")).toBe(asked);
  expect(failures).toBeGreaterThan(0);
  first.reset();
  await eventually(
    () => client.endpoints().length,
    (usable) => usable === 2,
  );
});
