/** The tokens that match a filter, as SQL: a fragment per condition. */

import type { CollectionRef } from "../../../domain/token-ref.ts";
import { isChainCurrent } from "../../chain/index/index-trust.ts";
import { isDefaultLocked } from "../../chain/index/lock-sql.ts";
import type { ChainTables } from "../../chain/index/tables.ts";
import type { Queryable } from "../../db/database.ts";
import { ApiError } from "../../http/errors.ts";
import { textKey } from "../../metadata/rules.ts";
import { isStorable } from "../../text/storable.ts";
import { folded } from "../columns/folded-text.ts";
import type { TokenFilter } from "../query.ts";
import { burnedRows, type CollectionKey, heldRows, ownLockRows, ownUnlockRows } from "../sync/chain-store.ts";
import { foldedSql } from "./fold.ts";
import { createParameters, type Parameters } from "./parameters.ts";

// More values are looked up in a hash table per token: comparing a token's values with each would take longer.
const VALUES_MAX = 100;
// So many ids can be looked up by the primary key; for more, the collection is read.
const IDS_MAX = 10_000;

/** One statement in the making, in a transaction that sees one moment. */
export interface Statement extends Parameters {
  readonly tx: Queryable;
  readonly tables: ChainTables;
  readonly collection: CollectionRef;
  /** The collection's key, as parameters. */
  readonly key: CollectionKey;
}

export function startStatement(tx: Queryable, tables: ChainTables, collection: CollectionRef): Statement {
  const parameters = createParameters();
  const key = {
    chainId: `${parameters.add(collection.chainId)}::bigint`,
    collection: `${parameters.add(collection.collection)}::text`,
  };
  return { ...parameters, tx, tables, collection, key };
}

/** Another statement of the same transaction. */
export const nextStatement = ({ tx, tables, collection }: Statement): Statement =>
  startStatement(tx, tables, collection);

/**
 * SQL: ids of the values shown in the collection. `where` restricts them, with `v` for trait_value and `y` for
 * trait_type. A value is shown if it has the display type of its trait.
 */
export const shownValues = ({ key }: Pick<Statement, "key">, where = "true", columns = "v.id"): string => `
  select ${columns} from vitrine.trait_type y
    join vitrine.trait_value v on v.trait_type_id = y.id and v.display_type = y.display_type
   where y.chain_id = ${key.chainId} and y.collection = ${key.collection} and ${where}`;

const NEVER = "false";

/** SQL of one condition on token `t`; it may read beforehand. */
type Condition<Asked> = (statement: Statement, asked: Asked, filter: TokenFilter) => Promise<string> | string;

/** SQL: the token has any of the shown values for which `where` holds. */
async function hasAny(statement: Statement, where: (statement: Statement) => string): Promise<string> {
  const lookup = nextStatement(statement);
  const rows = await statement.tx.query<{ id: number }>(
    `${shownValues(lookup, where(lookup))} limit ${VALUES_MAX + 1}`,
    lookup.values,
  );
  if (rows.length === 0) return NEVER;
  if (rows.length <= VALUES_MAX) return `t.traits && '{${rows.map(({ id }) => id).join()}}'::int[]`;
  // As a condition of its own, so that the values are hashed once, not joined with each token's.
  return `exists (select from unnest(t.traits) u(id) where (u.id in (${shownValues(statement, where(statement))})) is true)`;
}

const typeIs = (add: Statement["add"], name: string): string => `y.key = ${add(textKey(name))}::text`;

function hasCriterion(statement: Statement, { name, values }: TokenFilter["criteria"][number]) {
  const stored = values.filter(isStorable);
  if (!isStorable(name) || stored.length === 0) return NEVER;
  return hasAny(
    statement,
    ({ add }) => `${typeIs(add, name)} and v.key = any(${add(stored.map(textKey))}::text[])`,
  );
}

function isInRange(statement: Statement, { name, from, to }: TokenFilter["ranges"][number]) {
  if (!isStorable(name)) return NEVER;
  return hasAny(statement, ({ add }) =>
    [
      typeIs(add, name),
      "y.display_type in ('number', 'date')",
      ...(from === undefined ? [] : [`v.value_number >= ${add(from)}::float8`]),
      ...(to === undefined ? [] : [`v.value_number <= ${add(to)}::float8`]),
    ].join(" and "),
  );
}

