/** Tells a database that can't be reached now from a statement that is wrong. */

// Connection exceptions (08), operator intervention such as a shutdown (57P), too many connections (53300).
const SQLSTATES = /^(?:08...|57P..|53300)$/;
const SYSTEM_CODES = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "EPIPE",
  "ETIMEDOUT",
  "ENOTFOUND",
  "EHOSTUNREACH",
]);
// What node-postgres throws without a code.
const MESSAGES =
  /^(?:Connection terminated|Cannot use a pool after calling end on the pool|timeout exceeded when trying to connect|Client has encountered a connection error)/;

// In text (22021) and in JSON (22P05).
const UNSTORABLE = new Set(["22021", "22P05"]);

/** True where PostgreSQL was sent text that it has no place for, which only a caller's text can hold. */
export const isUnstorableText = (error: unknown): boolean =>
  UNSTORABLE.has(String((error as { code?: unknown }).code));

/** True for a fault that passes when the database is back: the same request may then succeed. */
export function isDatabaseAway(error: unknown): boolean {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    const { code } = cause as { code?: unknown };
    if (typeof code === "string" && (SQLSTATES.test(code) || SYSTEM_CODES.has(code))) return true;
    if (MESSAGES.test(cause.message)) return true;
  }
  return false;
}
