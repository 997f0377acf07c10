import { Command } from "commander";
import { afterAll, describe, expect, it } from "vitest";
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
