/** Tokens by name or id, as SQL. */

import { isStorable } from "../../text/storable.ts";
import { folded } from "../columns/folded-text.ts";
import { type FoundToken, foundBy, type NameQuery } from "../query.ts";
import { foldedSql } from "./fold.ts";
import { matching, nextStatement, type Statement } from "./matching.ts";

export async function findNamed(
  statement: Statement,
  { text, tokenId, limit }: NameQuery,
): Promise<FoundToken[]> {
  const next = nextStatement(statement);
  const { add } = next;
  const from = await matching(next, { criteria: [], ranges: [] });
  const start = isStorable(folded(text)) ? `${add(folded(text))}::text` : "null";
  const rows = await next.tx.query<{ tokenId: string; name: string | null; place: number }>(
    `select token_id::text as "tokenId", name, place
       from (select t.token_id, f.name,
                    case when t.token_id = ${add(tokenId ?? null)}::numeric then 0
                         when f.name = ${start} then 1
                         when starts_with(f.name, ${start}) then 2
                         when strpos(f.name, ${start}) > 0 then 3 end as place
               from (select t.token_id, t.name ${from}) t
              cross join lateral (select ${foldedSql("t.name", next)} as name) f) t
      where place is not null
      order by place, name collate "C", token_id limit ${add(limit)}::int`,
    next.values,
  );
  return rows.map(({ place, ...row }) => ({ ...row, match: foundBy[place] as FoundToken["match"] }));
}
