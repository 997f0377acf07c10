/** One RPC endpoint: how many calls it gets at once, and what its errors show. */

import { setTimeout as sleep } from "node:timers/promises";
import { inspect } from "node:util";
import { createPublicClient, http } from "viem";
import { expect, it, onTestFinished } from "vitest";
import { createEndpoint } from "../../../src/api/chain/rpc/endpoint.ts";
import { redactSecrets } from "../../../src/api/logging/redact.ts";
import { createMemoryLogger } from "../../support/processes/worker.ts";
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

it.each([
  ["that refuses connections", "http://127.0.0.1:1"],
  ["that answers 404 with its path", "echo"],
])(
  "an error of an endpoint %s, and a log line of it, have the host and no more of the URL",
  async (_, of) => {
    const server = await startLocalServer(({ url }, response) =>
      response.writeHead(404, { "content-type": "text/plain" }).end(`Cannot POST ${url}`),
    );
    onTestFinished(() => server.close());
    const key = "b0b0b0b0b0b0b0b0b0b0";
    const url = `${of === "echo" ? server.url : of}/v3/${key}?k=${key}`;
    const outcome = await createEndpoint(url, 1).ask(call, TIMEOUT_MS);
    const { logger, entries } = createMemoryLogger();
    const direct = await createPublicClient({ transport: http(url, { retryCount: 0 }) })
      .getChainId()
      .catch((error: unknown) => error);

    redactSecrets(logger).debug({ msg: "failed", error: direct });

    expect(outcome.kind).toBe("fault");
    for (const shown of [outcome, entries].map((each) => inspect(each, { depth: 20 }))) {
      expect(shown).not.toContain(key);
      expect(shown).toContain(new URL(url).host);
    }
  },
);
