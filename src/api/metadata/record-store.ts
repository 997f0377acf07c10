/**
 * What recording fetches reads and writes in PostgreSQL, for many tokens in each statement: a round trip per token and
 * table is what bounds a refresh of a whole collection. Tokens of one call are distinct.
 */

import type { TokenRef } from "../../domain/token-ref.ts";
import type { Queryable } from "../store/database.ts";
import type { Issue } from "./issues.ts";
import type { Document } from "./resolve.ts";
import { type Trait, valueText } from "./traits.ts";

/** The name of a token within a batch. */
export const nameOf = ({ chainId, collection, tokenId }: TokenRef): string =>
  `${chainId}:${collection}:${tokenId}`;

type Keys = [number[], string[], string[]];

const keysOf = (tokens: readonly TokenRef[]): Keys => [
  tokens.map((token) => token.chainId),
  tokens.map((token) => token.collection),
  tokens.map((token) => token.tokenId),
];
const KEYS = "unnest($1::bigint[], $2::text[], $3::numeric[]) as k(chain_id, collection, token_id)";
const matches = (alias: string): string =>
  `(${alias}.chain_id, ${alias}.collection, ${alias}.token_id) = (k.chain_id, k.collection, k.token_id)`;

/** What is served of a token, as far as a new fetch is measured by it. */
export interface ServedVersion {
  readonly versionId: string | null;
  readonly hash: string | null;
  readonly uri: string | null;
  readonly complete: boolean | null;
}

/** Locks the tokens' rows for the transaction, in one order everywhere. Unknown tokens are left out. */
export async function lockServed(
  db: Queryable,
  tokens: readonly TokenRef[],
): Promise<ReadonlyMap<string, ServedVersion>> {
  const rows = await db.query<ServedVersion & { chainId: string; collection: string; tokenId: string }>(
    `select t.chain_id as "chainId", t.collection, t.token_id as "tokenId",
            t.served_version as "versionId", v.content_hash as hash, v.uri, v.complete
       from ${KEYS}
       join vitrine.token t on ${matches("t")}
       left join vitrine.version v on v.id = t.served_version
      order by t.chain_id, t.collection, t.token_id::text collate "C" for update of t`,
    keysOf(tokens),
  );
  return new Map(rows.map((row) => [nameOf({ ...row, chainId: Number(row.chainId) }), row]));
}

export interface NewVersion {
  readonly token: TokenRef;
  readonly trigger: string;
  readonly outcome: "updated" | "rejected" | "failed";
  readonly reason: string | null;
  readonly uri: string | null;
  readonly block: number;
  readonly durationMs: number;
  readonly document: Document | null;
  readonly issues: readonly Issue[];
}

/** Appends to the history of each token and returns the versions' ids by token. The tokens' rows must be locked. */
export async function addVersions(
  db: Queryable,
  versions: readonly NewVersion[],
): Promise<ReadonlyMap<string, string>> {
  if (versions.length === 0) return new Map();
  await addDocuments(
    db,
    versions.flatMap(({ document }) => document ?? []),
  );
  const rows = await db.query<{ chainId: string; collection: string; tokenId: string; id: string }>(
    `with k as (
       select * from unnest($1::bigint[], $2::text[], $3::numeric[], $4::text[], $5::text[], $6::text[], $7::text[],
                            $8::bigint[], $9::int[], $10::text[], $11::text[], $12::text[], $13::boolean[])
         as k(chain_id, collection, token_id, trigger, outcome, reason, uri, read_block, duration_ms, content_hash,
              metadata, issues, complete)
     ), numbered as (
       update vitrine.token t set versions = 1 + greatest(t.versions, coalesce((
                select max(number) from vitrine.version v
                 where v.chain_id = t.chain_id and v.collection = t.collection and v.token_id = t.token_id), 0))
         from k where ${matches("t")}
       returning t.chain_id, t.collection, t.token_id, t.versions
     )
     insert into vitrine.version (chain_id, collection, token_id, number, trigger, outcome, reason, uri, read_block,
                                  duration_ms, content_hash, metadata, issues, complete)
     select k.chain_id, k.collection, k.token_id, n.versions, k.trigger, k.outcome, k.reason, k.uri, k.read_block,
            k.duration_ms, k.content_hash, k.metadata, k.issues, k.complete
       from k join numbered n on ${matches("n")}
     returning chain_id as "chainId", collection, token_id as "tokenId", id`,
    [
      ...keysOf(versions.map(({ token }) => token)),
      versions.map(({ trigger }) => trigger),
      versions.map(({ outcome }) => outcome),
      versions.map(({ reason }) => reason),
      versions.map(({ uri }) => uri),
      versions.map(({ block }) => block),
      versions.map(({ durationMs }) => durationMs),
      versions.map(({ document }) => document?.hash ?? null),
      versions.map(({ document }) => (document ? JSON.stringify(document.metadata) : null)),
      versions.map(({ issues }) => JSON.stringify(issues)),
      versions.map(({ document }) => document?.complete ?? false),
    ],
  );
  if (rows.length !== versions.length) throw new Error("a version needs a known token");
  return new Map(rows.map((row) => [nameOf({ ...row, chainId: Number(row.chainId) }), row.id]));
}

