/** Runs the scripts of this folder as child processes. */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";

const start = (name: string, args: readonly string[]): ChildProcess =>
  spawn(
    process.execPath,
    ["--import", "tsx", fileURLToPath(new URL(name, import.meta.url)), ...args],
    // By the channel's end the script notices that this process is gone.
    { stdio: ["ignore", "pipe", "inherit", "ipc"] },
  );

export interface Script {
  /** The first line it printed. */
  readonly line: string;
  stop(): void;
}

/** Resolves once the script has printed a line. If it ends before, cleanup.ts fails the bench. */
export async function startScript(name: string, ...args: readonly string[]): Promise<Script> {
  const child = start(name, args);
  const [line] = await once(child.stdout as Readable, "data");
  return { line: String(line).trim(), stop: () => void child.kill() };
}

/** Resolves with what the script has printed once it has ended, which must be without an error. */
export async function runScript(name: string, ...args: readonly string[]): Promise<string> {
  const child = start(name, args);
  const [output] = await Promise.all([text(child.stdout as Readable), once(child, "close")]);
  if (child.exitCode !== 0) throw new Error(`${name} ended with ${child.exitCode ?? child.signalCode}`);
  return output;
}
