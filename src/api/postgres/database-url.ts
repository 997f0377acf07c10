/** Selects the PostgreSQL for all data: the operator's, or the embedded one of the data folder. */

import { joinEmbeddedPostgres } from "./embedded-postgres.ts";

/** DATABASE_URL if set; otherwise the embedded PostgreSQL under VITRINE_DATA, started if it is not running. */
export async function databaseUrl(
  environment: Readonly<Record<string, string | undefined>>,
): Promise<string> {
  return environment.DATABASE_URL || (await joinEmbeddedPostgres(environment.VITRINE_DATA || ".vitrine"));
}
