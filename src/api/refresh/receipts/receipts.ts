/** Receipts: the outcome of each token of a request. Contains their SQL. */

import { columnsOf } from "../../db/columns.ts";
import type { Queryable } from "../../db/database.ts";
import { isPaused } from "../../jobs/hosts.ts";
import { nextProbe, shownFile, urlHash } from "../../media/module.ts";
import type { Lease } from "../queue/leases.ts";
import { type ImageOutcome, imageColumns, imageOutcome, type ServedImage } from "./receipt-images.ts";

export type TokenStatus = "queued" | "fetching" | "updated" | "unchanged" | "failed" | "not_found";

export interface ReceiptToken {
  readonly token_id: string;
  readonly status: TokenStatus;
  readonly reason: string | null;
  readonly image: ImageOutcome;
  readonly image_reason: string | null;
}

export interface Receipt {
  readonly refresh_id: string;
  readonly chain_id: number;
  readonly collection_address: string;
  readonly created_at: string;
  readonly done: boolean;
  readonly tokens: readonly ReceiptToken[];
}

/** The owner of a receipt, who alone may read it; the operator reads all, and nobody else those of the chain. */
export type ReceiptOwner = { readonly appId: string } | "anonymous" | "operator" | "chain";

export interface NewReceipt {
  readonly id: string;
  readonly owner: ReceiptOwner;
  /** The request that it is for. */
  readonly requestId?: string | undefined;
  readonly traceparent?: string | undefined;
  readonly chainId: number;
  readonly collection: string;
  /** In request order. */
  readonly tokens: readonly ReceiptEntry[];
}

interface ReceiptEntry {
  readonly tokenId: string;
  /** The queue mark to reach, or undefined for a token that is not fetched. */
  readonly mark: string | undefined;
  /** The result of a token that is not fetched; without one, the token does not exist. */
  readonly ended?: { readonly status: TokenStatus; readonly reason?: string } | undefined;
}

/** Announces receipts that have changed, by their ids. */
export const RECEIPT_CHANNEL = "vitrine_receipt";

// PostgreSQL takes notifications of up to 8,000 bytes.
const IDS_PER_NOTE = 200;

const NOT_FOUND_REASON = "the contract has no such token";

const ownerColumns = (owner: ReceiptOwner): readonly [madeBy: string, appId: string | null] =>
  typeof owner === "string" ? [owner, null] : ["app", owner.appId];

export async function addReceipt(db: Queryable, receipt: NewReceipt): Promise<void> {
  const { id, owner, requestId, traceparent, chainId, collection } = receipt;
  await db.query(
    `insert into vitrine.receipt (id, made_by, app_id, chain_id, collection, request_id, traceparent)
     values ($1, $2, $3, $4, $5, $6, $7)`,
    [id, ...ownerColumns(owner), chainId, collection, requestId ?? null, traceparent ?? null],
  );
  await addReceiptTokens(db, receipt, 0);
}

/** Adds entries to a receipt, after `before` others. Queue rows must be written first, in the order of a worker. */
export async function addReceiptTokens(
  db: Queryable,
  { id, chainId, collection, tokens }: Omit<NewReceipt, "owner" | "requestId" | "traceparent">,
  before: number,
): Promise<void> {
  if (tokens.length === 0) return;
  await db.query(
    `insert into vitrine.receipt_token (receipt_id, position, chain_id, collection, token_id, wanted, status, reason)
     select $1, $7 + ordinality, $2, $3, token_id, mark,
            case when mark is null then status end, case when mark is null then reason end
       from unnest($4::numeric[], $5::bigint[], $6::text[], $8::text[]) with ordinality
              as t(token_id, mark, status, reason)`,
    [
      id,
      chainId,
      collection,
      tokens.map((t) => t.tokenId),
      tokens.map((t) => t.mark ?? null),
      tokens.map((t) => t.ended?.status ?? "not_found"),
      before,
      tokens.map((t) => t.ended?.reason ?? NOT_FOUND_REASON),
    ],
  );
}

