import { Command } from "commander";
import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import { createAdminClient } from "../../bin/admin-client.ts";
import { addAllowlistCommands } from "../../bin/vitrine/allowlist.ts";
import { addKeyCommands } from "../../bin/vitrine/keys.ts";
import { addLockCommands } from "../../bin/vitrine/locks.ts";
import { addLoginLinkCommand } from "../../bin/vitrine/login-link.ts";
import { addMetadataCommands } from "../../bin/vitrine/metadata.ts";
import { addRefreshCommand } from "../../bin/vitrine/refresh.ts";
import { addTraitCommands } from "../../bin/vitrine/traits.ts";
import { createTestDatabase } from "../support/database/database.ts";
import { createTestApp } from "../support/processes/app.ts";
import { COLLECTION } from "../support/refresh/refresh.ts";
import { startLocalServer } from "../support/servers/local-server.ts";
import { OPERATOR_TOKEN } from "../support/service-key.ts";

const test = await createTestDatabase();

/** Serves a service with this operator token. */
async function serve(operatorToken: string | undefined) {
  const { app } = createTestApp(test, { config: { operatorToken } });
  return startLocalServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const init = {
      method: request.method ?? "GET",
      headers: request.headers as Record<string, string>,
      ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
    };
    const incoming = { socket: { remoteAddress: "127.0.0.1" } };
    const answer = await app.request(request.url ?? "/", init, { incoming });
    response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text());
  });
}

const closed = await serve(undefined);
const open = await serve(OPERATOR_TOKEN);
afterAll(() => Promise.all([closed.close(), open.close()]));

/** Runs a command of `npx vitrine` in this process. */
async function vitrine(environment: Record<string, string>, ...args: readonly string[]): Promise<void> {
  const program = new Command("vitrine").exitOverride();
  const tool = {
    connect: () => createAdminClient({ VITRINE_DATA: "/nonexistent/data", ...environment }),
    print: () => undefined,
    progress: () => undefined,
  };
  for (const add of [
    addKeyCommands,
    addLoginLinkCommand,
    addAllowlistCommands,
    addLockCommands,
    addTraitCommands,
    addRefreshCommand,
    addMetadataCommands,
  ])
    add(program, tool);
  await program.parseAsync(args, { from: "user" });
}

const commands = [
  ["keys", "list"],
  ["keys", "create", "--app", "Ours", "--api", "market"],
  ["keys", "rotate", "00000000-0000-4000-8000-000000000000"],
  ["keys", "revoke", "00000000-0000-4000-8000-000000000000"],
  ["login-link"],
  ["allowlist", "list"],
  ["allowlist", "add", "cdn.example.com"],
  ["locks", "reconcile"],
  ["traits", "pending"],
  ["refresh", COLLECTION],
  ["metadata", "renormalise"],
];

describe("npx vitrine", () => {
  it.each(commands)("says of a service without an operator token what it lacks: %s %s", async (...args) => {
    await expect(
      vitrine({ BASE_URL: closed.url, VITRINE_OPERATOR_TOKEN: OPERATOR_TOKEN }, ...args),
    ).rejects.toThrow(
      `the service at ${closed.url} has no operator token; set VITRINE_OPERATOR_TOKEN in its environment, restart it, and give this command the same.`,
    );
  });

  it.each(commands)("says that it was given no operator token: %s %s", async (...args) => {
    await expect(vitrine({ BASE_URL: open.url }, ...args)).rejects.toThrow(
      "VITRINE_OPERATOR_TOKEN is not set; set it to the token that the service was started with.",
    );
  });

  it("says as before what is not there", async () => {
    const environment = { BASE_URL: open.url, VITRINE_OPERATOR_TOKEN: OPERATOR_TOKEN };

    await expect(
      vitrine(environment, "keys", "revoke", "00000000-0000-4000-8000-000000000000"),
    ).rejects.toThrow("id: no such key, or revoked already");
    await expect(vitrine(environment, "refresh", "nope")).rejects.toThrow("Collection not found");
  });
});

describe("a BASE_URL that redirects", () => {
  /** As http:// in front of https://, where the token is not sent. */
  async function behindRedirect(locate: (path: string) => string): Promise<string> {
    const proxy = await startLocalServer((request, response) => {
      request.resume();
      response.writeHead(301, { location: locate(request.url ?? "") }).end("moved");
    });
    onTestFinished(proxy.close);
    return proxy.url;
  }

  it.each(commands)("is named with the address to set: %s %s", async (...args) => {
    const before = open.requests.length;
    const BASE_URL = await behindRedirect((path) => `${open.url}${path}`);

    await expect(vitrine({ BASE_URL, VITRINE_OPERATOR_TOKEN: OPERATOR_TOKEN }, ...args)).rejects.toThrow(
      new Error(`${BASE_URL} redirects; set BASE_URL to ${open.url}.`),
    );
    expect(open.requests).toHaveLength(before);
  });

  it("is named with where it leads, if that is elsewhere, also for an export", async () => {
    const BASE_URL = await behindRedirect(() => "/sign-in");
    const client = createAdminClient({ BASE_URL, VITRINE_OPERATOR_TOKEN: OPERATOR_TOKEN });

    await expect(client.open("/market/collections/heroes/export", {})).rejects.toThrow(
      new Error(`${BASE_URL} redirects to ${BASE_URL}/sign-in; set BASE_URL to the service's own address.`),
    );
  });

  it("that leads to a page to sign in, with the way back, is not taken for the service's address", async () => {
    const BASE_URL = await behindRedirect((path) => `https://sign-in.example/?to=${path}`);
    const client = createAdminClient({ BASE_URL, VITRINE_OPERATOR_TOKEN: OPERATOR_TOKEN });

    await expect(client.call("GET", "/admin/queue")).rejects.toThrow(
      new Error(
        `${BASE_URL} redirects to https://sign-in.example/?to=/admin/queue; set BASE_URL to the service's own address.`,
      ),
    );
  });
});