/**
 * What nobody refers to is deleted once it is a day old, so a document that is known and old counts as stored anew. Not
 * at every fetch: tokens that share a document would wait for each other.
 */
async function addDocuments(db: Queryable, documents: readonly Document[]): Promise<void> {
  if (documents.length === 0) return;
  // In one order, so that two batches never wait for each other.
  const rows = [...new Map(documents.map(({ hash, body }) => [hash, body]))].sort(([a], [b]) =>
    a < b ? -1 : 1,
  );
  await db.query(
    `with added as (
       insert into vitrine.document (hash, body) select * from unnest($1::text[], $2::bytea[]) on conflict do nothing
     )
     update vitrine.document set stored_at = now()
      where hash = any($1) and stored_at < now() - interval '12 hours'`,
    [rows.map(([hash]) => hash), rows.map(([, body]) => body)],
  );
}

/** Notes that fetches found the served documents again. */
export async function confirmVersions(db: Queryable, versionIds: readonly string[]): Promise<void> {
  if (versionIds.length === 0) return;
  await db.query(
    `update vitrine.version set confirmations = confirmations + 1, confirmed_at = now()
      where id = any($1::bigint[])`,
    [versionIds],
  );
}

/** Replaces the tokens' entries, shown and held back, in the distribution. */
export async function replaceTraits(
  db: Queryable,
  changed: readonly { readonly token: TokenRef; readonly traits: readonly Trait[] }[],
): Promise<void> {
  if (changed.length === 0) return;
  await db.query(
    `delete from vitrine.token_trait t using ${KEYS} where ${matches("t")}`,
    keysOf(changed.map(({ token }) => token)),
  );
  const rows = changed.flatMap(({ token, traits }) =>
    traits.map((trait, index) => ({ token, trait, position: index + 1 })),
  );
  if (rows.length === 0) return;
  await db.query(
    `insert into vitrine.token_trait
            (chain_id, collection, token_id, position, trait_type, display_type, value_text, value_number)
     select * from unnest($1::bigint[], $2::text[], $3::numeric[], $4::int[], $5::text[], $6::text[], $7::text[],
                          $8::float8[])`,
    [
      ...keysOf(rows.map(({ token }) => token)),
      rows.map(({ position }) => position),
      rows.map(({ trait }) => trait.trait_type),
      rows.map(({ trait }) => trait.display_type),
      rows.map(({ trait }) => valueText(trait.value)),
      rows.map(({ trait }) => (typeof trait.value === "number" ? trait.value : null)),
    ],
  );
}

export interface FetchMark {
  readonly token: TokenRef;
  readonly outcome: "good" | "failed";
  readonly reason: string | null;
  readonly block: number;
  /** Replaces what is served. */
  readonly served: string | null;
}

/** Notes how the last fetch of each token ended. */
export async function markFetched(db: Queryable, marks: readonly FetchMark[]): Promise<void> {
  if (marks.length === 0) return;
  await db.query(
    `update vitrine.token t
        set last_outcome = k.outcome, last_reason = k.reason, last_fetch_at = now(),
            good_block = case when k.outcome = 'good' then greatest(t.good_block, k.block) else t.good_block end,
            served_version = coalesce(k.served, t.served_version)
       from unnest($1::bigint[], $2::text[], $3::numeric[], $4::text[], $5::text[], $6::bigint[], $7::bigint[])
         as k(chain_id, collection, token_id, outcome, reason, block, served)
      where ${matches("t")}`,
    [
      ...keysOf(marks.map(({ token }) => token)),
      marks.map(({ outcome }) => outcome),
      marks.map(({ reason }) => reason),
      marks.map(({ block }) => block),
      marks.map(({ served }) => served),
    ],
  );
}
