/** Distinguishes an unreachable or busy database from a wrong statement. */

import { withTimeout } from "../async/timeout.ts";
import type { Queryable } from "./database.ts";

// Connection exceptions (08), operator intervention such as a shutdown (57P), insufficient resources (53): a full disk, no
// memory, too many connections; and a server that only reads (25006), as a standby before it is promoted.
const SQLSTATES = /^(?:08...|57P..|53...|25006)$/;
// A login that was accepted before is refused (28): its password was changed, or a line of pg_hba.conf.
const LOGIN_REFUSED = /^28...$/;
const SYSTEM_CODES = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "EPIPE",
  "ETIMEDOUT",
  "ENOTFOUND",
  "EHOSTUNREACH",
  // A name server that doesn't answer yet, and a network that is not up yet: a machine that starts.
  "EAI_AGAIN",
  "ENETUNREACH",
]);
// Errors that node-postgres throws without a code.
const MESSAGES =
  /^(?:Connection terminated|Cannot use a pool after calling end on the pool|timeout exceeded when trying to connect|timeout expired|Query read timeout|Client has encountered a connection error)/;

// Text (22021) and JSON (22P05) that PostgreSQL can't store.
const UNSTORABLE = new Set(["22021", "22P05"]);

/** True if PostgreSQL can't store a text, which only a caller can have sent. */
export const isUnstorableText = (error: unknown): boolean =>
  UNSTORABLE.has(String((error as { code?: unknown }).code));

/** Before version 16, a full disk is an internal error for whoever connects; the message is in the server's language. */
const isDiskFull = (cause: Error & { readonly code?: unknown; readonly routine?: unknown }): boolean =>
  cause.code === "XX000" && cause.routine === "write_relcache_init_file";

/** As long as a PostgreSQL on a Unix socket has not started. */
const isSocketMissing = (cause: NodeJS.ErrnoException): boolean =>
  cause.code === "ENOENT" && cause.syscall === "connect";

/** True where PostgreSQL refuses the login, which only the operator can end. */
export const isLoginRefused = (error: unknown): boolean =>
  LOGIN_REFUSED.test(String((error as { code?: unknown }).code));

/**
 * True for a fault that ends when the database is back: the same request may then succeed. Also for a login that is refused
 * while the service runs; at a start, `requireDatabase` has refused it.
 */
export function isDatabaseAway(error: unknown): boolean {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    const { code } = cause as { code?: unknown };
    if (typeof code === "string" && (SQLSTATES.test(code) || SYSTEM_CODES.has(code))) return true;
    if (isLoginRefused(cause)) return true;
    if (isSocketMissing(cause) || isDiskFull(cause)) return true;
    if (MESSAGES.test(cause.message)) return true;
  }
  return false;
}

// A process whose connections are all busy may be well otherwise.
const PROBE_MS = 1_000;

/** True if the database says, within a second, that it is away. Never rejects. */
export async function refusesConnections(database: Queryable): Promise<boolean> {
  const probe = database.query("select").then(() => false, isDatabaseAway);
  return (await withTimeout(PROBE_MS, probe)) ?? false;
}

// A statement that ran into its time limit or Ponder's for locks, as when a reorg locks the tables it reads, and one that
// lost to others.
const BUSY = new Set(["57014", "55P03", "40P01", "40001"]);

/** True for a fault that is about the moment and not about the request, which may succeed soon: the database is away or busy. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (isDatabaseAway(error)) return true;
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    if (BUSY.has(String((cause as { code?: unknown }).code))) return true;
  }
  return false;
}
