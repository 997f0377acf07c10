/** One RPC endpoint: how many calls it gets at once. */

import { setTimeout as sleep } from "node:timers/promises";
import { expect, it, onTestFinished } from "vitest";
import { createEndpoint } from "../../../src/api/chain/rpc/endpoint.ts";
import { startLocalServer } from "../../support/servers/local-server.ts";

const call = { method: "eth_chainId" };
const TIMEOUT_MS = 5_000;

it("calls that wait for an endpoint are let in as its limit rises after refusals for their number", async () => {
  let isRefusing = true;
  let [inFlight, most] = [0, 0];
  const server = await startLocalServer(async (_, response) => {
    if (isRefusing) return void response.writeHead(429).end();
    most = Math.max(most, ++inFlight);
    await sleep(50);
    inFlight--;
    response.writeHead(200, { "content-type": "application/json" });
    response.end('{"jsonrpc":"2.0","id":1,"result":"0x1"}');
  });
  onTestFinished(() => server.close());
  const endpoint = createEndpoint(server.url, 1);
  for (let refusals = 0; refusals < 6; refusals++) await endpoint.ask(call, TIMEOUT_MS);
  isRefusing = false;

  const answers = await Promise.all(Array.from({ length: 60 }, () => endpoint.ask(call, TIMEOUT_MS)));

  expect(new Set(answers.map(({ kind }) => kind))).toEqual(new Set(["answer"]));
  // Each of 60 answers adds the inverse of the limit to it, from two on: up to eleven.
  expect(most).toBeGreaterThan(7);
  expect(most).toBeLessThan(12);
});
