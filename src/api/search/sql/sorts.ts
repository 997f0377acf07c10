/** The sort orders of pages, as SQL: a key per sort. */

import { ApiError } from "../../http/errors.ts";
import { textKey } from "../../metadata/rules.ts";
import { isStorable } from "../../text/storable.ts";
import { type Position, wrongKind } from "../cursor.ts";
import type { TokenSort } from "../query.ts";
import { foldedSql } from "./fold.ts";
import { type Statement, shownValues } from "./matching.ts";

/** A sort of tokens `t` of `matching`. Missing keys come last, ties by ascending id. */
export interface SqlSort {
  /** By id alone if undefined. */
  readonly key?: { readonly sql: string; readonly is: "text" | "number" };
  readonly descending: boolean;
  /** SQL that is joined for the key. */
  readonly join?: string;
}

const RETRY_SECONDS = 30;

type By = TokenSort["by"];
type Sorts = {
  readonly [Each in By]: (
    statement: Statement,
    sort: Extract<TokenSort, { readonly by: Each }> & TokenSort,
  ) => SqlSort | Promise<SqlSort>;
};

const byId = (descending: boolean): SqlSort => ({ descending });

const sorts: Sorts = {
  id: (_statement, { descending }) => byId(descending),
  name: (statement, { descending }) => ({
    key: { sql: foldedSql("t.name", statement), is: "text" },
    descending,
  }),
  latest: () => ({ key: { sql: "t.since_block::float8", is: "number" }, descending: true }),
  updated: () => ({
    key: { sql: "(extract(epoch from t.served_at) * 1e6)::float8", is: "number" },
    descending: true,
  }),
  // Ranking all tokens for each page would take minutes in a collection that has no search index.
  rarity() {
    const message = "rarity needs the collection's search index, which is not in memory (SEARCH_MEMORY_MB)";
    throw new ApiError("UNAVAILABLE", [{ path: "sort", message }], { retryAfterSeconds: RETRY_SECONDS });
  },
  async trait(statement, { name, descending }) {
    const { tx, key, add, collection } = statement;
    const [type] = isStorable(name)
      ? await tx.query<{ id: number; display_type: string }>(
          "select id, display_type from vitrine.trait_type where chain_id = $1 and collection = $2 and key = $3",
          [collection.chainId, collection.collection, textKey(name)],
        )
      : [];
    if (!type) return byId(false);
    const isNumber = type.display_type === "number" || type.display_type === "date";
    const sql = isNumber ? "v.value_number" : foldedSql("v.value_text", statement);
    const values = shownValues({ key }, `y.id = ${add(type.id)}::int`, `v.id, ${sql} as key`);
    return {
      key: { sql: "k.key", is: isNumber ? "number" : "text" },
      descending,
      join: `left join (select m.token_id, ${descending ? "max" : "min"}(v.key) as key
                          from matching m cross join unnest(m.traits) u(id) join (${values}) v on v.id = u.id
                         group by m.token_id) k on k.token_id = t.token_id`,
    };
  },
};

export const sqlSort = (statement: Statement, sort: TokenSort): SqlSort | Promise<SqlSort> =>
  sorts[sort.by](statement, sort as never);

/** SQL for `order by`. */
export function orderOf({ key, descending }: SqlSort): string {
  const direction = descending ? "desc" : "asc";
  return key ? `${key.sql} ${direction} nulls last, t.token_id` : `t.token_id ${direction}`;
}

/** SQL: the token comes after the position. Throws INVALID_REQUEST for a key of the wrong type. */
export function isAfter({ add }: Statement, { key, descending }: SqlSort, position: Position): string {
  const id = `${add(position.tokenId)}::numeric`;
  const beyond = descending ? "<" : ">";
  if (!key) {
    if (position.key !== null) throw wrongKind();
    return `t.token_id ${beyond} ${id}`;
  }
  if (position.key === null) return `${key.sql} is null and t.token_id > ${id}`;
  const isKind = typeof position.key === (key.is === "text" ? "string" : "number");
  if (!isKind || (typeof position.key === "string" && !isStorable(position.key))) throw wrongKind();
  const last = key.is === "text" ? `${add(position.key)}::text collate "C"` : `${add(position.key)}::float8`;
  return `(${key.sql} is null or ${key.sql} ${beyond} ${last} or (${key.sql} = ${last} and t.token_id > ${id}))`;
}
