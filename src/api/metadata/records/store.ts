/** SQL for the served metadata of known tokens. Known and listed tokens: listing/. */

import { type TokenRef, tokenKey } from "../../../domain/token-ref.ts";
import { ready } from "../../chain/index/index-trust.ts";
import { knownByTransfer, tokenColumns } from "../../chain/index/known-by-transfer.ts";
import type { ChainTables } from "../../chain/index/tables.ts";
import { columnsOf } from "../../db/columns.ts";
import type { Queryable } from "../../db/database.ts";
import { keysOf, lookUp } from "../../db/look-up.ts";
import type { Verified } from "../../fetch/ipfs/gateway-request.ts";
import type { Issue } from "../document/issues.ts";
import type { Metadata } from "../document/normalise.ts";
import { showVersion } from "../traits/shown-traits.ts";
import { readDisplayTypes } from "../traits/trait-type-store.ts";

/** SQL: a row, of `vitrine.token` or `vitrine.version`, is one of the token that `keysOf` names as `k`. */
export const OF_KEY = "(chain_id, collection, token_id) = (k.chain_id, k.collection, k.token_id)";

export type FetchStatus = "none" | "current" | "failed";

/** The served metadata of one token. */
export interface ServedMetadata {
  /** The token has no transfer yet, so it is shown to nobody. */
  readonly isUnseen: boolean;
  readonly status: FetchStatus;
  readonly reason: string | null;
  readonly version: number | null;
  readonly contentHash: string | null;
  /** What the served document's bytes were verified against. */
  readonly verified: Verified;
  readonly fetchedAt: Date | null;
  readonly metadata: Metadata | null;
  readonly issues: readonly Issue[];
}

const key = (token: TokenRef): [number, string, string] => [token.chainId, token.collection, token.tokenId];

/** Whether the chain index currently has a transfer of the token. */
export async function isOnChain(db: Queryable, tables: ChainTables, token: TokenRef): Promise<boolean> {
  const [row] = await db.query<{ known: boolean }>(
    `select ${knownByTransfer(tables, tokenColumns("k"))} as known from ${keysOf("array[$3]")} k`,
    key(token),
  );
  return row?.known ?? false;
}

/** Whether a complete chain index has no transfer of the token. False while it is building and can't know. */
export async function isGoneFromChain(db: Queryable, tables: ChainTables, token: TokenRef): Promise<boolean> {
  const [row] = await db.query<{ gone: boolean }>(
    `select ${ready(tables)} and not ${knownByTransfer(tables, tokenColumns("k"))} as gone from ${keysOf("array[$3]")} k`,
    key(token),
  );
  return row?.gone ?? false;
}

/** Deletes a known token from lists and counts; its versions stay as history. */
export async function forgetToken(db: Queryable, token: TokenRef): Promise<void> {
  await db.query(
    `with gone as (delete from vitrine.token where chain_id = $1 and collection = $2 and token_id = $3)
     insert into vitrine.forgotten_token (chain_id, collection, token_id) values ($1, $2, $3)`,
    key(token),
  );
}

/** The tokens among these without a transfer in the chain index so far. */
export async function findUntransferred(
  db: Queryable,
  tables: ChainTables,
  chainId: number,
  collection: string,
  tokenIds: readonly string[],
): Promise<readonly string[]> {
  const rows = await db.query<{ tokenId: string }>(
    `select k.token_id as "tokenId" from ${keysOf("$3")} k where not ${knownByTransfer(tables, tokenColumns("k"))}`,
    [chainId, collection, tokenIds],
  );
  return rows.map(({ tokenId }) => tokenId);
}

/**
 * The tokens among these without a successful read of their URI at their block or later. Unknown tokens count as never
 * read; with `unseenOnly`, seen ones do too.
 */
