/** Runs a script of this folder as a child process. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";

export interface Script {
  /** The first line it printed. */
  readonly line: string;
  stop(): void;
}

/** Resolves once the script has printed a line. If it ends before, cleanup.ts fails the bench. */
export async function startScript(name: string, ...args: readonly string[]): Promise<Script> {
  const file = fileURLToPath(new URL(name, import.meta.url));
  const child = spawn(process.execPath, ["--import", "tsx", file, ...args], {
    // By the channel's end the script notices that this process is gone.
    stdio: ["ignore", "pipe", "inherit", "ipc"],
  });
  const [line] = await once(child.stdout as Readable, "data");
  return { line: String(line).trim(), stop: () => void child.kill() };
}
