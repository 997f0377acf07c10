import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { expect, it, onTestFinished } from "vitest";
import { freePort } from "../../demo/service.ts";
import { eventually } from "../support/processes/world.ts";

const ROOT = resolve(import.meta.dirname, "../..");

it("`npm run demo` reaches its ready line, its lines to paste all answer, and Ctrl-C leaves nothing behind", async () => {
  const demo = spawn(process.execPath, ["--import", "tsx", join(ROOT, "demo/index.ts")], {
    cwd: ROOT,
    env: { ...process.env, PORT: String(await freePort()), ALLOW_PRIVATE_HOSTS: "localhost:9090" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  // Resolves once all its output has been read.
  const exited = once(demo, "close");
  let isOver = false;
  exited.then(
    () => {
      isOver = true;
    },
    () => undefined,
  );
  // A failure leaves no chain and no database behind either.
  onTestFinished(async () => {
    if (isOver) return;
    demo.kill("SIGINT");
    await exited;
  });
  let stdout = "";
  let stderr = "";
  demo.stdout.on("data", (chunk) => {
    stdout += chunk;
  });
  demo.stderr.on("data", (chunk) => {
    stderr += chunk;
  });

  const readyLine = await eventually(
    async () => {
      if (isOver) throw new Error(`the demo ended with ${demo.exitCode}\n${stderr}`);
      return stdout.split("\n").find((line) => line.startsWith("{")) ?? "";
    },
    (line) => line !== "",
    100_000,
  );
  const ready = JSON.parse(readyLine);
  expect(ready).toMatchObject({
    event: "ready",
    base_url: expect.stringMatching(/^http:\/\/localhost:\d+$/),
    graphql_url: ready.base_url,
    chain_id: 31337,
    contracts: { erc721: expect.stringMatching(/^0x[0-9a-f]{40}$/) },
  });

  const guide = await eventually(
    async () => stderr,
    (text) => text.includes("Stop with Ctrl-C."),
  );
  const lines = guide
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => /^(curl|BASE_URL=)/.test(line));
  expect(lines.length).toBeGreaterThan(8);
  const refused: string[] = [];
  for (const line of lines) {
    const { stdout: answer } = await promisify(execFile)("bash", ["-c", line], { cwd: ROOT });
    expect(answer, line).not.toBe("");
    if (/^\{"message":.*"code":/.test(answer)) refused.push(answer);
  }
  // The guide shows two errors.
  expect(refused.map((answer) => JSON.parse(answer).code)).toEqual(["KEY_MISSING", "INVALID_REQUEST"]);

  const registered = await fetch(`${ready.base_url}/market-partner/webhooks`, {
    method: "POST",
    headers: { "X-API-Key": ready.api_key, "Content-Type": "application/json" },
    body: JSON.stringify({ url: "http://localhost:9090/hooks" }),
  });
  expect(registered.status, "a webhook to a host in ALLOW_PRIVATE_HOSTS").toBe(201);

  demo.kill("SIGINT");
  await eventually(
    async () => stderr,
    (text) => text.includes("Stopping"),
  );
  // npm repeats a terminal's Ctrl-C.
  demo.kill("SIGINT");
  expect((await exited)[0]).toBe(0);
  await expect(fetch(`${ready.base_url}/health`)).rejects.toThrow();
  await expect(fetch(ready.rpc_url)).rejects.toThrow();
  await expect(fetch(ready.metadata_url)).rejects.toThrow();
});
