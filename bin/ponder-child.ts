/** A process of Ponder under the supervisor: its output, what it asks for, and how it ended. */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { constants } from "node:os";
import { createInterface } from "node:readline";
import { Writable } from "node:stream";
import { NodeAwayError } from "../src/api/chain/index/node-away.ts";
import { PassingBootError } from "../src/api/data-folder.ts";
import { findRefusal, type PonderRefusal } from "./ponder-refusal.ts";

// Ponder's own code for "try again": an RPC endpoint or a database did not answer; never a fault in the code.
const TRY_AGAIN_CODE = 75;

export interface End {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly refusal: PonderRefusal | undefined;
}

/** Starts it, with its output on `stdout` and this process's stderr. `ended` resolves once all of that has been read. */
export function startPonder({
  command,
  args,
  env,
  stdout,
  onRestart,
}: {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly stdout: NodeJS.WritableStream;
  /** Called with the reason when it asks for a restart. */
  readonly onRestart: (reason: string) => void;
}): { readonly child: ChildProcess; readonly ended: Promise<End> } {
  // In its own process group: a terminal's Ctrl-C reaches only the supervisor, which forwards it once.
  const child = spawn(command, args, {
    env,
    detached: true,
    // The child asks for a restart over this channel, and notices by its closing that the supervisor has gone.
    stdio: ["ignore", "pipe", "pipe", "ipc"],
  });
  let refusal: PonderRefusal | undefined;
  for (const [output, terminal] of [
    [child.stdout, stdout],
    [child.stderr, process.stderr],
  ] as const) {
    if (!output) continue;
    output.pipe(withoutFaults(terminal));
    createInterface({ input: output }).on("line", (line) => {
      refusal ??= findRefusal(line);
    });
  }
  child.on("message", (message) => {
    if (typeof message === "object" && message !== null && "restart" in message)
      onRestart(String(message.restart));
  });
  const ended = once(child, "close").then(([code, signal]) => ({ code, signal, refusal }));
  return { child, ended };
}

/**
 * Loses what can't be written, as where a log's reader has gone or its disk is full: the child would otherwise wait with
 * full pipes. `target` needs a listener for its errors.
 */
const withoutFaults = (target: NodeJS.WritableStream): Writable =>
  new Writable({ write: (chunk: Buffer, _encoding, done) => void target.write(chunk, () => done()) });

/** Its index can be served, and indexed further once each chain has a node. */
export const lacksNode = ({ code, refusal }: End): boolean =>
  code === NodeAwayError.exitCode || refusal?.kind === "node-behind";

export const isWorthAnotherStart = (end: End): boolean =>
  end.signal !== null || end.code === TRY_AGAIN_CODE || lacksNode(end);

export const isPassing = ({ code }: End): boolean => code === PassingBootError.exitCode;

export const describeEnd = ({ code, signal }: End): string =>
  signal ? `by ${signal}` : `with exit code ${code}`;

/** The shell's convention for a process that a signal ended. */
export const exitCodeOf = ({ code, signal }: End): number =>
  code ?? 128 + (signal ? constants.signals[signal] : 0);
