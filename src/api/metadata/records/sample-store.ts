/** SQL for sampling: which tokens of a collection are sampled, and from which URI each was read. */

import type { Standard } from "../../../config.ts";
import type { ChainTables } from "../../chain/index/tables.ts";
import { columnsOf } from "../../db/columns.ts";
import type { Queryable } from "../../db/database.ts";
import { keysOf, lookUp } from "../../db/look-up.ts";
import { OF_KEY } from "./store.ts";

// Scanned in a fraction of a second; a larger collection is scanned in parts.
const PART_TOKENS = 50_000;

export interface SampledCollection {
  readonly chainId: number;
  readonly collection: string;
}

/** The position of the scan over a collection's ids. */
export interface SamplePosition {
  /** The last id scanned in this lap; null at its start. */
  readonly cursor: string | null;
  readonly laps: number;
}

export interface SampleChoice {
  /** Ascending, without duplicates. */
  readonly tokenIds: readonly string[];
  /** The number of laps until each token of this part has been chosen. */
  readonly lapsForAll: number;
  readonly next: SamplePosition;
}

/** A served token, and the URIs it was read from. */
export interface SampledToken {
  readonly tokenId: string;
  readonly standard: Standard | undefined;
  /** The URI of the served version. */
  readonly servedUri: string;
  /** The URI of the last recorded fetch, successful or not. */
  readonly lastUri: string;
}

/**
 * At most `count` seen tokens with served metadata, spread evenly over the ids and different in each lap, so that each
 * gets its turn. A collection of up to 50,000 tokens takes one call per lap. In a larger one, half of the sample is
 * spread over the next 50,000 tokens, and half is at random places among all ids.
 */
export async function chooseSample(
  db: Queryable,
  { chainId, collection }: SampledCollection,
  { cursor, laps }: SamplePosition,
  count: number,
  partTokens = PART_TOKENS,
): Promise<SampleChoice> {
  const [part] = await db.query<{ total: number; last: string | null }>(
    `select count(*)::int as total, max(token_id) as last from (
       select token_id from vitrine.token
        where chain_id = $1 and collection = $2 and ($3::numeric is null or token_id > $3)
        order by token_id limit $4) p`,
    [chainId, collection, cursor, partTokens],
  );
  const { total = 0, last = null } = part ?? {};
  const isWhole = cursor === null && total < partTokens;
  const next = total < partTokens ? { cursor: null, laps: laps + 1 } : { cursor: last, laps };
  const size = isWhole ? count : Math.ceil(count / 2);
  const step = Math.max(1, Math.ceil(total / size));
  const spread = await db.query<{ tokenId: string }>(
    `select token_id as "tokenId" from (
       select token_id, served_version, unseen, row_number() over (order by token_id) - 1 as place from vitrine.token
        where chain_id = $1 and collection = $2 and ($3::numeric is null or token_id > $3) and token_id <= $4) p
      where place % $5 = $6 and served_version is not null and not unseen order by token_id`,
    [chainId, collection, cursor, last, step, laps % step],
  );
  const ids = new Set(spread.map(({ tokenId }) => tokenId));
  if (!isWhole) for (const id of await chooseAnywhere(db, chainId, collection, count - size)) ids.add(id);
  const tokenIds = [...ids].sort((a, b) => (BigInt(a) < BigInt(b) ? -1 : 1));
  return { tokenIds, lapsForAll: step, next };
}

