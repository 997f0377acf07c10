/** Runs `npx vitrine` as an operator does: in a process of its own, to its end. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { resolve } from "node:path";
import { text } from "node:stream/consumers";

const ROOT = resolve(import.meta.dirname, "../../..");

export interface Ended {
  /** Null after a signal. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CommandOptions {
  /** The environment, besides what every program needs. Nothing else of this process's is passed on. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** The folder; the project's by default. */
  readonly cwd?: string;
  readonly stdin?: string;
}

export async function runVitrine(
  args: readonly string[],
  { env, cwd = ROOT, stdin = "" }: CommandOptions = {},
): Promise<Ended> {
  const { PATH, HOME, TMPDIR, NODE_COMPILE_CACHE } = process.env;
  const child = spawn(process.execPath, [resolve(ROOT, "bin/vitrine.js"), ...args], {
    cwd,
    env: { PATH, HOME, TMPDIR, NODE_COMPILE_CACHE, ...env },
  });
  // A command that ends without reading its input closes the pipe.
  child.stdin.on("error", () => undefined);
  child.stdin.end(stdin);
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, "close") as Promise<[number | null]>,
  ]);
  return { code, stdout, stderr };
}

/** The same, for a command that must succeed: its output. */
export async function outputOf(args: readonly string[], options: CommandOptions = {}): Promise<string> {
  const { code, stdout, stderr } = await runVitrine(args, options);
  if (code !== 0) throw new Error(`vitrine ${args.join(" ")} ended with ${code}: ${stderr}`);
  return stdout;
}
