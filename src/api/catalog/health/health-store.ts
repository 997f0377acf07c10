/** What is wrong with the listed tokens of a collection, by cause. Contains its SQL. */

import type { ContractRef } from "../../../domain/token-ref.ts";
import { tokenColumns } from "../../chain/index/known-by-transfer.ts";
import type { ChainTables } from "../../chain/index/tables.ts";
import { isBurned } from "../../chain/index/token-state.ts";
import type { Database, Queryable } from "../../db/database.ts";
import { TRYING_AGAIN } from "../../media/rules.ts";
import { describeFirst, readFirstIssues } from "./health-issues.ts";

/**
 * `document`: of the served document. `image`: the picture is rejected. `read`: the last fetch failed. `stale_image`: the
 * last fetch of the picture failed, and an earlier one is shown. In the order of a list.
 */
export const causeKinds = ["document", "image", "read", "stale_image"] as const;
export type CauseKind = (typeof causeKinds)[number];
const imageKinds = ["image", "stale_image"] as const satisfies readonly CauseKind[];
export type ImageKind = (typeof imageKinds)[number];

/** How many tokens have a cause in their image. */
export type ImageCounts = Readonly<Record<ImageKind, number>>;

export interface CauseCount {
  readonly kind: CauseKind;
  readonly code: string;
  readonly count: number;
  /** Its lowest and its highest token. */
  readonly examples: readonly string[];
}

