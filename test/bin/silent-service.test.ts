/** Commands of `npx vitrine` at a service that takes a request and gives no answer, or only a part of one. */

import type { RequestListener } from "node:http";
import { Command } from "commander";
import { describe, expect, it, onTestFinished } from "vitest";
import { createAdminClient } from "../../bin/admin-client.ts";
import { addMetadataCommands } from "../../bin/vitrine/metadata.ts";
import { addRefreshCommand } from "../../bin/vitrine/refresh.ts";
import { startLocalServer } from "../support/servers/local-server.ts";
import { OPERATOR_TOKEN } from "../support/service-key.ts";

const silent: RequestListener = (request) => void request.resume();
const begins: RequestListener = (request, response) => {
  request.resume();
  response.writeHead(200, { "content-type": "application/json" }).write("{");
};
const isAsked: RequestListener = (request, response) => {
  if (request.method !== "POST") return silent(request, response);
  request.resume();
  response.writeHead(202, { "content-type": "application/json" }).end('{"refresh_id":"7"}');
};

async function serve(listener: RequestListener) {
  const server = await startLocalServer(listener);
  onTestFinished(server.close);
  return server;
}

/** Runs the command in this process, and Ctrl-C once the service has so many requests. */
async function interrupt(listener: RequestListener, requests: number, args: readonly string[]) {
  const server = await serve(listener);
  const said: string[] = [];
  const program = new Command("vitrine").exitOverride();
  for (const add of [addRefreshCommand, addMetadataCommands])
    add(program, {
      connect: () => createAdminClient({ BASE_URL: server.url, VITRINE_OPERATOR_TOKEN: OPERATOR_TOKEN }),
      print: () => said.push("a result"),
      progress: (text) => said.push(text),
    });
  const others = process.listeners("SIGINT");
  const running = program.parseAsync(args, { from: "user" });
  await expect.poll(() => server.requests.length, { timeout: 30_000 }).toBe(requests);
  for (const listen of process.listeners("SIGINT")) if (!others.includes(listen)) listen("SIGINT");
  try {
    await running;
    return { said, code: process.exitCode };
  } finally {
    process.exitCode = undefined;
    expect(process.listeners("SIGINT")).toEqual(others);
  }
}

describe("Ctrl-C", () => {
  const commands = [
    ["refresh", "heroes"],
    ["metadata", "renormalise"],
  ];

  it.each(commands)("ends a command whose request has no answer: %s %s", async (...args) => {
    for (const listener of [silent, begins])
      expect(await interrupt(listener, 1, args)).toEqual({
        said: ["stopped before the service answered; it may do what it was asked to"],
        code: 130,
      });
  });

  it.each(commands)("ends one that follows the work, likewise: %s %s", async (...args) => {
    expect(await interrupt(isAsked, 2, args)).toEqual({
      said: [expect.stringMatching(/^the service continues in the background; GET \/admin\/\S+ shows/)],
      code: 130,
    });
  });
});

describe("a request", () => {
  it.each([
    ["no answer", silent],
    ["a part of one", begins],
  ])("ends at its time limit with %s", async (_what, listener) => {
    const { url } = await serve(listener);
    const client = createAdminClient({ BASE_URL: url, VITRINE_OPERATOR_TOKEN: OPERATOR_TOKEN });

    await expect(client.call("GET", "/admin/keys", undefined, { timeoutMs: 100 })).rejects.toThrow(
      new Error(`${url} gave no answer within 0.1 s.`),
    );
    // A key may have been created, or rotated.
    await expect(client.call("POST", "/admin/keys", {}, { timeoutMs: 100 })).rejects.toThrow(
      new Error(`${url} gave no answer within 0.1 s; it may do what it was asked to.`),
    );
  });
});
