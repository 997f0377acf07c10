/**
 * SQL for recording fetches, with many tokens per statement: a round trip per token and table would limit a refresh of
 * a whole collection. The tokens of one call are distinct.
 */

import { type TokenRef, tokenKey } from "../../../domain/token-ref.ts";
import type { ChainTables } from "../../chain/index/tables.ts";
import { columnsOf } from "../../db/columns.ts";
import type { Queryable } from "../../db/database.ts";
import type { Verified } from "../../fetch/ipfs/gateway-request.ts";
import type { Issue } from "../document/issues.ts";
import { NORMALISER } from "../document/normalise.ts";
import type { Document } from "../uri/resolve.ts";
import { imageKey } from "./image-key-store.ts";

const keysOf = (tokens: readonly TokenRef[]) => columnsOf(tokens, "chainId", "collection", "tokenId");
const KEYS = "unnest($1::bigint[], $2::text[], $3::numeric[]) as k(chain_id, collection, token_id)";
const matches = (alias: string): string =>
  `(${alias}.chain_id, ${alias}.collection, ${alias}.token_id) = (k.chain_id, k.collection, k.token_id)`;

/** The served version of a token, as far as a new fetch is compared with it. */
export interface ServedVersion {
  readonly versionId: string | null;
  readonly hash: string | null;
  readonly uri: string | null;
  readonly complete: boolean | null;
  /** The version of the rules that read its document. */
  readonly normaliser: number | null;
  readonly etag: string | null;
  readonly verified: Verified | null;
  /** See image-key-store.ts; null until it is known. */
  readonly imageKey: string | null;
  /** The number of the token's latest version. */
  readonly versions: number;
  /** The token has no transfer yet. */
  readonly isUnseen: boolean;
  /** Null unless burned. */
  readonly burnedBlock: string | null;
}

/**
 * Locks the tokens' rows for the transaction, in a global order. Omits unknown tokens. Versions are read after the locks: one
 * statement would see a row as another transaction has just left it, and the versions as they were before.
 */
export async function lockServed(
  db: Queryable,
  tables: ChainTables,
  tokens: readonly TokenRef[],
): Promise<ReadonlyMap<string, ServedVersion>> {
  const [locked, rows] = await Promise.all([
    db.query<KeyRow>(
      `select t.chain_id as "chainId", t.collection, t.token_id as "tokenId"
         from ${KEYS} join vitrine.token t on ${matches("t")}
        order by t.chain_id, t.collection, t.token_id::text collate "C" for update of t`,
      keysOf(tokens),
      "lock served",
    ),
    db.query<ServedVersion & KeyRow>(
      `select t.chain_id as "chainId", t.collection, t.token_id as "tokenId",
              t.served_version as "versionId", v.content_hash as hash, v.uri, v.complete, v.normaliser,
              v.etag, v.verified, t.image_key as "imageKey", t.unseen as "isUnseen",
              case when s.burned then s.burned_block end as "burnedBlock",
              -- A token that was forgotten keeps its history.
              case when t.versions > 0 then t.versions else coalesce((
                select max(number) from vitrine.version h
                 where (h.chain_id, h.collection, h.token_id) = (t.chain_id, t.collection, t.token_id)), 0) end as versions
         from ${KEYS}
         join vitrine.token t on ${matches("t")}
         left join vitrine.version v on v.id = t.served_version
         left join ${tables.tokenState} s
           on (s.chain_id, s.collection_address, s.token_id) = (t.chain_id, t.collection, t.token_id)`,
      keysOf(tokens),
      "read locked",
    ),
  ]);
  const lockedKeys = new Set(locked.map(keyOfRow));
  // A row that was added between the two is not locked.
  return new Map(
    rows.flatMap((row) => (lockedKeys.has(keyOfRow(row)) ? [[keyOfRow(row), row] as const] : [])),
  );
}

interface KeyRow {
  readonly chainId: string;
  readonly collection: string;
  readonly tokenId: string;
}

const keyOfRow = (row: KeyRow): string => tokenKey({ ...row, chainId: Number(row.chainId) });

/**
 * Long values as one, and where each begins, from 1, and ends: an array of them would be sent as hexadecimal digits, or
 * with each quotation mark escaped.
 */
