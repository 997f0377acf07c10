/** What is wrong with the listed tokens of a collection, by cause. Contains its SQL. */

import type { ChainTables } from "../../chain/index/tables.ts";
import type { Queryable } from "../../db/database.ts";

/** `read`: the last fetch failed. `document`: of the served document. `image`: the picture is rejected. */
export const causeKinds = ["document", "image", "read"] as const;
export type CauseKind = (typeof causeKinds)[number];

export interface Place {
  readonly chainId: number;
  readonly address: string;
}

export interface CauseCount {
  readonly kind: CauseKind;
  readonly code: string;
  readonly count: number;
  /** Its lowest and its highest token. */
  readonly examples: readonly string[];
}

export interface HealthCounts {
  /** Existing tokens, according to the chain index. */
  readonly tokens: number;
  /** Tokens that were never read. */
  readonly unread: number;
  readonly rejectedImages: number;
  /** Most frequent first. */
  readonly causes: readonly CauseCount[];
}

export interface Affected {
  readonly tokenId: string;
  readonly kind: CauseKind;
  readonly reason: string;
}

/** The last entry of a page. */
export interface After {
  readonly tokenId: string;
  readonly kind: CauseKind;
}

// The same conditions as those of the indexes of migration 45.
const OF_COLLECTION = "t.chain_id = $1 and t.collection = $2 and not t.unseen";
const FAILED = `${OF_COLLECTION} and t.last_outcome = 'failed'`;
const codeOf = (reason: string): string => `split_part(${reason}, ':', 1)`;
const REJECTED = `
  vitrine.media m
    join vitrine.token t on t.image_key = ('x' || left(encode(m.url_hash, 'hex'), 16))::bit(64)::bigint`;
const IS_REJECTED = "m.kind = 'image' and m.status = 'rejected'";

const notBurned = ({ tokenState }: ChainTables): string => `not exists (
  select from ${tokenState} s
   where (s.chain_id, s.collection_address, s.token_id) = (t.chain_id, t.collection, t.token_id) and s.burned)`;

/** Reads the tokens with a fault, and of the others nothing but their number. */
export async function countCauses(
  db: Queryable,
  tables: ChainTables,
  { chainId, address }: Place,
): Promise<HealthCounts> {
  const listed = notBurned(tables);
  const [[figures], causes] = await Promise.all([
    db.query<{ tokens: number; unread: number }>(
      `select coalesce((select items from ${tables.collectionState}
                         where chain_id = $1 and collection_address = $2), 0)::int as tokens,
              (select count(*)::int from vitrine.token t
                where ${OF_COLLECTION} and t.last_outcome is null and ${listed}) as unread`,
      [chainId, address],
    ),
    db.query<Omit<CauseCount, "examples"> & { lowest: string; highest: string }>(
      `select kind, code, count(*)::int as count, min(token_id)::text as lowest, max(token_id)::text as highest from (
         select 'read' as kind, ${codeOf("t.last_reason")} as code, t.token_id from vitrine.token t
          where ${FAILED} and ${listed}
         union all
         select 'document', c.code, t.token_id from vitrine.token t cross join unnest(t.issue_codes) as c(code)
          where ${OF_COLLECTION} and t.issue_codes is not null and ${listed}
         union all
         select 'image', ${codeOf("m.reason")}, t.token_id from ${REJECTED}
          where ${OF_COLLECTION} and ${IS_REJECTED} and ${listed}) as found
        group by kind, code order by count(*) desc, kind, code`,
      [chainId, address],
    ),
  ]);
  return {
    tokens: figures?.tokens ?? 0,
    unread: figures?.unread ?? 0,
    // A token has one image.
    rejectedImages: causes.filter(({ kind }) => kind === "image").reduce((sum, { count }) => sum + count, 0),
    causes: causes.map(({ lowest, highest, ...cause }) => ({
      ...cause,
      examples: [...new Set([lowest, highest])],
    })),
  };
}

/** Up to `limit` tokens with a cause, by token id and kind. */
export async function listAffected(
  db: Queryable,
  tables: ChainTables,
  { chainId, address }: Place,
  code: string,
  after: After | undefined,
  limit: number,
): Promise<Affected[]> {
  const listed = notBurned(tables);
  const isNext = (kind: CauseKind): string =>
    `($4::numeric is null or (t.token_id >= $4 and (t.token_id > $4 or '${kind}' > $5)))`;
  const page = "order by t.token_id limit $6";
  const rows = await db.query<Omit<Affected, "reason"> & { reason: string | null; issues: string | null }>(
    `select token_id::text as "tokenId", kind, reason, issues from (
       (select t.token_id, 'read' as kind, t.last_reason as reason, null as issues from vitrine.token t
         where ${FAILED} and ${codeOf("t.last_reason")} = $3 and ${isNext("read")} and ${listed} ${page})
       union all
       (select t.token_id, 'document', null, v.issues from (
          select t.* from vitrine.token t
           where ${OF_COLLECTION} and t.issue_codes is not null and $3 = any(t.issue_codes) and ${isNext("document")}
             and ${listed} ${page}) t
          left join vitrine.version v on v.id = t.served_version)
       union all
       (select t.token_id, 'image', m.reason, null from ${REJECTED}
         where ${OF_COLLECTION} and ${IS_REJECTED} and ${codeOf("m.reason")} = $3 and ${isNext("image")}
           and ${listed} ${page})) as found
      order by found.token_id, kind limit $6`,
    [chainId, address, code, after?.tokenId ?? null, after?.kind ?? "", limit],
  );
  return rows.map(({ tokenId, kind, reason, issues }) => ({
    tokenId,
    kind,
    reason: reason ?? describe(issues, code),
  }));
}

/** Where in the document, and what; of the first such issue. */
function describe(issues: string | null, code: string): string {
  const found =
    issues === null ? [] : (JSON.parse(issues) as { code: string; path: string; message: string }[]);
  const first = found.find((issue) => issue.code === code);
  return first ? `${code}: ${[first.path, first.message].filter(Boolean).join(" ")}` : code;
}