export interface HealthCounts {
  /** Listed tokens, according to the chain index. */
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

// Counting a million tokens that all have a fault takes seconds.
const COUNT_TIMEOUT_MS = 30_000;
// Of a cause that at least this many tokens have, a page is near the one before.
const COMMON_MIN = 10_000;
const STRETCH = 20_000;

// The same conditions as those of the indexes of migrations 42 and 61.
const OF_COLLECTION = "t.chain_id = $1 and t.collection = $2 and not t.unseen";
const FAILED = `${OF_COLLECTION} and t.last_outcome = 'failed'`;
const WITH_ISSUES = `${OF_COLLECTION} and t.issue_codes is not null`;
const codeOf = (reason: string): string => `split_part(${reason}, ':', 1)`;
const HAS_FAULT: Readonly<Record<ImageKind, string>> = {
  image: "m.kind = 'image' and m.status = 'rejected'",
  stale_image: `m.kind = 'image' and m.status = 'accepted' and m.reason is not null and m.reason not like '%${TRYING_AGAIN}'`,
};
const IS_OF_TOKEN = "('x' || left(encode(m.url_hash, 'hex'), 16))::bit(64)::bigint = t.image_key";
const isListed = (tables: ChainTables): string => `not ${isBurned(tables, tokenColumns("t"))}`;

/**
 * SQL for a from clause: the tokens of collection $1, $2 with a fault in their image, and its `reason`. From the images with
 * one if there are no more than the collection has tokens, otherwise from its tokens, and each looked up by itself: as a join,
 * while statistics know neither, PostgreSQL reads all images for each token, or all tokens for each image. No database index
 * but that of images serves the first form's collection.
 */
const withFault = ({ collectionState }: ChainTables, kind: ImageKind): string => `
  (select found.* from (
     select (select count(*) from (select from vitrine.media m where ${HAS_FAULT[kind]} limit size.items + 1) few) <= size.items as few
       from (select coalesce((select items from ${collectionState}
                               where chain_id = $1 and collection_address = $2), 0)::bigint as items) size offset 0) by
    cross join lateral (
     select t.chain_id, t.collection, t.token_id, m.reason from vitrine.media m
      cross join lateral (
        select t.chain_id, t.collection, t.token_id from vitrine.token t
         where ${IS_OF_TOKEN} and t.chain_id + 0 = $1 and t.collection || '' = $2 and not t.unseen offset 0) t
      where by.few and ${HAS_FAULT[kind]}
     union all
     select t.chain_id, t.collection, t.token_id, m.reason from vitrine.token t
      cross join lateral (select m.reason from vitrine.media m where ${IS_OF_TOKEN} and ${HAS_FAULT[kind]} offset 0) m
      where not by.few and ${OF_COLLECTION}) found)`;

/**
 * ERC-1155 tokens that were announced by minting none of them: listed, but not among their collection's `items`. Its
 * conditions are those of a serving index.
 */
const countWithoutSupply = ({ collectionState, tokenState }: ChainTables): string =>
  `(select count(*) from ${collectionState} c join ${tokenState} s using (chain_id, collection_address)
     where c.chain_id = $1 and c.collection_address = $2 and c.standard = 'erc1155'
       and s.standard = 'erc1155' and s.supply = 0 and not s.burned)`;

/** Reads the tokens with a fault, and of the others nothing but their number. */
export async function countCauses(
  database: Pick<Database, "transaction">,
  tables: ChainTables,
  { chainId, address }: ContractRef,
): Promise<HealthCounts> {
  const listed = isListed(tables);
  const read = <Row>(sql: string): Promise<Row[]> =>
    database.transaction(async (tx) => {
      await tx.query(`set local statement_timeout = ${COUNT_TIMEOUT_MS}`);
      return tx.query<Row>(sql, [chainId, address]);
    });
  const readCauses = (kind: CauseKind, code: string, from: string) =>
    read<Omit<CauseCount, "examples"> & { lowest: string; highest: string }>(
      `select '${kind}' as kind, ${code} as code, count(*)::int as count,
              min(t.token_id)::text as lowest, max(t.token_id)::text as highest
         from ${from} and ${listed} group by 2`,
    );
  const [[figures], ...found] = await Promise.all([
    read<{ tokens: number; unread: number }>(
      `select (coalesce((select items from ${tables.collectionState}
                          where chain_id = $1 and collection_address = $2), 0)
               + ${countWithoutSupply(tables)})::int as tokens,
              (select count(*)::int from vitrine.token t
                where ${OF_COLLECTION} and t.last_outcome is null and ${listed}) as unread`,
    ),
    readCauses("read", codeOf("t.last_reason"), `vitrine.token t where ${FAILED}`),
    readCauses(
      "document",
      "c.code",
      `vitrine.token t cross join unnest(t.issue_codes) as c(code) where ${WITH_ISSUES}`,
    ),
    ...imageKinds.map((kind) =>
      readCauses(kind, codeOf("t.reason"), `${withFault(tables, kind)} t where true`),
    ),
  ]);
  const causes = found.flat().toSorted((a, b) => b.count - a.count || order(a, b));
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

const order = (a: Pick<CauseCount, "kind" | "code">, b: Pick<CauseCount, "kind" | "code">): number =>
  `${a.kind} ${a.code}` < `${b.kind} ${b.code}` ? -1 : 1;

interface AffectedRow extends Omit<Affected, "reason"> {
  readonly reason: string | null;
  /** The version whose document has the issue. */
  readonly version: string | null;
}

/** Up to `limit` tokens with a cause, by token id and kind. */
export async function listAffected(
  db: Queryable,
  tables: ChainTables,
  collection: ContractRef,
  code: string,
  page: { readonly after: After | undefined; readonly limit: number; readonly images: ImageCounts },
): Promise<Affected[]> {
  const { limit, images } = page;
  const rows = await Promise.all([
    listOwn(db, tables, collection, code, page),
    ...imageKinds.map((kind) =>
      (images[kind] >= COMMON_MIN ? walkImages : listImages)(db, tables, collection, kind, code, page),
    ),
  ]);
  const found = rows
    .flat()
    .toSorted((a, b) => {
      const [one, other] = [BigInt(a.tokenId), BigInt(b.tokenId)];
      return one === other ? (a.kind < b.kind ? -1 : 1) : one < other ? -1 : 1;
    })
    .slice(0, limit);
  const versions = found.flatMap(({ version }) => version ?? []);
  const issues = await readFirstIssues(db, versions, code);
  return found.map(({ tokenId, kind, reason, version }) => ({
    tokenId,
    kind,
    reason: reason ?? describeFirst(issues.get(version ?? ""), code),
  }));
}

const isNext = (kind: CauseKind): string =>
  `($4::numeric is null or (t.token_id >= $4 and (t.token_id > $4 or '${kind}' > $5)))`;
const positionOf = (after: After | undefined): readonly [string | null, string] => [
  after?.tokenId ?? null,
  after?.kind ?? "",
];

/** Those with it in their last read, or in their document. */
function listOwn(
  db: Queryable,
  tables: ChainTables,
  { chainId, address }: ContractRef,
  code: string,
  { after, limit }: { readonly after: After | undefined; readonly limit: number },
): Promise<AffectedRow[]> {
  const listed = isListed(tables);
  const page = "order by t.token_id limit $6";
  return db.query<AffectedRow>(
    `(select t.token_id::text as "tokenId", 'read' as kind, t.last_reason as reason, null as version from vitrine.token t
       where ${FAILED} and ${codeOf("t.last_reason")} = $3 and ${isNext("read")} and ${listed} ${page})
     union all
     (select t.token_id::text, 'document', null, t.served_version::text from vitrine.token t
       where ${WITH_ISSUES} and $3 = any(t.issue_codes) and ${isNext("document")} and ${listed} ${page})`,
    [chainId, address, code, ...positionOf(after), limit],
  );
}

/** Those with it in their image, of a few. */
function listImages(
  db: Queryable,
  tables: ChainTables,
  { chainId, address }: ContractRef,
  kind: ImageKind,
  code: string,
  { after, limit }: { readonly after: After | undefined; readonly limit: number },
): Promise<AffectedRow[]> {
  return db.query<AffectedRow>(
    `select t.token_id::text as "tokenId", '${kind}' as kind, t.reason, null as version from ${withFault(tables, kind)} t
      where ${codeOf("t.reason")} = $3 and ${isNext(kind)}
        and ${isListed(tables)} order by t.token_id limit $6`,
    [chainId, address, code, ...positionOf(after), limit],
  );
}

/** The same of many: token after token, until there are enough. */
async function walkImages(
  db: Queryable,
  tables: ChainTables,
  { chainId, address }: ContractRef,
  kind: ImageKind,
  code: string,
  { after, limit }: { readonly after: After | undefined; readonly limit: number },
): Promise<AffectedRow[]> {
  const found: AffectedRow[] = [];
  let from = after;
  for (let stretch = Math.min(STRETCH, 4 * limit); ; stretch = Math.min(STRETCH, 2 * stretch)) {
    const rows = await db.query<{ tokenId: string; reason: string | null }>(
      `select t.token_id::text as "tokenId", r.reason from (
         select t.* from vitrine.token t where ${OF_COLLECTION} and ${isNext(kind)}
          order by t.token_id limit $6) t
         left join lateral (
           select m.reason from vitrine.media m
            where ${IS_OF_TOKEN} and ${HAS_FAULT[kind]} and ${codeOf("m.reason")} = $3 and ${isListed(tables)} limit 1) r on true
        order by t.token_id`,
      [chainId, address, code, ...positionOf(from), stretch],
    );
    for (const { tokenId, reason } of rows)
      if (reason !== null) found.push({ tokenId, kind, reason, version: null });
    const last = rows.at(-1);
    if (found.length >= limit || !last) return found.slice(0, limit);
    from = { tokenId: last.tokenId, kind };
  }
}
