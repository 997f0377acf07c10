/** One statement for the chain state of tokens, and for whether what is kept of the rest is still current. */

import { indexMark } from "../../chain/index/index-trust.ts";
import type { ChainTables } from "../../chain/index/tables.ts";
import { tokenOf, tokenState } from "../../chain/index/token-state.ts";
import { changedRows, type ReadMoment, readMoment, sinceSnapshot } from "../../db/changes.ts";
import { columnsOf } from "../../db/columns.ts";
import { planName, type Queryable } from "../../db/database.ts";
import type { MediaUrl } from "../../media/media-store.ts";
import { mediaMarks } from "../../media/module.ts";
import { heads, stateColumns, toChainState } from "../../trading/module.ts";
import type { ChainState, StoredState } from "../../trading/store.ts";

/** What changed in a collection since a snapshot. */
export interface CollectionChanges extends ReadMoment {
  /** Changes with the rows of the chain index; null before it starts. */
  readonly checkpoint: string | null;
  /** Display types may have changed, and with them which traits are shown. True without a snapshot. */
  readonly hasNewTypes: boolean;
  /** Tokens came, went or were read. True without a snapshot. */
  readonly hasNewTokens: boolean;
  /** Changes with the collection's information; null for none. */
  readonly informationMark: string | null;
  /** Changes with the state of the media that were asked for: one after another, separated by commas. */
  readonly mediaMarks: string;
}

export interface TokenNow {
  /** Undefined for a token that the chain index doesn't know. */
  readonly chain: ChainState | undefined;
  /** Changes whenever anything is recorded of the token's metadata; null if it has none. */
  readonly mark: string | null;
  readonly isQueued: boolean;
}

export interface StatesNow {
  readonly changes: CollectionChanges;
  /** By token id: all that were asked for. */
  readonly tokens: ReadonlyMap<string, TokenNow>;
}

interface Row extends CollectionChanges, StoredState {
  readonly isIndexed: boolean;
  readonly mark: string | null;
  readonly isQueued: boolean;
}

const hasChanged = (table: string): string =>
  `exists (${changedRows(table, "", { next: "$6", running: "$7" })})`;

/** Made once: `planName` looks a text up by all of it, and this one is long. */
const statements = new WeakMap<ChainTables, { readonly text: string; readonly name: string }>();

function statementOf(tables: ChainTables): { readonly text: string; readonly name: string } {
  const known = statements.get(tables);
  if (known) return known;
  const text = `
    with ${heads(tables, { chainIds: "array[$1::bigint]", maxAge: "$4", schema: "$5" })},
    changes as materialized (
      select ${readMoment("vitrine.token")},
             ${indexMark(tables, "$1")} as checkpoint,
             $6::xid8 is null or ${hasChanged("vitrine.trait_type")} as "hasNewTypes",
             $6::xid8 is null or ${hasChanged("vitrine.token")} or ${hasChanged("vitrine.forgotten_token")} as "hasNewTokens",
             (select i.xmin::text from vitrine.collection_information i
               where i.chain_id = $1 and i.collection = $2) as "informationMark",
             ${mediaMarks("$8", "$9")} as "mediaMarks")
    select t.token_id as "tokenId", s.token_id is not null as "isIndexed", ${stateColumns(tables)},
           (select k.xmin::text from vitrine.token k
             where k.chain_id = $1 and k.collection = $2 and k.token_id = t.token_id) as mark,
           coalesce((select r.wanted > r.done from vitrine.refresh r
             where r.chain_id = $1 and r.collection = $2 and r.token_id = t.token_id), false) as "isQueued",
           changes.*
      from (select $1::bigint as chain_id, $2::text as collection_address, id as token_id, nth
              from unnest($3::numeric[]) with ordinality as named(id, nth)) t
      left join changes on t.nth = 1
      left join lateral ${tokenState(tables, tokenOf("t"))} s on true
      left join heads c on c.chain_id = t.chain_id`;
  const statement = { text, name: planName(text) };
  statements.set(tables, statement);
  return statement;
}

/**
 * Reads all tokens and changes as of one moment. `tokenIds` are distinct and not empty. Tables are asked by scalar
 * subqueries: for a join, or `exists`, a plan made while a table was small would read the whole collection each time.
 */
export async function readStates(
  db: Queryable,
  tables: ChainTables,
  query: {
    readonly chainId: number;
    readonly collection: string;
    readonly tokenIds: readonly string[];
    readonly maxAgeSeconds: number;
    /** The snapshot of an earlier read. */
    readonly since: string | undefined;
    readonly media: readonly MediaUrl[];
  },
): Promise<StatesNow> {
  const { chainId, collection, tokenIds, maxAgeSeconds, since, media } = query;
  const { text, name } = statementOf(tables);
  const rows = await db.query<Row>(
    text,
    [
      chainId,
      collection,
      tokenIds,
      maxAgeSeconds,
      tables.schema,
      ...sinceSnapshot(since),
      ...columnsOf(media, "kind", "url"),
    ],
    name,
  );
  // The first row has them.
  const changes = rows.find((row) => row.snapshot !== null);
  if (!changes) throw new Error("a token that is asked for always has a row");
  return { changes, tokens: new Map(rows.map((row) => [row.tokenId, toTokenNow(row)])) };
}

/** Without what is of the collection, so that a token's state is the same as long as the token is. */
function toTokenNow(row: Row): TokenNow {
  const { snapshot, epoch, checkpoint, hasNewTypes, hasNewTokens, informationMark, mediaMarks, ...own } = row;
  const { isIndexed, mark, isQueued, ...state } = own;
  return { chain: isIndexed ? toChainState(state) : undefined, mark, isQueued };
}
