/** Records what fetches found: the history, what is served from now on, and the distribution of traits. */

import type { TokenRef } from "../../domain/token-ref.ts";
import type { ChainTables } from "../chain/tables.ts";
import type { Queryable } from "../store/database.ts";
import { type DisplayTypes, holdBack, settledTypes } from "./display-types.ts";
import { addIssues } from "./issues.ts";
import {
  addVersions,
  confirmVersions,
  lockServed,
  markFetched,
  type NewVersion,
  nameOf,
  replaceTraits,
  type ServedVersion,
} from "./record-store.ts";
import type { Document, Resolution } from "./resolve.ts";
import { addKnownTokens, forgetToken, isGoneFromChain, isOnChain } from "./store.ts";
import { settleTraitTypes } from "./trait-type-store.ts";

/** A fetch that has come to an end, and why it was made. */
export interface FetchEnd {
  readonly token: TokenRef;
  readonly trigger: string;
  readonly resolution: Resolution;
}

/** How a fetch ended for those who asked for it. */
export interface RecordedOutcome {
  readonly status: "updated" | "unchanged" | "failed" | "not_found";
  readonly reason: string | null;
}

/** What is to be written of one fetch. */
type Decision =
  | { readonly kind: "unknown"; readonly outcome: RecordedOutcome }
  | { readonly kind: "confirmed"; readonly outcome: RecordedOutcome; readonly versionId: string }
  | {
      readonly kind: "kept";
      readonly outcome: RecordedOutcome;
      readonly version: "failed" | "rejected";
      readonly document: Document | null;
    }
  | { readonly kind: "served"; readonly outcome: RecordedOutcome; readonly document: Document };

type Failure = Extract<Resolution, { kind: "failed" }>;

const explain = ({ reason, message }: Failure): string => `${reason}: ${message}`;

/**
 * Stores what fetches of distinct tokens found, inside the caller's transaction, and answers how each ended, in order.
 * What is served changes only for a document that is at least as complete; a failure is noted beside it. A token that
 * nobody knows and that could not be read leaves no trace.
 */
export async function recordFetches(
  tx: Queryable,
  tables: ChainTables,
  ends: readonly FetchEnd[],
): Promise<RecordedOutcome[]> {
  const served = await lockKnown(tx, tables, ends);
  const decided: { readonly end: FetchEnd; readonly decision: Decision }[] = [];
  for (const end of ends) {
    decided.push({ end, decision: await decide(tx, tables, end, served.get(nameOf(end.token))) });
  }
  const displayTypes = await settleTypes(tx, decided);

  const versions = await addVersions(
    tx,
    decided.flatMap(({ end, decision }) => versionOf(end, decision, displayTypes) ?? []),
  );
  await confirmVersions(
    tx,
    decided.flatMap(({ decision }) => (decision.kind === "confirmed" ? decision.versionId : [])),
  );
  await replaceTraits(
    tx,
    decided.flatMap(({ end: { token }, decision }) =>
      decision.kind === "served" ? { token, traits: decision.document.metadata.traits } : [],
    ),
  );
  await markFetched(
    tx,
    decided.flatMap(({ end: { token, resolution }, decision }) =>
      decision.kind === "unknown"
        ? []
        : {
            token,
            outcome: decision.kind === "kept" ? "failed" : "good",
            reason: decision.outcome.reason,
            block: resolution.block,
            served: decision.kind === "served" ? (versions.get(nameOf(token)) ?? null) : null,
          },
    ),
  );
  return decided.map(({ decision }) => decision.outcome);
}

/** Notes fetches that failed and go on: their place in the history, and nothing of what is served. */
export async function recordAttempts(tx: Queryable, ends: readonly FetchEnd[]): Promise<void> {
  const served = await lockServed(
    tx,
    ends.map(({ token }) => token),
  );
  const failed = ends.flatMap(({ token, trigger, resolution }) =>
    resolution.kind === "failed" && served.has(nameOf(token)) ? { token, trigger, resolution } : [],
  );
  await addVersions(
    tx,
    failed.map((end) => ({ ...describe(end), outcome: "failed", reason: explain(end.resolution) })),
  );
  await markFetched(
    tx,
    failed.map(({ token, resolution }) => ({
      token,
      outcome: "failed",
      reason: explain(resolution),
      block: resolution.block,
      served: null,
    })),
  );
}

