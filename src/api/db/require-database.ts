/** What a PostgreSQL must offer before anything is created in it. */

import pg from "pg";
import { BootError } from "../../boot-error.ts";
import { isDatabaseAway } from "./database-away.ts";

const ANSWER_TIMEOUT_MS = 5_000;
// The forms that node-postgres knows. It takes any other text for the name of a database on a host called "base".
const URL_FORM = /^(?:postgres(?:ql)?:\/\/|socket:|\/)/i;

/**
 * Throws a BootError when PostgreSQL refuses the connection, its encoding is another than UTF8, or the role may create no
 * schema. Returns when it is away: that is waited for elsewhere.
 */
export async function requireDatabase(connectionString: string): Promise<void> {
  const session = clientOf(connectionString);
  // The query reports the loss; without a listener, the event would end the process.
  session.on("error", () => undefined);
  try {
    await session.connect();
    const { rows } = await session.query<Readonly<Record<"database" | "role" | "encoding", string>> & Rights>(
      `select current_database() as database, current_user as role, pg_encoding_to_char(encoding) as encoding,
              has_database_privilege(oid, 'create') as "mayCreate"
         from pg_database where datname = current_database()`,
    );
    for (const row of rows) {
      // Documents have any character. Another encoding refuses some of them, and SQL_ASCII has no characters at all.
      if (row.encoding !== "UTF8") {
        throw new BootError(
          `Database "${row.database}" has the encoding ${row.encoding}, and Vitrine needs UTF8; create one with \`createdb --encoding=UTF8 --locale=C --template=template0\` and name it in DATABASE_URL.`,
        );
      }
      if (!row.mayCreate) {
        throw new BootError(
          `Role "${row.role}" may not create schemas in database "${row.database}"; let it by \`grant create on database "${row.database}" to "${row.role}"\`, or name another role in DATABASE_URL.`,
        );
      }
    }
  } catch (error) {
    if (error instanceof BootError) throw error;
    if (!isDatabaseAway(error)) throw refusedConnection(error);
  } finally {
    await session.end().catch(() => undefined);
  }
}

interface Rights {
  readonly mayCreate: boolean;
}

/** The sentence for what PostgreSQL, or the way to it, refuses: no retry cures it. */
export const refusedConnection = (cause: unknown): BootError =>
  new BootError(
    `PostgreSQL refuses the connection (${(cause as Error).message}); correct DATABASE_URL or the server's settings.`,
    { cause },
  );

function clientOf(connectionString: string): pg.Client {
  const isUrl = URL_FORM.test(connectionString);
  try {
    if (isUrl)
      return new pg.Client({
        connectionString,
        application_name: "vitrine start",
        connectionTimeoutMillis: ANSWER_TIMEOUT_MS,
        query_timeout: ANSWER_TIMEOUT_MS,
      });
  } catch {
    // It holds a password, so it is not repeated.
  }
  throw new BootError(
    "DATABASE_URL must be postgresql://<user>:<password>@<host>:<port>/<database>, with special characters of the password percent-encoded.",
  );
}