export async function notReadSince(
  db: Queryable,
  chainId: number,
  collection: string,
  tokens: ReadonlyMap<string, number>,
  unseenOnly = false,
): Promise<ReadonlyMap<string, number>> {
  const key = "chain_id = $1 and collection = $2 and token_id = w.id";
  const rows = await db.query<{ tokenId: string; block: string }>(
    `select w.id as "tokenId", w.block from unnest($3::numeric[], $4::bigint[]) as w(id, block)
       left join ${lookUp("good_block, unseen", "vitrine.token", key)} t on true
      where t.good_block is null or t.good_block < w.block or ($5 and not t.unseen)`,
    [chainId, collection, [...tokens.keys()], [...tokens.values()], unseenOnly],
  );
  return new Map(rows.map(({ tokenId, block }) => [tokenId, Number(block)]));
}

interface ServedRow {
  tokenId: string;
  unseen: boolean;
  outcome: "good" | "failed" | null;
  reason: string | null;
  fetchedAt: Date | null;
  version: number | null;
  hash: string | null;
  verified: Verified;
  metadata: string | null;
  issues: string | null;
}

/** How many bytes are stored of what is served of each known token, by `tokenKey`: a document may have two megabytes. */
export async function readServedBytes(
  db: Queryable,
  tokens: readonly TokenRef[],
): Promise<ReadonlyMap<string, number>> {
  const rows = await db.query<{ chainId: string; collection: string; tokenId: string; bytes: number }>(
    `select k.chain_id as "chainId", k.collection, k.token_id as "tokenId",
            octet_length(v.metadata) + octet_length(v.issues) as bytes
       from unnest($1::bigint[], $2::text[], $3::numeric[]) as k(chain_id, collection, token_id)
      cross join ${lookUp("served_version", "vitrine.token", OF_KEY)} t
       join vitrine.version v on v.id = t.served_version`,
    columnsOf(tokens, "chainId", "collection", "tokenId"),
    "read served bytes",
  );
  return new Map(rows.map((row) => [tokenKey({ ...row, chainId: Number(row.chainId) }), row.bytes]));
}

/**
 * The served metadata of each known token of one collection, by token id. Omits hidden entries and reports
 * each as an issue, which refers to `operatorContact` if given.
 */
export async function readServed(
  db: Queryable,
  chainId: number,
  collection: string,
  tokenIds: readonly string[],
  operatorContact?: string,
): Promise<ReadonlyMap<string, ServedMetadata>> {
  const rows = await db.query<ServedRow>(
    `select t.token_id as "tokenId", t.unseen, t.last_outcome as outcome, t.last_reason as reason, t.last_fetch_at as "fetchedAt",
            v.number as version, v.content_hash as hash, v.verified, v.metadata, v.issues
       from ${keysOf("$3")} k cross join ${lookUp("*", "vitrine.token", OF_KEY)} t
       left join ${lookUp("*", "vitrine.version", "id = t.served_version")} v on true`,
    [chainId, collection, tokenIds],
    "read served",
  );
  const stored = rows.map((row) => ({
    metadata: row.metadata === null ? null : (JSON.parse(row.metadata) as Metadata),
    issues: row.issues === null ? [] : (JSON.parse(row.issues) as Issue[]),
  }));
  const traits = stored.flatMap(({ metadata }) => metadata?.traits ?? []);
  const known = await readDisplayTypes(db, { chainId, collection }, traits);
  return new Map(
    rows.map((row, index) => {
      const { metadata = null, issues = [] } = stored[index] ?? {};
      return [
        row.tokenId,
        {
          isUnseen: row.unseen,
          status: row.outcome === null ? "none" : row.outcome === "good" ? "current" : "failed",
          reason: row.reason,
          version: row.version,
          contentHash: row.hash,
          verified: row.verified,
          fetchedAt: row.fetchedAt,
          ...(metadata ? showVersion({ metadata, issues }, known, operatorContact) : { metadata, issues }),
        },
      ];
    }),
  );
}
