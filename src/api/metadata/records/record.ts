/** Records the results of fetches: history, served metadata and trait distribution. */

import type { TokenRef } from "../../../domain/token-ref.ts";
import { collectionKey, tokenKey } from "../../../domain/token-ref.ts";
import type { ChainTables } from "../../chain/index/tables.ts";
import type { Queryable } from "../../db/database.ts";
import { addIssues } from "../document/issues.ts";
import { NORMALISER } from "../document/normalise.ts";
import type { Trait } from "../document/traits.ts";
import { type DisplayTypes, separateConflicts, settledTypes } from "../traits/display-types.ts";
import { displayTypesOf, settleTraitTypes } from "../traits/trait-type-store.ts";
import { internValues, type ValueIds } from "../traits/trait-value-store.ts";
import { burnedReason } from "../uri/burned.ts";
import type { Document, Resolution } from "../uri/resolve.ts";
import { addUnseenTokens } from "./listing-store.ts";
import {
  addVersions,
  confirmVersions,
  type FetchMark,
  lockServed,
  markFetched,
  type NewVersion,
  type ServedVersion,
} from "./record-store.ts";
import { forgetToken, isGoneFromChain, isOnChain } from "./store.ts";

/** The trigger of a version that new rules read from a stored document, without a fetch. */
export const RENORMALISE = "renormalise";

/** A finished fetch and its trigger. */
export interface FetchEnd {
  readonly token: TokenRef;
  readonly trigger: string;
  readonly resolution: Resolution;
  /** The operator accepts the document even if it is less complete than the previous one. */
  readonly accept?: boolean;
}

/** The outcome of a fetch for its requesters. */
export interface RecordedOutcome {
  readonly status: "updated" | "unchanged" | "failed" | "not_found";
  readonly reason: string | null;
  /** True for a token without transfers. */
  readonly isUnseen?: true;
}

/** The changes to write for one fetch. */
type Decision =
  | { readonly kind: "unknown"; readonly outcome: RecordedOutcome }
  | {
      readonly kind: "confirmed";
      readonly outcome: RecordedOutcome;
      readonly versionId: string;
      readonly etag: string | undefined;
    }
  | {
      readonly kind: "kept";
      readonly outcome: RecordedOutcome;
      readonly version: "failed" | "rejected";
      readonly document: Document | null;
    }
  | { readonly kind: "served"; readonly outcome: RecordedOutcome; readonly document: Document };

type Served = ReadonlyMap<string, ServedVersion>;
const LOCK_TRIES_MAX = 5;
type Failure = Extract<Resolution, { kind: "failed" }>;
const explain = ({ reason, message }: Failure): string => `${reason}: ${message}`;

/**
 * Stores the results of fetches of distinct tokens in the caller's transaction, and returns their outcomes in order.
 * Only a document at least as complete replaces the served one; a failure is recorded beside it. An unknown token that
 * could not be read leaves no trace.
 */
export async function recordFetches(
  tx: Queryable,
  tables: ChainTables,
  ends: readonly FetchEnd[],
): Promise<RecordedOutcome[]> {
  const served = await lockKnown(tx, tables, ends);
  const decided: { readonly end: FetchEnd; readonly decision: Decision }[] = [];
  for (const end of ends) {
    decided.push({ end, decision: await decide(tx, tables, end, served.get(tokenKey(end.token))) });
  }
  const learned = await learnTraits(tx, decided, served);
  const versions = await addVersions(
    tx,
    decided.flatMap(({ end, decision }) => versionOf(end, decision, served, learned) ?? []),
  );
  await confirmVersions(
    tx,
    decided.flatMap(({ decision }) => (decision.kind === "confirmed" ? decision : [])),
  );
  await markFetched(
    tx,
    decided.flatMap(({ end, decision }) => markOf(end, decision, served, learned, versions) ?? []),
  );
  return decided.map(({ end, decision: { outcome } }) =>
    isUnseen(served, end.token) ? { ...outcome, isUnseen: true } : outcome,
  );
}

