/** A process of Ponder under the supervisor: its output, what it asks for, and how it ended. */

import { type ChildProcess, spawn } from "node:child_process";
import { constants } from "node:os";
import { createInterface } from "node:readline";
import { Writable } from "node:stream";
import { TRY_AGAIN_CODE } from "../src/api/boot.ts";
import { NodeAwayError } from "../src/api/chain/index/node-away.ts";
import { PassingBootError } from "../src/api/data-folder.ts";
import { findRefusal, type PonderRefusal } from "./ponder-refusal.ts";

export interface End {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly refusal: PonderRefusal | undefined;
  /** It said that Node found no file where a package should have one, or that PostgreSQL refuses its login. */
  readonly saidPassing?: boolean;
}

// What Node ends with, uncaught, and what Ponder's log has of it, also as JSON.
const LACKS_PACKAGES =
  /(?:^|"stack":")\s*Error(?: \[ERR_MODULE_NOT_FOUND\])?: Cannot find (?:module|package) /;
// Of src/api/db/require-database.ts, also as JSON.
const LOGIN_REFUSED = /^(?:\{.*"msg":")?vitrine: PostgreSQL refuses the connection /;

/**
 * Starts it, with its output on `stdout` and this process's stderr. `ended` resolves once all of that has been read, with
 * the code for another start if it can't be started: as without memory, or while an update replaces the packages, of
 * which Node may be one.
 */
export function startPonder({
  command,
  args,
  env,
  stdout,
  onRestart,
  onListening,
  onLine,
}: {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly stdout: NodeJS.WritableStream;
  /** Called with the reason when it asks for a restart. */
  readonly onRestart: (reason: string) => void;
  /** Called when it has begun to listen on its port. */
  readonly onListening: () => void;
  /** Called with why it can't be started. */
  readonly onLine: (line: string) => void;
}): { readonly child: ChildProcess | undefined; readonly ended: Promise<End> } {
  const notStarted = ({ message }: Error): End => {
    onLine(`Ponder can't be started (${message}).`);
    return { code: TRY_AGAIN_CODE, signal: null, refusal: undefined };
  };
  try {
    const child = spawnPonder(command, args, env);
    return { child, ended: follow(child, stdout, onRestart, onListening).catch(notStarted) };
  } catch (error) {
    return { child: undefined, ended: Promise.resolve(notStarted(error as Error)) };
  }
}

const spawnPonder = (command: string, args: readonly string[], env: NodeJS.ProcessEnv): ChildProcess =>
  // In its own process group: a terminal's Ctrl-C reaches only the supervisor, which forwards it once.
  spawn(command, args, {
    env,
    detached: true,
    // The child asks for a restart over this channel, and notices by its closing that the supervisor has gone.
    stdio: ["ignore", "pipe", "pipe", "ipc"],
  });

/** Rejects if it was not started. */
function follow(
  child: ChildProcess,
  stdout: NodeJS.WritableStream,
  onRestart: (reason: string) => void,
  onListening: () => void,
): Promise<End> {
  let refusal: PonderRefusal | undefined;
  let saidPassing = false;
  for (const [output, terminal] of [
    [child.stdout, stdout],
    [child.stderr, process.stderr],
  ] as const) {
    if (!output) continue;
    output.pipe(withoutFaults(terminal));
    createInterface({ input: output }).on("line", (line) => {
      refusal ??= findRefusal(line);
      saidPassing ||= LACKS_PACKAGES.test(line) || LOGIN_REFUSED.test(line);
    });
  }
  child.on("message", (message) => {
    if (typeof message !== "object" || message === null) return;
    if ("restart" in message) onRestart(String(message.restart));
    if ("listening" in message) onListening();
  });
  return new Promise((resolve, reject) => {
    child.on("error", (error) => {
      if (child.pid === undefined) reject(error);
    });
    child.once("close", (code, signal) => resolve({ code, signal, refusal, saidPassing }));
  });
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

/**
 * After a first start, it may succeed later: as once a disk has space, an update has replaced the packages, or PostgreSQL
 * accepts the login again.
 */
export const isPassing = ({ code, saidPassing }: End): boolean =>
  code === PassingBootError.exitCode || (code === 1 && saidPassing === true);

export const describeEnd = ({ code, signal }: End): string =>
  signal ? `by ${signal}` : `with exit code ${code}`;

/** The shell's convention for a process that a signal ended. */
export const exitCodeOf = ({ code, signal }: End): number =>
  code ?? 128 + (signal ? constants.signals[signal] : 0);
