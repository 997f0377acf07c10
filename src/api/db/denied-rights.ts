/** How a start ends for a role that PostgreSQL denies something, such as one that doesn't own what was restored. */

import { BootError } from "../../boot-error.ts";
import { inStartSession } from "./start-session.ts";

const INSUFFICIENT_PRIVILEGE = "42501";

export interface DeniedTarget {
  readonly connectionString: string;
  /** Of the chain index. */
  readonly schema: string;
}

/** Throws a BootError that names role, owner and schemas where PostgreSQL denies the work something. */
export async function explainDenied<T>(target: DeniedTarget, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isDenied(error)) throw error;
    throw await refusal(target, error);
  }
}

/** Errors carry the SQLSTATE, or are caused by one that does. */
function isDenied(error: unknown): error is Error {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause)
    if ((cause as { code?: unknown }).code === INSUFFICIENT_PRIVILEGE) return true;
  return false;
}

async function refusal({ connectionString, schema }: DeniedTarget, cause: Error): Promise<BootError> {
  const { role, foreign } = await readForeign(connectionString, ["vitrine", "ponder_sync", schema]);
  return new BootError(
    foreign.length > 0
      ? `Role "${role}" lacks rights on ${foreign.join(" and ")} (${cause.message}); name the owner in DATABASE_URL, or restore the database as "${role}": see docs/deploy.md "Backup".`
      : `PostgreSQL refuses role "${role}" what Vitrine needs (${cause.message}); grant it that, or name another role in DATABASE_URL.`,
    { cause },
  );
}

interface Rights {
  readonly role: string;
  /** As in `schema "vitrine" of role "postgres"`. */
  readonly foreign: readonly string[];
}

/** Which of the schemas, or tables in them, belong to roles that this one doesn't have. */
const readForeign = (connectionString: string, schemas: readonly string[]): Promise<Rights> =>
  inStartSession(connectionString, async (db) => {
    const [rights] = await db.query<Rights>(
      `with owned as (
         select nspname, nspowner as owner from pg_namespace
         union
         select nspname, relowner from pg_class join pg_namespace n on n.oid = relnamespace
       )
       select current_user as role,
              array(select format('schema "%s" of role "%s"', nspname, pg_get_userbyid(owner)) from owned
                     where nspname = any($1) and not pg_has_role(owner, 'usage') order by 1) as "foreign"`,
      [schemas],
    );
    return rights as Rights;
  });