/** Records failed fetches that will be retried: in the history only, without effect on what is served. */
export async function recordAttempts(
  tx: Queryable,
  tables: ChainTables,
  ends: readonly FetchEnd[],
): Promise<void> {
  const served = await lockServed(
    tx,
    tables,
    ends.map(({ token }) => token),
  );
  const failed = ends.flatMap(({ token, trigger, resolution }) => {
    const before = served.get(tokenKey(token));
    if (resolution.kind !== "failed" || !before) return [];
    return { token, trigger, resolution, reason: explain(resolution), versions: before.versions + 1 };
  });
  await addVersions(
    tx,
    failed.map((end) => ({ ...describe(end), number: end.versions, outcome: "failed", reason: end.reason })),
  );
  await markFetched(
    tx,
    failed.map(({ token, resolution: { block }, reason, versions }) => ({
      token,
      outcome: "failed",
      reason,
      block,
      isAfterReorg: false,
      versions,
      served: null,
    })),
  );
}

/** A document makes a token known. So does a transfer, even if its trigger has not been processed yet. */
async function lockKnown(tx: Queryable, tables: ChainTables, ends: readonly FetchEnd[]) {
  const tokens = ends.map(({ token }) => token);
  // Retries if another transaction deleted a token between the two statements.
  for (let tries = 1; tries <= LOCK_TRIES_MAX; tries++) {
    const served = await lockServed(tx, tables, tokens);
    let isComplete = true;
    for (const { token, resolution } of ends) {
      if (served.has(tokenKey(token))) continue;
      if (resolution.kind !== "document" && !(await isOnChain(tx, tables, token))) continue;
      const block = new Map([[token.tokenId, resolution.block]]);
      await addUnseenTokens(tx, tables, token.chainId, token.collection, block);
      isComplete = false;
    }
    if (isComplete) return served;
  }
  throw new Error(`tokens were forgotten ${LOCK_TRIES_MAX} times while they were recorded`);
}

async function decide(
  tx: Queryable,
  tables: ChainTables,
  { token, trigger, resolution, accept }: FetchEnd,
  served: ServedVersion | undefined,
): Promise<Decision> {
  const burnedBlock = served?.burnedBlock ?? null;
  // Even if its metadata was read meanwhile.
  if (burnedBlock !== null) return isNotFound(burnedReason(burnedBlock));
  if (resolution.kind === "failed") {
    const reason = explain(resolution);
    if (resolution.reason === "burned") return isNotFound(reason);
    // The token was known, and now neither the chain nor the contract has it. Served metadata goes only after a reorg:
    // a contract may revert temporarily, and a chain index need not reach back to the mint.
    const isReverted =
      served &&
      resolution.reason === "token_reverted" &&
      (served.versionId === null || trigger === "reorg") &&
      (await isGoneFromChain(tx, tables, token));
    if (isReverted) await forgetToken(tx, token);
    if (!served || isReverted) return isNotFound(reason);
    return { kind: "kept", outcome: { status: "failed", reason }, version: "failed", document: null };
  }
  const { uri } = resolution;
  const unchanged = { status: "unchanged", reason: null } as const;
  const { hash } = resolution.kind === "document" ? resolution.document : resolution;
  const isServed = served?.versionId && served.hash === hash && served.uri === uri;
  // Older rules may have read the same document differently. If the host didn't resend it, the renormaliser handles it.
  if (isServed && (resolution.kind === "not_modified" || (served.normaliser ?? 0) >= NORMALISER)) {
    const etag = resolution.kind === "document" ? resolution.document.etag : undefined;
    return { kind: "confirmed", outcome: unchanged, versionId: served.versionId, etag };
  }
  // The version that the host was asked about is no longer served.
  if (resolution.kind === "not_modified") return { kind: "unknown", outcome: unchanged };
  const { document } = resolution;
  if (served?.complete && !document.complete && !accept) {
    const missing = document.issues.filter(({ level }) => level === "error").map(({ path }) => path);
    const reason = `incomplete_document: ${missing.join(" and ")} missing; the last good version stays`;
    return { kind: "kept", outcome: { status: "failed", reason }, version: "rejected", document };
  }
  return { kind: "served", outcome: { status: "updated", reason: null }, document };
}

const isNotFound = (reason: string): Decision => ({
  kind: "unknown",
  outcome: { status: "not_found", reason },
});

