/** What a finished fetch changes: the rule for which document is served. */

import type { TokenRef } from "../../../domain/token-ref.ts";
import type { ChainTables } from "../../chain/index/tables.ts";
import type { Queryable } from "../../db/database.ts";
import { explainFailure } from "../../fetch/explain-failure.ts";
import type { Verified } from "../../fetch/ipfs/gateway-request.ts";
import { NORMALISER } from "../document/normalise.ts";
import { burnedReason } from "../uri/burned.ts";
import type { Document, Resolution } from "../uri/resolve.ts";
import type { ServedVersion } from "./record-store.ts";
import { forgetToken, isGoneFromChain } from "./store.ts";

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
  /** True for a burned token, whatever was read of it. */
  readonly isBurned?: true;
}

/** The changes to write for one fetch. */
export type Decision =
  | { readonly kind: "unknown"; readonly outcome: RecordedOutcome }
  | {
      readonly kind: "confirmed";
      readonly outcome: RecordedOutcome;
      /** What its host says of the document now, if it differs. */
      readonly renewed:
        | {
            readonly versionId: string;
            readonly etag: string | undefined;
            readonly verified: Verified | undefined;
          }
        | undefined;
    }
  | {
      readonly kind: "kept";
      readonly outcome: RecordedOutcome;
      readonly version: "failed" | "rejected";
      readonly document: Document | null;
    }
  | { readonly kind: "served"; readonly outcome: RecordedOutcome; readonly document: Document };

/** Decides what a fetch changes. Deletes a token that neither the chain nor its contract has any more. */
export async function decide(
  tx: Queryable,
  tables: ChainTables,
  { token, trigger, resolution, accept }: FetchEnd,
  served: ServedVersion | undefined,
): Promise<Decision> {
  const burnedBlock = served?.burnedBlock ?? null;
  // Even if its metadata was read meanwhile.
  if (burnedBlock !== null) return isBurned(burnedReason(burnedBlock));
  if (resolution.kind === "failed") {
    const reason = explainFailure(resolution);
    if (resolution.reason === "burned") return isBurned(reason);
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
    const { etag, verified } = resolution.kind === "document" ? resolution.document : {};
    const isNew = (etag ?? served.etag) !== served.etag || (verified ?? served.verified) !== served.verified;
    const renewed = isNew ? { versionId: served.versionId, etag, verified } : undefined;
    return { kind: "confirmed", outcome: unchanged, renewed };
  }
  // The version that the host was asked about is no longer served.
  if (resolution.kind === "not_modified") return { kind: "unknown", outcome: unchanged };
  const { document } = resolution;
  if (served?.complete && !document.complete && !accept) {
    const errors = document.issues.filter(({ level }) => level === "error");
    const faults = errors.map(
      ({ code, path }) => `${path} ${code === "unusable_image" ? "unusable" : "missing"}`,
    );
    const reason = `incomplete_document: ${faults.join(" and ")}; the last good version stays`;
    return { kind: "kept", outcome: { status: "failed", reason }, version: "rejected", document };
  }
  return { kind: "served", outcome: { status: "updated", reason: null }, document };
}

const isNotFound = (reason: string): Decision => ({
  kind: "unknown",
  outcome: { status: "not_found", reason },
});

const isBurned = (reason: string): Decision => ({
  kind: "unknown",
  outcome: { status: "not_found", reason, isBurned: true },
});
