/** Records the results of fetches: history, served metadata and trait distribution. */

import { collectionKey, tokenKey } from "../../../domain/token-ref.ts";
import type { ChainTables } from "../../chain/index/tables.ts";
import type { Queryable } from "../../db/database.ts";
import { explainFailure } from "../../fetch/explain-failure.ts";
import { addIssues, type Issue } from "../document/issues.ts";
import { addUnseenTokens } from "../listing/listing-store.ts";
import { separateConflicts, settledTypes } from "../traits/display-types.ts";
import type { RememberedValues } from "../traits/trait-value-store.ts";
import type { Document } from "../uri/resolve.ts";
import { type Decision, decide, type FetchEnd, type RecordedOutcome } from "./decide.ts";
import { isUnseen, type Learned, learnTraits, type Served } from "./learn-fetched.ts";
import {
  addDocuments,
  addVersions,
  type FetchMark,
  lockServed,
  markFetched,
  type NewVersion,
  renewVersions,
  reserveVersions,
} from "./record-store.ts";
import { isOnChain } from "./store.ts";

export type { FetchEnd, RecordedOutcome } from "./decide.ts";

/** The trigger of a version that new rules read from a stored document, without a fetch. */
export const RENORMALISE = "renormalise";

const LOCK_TRIES_MAX = 5;

export interface RecordOptions {
  /** What `lockServed` returned for these tokens in this transaction, if it was called. */
  readonly locked?: Served | undefined;
  readonly remembered?: RememberedValues | undefined;
}

/**
 * Stores the results of fetches of distinct tokens in the caller's transaction, and returns their outcomes in order.
 * Only a document at least as complete replaces the served one; a failure is recorded beside it. An unknown token that
 * could not be read leaves no trace.
 */
export async function recordFetches(
  tx: Queryable,
  tables: ChainTables,
  ends: readonly FetchEnd[],
  { locked, remembered }: RecordOptions = {},
): Promise<RecordedOutcome[]> {
  const served = await lockKnown(tx, tables, ends, locked);
  const decided: { readonly end: FetchEnd; readonly decision: Decision }[] = [];
  for (const end of ends) {
    decided.push({ end, decision: await decide(tx, tables, end, served.get(tokenKey(end.token))) });
  }
  const added = decided.filter(({ decision }) => decision.kind === "kept" || decision.kind === "served");
  const [learned, reserved] = await Promise.all([
    learnTraits(tx, decided, served, remembered),
    reserveVersions(tx, added.length),
    addDocuments(
      tx,
      decided.flatMap(({ decision }) => ("document" in decision ? (decision.document ?? []) : [])),
    ),
  ]);
  const versionIds = idsByToken(
    added.map(({ end: { token } }) => token),
    reserved,
  );
  await Promise.all([
    addVersions(
      tx,
      decided.flatMap(({ end, decision }) => versionOf(end, decision, served, learned, versionIds) ?? []),
    ),
    renewVersions(
      tx,
      decided.flatMap(({ decision }) => (decision.kind === "confirmed" ? (decision.renewed ?? []) : [])),
    ),
    markFetched(
      tx,
      decided.flatMap(({ end, decision }) => markOf(end, decision, served, learned, versionIds) ?? []),
    ),
  ]);
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
    return { token, trigger, resolution, reason: explainFailure(resolution), versions: before.versions + 1 };
  });
  const versionIds = idsByToken(
    failed.map(({ token }) => token),
    await reserveVersions(tx, failed.length),
  );
  await Promise.all([
    addVersions(
      tx,
      failed.map((end) => ({
        ...describe(end),
        id: idOfNew(versionIds, end.token),
        number: end.versions,
        outcome: "failed",
        reason: end.reason,
      })),
    ),
    markFetched(
      tx,
      failed.map(({ token, resolution: { block }, reason, versions }) => ({
        token,
        outcome: "failed",
        reason,
        block,
        isAfterReorg: false,
        versions,
        isConfirmed: false,
        served: null,
      })),
    ),
  ]);
}

