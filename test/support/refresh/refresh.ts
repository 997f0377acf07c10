/** Shared by tests of the refresh queue: one collection, its rows, and a scripted network. */

import type { Queryable } from "../../../src/api/db/database.ts";
import type { RecordedOutcome } from "../../../src/api/metadata/records/record.ts";
import type { MetadataService } from "../../../src/api/metadata/service.ts";
import type { Document, FailureReason, Resolution, Resolve } from "../../../src/api/metadata/uri/resolve.ts";
import { readDocument } from "../../../src/api/metadata/uri/resolve.ts";
import { claim, type Share } from "../../../src/api/refresh/queue/claim.ts";
import type { Lease } from "../../../src/api/refresh/queue/leases.ts";
import { enqueue, type Trigger } from "../../../src/api/refresh/queue/queue.ts";
import type { TokenRef } from "../../../src/domain/token-ref.ts";
import type { TestDatabase } from "../database/database.ts";

export const CHAIN_ID = 31337;
export const COLLECTION = "0x5fbdb2315678afecb367f032d93f642f64180aa3";
export const ref = (tokenId: string): TokenRef => ({ chainId: CHAIN_ID, collection: COLLECTION, tokenId });

/** One process's share by default. */
export const SHARE: Share = { chainIds: [CHAIN_ID], perHost: 100 };

/** Requests tokens of the collection; a token is its id, or its id and its trigger's block. */
export function ask(
  db: Queryable,
  tokens: readonly (string | readonly [string, number])[],
  how: { trigger?: Trigger; anonymous?: boolean; collection?: string; rechecks?: boolean } = {},
): Promise<ReadonlyMap<string, string>> {
  return enqueue(db, {
    chainId: CHAIN_ID,
    collection: how.collection ?? COLLECTION,
    tokens: new Map(tokens.map((token) => (typeof token === "string" ? [token, 0] : token))),
    trigger: how.trigger ?? "rest",
    anonymous: how.anonymous ?? false,
    rechecks: how.rechecks ?? true,
  });
}

/** Claims the one due token; throws if there is none or several. */
export async function claimOne({ database, tables }: TestDatabase): Promise<Lease> {
  const leases = await claim(database, tables, SHARE, 10);
  const [lease] = leases;
  if (!lease || leases.length > 1) throw new Error(`${leases.length} tokens are due`);
  return lease;
}

export interface QueueRow {
  readonly tokenId: string;
  readonly requested: number;
  readonly started: number;
  readonly done: number;
  readonly priority: number;
  readonly trigger: Trigger;
  readonly minBlock: number;
  readonly attempts: number;
  readonly lease: string | null;
  /** Seconds from now; negative if the token is due. */
  readonly dueIn: number;
}

/** The queue's rows, by token id. */
export function readQueue(db: Queryable): Promise<QueueRow[]> {
  return db.query<QueueRow>(
    `select token_id::text as "tokenId", wanted::int as requested, started::int, done::int, priority, trigger, min_block::int as "minBlock",
            attempts, lease, ceil(extract(epoch from not_before - now()))::int as "dueIn"
       from vitrine.refresh order by vitrine.refresh.token_id`,
  );
}

/** Lets time pass for the queue: every stored time moves into the past. */
export async function passSeconds(db: Queryable, seconds: number): Promise<void> {
  await db.query(
    `update vitrine.refresh
        set not_before = not_before - $1::float8 * interval '1 second',
            leased_until = leased_until - $1::float8 * interval '1 second',
            last_started_at = last_started_at - $1::float8 * interval '1 second',
            anonymous_started_at = anonymous_started_at - $1::float8 * interval '1 second',
            waiting_since = waiting_since - $1::float8 * interval '1 second'`,
    [seconds],
  );
}

/** Makes every pending token due at once. */
export async function makeDue(db: Queryable): Promise<void> {
  await db.query("update vitrine.refresh set not_before = now() where lease is null");
}

