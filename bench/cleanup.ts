/** Ends the processes that a bench has started and removes the folders that it has made, however the bench ends. */

import type { ChildProcess } from "node:child_process";
import { subscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import { chmodSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import { stopEmbeddedPostgres } from "../src/api/postgres/embedded-postgres.ts";
import { say } from "./rounds.ts";

export const STOP_SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
const STOP_TIMEOUT_MS = 10_000;
// A bench that notices the end of a child itself says more about it, such as the end of the child's log.
const OWN_ERROR_MS = 5_000;

const running = new Set<ChildProcess>();
let isEnding = false;

/**
 * Keeps the result unless the bench fails, and resolves with the exit code. The bench also fails when this process is
 * asked to stop, when its parent is gone, and when a child that nobody has stopped ends with an error. For a process that
 * runs nothing else.
 */
export async function withCleanup<Result>(
  bench: () => Promise<Result>,
  keep: (result: Result) => void,
): Promise<number> {
  const folder = createFolder();
  // Last of all, and without a pause in which the bench could start something else.
  process.on("exit", () => {
    for (const child of running) killGroup(child);
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  });
  try {
    keep(await Promise.race([failure(), bench()]));
    return 0;
  } catch (error) {
    say(inspect(error));
    return 1;
  } finally {
    isEnding = true;
    for (const child of [...running].reverse()) await stop(child);
    for (const name of readdirSync(folder)) await stopPostgres(join(folder, name));
  }
}

/** Holds whatever this process and its children put among temporary files. */
function createFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "vitrine-bench-"));
  // PostgreSQL refuses to run as root, and its own user must reach its folder in this one.
  chmodSync(folder, 0o711);
  process.env.TMPDIR = folder;
  return folder;
}

/** Never resolves; rejects with the first reason to end the bench that doesn't come from its own code. */
function failure(): Promise<never> {
  return new Promise((_, reject) => {
    for (const signal of STOP_SIGNALS) process.on(signal, () => reject(new Error(`stopped by ${signal}`)));
    process.on("disconnect", () => reject(new Error("the process that started this bench is gone")));
    process.on("uncaughtException", reject);
    subscribe("child_process", (message) => watch((message as { process: ChildProcess }).process, reject));
  });
}

function watch(child: ChildProcess, fail: (error: Error) => void): void {
  running.add(child);
  child.once("exit", (code, signal) => {
    running.delete(child);
    if (isEnding || child.killed || code === 0) return;
    const program = child.spawnargs.findLast((argument) => /\.m?[jt]s$/.test(argument)) ?? child.spawnfile;
    const error = new Error(`${program} ended by itself (${code ?? signal})`);
    say(error.message);
    setTimeout(fail, OWN_ERROR_MS, error);
  });
}

async function stop(child: ChildProcess): Promise<void> {
  if (!running.has(child) || child.pid === undefined) return;
  const ended = once(child, "exit");
  child.kill();
  const timer = setTimeout(killGroup, STOP_TIMEOUT_MS, child);
  await ended;
  clearTimeout(timer);
  killGroup(child);
}

/** Kills the child, and what it has left of a process group of its own. */
function killGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  child.kill("SIGKILL");
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch {
    // There is no such group any more, or never was.
  }
}

/** For a server that has lost its keeper. */
async function stopPostgres(folder: string): Promise<void> {
  try {
    await stopEmbeddedPostgres(folder);
  } catch (error) {
    say((error as Error).message);
  }
}