/** Answers every open entry that these fetches cover. */
export async function settle(
  db: Queryable,
  ends: readonly {
    readonly lease: Lease;
    readonly status: TokenStatus;
    readonly reason: string | null;
    /** If a document is served. */
    readonly served?: ServedImage | undefined;
  }[],
): Promise<void> {
  const images = ends.map(({ served }) => imageColumns(served));
  await db.query(
    // Looked up token by token: a plan made while no receipt was open would pass all open ones for each token.
    `with open as materialized (
       select o.receipt_id, o.position, k.*
         from unnest($1::bigint[], $2::text[], $3::numeric[], $4::bigint[], $5::text[], $6::text[], $7::text[], $8::text[],
                     $9::text[], $10::text[], $11::boolean[])
           as k(chain_id, collection, token_id, started, status, reason, image, image_reason, url, before, is_before_of_url)
        cross join lateral (
          select t.receipt_id, t.position from vitrine.receipt_token t
           where (t.chain_id, t.collection, t.token_id) = (k.chain_id, k.collection, k.token_id)
             and t.status is null and t.wanted <= k.started
             for update) o),
     settled as (
       update vitrine.receipt_token t
          set status = k.status, reason = k.reason, image = k.image, image_reason = k.image_reason,
              image_hash = ${urlHash("k.url")}, image_probe = case when k.url is not null then ${nextProbe("k.url")} end,
              image_before = case when k.is_before_of_url then ${shownFile("k.url")} else k.before end
         from open k where (t.receipt_id, t.position) = (k.receipt_id, k.position)
       returning t.receipt_id)
     ${notesOf("settled", "$12")}`,
    [
      ends.map(({ lease }) => lease.chainId),
      ends.map(({ lease }) => lease.collection),
      ends.map(({ lease }) => lease.tokenId),
      ends.map(({ lease }) => lease.started),
      ...columnsOf(ends, "status", "reason"),
      ...columnsOf(images, "image", "reason", "url", "before", "isBeforeOfUrl"),
      RECEIPT_CHANNEL,
    ],
    "settle",
  );
}

/**
 * SQL: notifies the waiters of the receipts of these rows when the transaction commits. Transactions with notifications
 * commit one after the other, and most have nobody to notify.
 */
const notesOf = (rows: string, channel: string): string => `
  select pg_notify(${channel}, string_agg(receipt_id::text, ',')) from (
    select receipt_id, (row_number() over () - 1) / ${IDS_PER_NOTE} as note from ${rows} group by receipt_id) as changed
   group by note`;

/** Notifies the waiters of these receipts when the transaction commits. */
export async function noteChanged(
  db: Queryable,
  changed: readonly { readonly receiptId: string }[],
): Promise<void> {
  if (changed.length === 0) return;
  await db.query(
    notesOf("unnest($2::uuid[]) as c(receipt_id)", "$1"),
    [RECEIPT_CHANNEL, changed.map(({ receiptId }) => receiptId)],
    "note receipts",
  );
}

/** A receipt of that owner, token by token; undefined for another owner's. */
export async function findReceipt(
  db: Queryable,
  id: string,
  owner: ReceiptOwner,
): Promise<Receipt | undefined> {
  const rows = await db.query<{
    chainId: string;
    collection: string;
    createdAt: Date;
    tokenId: string;
    status: TokenStatus;
    reason: string | null;
    image: ImageOutcome;
    imageReason: string | null;
  }>(
    `select p.chain_id as "chainId", p.collection, p.created_at as "createdAt", t.token_id as "tokenId",
            coalesce(t.status, case when r.leased_until > now() and t.wanted <= r.started then 'fetching' else 'queued' end) as status,
            coalesce(t.reason, case when t.status is null then coalesce(h.pause, r.last_reason) end) as reason,
            ${imageOutcome} as image, t.image_reason as "imageReason"
       from vitrine.receipt p
       join vitrine.receipt_token t on t.receipt_id = p.id
       left join vitrine.refresh r
         on (r.chain_id, r.collection, r.token_id) = (t.chain_id, t.collection, t.token_id)
       left join lateral (
         select 'the host is paused until ' || to_char(paused_until at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')
                || ' (' || h.reason || ')' as pause
           from vitrine.host h where h.host = r.host and ${isPaused("h")}) h on true
      where p.id = $1 and p.made_by = $2 and p.app_id is not distinct from $3 order by t.position`,
    [id, ...ownerColumns(owner)],
  );
  const [first] = rows;
  if (!first) return undefined;
  return {
    refresh_id: id,
    chain_id: Number(first.chainId),
    collection_address: first.collection,
    created_at: first.createdAt.toISOString(),
    done: rows.every(({ status }) => status !== "queued" && status !== "fetching"),
    tokens: rows.map(({ tokenId, status, reason, image, imageReason }) => ({
      token_id: tokenId,
      status,
      reason,
      image,
      image_reason: imageReason,
    })),
  };
}
