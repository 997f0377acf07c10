/** What a PostgreSQL must offer before anything is created in it. */

import type pg from "pg";
import { BootError } from "../../boot-error.ts";
import { isDatabaseAway, isLoginRefused } from "./database-away.ts";
import { createStartClient } from "./start-session.ts";

// The forms that node-postgres knows. It takes any other text for the name of a database on a host called "base".
const URL_FORM = /^(?:postgres(?:ql)?:\/\/|socket:|\/)/i;
// As README.md says.
const OLDEST_MAJOR = 14;
// Of one process with one search thread at its busiest, and of each further thread: see docs/scaling.md.
const CONNECTIONS_NEEDED = 30;
const CONNECTIONS_OF_THREAD = 10;
// What Node says of a certificate whose authority it doesn't know, which may be the certificate itself.
const UNTRUSTED: ReadonlySet<string> = new Set([
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
]);

/**
 * Throws a BootError when PostgreSQL refuses the connection or is older than 14, its encoding can't hold every document, or the role may
 * create no schema or temporary table. Returns when it is away: that is waited for elsewhere. An encoding that only searches suffer from, and
 * a limit of connections that one process alone may exceed, with so many search threads, are said to `say`.
 */
export async function requireDatabase(
  connectionString: string,
  say: (line: string) => void,
  searchThreads = 1,
): Promise<void> {
  const session = clientOf(connectionString);
  try {
    await session.connect().catch((cause: Error) => {
      throw isDatabaseAway(cause) && !isLoginRefused(cause) ? cause : refused(cause);
    });
    const { rows } = await session.query<Offered>(
      `select current_database() as database, current_user as role, pg_encoding_to_char(encoding) as encoding,
              current_setting('server_version_num')::int / 10000 as major,
              has_database_privilege(d.oid, 'create') as "mayCreate",
              has_database_privilege(d.oid, 'temporary') as "mayCreateTemporary",
              least(current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int,
                    nullif(datconnlimit, -1), nullif(rolconnlimit, -1)) as connections
         from pg_database d, pg_roles where datname = current_database() and rolname = current_user`,
    );
    const needed = CONNECTIONS_NEEDED + CONNECTIONS_OF_THREAD * (searchThreads - 1);
    for (const row of rows) requireOffered(row, needed, say);
  } catch (error) {
    if (error instanceof BootError || !isDatabaseAway(error)) throw error;
  } finally {
    await session.end().catch(() => undefined);
  }
}

interface Offered {
  readonly database: string;
  readonly role: string;
  readonly encoding: string;
  readonly major: number;
  readonly mayCreate: boolean;
  readonly mayCreateTemporary: boolean;
  /** How many the server, the database or the role allows, whichever allows fewest. */
  readonly connections: number;
}

function requireOffered(
  { database, role, encoding, major, mayCreate, mayCreateTemporary, connections }: Offered,
  needed: number,
  say: (line: string) => void,
): void {
  if (major < OLDEST_MAJOR) {
    throw new BootError(
      `PostgreSQL is version ${major}, but Vitrine needs ${OLDEST_MAJOR} or newer; upgrade the server, or name another one in DATABASE_URL.`,
    );
  }
  const another =
    "create one with `createdb --encoding=UTF8 --locale=C --template=template0` and name it in DATABASE_URL.";
  // It stores bytes and knows no characters, so it takes every document. PostgreSQL's normalize() needs UTF8.
  if (encoding === "SQL_ASCII") {
    say(
      `vitrine: database "${database}" has the encoding SQL_ASCII, in which text search doesn't work; ${another}`,
    );
  } else if (encoding !== "UTF8") {
    throw new BootError(
      `Database "${database}" has the encoding ${encoding}, and Vitrine needs UTF8; ${another}`,
    );
  }
  const may = (what: string, privilege: string): string =>
    `Role "${role}" may not create ${what} in database "${database}"; allow it with \`grant ${privilege} on database "${database}" to "${role}"\`, or name another role in DATABASE_URL.`;
  if (!mayCreate) throw new BootError(may("schemas", "create"));
  if (!mayCreateTemporary) throw new BootError(may("temporary tables", "temporary"));
  if (connections < needed) {
    const fewer = needed > CONNECTIONS_NEEDED ? ", or lower SEARCH_THREADS" : "";
    say(
      `vitrine: PostgreSQL allows role "${role}" ${connections} connections to database "${database}", and a process may use ${needed}; requests that find none are answered 503. Raise max_connections, or the limit of the role or database${fewer}.`,
    );
  }
}

/** No retry cures what PostgreSQL, or the way to it, refuses. */
function refused(cause: NodeJS.ErrnoException): BootError {
  if (UNTRUSTED.has(cause.code ?? "")) {
    // Without Node's own advice, which pg_dump would not follow.
    const [fault = ""] = cause.message.split("; ");
    return new BootError(
      `PostgreSQL's certificate is not trusted (${fault}); name its authority's in DATABASE_URL: ?sslmode=verify-full&sslrootcert=<file>.`,
      { cause },
    );
  }
  return new BootError(
    `PostgreSQL refuses the connection (${cause.message}); correct DATABASE_URL or the server's settings.`,
    { cause },
  );
}

function clientOf(connectionString: string): pg.Client {
  if (!URL_FORM.test(connectionString)) throw malformed();
  try {
    return createStartClient(connectionString);
  } catch (cause) {
    const { code, path } = cause as NodeJS.ErrnoException;
    if (path === undefined) throw malformed();
    throw new BootError(`DATABASE_URL names ${path}, which can't be read (${code}).`, { cause });
  }
}

/** It holds a password, so it is not repeated. */
const malformed = (): BootError =>
  new BootError(
    "DATABASE_URL must be postgresql://<user>:<password>@<host>:<port>/<database>, with special characters of the password percent-encoded.",
  );
