/**
 * SQL that finds the rows of a collection that have changed since an earlier read.
 *
 * The rows must name in `changed` the transaction that wrote them last (`pg_current_xact_id()`), and a deleted row must
 * leave a row in another table. Then a reader that passes the snapshot of its last read gets every row of a transaction
 * that this snapshot could not see, whether it began before that read or after it, and once it has committed: no change
 * is missed, and none is reported before it can be read. A row may be reported again. All of this holds within one epoch:
 * once that is another one, the transaction ids may be of another database, and everything must be read again.
 */

/** The moment of a read. */
export interface ReadMoment {
  /** The snapshot of this read: changes of transactions outside it are still to come. */
  readonly snapshot: string;
  /** Changes when the rows were replaced altogether: a database restored, reset or emptied. */
  readonly epoch: string;
}

/** SQL: text that changes when the rows of `table` were replaced altogether. */
export const epochOf = (table: string): string =>
  `pg_postmaster_start_time()::text || ' ' || pg_relation_filenode('${table}')`;

/** SQL: the columns of `ReadMoment`, with the epoch of `table`. */
export const readMoment = (table: string): string =>
  `pg_current_snapshot()::text as snapshot, ${epochOf(table)} as epoch`;

/**
 * The parameters `next` and `running` of `changedRows` for a snapshot: the first transaction id that was not assigned
 * then, and those that were running. Without a snapshot, `next` is null. These are the snapshot itself and not its oldest
 * running transaction: an hour-long transaction would cause that whole hour to be read again.
 */
export function sinceSnapshot(
  snapshot: string | undefined,
): readonly [next: string | null, running: readonly string[]] {
  const [, next = null, running = ""] = snapshot?.split(":") ?? [];
  return [next, running === "" ? [] : running.split(",")];
}

/**
 * SQL: a row is of collection $1, $2. Only for rows chosen by `changed`: a plan made while a table was small would find
 * them by their key, and read the whole collection each time. No database index serves these expressions.
 */
const IS_OF_COLLECTION = "chain_id + 0 = $1 and collection || '' = $2";

/**
 * SQL: `columns` of the rows of collection $1, $2 that a snapshot could not see; none without a snapshot. `next` and
 * `running` are the names of the parameters of `sinceSnapshot`.
 */
export const changedRows = (
  table: string,
  columns: string,
  { next, running }: { readonly next: string; readonly running: string },
): string => `
  select ${columns} from ${table} where ${IS_OF_COLLECTION} and changed >= ${next}::xid8
   union all
  select ${columns} from ${table} where ${IS_OF_COLLECTION} and changed = any(${running}::xid8[])`;