const DELETED = [
  ...["receipt_token", "receipt", "refresh", "version", "document", "held_type"],
  ...["cause", "cause_cursor", "sweep", "host", "sampling", "image_outcome"],
];
// What a service remembers of these, it remembers until they are truncated.
const TRUNCATED = ["token", "trait_type", "trait_value"];
const listed = (tables: readonly string[]): string => tables.map((table) => `vitrine.${table}`).join(", ");

// A truncation makes new files for a table and its indexes: for all of them, it takes several times what deleting takes.
const EMPTY = [
  // As a truncation would, waits for what is still being written.
  `lock table ${listed([...DELETED, ...TRUNCATED])} in share row exclusive mode`,
  ...DELETED.map((table) => `delete from vitrine.${table}`),
  `do $$ begin
     if ${TRUNCATED.map((table) => `exists (select from vitrine.${table})`).join(" or ")} then
       truncate ${listed(TRUNCATED)};
     end if;
   end $$`,
].join("; ");

export async function emptyTables(db: Queryable): Promise<void> {
  await db.query(EMPTY);
}

/** A document as stored, made from JSON or from a body's text. */
export function documentOf(json: unknown, tokenId = ""): Document {
  const body = Buffer.from(typeof json === "string" ? json : JSON.stringify(json));
  const read = readDocument(body, tokenId);
  if (read.kind !== "document") throw new Error(read.message);
  return read.document;
}

export const found = (json: unknown, at: { uri?: string; block?: number } = {}): Resolution => ({
  kind: "document",
  document: documentOf(json),
  uri: at.uri ?? "https://meta.example/1",
  block: at.block ?? 10,
  durationMs: 1,
});

export const failed = (
  reason: FailureReason,
  how: { transient?: boolean; retryAfterMs?: number; block?: number } = {},
): Resolution => ({
  kind: "failed",
  reason,
  message: "so it was",
  transient: how.transient ?? false,
  retryAfterMs: how.retryAfterMs,
  uri: null,
  block: how.block ?? 10,
  durationMs: 1,
});

export interface ResolveCall {
  readonly tokenId: string;
  readonly standard: string | undefined;
  readonly block: number;
  readonly signal: AbortSignal | undefined;
  /** 1 for the first call for this token. */
  readonly nth: number;
}

// Of several hosts, so that the bound of one is not that of all.
const fakeHostOf = (tokenId: string): string => `meta-${tokenId.at(-1)}.example`;

/** A resolver that follows a script and records its calls. */
export function createFakeResolve(script: (call: ResolveCall) => Resolution | Promise<Resolution>) {
  const calls: ResolveCall[] = [];
  let running = 0;
  let runningMost = 0;
  const resolve: Resolve = async ({ tokenId }, standard, block, { signal, admit } = {}) => {
    if (admit && !(await admit(fakeHostOf(tokenId)))) return failed("unreachable", { transient: true });
    const nth = calls.filter((each) => each.tokenId === tokenId).length + 1;
    const call = { tokenId, standard, block, signal, nth };
    calls.push(call);
    running++;
    runningMost = Math.max(runningMost, running);
    try {
      return await script(call);
    } finally {
      running--;
    }
  };
  return { resolve, calls, runningMost: () => runningMost };
}

/**
 * Records one fetch; a worker records fetches that end at about the same time together. A token with a document counts
 * as one with a transfer.
 */
export async function recordOne(
  metadata: MetadataService,
  tx: Queryable,
  token: TokenRef,
  trigger: string,
  resolution: Resolution,
): Promise<RecordedOutcome> {
  const { chainId, collection, tokenId } = token;
  if (resolution.kind === "document") {
    await metadata.addKnownTokens(tx, chainId, collection, new Map([[tokenId, resolution.block]]));
  }
  const [outcome] = await metadata.recordAll(tx, [{ token, trigger, resolution }]);
  if (!outcome) throw new Error("no outcome");
  return outcome;
}