/** A collection's trait types and values after learning from its documents. */
interface Learned {
  readonly displayTypes: DisplayTypes;
  readonly idOf: ValueIds;
}

/**
 * Learns from the documents that will be served; returns the result by collection key. Skips tokens without a transfer:
 * anybody could have written their documents.
 */
async function learnTraits(
  tx: Queryable,
  decided: readonly { readonly end: FetchEnd; readonly decision: Decision }[],
  served: Served,
): Promise<ReadonlyMap<string, Learned>> {
  const collections = new Map<string, { token: TokenRef; traits: Trait[] }>();
  for (const { end, decision } of decided) {
    if (decision.kind !== "served" || isUnseen(served, end.token)) continue;
    const name = collectionName(end.token);
    const collection = collections.get(name) ?? { token: end.token, traits: [] };
    for (const trait of decision.document.metadata.traits) collection.traits.push(trait);
    collections.set(name, collection);
  }
  const learned = new Map<string, Learned>();
  // A global order, so that two batches never deadlock.
  for (const [name, { token, traits }] of [...collections].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const types = await settleTraitTypes(tx, token, traits);
    learned.set(name, { displayTypes: displayTypesOf(types), idOf: await internValues(tx, types, traits) });
  }
  return learned;
}

const collectionName = ({ chainId, collection }: TokenRef): string => collectionKey({ chainId, collection });

const isUnseen = (served: Served, token: TokenRef): boolean => served.get(tokenKey(token))?.isUnseen ?? false;

const versionsBefore = (served: Served, token: TokenRef): number =>
  served.get(tokenKey(token))?.versions ?? 0;

function versionOf(
  end: FetchEnd,
  decision: Decision,
  served: Served,
  learned: ReadonlyMap<string, Learned>,
): NewVersion | undefined {
  if (decision.kind === "unknown" || decision.kind === "confirmed") return undefined;
  const { document, outcome } = decision;
  const number = versionsBefore(served, end.token) + 1;
  const described = { ...describe(end), number, document, reason: outcome.reason };
  if (decision.kind === "kept") {
    return { ...described, outcome: decision.version, issues: document?.issues ?? [] };
  }
  if (isUnseen(served, end.token))
    return { ...described, outcome: "updated", issues: decision.document.issues };
  const { traits } = decision.document.metadata;
  const known = learned.get(collectionName(end.token))?.displayTypes ?? new Map();
  const { conflicts } = separateConflicts(traits, settledTypes(known, traits));
  return { ...described, outcome: "updated", issues: addIssues(decision.document.issues, conflicts) };
}

function markOf(
  { token, trigger, resolution: { block } }: FetchEnd,
  decision: Decision,
  served: Served,
  learned: ReadonlyMap<string, Learned>,
  versions: ReadonlyMap<string, string>,
): FetchMark | undefined {
  if (decision.kind === "unknown") return undefined;
  const before = versionsBefore(served, token);
  const mark = { token, block, reason: decision.outcome.reason, isAfterReorg: trigger === "reorg" };
  const isFetched = trigger !== RENORMALISE;
  if (decision.kind === "confirmed") return { ...mark, outcome: "good", versions: before, served: null };
  const versionId = versions.get(tokenKey(token));
  if (versionId === undefined) throw new Error("a version that was added has an id");
  if (decision.kind === "kept") {
    return { ...mark, outcome: isFetched ? "failed" : null, versions: before + 1, served: null };
  }
  const idOf = isUnseen(served, token) ? undefined : learned.get(collectionName(token))?.idOf;
  const { traits, name, description } = decision.document.metadata;
  const ids = traits.flatMap((trait) => idOf?.(trait) ?? []);
  const valueIds = [...new Set(ids)].sort((a, b) => a - b);
  return {
    ...mark,
    outcome: isFetched ? "good" : null,
    versions: before + 1,
    served: { versionId, valueIds, name, description },
  };
}

const describe = ({ token, trigger, resolution: { uri, block, durationMs } }: FetchEnd) => ({
  token,
  trigger,
  uri,
  block,
  durationMs,
  document: null,
  issues: [],
});
