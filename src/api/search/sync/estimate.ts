/** Estimates the memory of a collection's search index before it is loaded. */

import type { CollectionRef } from "../../../domain/token-ref.ts";
import type { Queryable } from "../../db/database.ts";
import { FOLDED_CHARACTERS_MAX } from "../columns/folded-text.ts";

// Measured (bench/catalog.ts). Per token: id, times, orders, rarity, places of its texts and traits. Per trait of a token: in
// its row and in the value's run. Per value: see columns/trait-table.ts.
const TOKEN_BYTES = 96;
const TRAIT_BYTES = 9;
const VALUE_BYTES = 260;
// A text and its signature.
const TEXT_SHARE = 1.25;
// The same, and the text as a string: of characters that take two to four bytes, at most as many again.
const VALUE_TEXT_SHARE = 2.25;
const COLLECTION_BYTES = 50_000;
// The first tokens speak for all.
const SAMPLED = 1_000;

interface Counts {
  readonly tokens: number;
  /** Per token. */
  readonly traits: number;
  readonly textBytes: number;
  readonly values: number;
  /** Of all values. */
  readonly valueBytes: number;
}

/** In bytes; of a collection that takes more than `max`, at least that. Texts that tokens share count once. */
export async function estimateMemory(
  db: Queryable,
  { chainId, collection }: CollectionRef,
  max: number,
): Promise<number> {
  const tokensMax = Math.ceil(max / TOKEN_BYTES);
  const isOurs = "chain_id = $1 and collection = $2";
  // Cut at once: a name may have two megabytes, and to compare a hundred of them takes seconds.
  const cut = (column: string): string => `left(${column}, ${FOLDED_CHARACTERS_MAX}) as ${column}`;
  const [counts] = await db.query<Counts>(
    `with sampled as (select traits, ${cut("name")}, ${cut("description")} from vitrine.token
                       where ${isOurs} order by token_id limit ${SAMPLED}),
          -- Once: joined, it might be counted again for each sampled token, while PostgreSQL knows little of a new collection.
          v as materialized (select count(*)::int as values, coalesce(sum(octet_length(value_text)), 0)::float8 as "valueBytes"
                               from vitrine.trait_value
                              where trait_type_id in (select id from vitrine.trait_type where ${isOurs}))
     select (select count(*)::int from (select from vitrine.token where ${isOurs} limit $3) t) as tokens,
            coalesce(avg(cardinality(traits)), 0)::float8 as traits,
            ((select coalesce(sum(octet_length(name)), 0) from (select distinct name from sampled) d)
             + (select coalesce(sum(octet_length(description)), 0) from (select distinct description from sampled) d)
            )::float8 / greatest(1, count(*)) as "textBytes",
            v.values, v."valueBytes"
       from sampled, v
      group by v.values, v."valueBytes"`,
    [chainId, collection, tokensMax + 1],
  );
  // A collection without tokens has no row.
  const none: Counts = { tokens: 0, traits: 0, textBytes: 0, values: 0, valueBytes: 0 };
  const { tokens, traits, textBytes, values, valueBytes } = counts ?? none;
  const perToken = TOKEN_BYTES + traits * TRAIT_BYTES + textBytes * TEXT_SHARE;
  return COLLECTION_BYTES + tokens * perToken + values * VALUE_BYTES + valueBytes * VALUE_TEXT_SHARE;
}
