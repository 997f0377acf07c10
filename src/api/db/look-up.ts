/**
 * SQL: at most one row by its key, to be joined with each of a list of ids. While PostgreSQL has no statistics of a new
 * collection, it reads all of it for `= any(ids)` or a plain join with them; so each id is looked up by itself.
 */
export const lookUp = (columns: string, table: string, key: string): string =>
  `lateral (select ${columns} from ${table} where ${key} limit 1)`;