/** At most one token from each of `count` equal stretches between the lowest and the highest id. */
async function chooseAnywhere(
  db: Queryable,
  chainId: number,
  collection: string,
  count: number,
): Promise<readonly string[]> {
  const rows = await db.query<{ tokenId: string }>(
    `with ends as (
       select (select token_id from vitrine.token where chain_id = $1 and collection = $2 order by token_id limit 1) as low,
              (select token_id from vitrine.token where chain_id = $1 and collection = $2
                order by token_id desc limit 1) as high
     ), starts as materialized (
       -- Before they are looked for: a random number in a condition keeps it from the index.
       select trunc(low + (high - low) * ((place + random()::numeric) / $3::int)) as id
         from ends cross join generate_series(0, $3::int - 1) as place)
     select distinct t.token_id as "tokenId" from starts
      cross join lateral (
        select token_id, served_version, unseen from vitrine.token
         where chain_id = $1 and collection = $2 and token_id >= starts.id
         order by token_id limit 1) t
      where t.served_version is not null and not t.unseen`,
    [chainId, collection, count],
  );
  return rows.map(({ tokenId }) => tokenId);
}

/**
 * The tokens among these that are served and not burned, ascending. Omits those whose URI was read above `block`, the
 * chain index's head: an event that is not indexed yet may be the reason.
 */
export async function readSampled(
  db: Queryable,
  tables: ChainTables,
  { chainId, collection }: SampledCollection,
  tokenIds: readonly string[],
  block: number,
): Promise<readonly SampledToken[]> {
  const stateOfKey = "(chain_id, collection_address, token_id) = (k.chain_id, k.collection, k.token_id)";
  const rows = await db.query<SampledToken & { standard: Standard | null }>(
    `select t.token_id as "tokenId", s.standard, v.uri as "servedUri", coalesce(n.uri, v.uri) as "lastUri"
       from ${keysOf("$3")} k cross join ${lookUp("*", "vitrine.token", OF_KEY)} t
      cross join ${lookUp("uri", "vitrine.version", "id = t.served_version")} v
       left join ${lookUp("standard, burned", tables.tokenState, stateOfKey)} s on true
       left join lateral (
         select h.uri from vitrine.version h
          where (h.chain_id, h.collection, h.token_id) = (t.chain_id, t.collection, t.token_id) and h.uri is not null
          order by h.number desc limit 1) n on true
      where t.good_block <= $4 and v.uri is not null and s.burned is not true
      order by t.token_id`,
    [chainId, collection, tokenIds, block],
  );
  return rows.map((row) => ({ ...row, standard: row.standard ?? undefined }));
}

/** The results of samples requested at `askedAt` (a time as PostgreSQL text). */
export interface SampleOutcome {
  /** The number of tokens whose hosts responded. */
  readonly read: number;
  /** The number of tokens with a different document. */
  readonly changed: number;
}

export async function readSampleOutcome(
  db: Queryable,
  { chainId, collection }: SampledCollection,
  tokenIds: readonly string[],
  askedAt: string,
): Promise<SampleOutcome> {
  const [row] = await db.query<SampleOutcome>(
    `select count(*) filter (where t.last_fetch_at > $4::timestamptz)::int as read,
            count(*) filter (where exists (
              -- What else is asked of a version stays outside: it would lead to the updates of the whole collection.
              select from (select fetched_at, trigger, outcome from vitrine.version where ${OF_KEY} offset 0) v
               where v.fetched_at > $4::timestamptz and v.trigger = 'sample' and v.outcome = 'updated'))::int as changed
       from ${keysOf("$3")} k cross join ${lookUp("last_fetch_at", "vitrine.token", OF_KEY)} t`,
    [chainId, collection, tokenIds, askedAt],
  );
  return row ?? { read: 0, changed: 0 };
}

/** The collections among these with any served metadata. */
export async function findServed<Collection extends SampledCollection>(
  db: Queryable,
  collections: readonly Collection[],
): Promise<readonly Collection[]> {
  const rows = await db.query<{ place: number }>(
    `select c.place::int as place
       from unnest($1::bigint[], $2::text[]) with ordinality as c(chain_id, collection, place)
      where exists (select from vitrine.token t
                     where (t.chain_id, t.collection) = (c.chain_id, c.collection) and t.served_version is not null)`,
    columnsOf(collections, "chainId", "collection"),
  );
  return rows.flatMap(({ place }) => collections[place - 1] ?? []);
}