function joined(values: readonly (Buffer | null)[]) {
  const starts: (number | null)[] = [];
  let next = 1;
  for (const value of values) {
    starts.push(value && next);
    next += value?.length ?? 0;
  }
  return {
    bytes: Buffer.concat(values.flatMap((value) => value ?? [])),
    starts,
    lengths: values.map((value) => value?.length ?? null),
  };
}

export interface NewVersion {
  /** One of `reserveVersions`. */
  readonly id: string;
  readonly token: TokenRef;
  readonly number: number;
  readonly trigger: string;
  readonly outcome: "updated" | "rejected" | "failed";
  readonly reason: string | null;
  readonly uri: string | null;
  readonly block: number;
  readonly durationMs: number;
  readonly document: Document | null;
  readonly issues: readonly Issue[];
}

/** Ids for as many new versions: known before they are added, so that what refers to them is sent along with them. */
export async function reserveVersions(db: Queryable, count: number): Promise<string[]> {
  if (count === 0) return [];
  const rows = await db.query<{ id: string }>(
    `select nextval(ids) as id
       from (select pg_get_serial_sequence('vitrine.version', 'id')::regclass as ids offset 0) as i, generate_series(1, $1)`,
    [count],
    "reserve versions",
  );
  return rows.map(({ id }) => id);
}

/** Appends a version to each token's history. The tokens' rows must be locked, and the documents added. */
export async function addVersions(db: Queryable, versions: readonly NewVersion[]): Promise<void> {
  if (versions.length === 0) return;
  const metadata = joined(
    versions.map(({ document }) => (document ? Buffer.from(JSON.stringify(document.metadata)) : null)),
  );
  await db.query(
    `insert into vitrine.version (chain_id, collection, token_id, number, trigger, outcome, reason, uri, read_block,
                                  duration_ms, content_hash, metadata, issues, complete, etag, verified, id, normaliser)
     overriding system value
     select chain_id, collection, token_id, number, trigger, outcome, reason, uri, read_block, duration_ms, content_hash,
            convert_from(substring($12::bytea from start for length), 'UTF8'), issues, complete, etag, verified, id,
            ${NORMALISER}
       from unnest($1::bigint[], $2::text[], $3::numeric[], $4::int[], $5::text[], $6::text[], $7::text[], $8::text[],
                   $9::bigint[], $10::int[], $11::text[], $13::text[], $14::boolean[], $15::text[], $16::text[], $17::bigint[],
                   $18::int[], $19::int[])
         as v(chain_id, collection, token_id, number, trigger, outcome, reason, uri, read_block, duration_ms, content_hash,
              issues, complete, etag, verified, id, start, length)`,
    [
      ...keysOf(versions.map(({ token }) => token)),
      ...columnsOf(versions, "number", "trigger", "outcome", "reason", "uri", "block", "durationMs"),
      versions.map(({ document }) => document?.hash ?? null),
      metadata.bytes,
      versions.map(({ issues }) => JSON.stringify(issues)),
      versions.map(({ document }) => document?.complete ?? false),
      versions.map(({ document }) => document?.etag ?? null),
      versions.map(({ document }) => document?.verified ?? null),
      versions.map(({ id }) => id),
      metadata.starts,
      metadata.lengths,
    ],
    "add versions",
  );
}

/**
 * Stores documents. An unreferenced one is deleted after a day, so an old one that is used again gets a new `stored_at`
 * first, which waits for its deletion. Not at every fetch: tokens that share a document would wait for each other.
 */
export async function addDocuments(db: Queryable, documents: readonly Document[]): Promise<void> {
  if (documents.length === 0) return;
  // A global order, so that two batches never deadlock.
  const rows = [...new Map(documents.map(({ hash, body }) => [hash, body]))].sort(([a], [b]) =>
    a < b ? -1 : 1,
  );
  const hashes = rows.map(([hash]) => hash);
  const bodies = joined(rows.map(([, body]) => body));
  await Promise.all([
    db.query(
      `update vitrine.document set stored_at = now()
        where hash = any($1) and stored_at < now() - interval '12 hours'`,
      [hashes],
      "renew documents",
    ),
    db.query(
      `insert into vitrine.document (hash, body)
       select hash, substring($2::bytea from start for length)
         from unnest($1::text[], $3::int[], $4::int[]) as d(hash, start, length)
       on conflict do nothing`,
      [hashes, bodies.bytes, bodies.starts, bodies.lengths],
      "add documents",
    ),
  ]);
}

