/**
 * SQL: at most one row by its key, to be joined with each of a list of ids. While PostgreSQL has no statistics of a new
 * collection, it reads all of it for `= any(ids)` or a plain join with them; so each id is looked up by itself.
 */
export const lookUp = (columns: string, table: string, key: string): string =>
  `lateral (select ${columns} from ${table} where ${key} limit 1)`;

/**
 * SQL for a from clause: a row for each token id of the array `ids` in collection $1, $2, to look up tokens by its
 * columns; `more` are other columns from arrays of the same length. With $1 and $2 themselves in the key, another database
 * index of the collection seems as good as that of the key while statistics expect one row of it, and PostgreSQL may walk all
 * of that for each token.
 */
export const keysOf = (ids: string, more: Readonly<Record<string, string>> = {}): string => {
  const names = ["token_id", ...Object.keys(more)].join(", ");
  return `(select $1::bigint as chain_id, $2::text as collection, ${names}
             from unnest(${[`${ids}::numeric[]`, ...Object.values(more)].join(", ")}) as asked(${names}) offset 0)`;
};
