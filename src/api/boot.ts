/** How a failed start ends: one sentence on stderr and an exit code, no stack. */

import { connect, createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { BootError } from "../boot-error.ts";
import { NodeAwayError } from "./chain/index/node-away.ts";
import { PassingBootError } from "./data-folder.ts";
import { isDatabaseAway } from "./db/database-away.ts";
import { type DeniedTarget, explainDenied } from "./db/denied-rights.ts";
import { say } from "./logging/say.ts";
import { ownAddresses } from "./own-addresses.ts";

// Ponder's own code for "try again": an RPC endpoint or a database did not answer; never a fault in the code. The
// supervisor restarts on it.
export const TRY_AGAIN_CODE = 75;

// Linux keeps the port of a connection that has ended for a minute.
const PORT_WAIT_MS = 70_000;
const PORT_RETRY_MS = 500;
const CONNECT_MS = 1_000;
// Where the system says no addresses, a server of any host has these.
const LOOPBACK = ["127.0.0.1", "::1"];

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
 * next free one, and clients of the old port would reach whatever runs there. Waits a while for a port at which nothing
 * listens.
 */
export async function requireFreePort(port: number, hostname?: string): Promise<void> {
  const deadline = performance.now() + PORT_WAIT_MS;
  for (let tries = 1; ; tries++) {
    const fault = await tryToListen(port, hostname);
    if (!(fault instanceof PassingBootError) || performance.now() >= deadline) {
      if (fault) throw fault;
      return;
    }
    if (tries === 1) say(`vitrine: ${fault.message} Waiting for it.`);
    await sleep(PORT_RETRY_MS);
  }
}

async function tryToListen(port: number, hostname: string | undefined): Promise<BootError | undefined> {
  const probe = createServer();
  try {
    await new Promise<void>((resolve, reject) => {
      probe.once("error", reject);
      // Throws by itself what is no port.
      probe.listen(port, hostname, () => probe.close(() => resolve()));
    });
    return undefined;
  } catch (cause) {
    return portFault(port, hostname, cause as NodeJS.ErrnoException);
  }
}

/** Why a start can't listen there. */
export async function portFault(
  port: number,
  hostname: string | undefined,
  cause: NodeJS.ErrnoException,
): Promise<BootError> {
  const { code, message } = cause;
  if (code === "EADDRINUSE" && !(await isListenedOn(port, hostname)))
    return new PassingBootError(
      `Port ${port} is taken, and nothing listens there: a connection of this machine has it, or had it until a minute ago. Set PORT to one that the system gives to no connection, or reserve it (net.ipv4.ip_local_reserved_ports).`,
      { cause },
    );
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

/** Whether something answers at the port, at one of the addresses that a server of this host name would have. */
async function isListenedOn(port: number, hostname: string | undefined): Promise<boolean> {
  const isAny = hostname === undefined || hostname === "0.0.0.0" || hostname === "::";
  const addresses = isAny ? [...LOOPBACK, ...ownAddresses().map(({ address }) => address)] : [hostname];
  return (await Promise.all(addresses.map((address) => answersAt(address, port)))).includes(true);
}

/** Also true where a connection is neither accepted nor refused in time, as by a server that is stopped. */
const answersAt = (host: string, port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ host, port, timeout: CONNECT_MS });
    const end = (answers: boolean): void => {
      socket.destroy();
      resolve(answers);
    };
    socket.once("connect", () => end(true));
    socket.once("timeout", () => end(true));
    socket.once("error", () => end(false));
  });
