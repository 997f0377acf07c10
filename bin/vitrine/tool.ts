/** Shared by all commands of `npx vitrine`: the connection to the service, and the output. */

import type { Command } from "commander";
import { type AdminClient, createAdminClient } from "../admin-client.ts";
import { loadEnvironment } from "../environment.ts";

export interface Tool {
  /** The admin API of the service that the environment names, including .env.local and .env of the working folder. */
  connect(): AdminClient;
  /** Prints the result on stdout: JSON for programs, lines for people. */
  print(result: unknown, lines: readonly string[]): void;
  /** Reports the progress of a long command on stderr. */
  progress(text: string): void;
}

export const createTool = (program: Command): Tool => ({
  connect() {
    loadEnvironment();
    return createAdminClient(process.env);
  },
  print(result, lines) {
    const { json } = program.opts<{ json?: boolean }>();
    process.stdout.write(json ? `${JSON.stringify(result)}\n` : lines.map((line) => `${line}\n`).join(""));
  },
  progress: (text) => void process.stderr.write(`vitrine: ${text}\n`),
});

/** The entries of a comma-separated list. */
export const list = (text: string): string[] =>
  text
    .split(",")
    .map((entry) => entry.trim())
    .filter(Boolean);
