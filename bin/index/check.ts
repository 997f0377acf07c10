/** Whether this code and these collections resume the chain index in DATABASE_SCHEMA or need a new one, and why. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { readSchema, readSchemasOf, type SchemaContent } from "../../src/api/chain/index/index-build.ts";
import { type IndexInputs, readIndexInputs } from "../../src/api/chain/index/index-inputs.ts";
import { requireSchemaName } from "../../src/api/chain/index/schema-name.ts";
import { createDatabase, type Database, type Queryable } from "../../src/api/db/database.ts";
import { requireDatabase } from "../../src/api/db/require-database.ts";
import { silentLogger } from "../../src/api/logging/logger.ts";
import { databaseUrl } from "../../src/api/postgres/database-url.ts";
import { loadIndexConfig } from "../../src/config.ts";
import { DEFAULT_SCHEMA } from "../ponder-process.ts";
import { nextSchema } from "../ponder-refusal.ts";
import { readBuildId } from "./build.ts";
import { differences } from "./differences.ts";

type Environment = Readonly<Record<string, string | undefined>>;

export interface IndexCheck {
  /** `first`: the schema has no chain index yet. */
  readonly verdict: "first" | "resumes" | "reindexes";
  readonly schema: string;
  /** Of this code and these collections. */
  readonly build_id: string;
  /** Of the chain index in the schema. */
  readonly index_build_id: string | null;
  /** One sentence per difference; at least one when it re-indexes. */
  readonly reasons: readonly string[];
  /** The schema of the new chain index, existing or not, when it re-indexes. */
  readonly next: NextSchema | null;
}

export interface NextSchema {
  readonly schema: string;
  /** `begun`: it has a chain index of this exact build, ready or not. */
  readonly state: "free" | "begun" | "in_use";
}

const UNRECORDED = "an older Vitrine built it and did not record of what";
const UNEXPLAINED = "no file and no collection differs, so a package that shapes the contracts does";

/**
 * Starts nothing but an existing embedded PostgreSQL, and changes nothing. Throws a sentence that names what to fix if
 * the configuration or the code would not start either.
 */
export async function checkIndex(root: string, environment: Environment): Promise<IndexCheck> {
  const schema = environment.DATABASE_SCHEMA || DEFAULT_SCHEMA;
  requireSchemaName(schema);
  if (environment.DATABASE_URL) await requireDatabase(environment.DATABASE_URL, () => undefined);
  const buildId = await readBuildId(root, { ...environment, DATABASE_SCHEMA: schema });
  return compareBuild(buildId, root, environment);
}

/** Compares a build of this tree and configuration with the chain index in DATABASE_SCHEMA. */
export function compareBuild(buildId: string, root: string, environment: Environment): Promise<IndexCheck> {
  const schema = environment.DATABASE_SCHEMA || DEFAULT_SCHEMA;
  return withDatabase(environment, async (db) => {
    const content = await readContent(db, schema);
    const about = { schema, build_id: buildId, reasons: [], next: null };
    if (content.kind !== "index") return { ...about, verdict: "first", index_build_id: null };
    if (content.buildId === buildId) return { ...about, verdict: "resumes", index_build_id: buildId };
    return {
      ...about,
      verdict: "reindexes",
      index_build_id: content.buildId,
      reasons: explain(content.inputs, () => readIndexInputs(root, loadIndexConfig(environment))),
      next: await findNext(db, schema, buildId),
    };
  });
}

function explain(before: IndexInputs | undefined, readAfter: () => IndexInputs): string[] {
  if (!before) return [UNRECORDED];
  const found = differences(before, readAfter());
  return found.length > 0 ? found : [UNEXPLAINED];
}

/** A schema that already has this build, such as the one before a rollback; or the next one by name that is free. */
async function findNext(db: Queryable | undefined, schema: string, buildId: string): Promise<NextSchema> {
  for (const name of db ? await readSchemasOf(db, buildId) : []) {
    const state = stateOf(await readContent(db, name), buildId);
    if (state !== undefined && state !== "free") return { schema: name, state };
  }
  for (let name = nextSchema(schema); ; name = nextSchema(name)) {
    const state = stateOf(await readContent(db, name), buildId);
    if (state !== undefined) return { schema: name, state };
  }
}

/** Undefined if the schema holds something else. */
function stateOf(content: SchemaContent, buildId: string): NextSchema["state"] | undefined {
  if (content.kind === "empty") return "free";
  if (content.kind !== "index" || content.buildId !== buildId) return undefined;
  return content.isInUse ? "in_use" : "begun";
}

const readContent = async (db: Queryable | undefined, schema: string): Promise<SchemaContent> =>
  db ? readSchema(db, schema) : { kind: "empty" };

/** Passes no database if the embedded one was never created: a check is no reason to create it. */
export async function withDatabase<Result>(
  environment: Environment,
  work: (database: Database | undefined) => Promise<Result>,
): Promise<Result> {
  const embedded = join(environment.VITRINE_DATA || ".vitrine", "postgres");
  if (!environment.DATABASE_URL && !existsSync(embedded)) return work(undefined);
  const database = createDatabase(await databaseUrl(environment), silentLogger);
  try {
    await database.query("select 1").catch((cause: NodeJS.ErrnoException) => {
      // A refusal from several addresses at once has a code and an empty message.
      throw new Error(`the database can't be reached (${cause.message || cause.code})`, { cause });
    });
    return await work(database);
  } finally {
    await database.close();
  }
}
