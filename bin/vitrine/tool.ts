/** Shared by all commands of `npx vitrine`: the connection to the service, and the output. */

import { type Command, InvalidArgumentError } from "commander";
import { type AdminClient, createAdminClient } from "../admin-client.ts";
import { loadEnvironment } from "../environment.ts";
import { visible } from "./visible.ts";

export interface Tool {
  /** The admin API of the service that the environment names, including .env.local and .env of the working folder. */
  connect(): AdminClient;
  /**
   * Prints the result on stdout: JSON for programs, lines for people, without control characters. `ifUnseen` is what stderr
   * says of a result that is shown once, if stdout doesn't take it; the exit code is 1 then.
   */
  print(result: unknown, lines: readonly string[], ifUnseen?: string): void;
  /** Reports the progress of a long command on stderr. */
  progress(text: string): void;
}

const progress: Tool["progress"] = (text) => void process.stderr.write(`vitrine: ${visible(text)}\n`);

export const createTool = (program: Command): Tool => ({
  connect() {
    loadEnvironment();
    return createAdminClient(process.env);
  },
  print(result, lines, ifUnseen) {
    const { json } = program.opts<{ json?: boolean }>();
    const text = json ? `${JSON.stringify(result)}\n` : lines.map((line) => `${visible(line)}\n`).join("");
    process.stdout.write(text, (error) => {
      if (!error || ifUnseen === undefined) return;
      progress(ifUnseen);
      process.exitCode = 1;
    });
  },
  progress,
});

/** A parser of arguments that name something. A shell passes a variable that is not set as an empty text. */
export function notEmpty(text: string): string {
  if (text.trim() === "") throw new InvalidArgumentError("must not be empty.");
  return text;
}

/** The entries of a comma-separated list. */
export const list = (text: string): string[] =>
  text
    .split(",")
    .map((entry) => entry.trim())
    .filter(Boolean);

/** Of a chain id or a block, so that a number holds it exactly. */
const WHOLE_NUMBER_MAX = 999_999_999_999_999;

/** A parser of options that are whole numbers in these bounds, without leading zeros. */
export const wholeNumber =
  (min: number, max = WHOLE_NUMBER_MAX) =>
  (text: string): number => {
    const number = Number(text);
    if (!/^(0|[1-9][0-9]*)$/.test(text) || number < min || number > max)
      throw new InvalidArgumentError(`must be a whole number from ${min} to ${max}.`);
    return number;
  };
