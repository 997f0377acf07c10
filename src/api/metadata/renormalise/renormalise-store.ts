/** SQL for served versions read by older rules, and for the progress of the renormalise job. */

import type { Standard } from "../../../config.ts";
import type { TokenRef } from "../../../domain/token-ref.ts";
import { tokenColumns } from "../../chain/index/known-by-transfer.ts";
import type { ChainTables } from "../../chain/index/tables.ts";
import { isBurned } from "../../chain/index/token-state.ts";
import type { Queryable } from "../../db/database.ts";
import type { Verified } from "../../fetch/ipfs/gateway-request.ts";
import { NORMALISER } from "../document/normalise.ts";

/** The channel on which the operator's request to renormalise is notified. */
export const RENORMALISE_CHANNEL = "vitrine_renormalise";

/** The progress of the job for this release's rules. */
export interface RenormaliseState {
  /** Every version with an id up to here has been processed. */
  readonly cursor: string;
  /** Null until counted. */
  readonly total: number | null;
  readonly done: number;
  readonly changed: number;
  readonly rejected: number;
  readonly missing: number;
  readonly failed: number;
  readonly startedAt: Date;
  /** PostgreSQL's text of the same time. A pass that is requested has another. */
  readonly pass: string;
  readonly finishedAt: Date | null;
  /** It is unfinished, and some process has worked on it recently. */
  readonly isRunning: boolean;
}

// A batch and the pause after it take less than a second.
const LATELY = "interval '30 seconds'";
/** The longest statement: the count. */
export const COUNT_MS = 600_000;
// More than are recorded in the time that a transaction takes.
const LATE_VERSIONS = 20_000;

/** Undefined before the first pass. */
export async function readState(db: Queryable): Promise<RenormaliseState | undefined> {
  const [row] = await db.query<RenormaliseState>(
    `select cursor, total::float8, done::float8, changed::float8, rejected::float8, missing::float8, failed::float8,
            started_at as "startedAt", started_at::text as pass, finished_at as "finishedAt",
            finished_at is null and coalesce(worked_at > now() - ${LATELY}, false) as "isRunning"
       from vitrine.renormalise where normaliser = $1`,
    [NORMALISER],
  );
  return row;
}

/** Restarts a finished job, or starts a new one; a running one continues. */
export async function requestPass(tx: Queryable): Promise<void> {
  await tx.query(
    `insert into vitrine.renormalise as r (normaliser) values ($1)
     on conflict (normaliser) do update
        set cursor = 0, total = null, done = 0, changed = 0, rejected = 0, missing = 0, failed = 0,
            started_at = now(), worked_at = null, finished_at = null
      where r.finished_at is not null`,
    [NORMALISER],
  );
  await tx.query(`select pg_notify('${RENORMALISE_CHANNEL}', '')`);
}

export async function startPass(tx: Queryable): Promise<void> {
  await tx.query("insert into vitrine.renormalise (normaliser) values ($1) on conflict do nothing", [
    NORMALISER,
  ]);
}

/** Counts served versions that older rules read. Takes seconds at ten million tokens. */
export async function countStale(tx: Queryable): Promise<void> {
  // The count reads both tables in full, so allow these plans in any kind of transaction.
  for (const setting of ["enable_seqscan", "enable_hashjoin", "enable_mergejoin"])
    await tx.query(`set local ${setting} = on`);
  await tx.query(`set local statement_timeout = ${COUNT_MS}`);
  await tx.query(
    `update vitrine.renormalise set worked_at = now(), total = (
       select count(*) from vitrine.version v join vitrine.token t on t.served_version = v.id
        where v.normaliser < $1 and v.outcome = 'updated')
      where normaliser = $1`,
    [NORMALISER],
  );
}

/** Ids of versions that older rules read, above `after`, ascending; served or not. */
export async function staleIds(tx: Queryable, after: string, limit: number): Promise<string[]> {
  const rows = await tx.query<{ id: string }>(
    // One scan per rules version, so that the database index of rules returns them in order. With "normaliser =" and the
    // order of the ids alone, PostgreSQL may search all versions by their ids instead.
    `select s.id from generate_series(1, $1 - 1) as rules
       cross join lateral (
         select v.id from vitrine.version v
          where v.normaliser between rules and rules and v.outcome = 'updated' and v.id > $2
          order by v.normaliser, v.id limit $3) s
      order by s.id limit $3`,
    [NORMALISER, after, limit],
  );
  return rows.map(({ id }) => id);
}

/**
 * Ids of served versions that older rules read, up to `cursor` and near it: an older release, which runs beside this one during
 * an upgrade, takes a version's id before it commits. None whose document is no longer stored, and none of burned tokens.
 */