/** A document makes a token known, and so does the chain, whose cause may not have been looked at yet. */
async function lockKnown(tx: Queryable, tables: ChainTables, ends: readonly FetchEnd[]) {
  const tokens = ends.map(({ token }) => token);
  const served = await lockServed(tx, tokens);
  const found: TokenRef[] = [];
  for (const { token, resolution } of ends) {
    if (served.has(nameOf(token))) continue;
    if (resolution.kind === "document" || (await isOnChain(tx, tables, token))) found.push(token);
  }
  if (found.length === 0) return served;
  for (const { chainId, collection, tokenId } of found)
    await addKnownTokens(tx, chainId, collection, [tokenId]);
  return lockServed(tx, tokens);
}

async function decide(
  tx: Queryable,
  tables: ChainTables,
  { token, trigger, resolution }: FetchEnd,
  served: ServedVersion | undefined,
): Promise<Decision> {
  if (resolution.kind === "failed") {
    const reason = explain(resolution);
    // Known once, and now neither the chain nor the contract has it. What is served goes only with a reorg: a contract
    // may refuse for a moment, and an index need not go back to the mint.
    const isTakenBack =
      served &&
      resolution.reason === "token_reverted" &&
      (served.versionId === null || trigger === "reorg") &&
      (await isGoneFromChain(tx, tables, token));
    if (isTakenBack) await forgetToken(tx, token);
    if (!served || isTakenBack) return { kind: "unknown", outcome: { status: "not_found", reason } };
    return { kind: "kept", outcome: { status: "failed", reason }, version: "failed", document: null };
  }
  const { document, uri } = resolution;
  if (served?.versionId && served.hash === document.hash && served.uri === uri) {
    return {
      kind: "confirmed",
      outcome: { status: "unchanged", reason: null },
      versionId: served.versionId,
    };
  }
  if (served?.complete && !document.complete) {
    const missing = document.issues.filter(({ level }) => level === "error").map(({ path }) => path);
    const reason = `incomplete_document: ${missing.join(" and ")} missing; the last good version stays`;
    return { kind: "kept", outcome: { status: "failed", reason }, version: "rejected", document };
  }
  return { kind: "served", outcome: { status: "updated", reason: null }, document };
}

/** Learns from the documents that will be served; answers the display types of each collection, by its name. */
async function settleTypes(
  tx: Queryable,
  decided: readonly { readonly end: FetchEnd; readonly decision: Decision }[],
): Promise<ReadonlyMap<string, DisplayTypes>> {
  const collections = new Map<string, { token: TokenRef; documents: Document[] }>();
  for (const { end, decision } of decided) {
    if (decision.kind !== "served") continue;
    const name = collectionName(end.token);
    const collection = collections.get(name) ?? { token: end.token, documents: [] };
    collection.documents.push(decision.document);
    collections.set(name, collection);
  }
  const settled = new Map<string, DisplayTypes>();
  // In one order everywhere, so that two batches never wait for each other.
  for (const [name, { token, documents }] of [...collections].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const traits = documents.flatMap(({ metadata }) => metadata.traits);
    settled.set(name, await settleTraitTypes(tx, token, traits));
  }
  return settled;
}

const collectionName = ({ chainId, collection }: TokenRef): string => `${chainId}:${collection}`;

function versionOf(
  end: FetchEnd,
  decision: Decision,
  displayTypes: ReadonlyMap<string, DisplayTypes>,
): NewVersion | undefined {
  if (decision.kind === "unknown" || decision.kind === "confirmed") return undefined;
  const { document, outcome } = decision;
  const described = { ...describe(end), document, reason: outcome.reason };
  if (decision.kind === "kept") {
    return { ...described, outcome: decision.version, issues: document?.issues ?? [] };
  }
  const { traits } = decision.document.metadata;
  const known = displayTypes.get(collectionName(end.token)) ?? new Map();
  const { conflicts } = holdBack(traits, settledTypes(known, traits));
  return { ...described, outcome: "updated", issues: addIssues(decision.document.issues, conflicts) };
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
