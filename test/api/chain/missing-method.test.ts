/** Endpoints without a method that Ponder needs, as of private-transaction RPCs and free tiers. */

import { getLogsRetryHelper } from "@ponder/utils";
import type { RpcError } from "viem";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Chain, startChain } from "../../../demo/chain.ts";
import { createDeliveredBlocks } from "../../../src/api/chain/rpc/delivered-blocks.ts";
import { endProbes } from "../../../src/api/chain/rpc/endpoint-health.ts";
import { createEndpoints, type Endpoints } from "../../../src/api/chain/rpc/endpoints.ts";
import { createPonderRequest } from "../../../src/api/chain/rpc/ponder-transport.ts";
import { type Endpoint, startEndpoint } from "../../faults/support/endpoint.ts";
import { eventually } from "../../support/eventually.ts";

const range = { fromBlock: "0x1", toBlock: "0x8" } as const;

let chain: Chain;
let first: Endpoint;
let second: Endpoint;
let endpoints: Endpoints;
let askLogs: () => Promise<unknown>;
beforeAll(async () => {
  chain = await startChain();
  await chain.mine(10);
});
afterAll(() => chain.close());
beforeEach(async () => {
  first = await startEndpoint(chain.rpcUrl);
  second = await startEndpoint(chain.rpcUrl);
  endpoints = createEndpoints({ id: chain.chainId, rpcUrls: [first.url, second.url] });
  const request = createPonderRequest(endpoints, createDeliveredBlocks());
  askLogs = () => request({ method: "eth_getLogs", params: [range] });
});
afterEach(async () => {
  endProbes();
  await Promise.all([first.close(), second.close()]);
});

const refuseLogs = (rpc: Endpoint, code: number, message: string): void =>
  rpc.refuse(({ method }) => (method === "eth_getLogs" ? { code, message } : undefined));
const statuses = () => endpoints.report().map(({ status }) => status);

describe.each([
  ["not found", -32_601],
  ["not supported", -32_004],
])("an endpoint whose method is %s", (_, code) => {
  beforeEach(() => refuseLogs(first, code, "rpc method is not whitelisted"));

  it("is left for the next one, and stays in use for the other methods", async () => {
    // Of calls that any endpoint can serve, each begins with another one.
    for (let nth = 0; nth < 4; nth++) expect(await askLogs()).toEqual([]);

    expect(statuses()).toEqual(["used", "ready"]);
  });

  it("does not hide the limit of the other one, from which Ponder derives a smaller range", async () => {
    const message = "You can make eth_getLogs requests with up to a 5 block range";
    refuseLogs(second, -32_602, message);

    const error = (await askLogs().catch((reason) => reason)) as RpcError;

    expect(getLogsRetryHelper({ error, params: [range] })).toMatchObject({ shouldRetry: true });
  });

  it("does not hide why the other one refuses", async () => {
    refuseLogs(second, -32_000, "pruned history unavailable");

    await expect(askLogs()).rejects.toThrow("has deleted the logs of blocks 1 to 8");
  });

  it("keeps the call waiting while the other one is down: Ponder ends at such an error", async () => {
    expect(await askLogs()).toEqual([]);
    await second.goAway();
    let end = "none";
    const waiting = askLogs().finally(() => {
      end = "settled";
    });
    await eventually(statuses, ([, status]) => status === "down");
    const asked = first.requests();
    await eventually(
      async () => first.requests(),
      (requests) => requests > asked,
    );
    expect(end).toBe("none");

    await second.comeBack();

    expect(await waiting).toEqual([]);
  });

  it("is believed where all say so", async () => {
    refuseLogs(second, code, "rpc method is not whitelisted");

    const error = await askLogs().catch((reason) => reason);

    expect(error).toMatchObject({ code, details: "rpc method is not whitelisted" });
    expect(statuses()).toEqual(["used", "ready"]);
  });
});
