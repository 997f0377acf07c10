/** How a failed start ends: one sentence on stderr and an exit code, no stack. */

import { createServer } from "node:net";
import { BootError } from "../boot-error.ts";
import { NodeAwayError } from "./chain/index/node-away.ts";
import { PassingBootError } from "./data-folder.ts";
import { isDatabaseAway } from "./db/database-away.ts";
import { type DeniedTarget, explainDenied } from "./db/denied-rights.ts";
import { say } from "./logging/say.ts";

// Ponder's own code for "try again": an RPC endpoint or a database did not answer; never a fault in the code. The
// supervisor restarts on it.
export const TRY_AGAIN_CODE = 75;

export async function stopOnBootError<T>(boot: () => Promise<T>): Promise<T> {
  try {
    return await boot();
  } catch (error) {
    if (!(error instanceof BootError)) throw error;
    say(`vitrine: ${error.message}`, "error");
    process.exit(exitCodeOf(error));
  }
}

function exitCodeOf(error: BootError): number {
  if (error instanceof PassingBootError) return PassingBootError.exitCode;
  return error instanceof NodeAwayError ? NodeAwayError.exitCode : 1;
}

/**
 * Does what a start does in its database. Ends the process with the code for another start if PostgreSQL is away, or where
 * `isPassing` says so of its error, and with one sentence if it denies the role something.
 */
export const prepareDatabase = <T>(
  target: DeniedTarget,
  work: () => Promise<T>,
  isPassing: (error: unknown) => boolean = isDatabaseAway,
): Promise<T> =>
  stopOnBootError(() => explainDenied(target, work)).catch((error: Error) => {
    if (!isPassing(error)) throw error;
    const fault = isDatabaseAway(error) ? "can't be reached" : "is too busy";
    say(`vitrine: PostgreSQL ${fault} (${error.message || String(error)}).`, "error");
    process.exit(TRY_AGAIN_CODE);
  });

/**
 * Throws a BootError when the port is taken, or when this process may not listen on it. Ponder would silently move to the
 * next free one, and clients of the old port would reach whatever runs there.
 */
export async function requireFreePort(port: number, hostname?: string): Promise<void> {
  const probe = createServer();
  await new Promise<void>((resolve, reject) => {
    probe.once("error", reject);
    // Throws by itself what is no port.
    probe.listen(port, hostname, () => probe.close(() => resolve()));
  }).catch((cause: NodeJS.ErrnoException) => {
    throw portFault(port, hostname, cause);
  });
}

/** Why a start can't listen there. */
export function portFault(
  port: number,
  hostname: string | undefined,
  cause: NodeJS.ErrnoException,
): BootError {
  const { code, message } = cause;
  if (code === "EADDRINUSE")
    return new BootError(`Port ${port} is in use; stop what listens there or set PORT to a free one.`, {
      cause,
    });
  const place = hostname === undefined ? `Port ${port}` : `Port ${port} of ${hostname}`;
  return new BootError(
    `${place} can't be listened on (${code ?? message}); set PORT, or --hostname, to one that this process may use.`,
    { cause },
  );
}