const allOf =
  <Each>(condition: Condition<Each>): Condition<readonly Each[]> =>
  async (statement, each, filter) => {
    const all: string[] = [];
    for (const one of each) all.push(`(${await condition(statement, one, filter)})`);
    return all.join(" and ") || "true";
  };

const contains = (statement: Statement, column: string, text: string): string =>
  `strpos(${foldedSql(column, statement)}, ${statement.add(folded(text))}::text) > 0`;

/**
 * SQL: the token is in none of the rows, read once into a hash table. From an array, of which PostgreSQL always expects few
 * rows: by statistics that know no row of a new collection, "not exists" reads all of them for each token, and so does
 * "not in" the rows themselves where statistics expect more than a hash table may hold.
 */
const isNotAmong = (rows: string): string => `t.token_id not in (${listOf(rows)})`;
const listOf = (rows: string): string => `select unnest(array(${rows}))`;

/** SQL: the token is in one of the rows. By their ids, for the same reason: of a list, PostgreSQL knows the length. */
async function isAmong(statement: Statement, rows: (of: Statement) => string): Promise<string> {
  const lookup = nextStatement(statement);
  const ids = await statement.tx.query<{ tokenId: string }>(
    `select token_id as "tokenId" from (${rows(lookup)}) r limit ${IDS_MAX + 1}`,
    lookup.values,
  );
  if (ids.length <= IDS_MAX)
    return `t.token_id = any(${statement.add(ids.map(({ tokenId }) => tokenId))}::numeric[])`;
  // With "is true" it stays a condition of its own, and the rows are hashed once, not joined with each token.
  return `(t.token_id in (${listOf(rows(statement))})) is true`;
}

/** By field of the filter. All of a filter's must be true. */
const conditions: { readonly [Field in keyof TokenFilter]-?: Condition<NonNullable<TokenFilter[Field]>> } = {
  criteria: allOf(hasCriterion),
  ranges: allOf(isInRange),
  async text(statement, text) {
    if (text === "") return "true";
    if (!isStorable(folded(text))) return NEVER;
    const inValues = await hasAny(statement, (each) => contains(each, "v.value_text", text));
    const columns = ["t.name", "t.description"].map((column) => contains(statement, column, text));
    return [...columns, inValues].join(" or ");
  },
  name(statement, text) {
    if (text === "") return "true";
    return isStorable(folded(text)) ? contains(statement, "t.name", text) : NEVER;
  },
  owners: (statement, owners, { includeDelegated = false }) =>
    isAmong(statement, ({ tables, key, add }) =>
      heldRows(tables, key, { owners: `${add(owners)}::text[]`, includeDelegated }),
    ),
  // A part of the condition on owners.
  async includeDelegated({ tx, tables, collection }, includeDelegated) {
    const [row] = await tx.query<{ isCurrent: boolean }>(
      `select ${isChainCurrent(tables, "$1", "$2")} as "isCurrent"`,
      [collection.chainId, tables.schema],
    );
    if (includeDelegated && !row?.isCurrent) throw new ApiError("UNAVAILABLE");
    return "true";
  },
  async locked(statement, locked) {
    const { tx, tables } = statement;
    const lookup = nextStatement(statement);
    const [row] = await tx.query<{ byDefault: boolean }>(
      `select ${isDefaultLocked(tables, lookup.key.chainId, lookup.key.collection)} as "byDefault"`,
      lookup.values,
    );
    const exceptions = ({ key }: Statement): string =>
      row?.byDefault ? ownUnlockRows(tables, key) : ownLockRows(tables, key);
    return locked === (row?.byDefault ?? false)
      ? isNotAmong(exceptions(statement))
      : isAmong(statement, exceptions);
  },
};

/** SQL from `from` on: the listed tokens `t` of the collection that match. */
export async function matching(statement: Statement, filter: TokenFilter): Promise<string> {
  const where: string[] = [];
  for (const [field, condition] of Object.entries(conditions) as [keyof TokenFilter, Condition<never>][]) {
    const asked = filter[field];
    if (asked !== undefined) where.push(`(${await condition(statement, asked as never, filter)})`);
  }
  const { tables, key } = statement;
  return `from vitrine.token t
         where t.chain_id = ${key.chainId} and t.collection = ${key.collection} and not t.unseen
           and ${isNotAmong(burnedRows(tables, key))}
           and ${where.join("\n           and ")}`;
}
