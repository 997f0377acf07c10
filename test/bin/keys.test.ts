/** `npx vitrine keys`, as a process: ids that name no key, and keys that nobody could see. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { tmpdir } from "node:os";
import { resolve } from "node:path";
import { text } from "node:stream/consumers";
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

it("an empty collection is refused before an export creates its key", async () => {
  const before = admin.requests.length;

  const { code, stderr } = await runVitrine(["export", ""], { cwd: tmpdir(), env });

  expect(code).toBe(1);
  expect(stderr).toContain("value '' is invalid for argument 'collection'. must not be empty.\n");
  expect(admin.requests).toHaveLength(before);
});

describe("what is shown once, and couldn't be printed", () => {
  /** Runs a command whose output goes nowhere: to a reader that is gone, or a disk that is full. */
  async function runUnseen(args: readonly string[], output: "closed pipe" | "full disk") {
    const full = openSync("/dev/full", "w");
    const child = spawn(process.execPath, [resolve(import.meta.dirname, "../../bin/vitrine.js"), ...args], {
      cwd: tmpdir(),
      env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
      stdio: ["ignore", output === "full disk" ? full : "pipe", "pipe"],
    });
    closeSync(full);
    child.stdout?.destroy();
    const [stderr, [code]] = await Promise.all([text(child.stderr as never), once(child, "close")]);
    return { code, stderr };
  }

  it.each(["closed pipe", "full disk"] as const)("is a new key: it is named, with a %s", async (output) => {
    const { code, stderr } = await runUnseen(["keys", "create", "--app", "Ours", "--api", "market"], output);

    expect(code).toBe(1);
    expect(stderr).toContain(
      `vitrine: key ${ID} was created, and couldn't be printed; revoke it (npx vitrine keys revoke ${ID}), or replace it (npx vitrine keys rotate ${ID} --grace 0).\n`,
    );
  });

  it.each(["closed pipe", "full disk"] as const)(
    "is a rotated key: it is named, with a %s",
    async (output) => {
      const { code, stderr } = await runUnseen(["keys", "rotate", ID], output);

      expect(code).toBe(1);
      expect(stderr).toContain(
        `vitrine: key ${ID} was created, and couldn't be printed; revoke it (npx vitrine keys revoke ${ID}), or replace it (npx vitrine keys rotate ${ID} --grace 0).\n`,
      );
    },
  );

  it("is a link to sign in", async () => {
    const { code, stderr } = await runUnseen(["login-link"], "closed pipe");

    expect(code).toBe(1);
    expect(stderr).toContain("vitrine: the link was created, and couldn't be printed; create another one.\n");
  });
});
