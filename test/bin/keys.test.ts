/** `npx vitrine keys`, as a process: ids that name no key. */

import { tmpdir } from "node:os";
import { afterAll, describe, expect, it } from "vitest";
import { runVitrine } from "../support/processes/command.ts";
import { startLocalServer } from "../support/servers/local-server.ts";

const ID = "00000000-0000-4000-8000-000000000000";
const admin = await startLocalServer((request, response) => {
  request.resume();
  response.writeHead(201, { "content-type": "application/json" });
  response.end(JSON.stringify({ id: ID, key: "the-key", url: "http://localhost/link", expires_at: "later" }));
});
afterAll(admin.close);
const env = { PORT: String(admin.port), VITRINE_OPERATOR_TOKEN: "of-the-service" };

describe("an id that names no key", () => {
  it.each([
    ["rotate", ""],
    ["revoke", ""],
    ["revoke", " "],
  ])("is refused before the service is asked: keys %s %j", async (command, id) => {
    const before = admin.requests.length;

    const { code, stdout, stderr } = await runVitrine(["keys", command, id], { cwd: tmpdir(), env });

    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toContain(
      `error: command-argument value '${id}' is invalid for argument 'id'. must not be empty.\n`,
    );
    expect(admin.requests).toHaveLength(before);
  });
});
