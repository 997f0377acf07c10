/** What a collection's index is made of, and what has changed since it was read, in PostgreSQL. */

import type { Queryable } from "../../db/database.ts";
import type { DisplayType } from "../../metadata/document/traits.ts";
import type { CollectionRef } from "../../metadata/traits/trait-type-store.ts";
import { FOLDED_CHARACTERS_MAX } from "../columns/folded-text.ts";
import type { TypeRow, ValueRow } from "../columns/trait-table.ts";
import type { TokenRow } from "../index/collection-index.ts";

/** A name or a value with more characters is found by its key, and not listed. */
const LISTED_CHARACTERS_MAX = 1_000;

/** What a look at the collection saw. */
export interface ChangeSet {
  /** What the look could see: of the transactions not in it, all that they changed is still to come. */
  readonly snapshot: string;
  /** Another one when the rows are others altogether: a database that was put back, restored or emptied. */
  readonly epoch: string;
  /** Another one whenever the chain's index moves; null before it does. */
  readonly checkpoint: string | null;
  /** All without `since`, and then those that transactions have written that it could not see. */
  readonly types: readonly (readonly [id: number, displayType: DisplayType, highest: number | null])[];
  /** Ids of the tokens that were written or forgotten by transactions that `since` could not see. */
  readonly changed: readonly string[];
}

const changedSince = (table: string): string => `
  select token_id from ${table} where chain_id = $1 and collection = $2 and changed >= $3::xid8
   union all
  select token_id from ${table} where chain_id = $1 and collection = $2 and changed = any($4::xid8[])`;

/**
 * Looks for changes in one statement. Without `since`, none of tokens are told. Transaction ids are compared with the snapshot
 * itself, not with its oldest running transaction: one that runs for an hour would have all of that hour read again.
 */
export async function findChanges(
  db: Queryable,
  checkpointTable: string,
  { chainId, collection }: CollectionRef,
  since: string | undefined,
): Promise<ChangeSet> {
  const [, next = null, running = ""] = since?.split(":") ?? [];
  const [look] = await db.query<ChangeSet>(
    `select pg_current_snapshot()::text as snapshot,
            pg_postmaster_start_time()::text || ' ' || pg_relation_filenode('vitrine.token') as epoch,
            (select latest_checkpoint || ' ' || xmin::text from ${checkpointTable} where chain_id = $1) as checkpoint,
            (select coalesce(json_agg(json_build_array(id, display_type, highest)), '[]') from vitrine.trait_type
              where chain_id = $1 and collection = $2
                and ($3::xid8 is null or changed >= $3::xid8 or changed = any($4::xid8[]))) as types,
            array(select distinct token_id::text from (
              ${changedSince("vitrine.token")} union all ${changedSince("vitrine.forgotten_token")}) c) as changed`,
    [chainId, collection, next, running === "" ? [] : running.split(",")],
  );
  if (!look) throw new Error("a look always has a row");
  return look;
}

interface StoredToken extends Omit<TokenRow, "traits"> {
  readonly traits: string;
}

const tokenColumns = `
  token_id::text as "tokenId",
  left(name, ${FOLDED_CHARACTERS_MAX}) as name, left(description, ${FOLDED_CHARACTERS_MAX}) as description,
  (extract(epoch from served_at) * 1e6)::float8 as "servedAt", since_block::float8 as "sinceBlock",
  array_to_string(traits, ',') as traits`;

const toRow = ({ traits, ...token }: StoredToken): TokenRow => ({
  ...token,
  traits: traits === "" ? [] : traits.split(",").map(Number),
});

/** The tokens that are there now and seen, of those asked for. */
export async function readTokens(
  db: Queryable,
  { chainId, collection }: CollectionRef,
  tokenIds: readonly string[],
): Promise<TokenRow[]> {
  const rows = await db.query<StoredToken>(
    `select ${tokenColumns} from vitrine.token
      where chain_id = $1 and collection = $2 and token_id = any($3::numeric[]) and not unseen`,
    [chainId, collection, tokenIds],
  );
  return rows.map(toRow);
}

/** The seen tokens above `after`, ascending. */
export async function readTokensAfter(
  db: Queryable,
  { chainId, collection }: CollectionRef,
  after: string,
  limit: number,
): Promise<TokenRow[]> {
  const rows = await db.query<StoredToken>(
    `select ${tokenColumns} from vitrine.token
      where chain_id = $1 and collection = $2 and token_id > $3 and not unseen
      order by vitrine.token.token_id limit $4`,
    [chainId, collection, after, limit],
  );
  return rows.map(toRow);
}

export function readTypes(db: Queryable, ids: readonly number[]): Promise<TypeRow[]> {
  return db.query<TypeRow>(
    `select id, key, case when char_length(trait_type) <= ${LISTED_CHARACTERS_MAX} then trait_type end as name,
            display_type as "displayType", highest
       from vitrine.trait_type where id = any($1::int[])`,
    [ids],
  );
}

/** Those that are still there: a value goes a while after the last token that held it. */
export function readValues(db: Queryable, ids: readonly number[]): Promise<ValueRow[]> {
  return db.query<ValueRow>(
    `select id, trait_type_id as "typeId", display_type as "displayType",
            left(value_text, ${LISTED_CHARACTERS_MAX}) as text,
            case when char_length(value_text) > ${LISTED_CHARACTERS_MAX} then key end as "longKey",
            value_number as number
       from vitrine.trait_value where id = any($1::int[])`,
    [ids],
  );
}
