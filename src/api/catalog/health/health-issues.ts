/** The first issue with a code, of documents that may have hundreds of long ones. Contains its SQL. */

import type { Queryable } from "../../db/database.ts";

// PostgreSQL reads all issues of each.
const VERSIONS_AT_ONCE = 500;

/** The first issue with this code, as JSON, of each of these versions that has one, by version. */
export async function readFirstIssues(
  db: Queryable,
  versions: readonly string[],
  code: string,
): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  for (let from = 0; from < versions.length; from += VERSIONS_AT_ONCE) {
    const rows = await db.query<{ id: string; issue: string }>(
      // A key of text with U+0000 can't be read, so it is found as text: inside a text, its quotes would be escaped.
      `select v.id::text as id, first.issue from vitrine.version v
        cross join lateral (
          select i.issue::text as issue from json_array_elements(v.issues::json) with ordinality as i(issue, nth)
           where strpos(i.issue::text, '"code":"' || $2 || '"') > 0 order by i.nth limit 1) first
        where v.id = any($1::bigint[])`,
      [versions.slice(from, from + VERSIONS_AT_ONCE), code],
    );
    for (const { id, issue } of rows) found.set(id, issue);
  }
  return found;
}

/** Where in the document, and what. */
export function describeFirst(issue: string | undefined, code: string): string {
  if (issue === undefined) return code;
  const { path, message } = JSON.parse(issue) as { readonly path: string; readonly message: string };
  if (path === "") return `${code}: ${message}`;
  const field = path.slice(path.lastIndexOf(".") + 1);
  // A property has any name: of one named "a", the message "a property must be …" doesn't begin with it.
  const isNamed = !path.startsWith("properties.") && message.startsWith(`${field} `);
  return `${code}: ${path}${isNamed ? message.slice(field.length) : `: ${message}`}`;
}
