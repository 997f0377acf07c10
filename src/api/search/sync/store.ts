/** SQL for the rows of a search index and the changes since it was read. */

import { escapeLiteral } from "pg";
import type { CollectionRef } from "../../../domain/token-ref.ts";
import { indexMark } from "../../chain/index/index-trust.ts";
import type { ChainTables } from "../../chain/index/tables.ts";
import { changedRows, type ReadMoment, readMoment, sinceSnapshot } from "../../db/changes.ts";
import type { VisitRow } from "../../db/copy-rows.ts";
import { type Database, planName, type Queryable } from "../../db/database.ts";
import { lookUp } from "../../db/look-up.ts";
import type { DisplayType } from "../../metadata/document/traits.ts";
import { DOCUMENT_KEY_CHARACTERS } from "../columns/document-column.ts";
import { FOLDED_CHARACTERS_MAX } from "../columns/folded-text.ts";
import type { GivenIds } from "../columns/given-ids.ts";
import type { TypeRow, ValueRow } from "../columns/trait-table.ts";
import type { TokenRow } from "../index/collection-index.ts";

/** A longer name or value is found by its key and not listed. */
export const LISTED_CHARACTERS_MAX = 1_000;

/** The changes of a collection since a snapshot. */
export interface ChangeSet extends ReadMoment {
  /** Changes whenever the chain index advances; null before it starts. */
  readonly checkpoint: string | null;
  /** All types without `since`; otherwise those written by transactions that `since` could not see. */
  readonly types: readonly (readonly [id: number, displayType: DisplayType, highest: number | null])[];
  /** Ids of tokens written or deleted by transactions that `since` could not see. */
  readonly changed: readonly string[];
  readonly given: GivenIds;
}

/** SQL: `GivenIds`. A sequence is read as it is by then: an id that the statement sees is always counted. */
const GIVEN = `json_build_object('types', (select last_value from vitrine.trait_type_ids),
                                 'values', (select last_value from vitrine.trait_value_ids))`;

const SINCE = { next: "$3", running: "$4" };

/** Finds changes in one statement; without `since`, no tokens. */
export async function findChanges(
  db: Queryable,
  tables: ChainTables,
  { chainId, collection }: CollectionRef,
  since: string | undefined,
): Promise<ChangeSet> {
  const text = `select ${readMoment("vitrine.token")},
            ${indexMark(tables, "$1")} as checkpoint, ${GIVEN} as given,
            (select coalesce(json_agg(json_build_array(id, display_type, highest)), '[]') from (
              select id, display_type, highest from vitrine.trait_type
               where $3::xid8 is null and chain_id = $1 and collection = $2
               union all ${changedRows("vitrine.trait_type", "id, display_type, highest", SINCE)}) t) as types,
            array(select distinct token_id::text from (
              ${changedRows("vitrine.token", "token_id", SINCE)} union all
              ${changedRows("vitrine.forgotten_token", "token_id", SINCE)}) c) as changed`;
  const [changes] = await db.query<ChangeSet>(
    text,
    [chainId, collection, ...sinceSnapshot(since)],
    planName(text),
  );
  if (!changes) throw new Error("a change set always has a row");
  return changes;
}

interface StoredToken extends Omit<TokenRow, "traits"> {
  readonly traits: string;
  readonly given: GivenIds;
}

const documentOf = (token: string): string =>
  `(select left(v.content_hash, ${DOCUMENT_KEY_CHARACTERS}) from vitrine.version v where v.id = ${token}.served_version)`;

const tokenColumns = `
  token_id::text as "tokenId",
  left(name, ${FOLDED_CHARACTERS_MAX}) as name, left(description, ${FOLDED_CHARACTERS_MAX}) as description,
  (extract(epoch from served_at) * 1e6)::float8 as "servedAt", since_block::float8 as "sinceBlock",
  array_to_string(traits, ',') as traits, ${documentOf("t")} as document`;

const toRow = ({ traits, given: _, ...token }: StoredToken): TokenRow => ({
  ...token,
  traits: traits === "" ? [] : traits.split(",").map(Number),
});

/** Those of the requested tokens that exist and have been seen, and how many ids had been given; unknown if there are none. */
export async function readTokens(
  db: Queryable,
  { chainId, collection }: CollectionRef,
  tokenIds: readonly string[],
): Promise<{ readonly rows: readonly TokenRow[]; readonly given: GivenIds | undefined }> {
  const rows = await db.query<StoredToken>(
    `select ${tokenColumns}, ${GIVEN} as given from unnest($3::numeric[]) asked(id)
       cross join ${lookUp("*", "vitrine.token", "chain_id = $1 and collection = $2 and token_id = asked.id")} t
      where not unseen`,
    [chainId, collection, tokenIds],
  );
  return { rows: rows.map(toRow), given: rows[0]?.given };
}

/** The documents of tokens above `after`, ascending, as many as `limit`. */
export function readDocuments(
  db: Queryable,
  { chainId, collection }: CollectionRef,
  after: string,
  limit: number,
): Promise<{ readonly tokenId: string; readonly document: string | null }[]> {
  const text = `
    select t.token_id::text as "tokenId", ${documentOf("t")} as document from vitrine.token t
     where t.chain_id = $1 and t.collection = $2 and t.token_id > $3 and not t.unseen
     order by t.token_id limit $4`;
  return db.query(text, [chainId, collection, after, limit], planName(text));
}

/** The id of the collection's token this many ids after another, so that ranges can be read at once; undefined beyond the last. */
export async function readIdAfter(
  db: Queryable,
  { chainId, collection }: CollectionRef,
  after: string,
  offset: number,
): Promise<string | undefined> {
  const [row] = await db.query<{ tokenId: string }>(
    `select token_id::text as "tokenId" from vitrine.token
      where chain_id = $1 and collection = $2 and token_id > $3
      order by vitrine.token.token_id offset $4::bigint - 1 limit 1`,
    [chainId, collection, after, offset],
  );
  return row?.tokenId;
}

/** SQL: the part of a text that counts. `left` takes longer, and hardly any text needs it. */
const startOf = (column: string): string =>
  `case when octet_length(${column}) > ${FOLDED_CHARACTERS_MAX} then left(${column}, ${FOLDED_CHARACTERS_MAX}) else ${column} end`;

/** Copies the seen tokens above `after` and up to `upTo` in ascending order, with the columns that a batch decodes. */
export function copyTokens(
  db: Pick<Database, "copy">,
  { chainId, collection }: CollectionRef,
  after: string,
  upTo: string | undefined,
  visit: VisitRow,
): Promise<void> {
  const last = upTo === undefined ? "" : ` and token_id <= ${escapeLiteral(upTo)}`;
  return db.copy(
    `select token_id, ${startOf("name")}, ${startOf("description")}, served_at, since_block, traits from vitrine.token
      where chain_id = ${escapeLiteral(String(chainId))} and collection = ${escapeLiteral(collection)}
        and token_id > ${escapeLiteral(after)}${last} and not unseen
      order by token_id`,
    visit,
  );
}

export function readTypes(db: Queryable, ids: readonly number[]): Promise<TypeRow[]> {
  return db.query<TypeRow>(
    `select id, key, case when char_length(trait_type) <= ${LISTED_CHARACTERS_MAX} then trait_type end as name,
            display_type as "displayType", highest
       from vitrine.trait_type where id = any($1::int[])`,
    [ids],
  );
}

/** Those that still exist: a value is deleted some time after its last token lost it. */
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