/** A document makes a token known. So does a transfer, even if its trigger has not been processed yet. */
async function lockKnown(
  tx: Queryable,
  tables: ChainTables,
  ends: readonly FetchEnd[],
  locked: Served | undefined,
): Promise<Served> {
  const tokens = ends.map(({ token }) => token);
  // Retries if another transaction deleted a token between the two statements.
  for (let tries = 1; tries <= LOCK_TRIES_MAX; tries++) {
    const served = (tries === 1 ? locked : undefined) ?? (await lockServed(tx, tables, tokens));
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

type VersionIds = ReadonlyMap<string, string>;

const idsByToken = (tokens: readonly FetchEnd["token"][], ids: readonly string[]): VersionIds =>
  new Map(tokens.flatMap((token, index) => (ids[index] ? [[tokenKey(token), ids[index]] as const] : [])));

function idOfNew(versionIds: VersionIds, token: FetchEnd["token"]): string {
  const id = versionIds.get(tokenKey(token));
  if (id === undefined) throw new Error("a version that is added has an id");
  return id;
}

const versionsBefore = (served: Served, token: FetchEnd["token"]): number =>
  served.get(tokenKey(token))?.versions ?? 0;

function versionOf(
  end: FetchEnd,
  decision: Decision,
  served: Served,
  learned: ReadonlyMap<string, Learned>,
  versionIds: VersionIds,
): NewVersion | undefined {
  if (decision.kind === "unknown" || decision.kind === "confirmed") return undefined;
  const { document, outcome } = decision;
  const number = versionsBefore(served, end.token) + 1;
  const id = idOfNew(versionIds, end.token);
  const described = { ...describe(end), id, number, document, reason: outcome.reason };
  if (decision.kind === "kept") {
    return { ...described, outcome: decision.version, issues: document?.issues ?? [] };
  }
  return { ...described, outcome: "updated", issues: issuesOf(end, decision.document, served, learned) };
}

function issuesOf(
  { token }: FetchEnd,
  { issues, metadata: { traits } }: Document,
  served: Served,
  learned: ReadonlyMap<string, Learned>,
): readonly Issue[] {
  if (isUnseen(served, token)) return issues;
  const known = learned.get(collectionKey(token))?.displayTypes ?? new Map();
  return addIssues(issues, separateConflicts(traits, settledTypes(known, traits)).conflicts);
}

function markOf(
  end: FetchEnd,
  decision: Decision,
  served: Served,
  learned: ReadonlyMap<string, Learned>,
  versionIds: VersionIds,
): FetchMark | undefined {
  if (decision.kind === "unknown") return undefined;
  const { token, trigger, resolution } = end;
  const { block } = resolution;
  const before = versionsBefore(served, token);
  const isConfirmed = decision.kind === "confirmed";
  const mark = {
    token,
    block,
    reason: decision.outcome.reason,
    isAfterReorg: trigger === "reorg",
    isConfirmed,
  };
  const isFetched = trigger !== RENORMALISE;
  if (isConfirmed) return { ...mark, outcome: "good", versions: before, served: null };
  if (decision.kind === "kept") {
    return { ...mark, outcome: isFetched ? "failed" : null, versions: before + 1, served: null };
  }
  const idOf = isUnseen(served, token) ? undefined : learned.get(collectionKey(token))?.idOf;
  const { traits, name, description, image } = decision.document.metadata;
  const ids = traits.flatMap((trait) => idOf?.(trait) ?? []);
  const valueIds = [...new Set(ids)].sort((a, b) => a - b);
  return {
    ...mark,
    outcome: isFetched ? "good" : null,
    versions: before + 1,
    served: {
      versionId: idOfNew(versionIds, token),
      valueIds,
      name,
      description,
      image,
      issues: issuesOf(end, decision.document, served, learned),
    },
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