/** Records a new ETag of the served document's host, or that the document's bytes were verified: they stay verified. */
export async function renewVersions(
  db: Queryable,
  renewed: readonly {
    readonly versionId: string;
    readonly etag: string | undefined;
    readonly verified: Verified | undefined;
  }[],
): Promise<void> {
  if (renewed.length === 0) return;
  await db.query(
    `update vitrine.version v set etag = coalesce(k.etag, v.etag), verified = coalesce(k.verified, v.verified)
       from unnest($1::bigint[], $2::text[], $3::text[]) as k(id, etag, verified) where v.id = k.id`,
    [
      renewed.map(({ versionId }) => versionId),
      renewed.map(({ etag }) => etag ?? null),
      renewed.map(({ verified }) => verified ?? null),
    ],
    "renew versions",
  );
}

export interface FetchMark {
  readonly token: TokenRef;
  /** Null if nothing was fetched: the last outcome stays. */
  readonly outcome: "good" | "failed" | null;
  readonly reason: string | null;
  readonly block: number;
  /** The previously read blocks may have been reverted. */
  readonly isAfterReorg: boolean;
  /** The number of the token's latest version. */
  readonly versions: number;
  /** The document was as it is served. */
  readonly isConfirmed: boolean;
  /** The new served version, and the value ids of all its entries, shown or hidden. */
  readonly served: {
    readonly versionId: string;
    readonly valueIds: readonly number[];
    readonly name: string | null;
    readonly description: string | null;
    readonly image: string | null;
    /** Of its document. */
    readonly issues: readonly Issue[];
  } | null;
}

/** Records the outcome of each token's fetch, if there was one, and the new served version. */
export async function markFetched(db: Queryable, marks: readonly FetchMark[]): Promise<void> {
  if (marks.length === 0) return;
  await db.query(
    `update vitrine.token t
        set last_outcome = coalesce(k.outcome, t.last_outcome),
            last_reason = case when k.outcome is null then t.last_reason else k.reason end,
            last_fetch_at = case when k.outcome is null then t.last_fetch_at else now() end,
            versions = k.versions,
            -- Another served version begins with none: see close_version.
            confirmations = t.confirmations + k.confirmed::int,
            confirmed_at = case when k.confirmed then now() else t.confirmed_at end,
            good_block = case when k.outcome is distinct from 'good' then t.good_block
                              when k.after_reorg then k.block else greatest(t.good_block, k.block) end,
            served_version = coalesce(k.served, t.served_version),
            -- Arrays of different lengths make no array of arrays.
            traits = coalesce(k.traits::int[], t.traits),
            name = case when k.served is null then t.name else k.name end,
            description = case when k.served is null then t.description else k.description end,
            image_key = case when k.served is null then t.image_key else k.image_key end,
            issue_codes = case when k.served is null then t.issue_codes else k.issue_codes::text[] end,
            served_at = case when k.served is null or k.outcome is null then t.served_at else now() end,
            changed = case when k.served is null then t.changed else pg_current_xact_id() end
       from unnest($1::bigint[], $2::text[], $3::numeric[], $4::text[], $5::text[], $6::bigint[], $7::int[], $8::bigint[],
                   $9::text[], $10::text[], $11::text[], $12::boolean[], $13::bigint[], $14::text[], $15::boolean[])
         as k(chain_id, collection, token_id, outcome, reason, block, versions, served, traits, name, description,
              after_reorg, image_key, issue_codes, confirmed)
      where ${matches("t")}`,
    [
      ...keysOf(marks.map(({ token }) => token)),
      ...columnsOf(marks, "outcome", "reason", "block", "versions"),
      marks.map(({ served }) => served?.versionId ?? null),
      marks.map(({ served }) => (served ? `{${served.valueIds.join(",")}}` : null)),
      marks.map(({ served }) => served?.name ?? null),
      marks.map(({ served }) => served?.description ?? null),
      marks.map(({ isAfterReorg }) => isAfterReorg),
      marks.map(({ served }) => (served ? imageKey(served.image) : null)),
      marks.map(({ served }) => (served ? codesOf(served.issues) : null)),
      marks.map(({ isConfirmed }) => isConfirmed),
    ],
    "mark fetched",
  );
}

/** The distinct codes, as an array of PostgreSQL; null without any. */
const codesOf = (issues: readonly Issue[]): string | null =>
  issues.length === 0 ? null : `{${[...new Set(issues.map(({ code }) => code))].sort().join(",")}}`;