export async function lateIds(tx: Queryable, tables: ChainTables, cursor: string): Promise<string[]> {
  const rows = await tx.query<{ id: string }>(
    `select s.id from generate_series(1, $1 - 1) as rules
       cross join lateral (
         select v.* from vitrine.version v
          where v.normaliser = rules and v.outcome = 'updated'
            and v.id <= $2::bigint and v.id > $2::bigint - ${LATE_VERSIONS} order by v.id) s
       join vitrine.token t on (t.chain_id, t.collection, t.token_id) = (s.chain_id, s.collection, s.token_id)
                           and t.served_version = s.id
       join vitrine.document d on d.hash = s.content_hash
      where not ${isBurned(tables, tokenColumns("t"))}
      order by s.id`,
    [NORMALISER, cursor],
  );
  return rows.map(({ id }) => id);
}

/** A served version, and the inputs for reading its document. */
export interface StoredReading extends TokenRef {
  readonly versionId: string;
  readonly uri: string | null;
  readonly block: number;
  readonly hash: string;
  readonly verified: Verified;
  readonly complete: boolean;
  readonly standard: Standard | null;
  /** The length of the body; null if it is no longer stored. */
  readonly bytes: number | null;
}

/** What older rules read of a document, as JSON text. */
export interface StoredResult {
  readonly metadata: string;
  readonly issues: string;
}

/** The served ones of these versions, ordered by id, at most `limit`. */
export async function readStored(
  tx: Queryable,
  tables: ChainTables,
  ids: readonly string[],
  limit: number,
): Promise<StoredReading[]> {
  const rows = await tx.query<Omit<StoredReading, "chainId" | "block"> & { chainId: string; block: string }>(
    `select v.id as "versionId", v.chain_id as "chainId", v.collection, v.token_id as "tokenId", v.uri,
            v.read_block as block, v.content_hash as hash, v.verified, v.complete, s.standard,
            octet_length(d.body) as bytes
       from vitrine.version v
       join vitrine.token t on (t.chain_id, t.collection, t.token_id) = (v.chain_id, v.collection, v.token_id)
                           and t.served_version = v.id
       left join vitrine.document d on d.hash = v.content_hash
       left join ${tables.tokenState} s
         on (s.chain_id, s.collection_address, s.token_id) = (v.chain_id, v.collection, v.token_id)
      where v.id = any($1::bigint[]) order by v.id limit $2`,
    [ids, limit],
  );
  return rows.map((row) => ({ ...row, chainId: Number(row.chainId), block: Number(row.block) }));
}

/** By version. */
export async function readResults(
  tx: Queryable,
  versionIds: readonly string[],
): Promise<ReadonlyMap<string, StoredResult>> {
  const rows = await tx.query<StoredResult & { versionId: string }>(
    `select id as "versionId", metadata, issues from vitrine.version where id = any($1::bigint[])`,
    [versionIds],
  );
  return new Map(rows.map(({ versionId, ...result }) => [versionId, result]));
}

export async function readBodies(
  tx: Queryable,
  hashes: readonly string[],
): Promise<ReadonlyMap<string, Buffer>> {
  const rows = await tx.query<{ hash: string; body: Buffer }>(
    "select hash, body from vitrine.document where hash = any($1)",
    [hashes],
  );
  return new Map(rows.map(({ hash, body }) => [hash, body]));
}

/** Records that this release's rules have read these versions' documents. */
export async function markRead(tx: Queryable, versionIds: readonly string[]): Promise<void> {
  if (versionIds.length === 0) return;
  await tx.query("update vitrine.version set normaliser = $1 where id = any($2::bigint[])", [
    NORMALISER,
    versionIds,
  ]);
}

export type Tally = Readonly<Record<"done" | "changed" | "rejected" | "missing" | "failed", number>>;

/**
 * Records that every version up to `cursor` was processed, or that late ones behind it were, with the results; nothing if
 * another pass has been requested since the state was read, which goes through all of them again.
 */
export async function noteProgress(
  tx: Queryable,
  { pass }: Pick<RenormaliseState, "pass">,
  cursor: string,
  tally: Tally,
): Promise<void> {
  await tx.query(
    `update vitrine.renormalise
        set cursor = greatest(cursor, $2), done = done + $3, changed = changed + $4, rejected = rejected + $5, missing = missing + $6,
            failed = failed + $7, total = greatest(total, done + $3), worked_at = now(), finished_at = null
      where normaliser = $1 and started_at = $8::timestamptz`,
    [NORMALISER, cursor, tally.done, tally.changed, tally.rejected, tally.missing, tally.failed, pass],
  );
}

/**
 * Marks the job finished, unless another pass has been requested since. The total drops to `done`: fetches have read some of
 * the counted documents meanwhile.
 */
export async function finishPass(tx: Queryable, { pass }: Pick<RenormaliseState, "pass">): Promise<void> {
  await tx.query(
    `update vitrine.renormalise set finished_at = now(), total = done
      where normaliser = $1 and finished_at is null and started_at = $2::timestamptz`,
    [NORMALISER, pass],
  );
}
