/** The metadata room's door: resolve a token, record what came of it, and read what is served. */

import type { TokenRef } from "../../domain/token-ref.ts";
import type { ChainTables } from "../chain/tables.ts";
import type { Queryable } from "../store/database.ts";
import { holdBack, settledTypes } from "./display-types.ts";
import { addIssues } from "./issues.ts";
import type { Resolution, Resolve } from "./resolve.ts";
import {
  addKnownTokens,
  addVersion,
  confirmVersion,
  findKnown,
  forgetToken,
  isOnChain,
  knownInRange,
  lockServed,
  markFetched,
  notReadSince,
  readServed,
} from "./store.ts";
import { countTraits, replaceTraits } from "./trait-store.ts";
import { settleTraitTypes } from "./trait-type-store.ts";

/** How a fetch ended for those who asked for it. */
export interface RecordedOutcome {
  readonly status: "updated" | "unchanged" | "failed" | "not_found";
  readonly reason: string | null;
}

export interface MetadataDeps {
  readonly resolve: Resolve;
  readonly tables: ChainTables;
  /** Who partners turn to, named by issues that only the operator can settle. */
  readonly operatorContact?: string | undefined;
}

export function createMetadata(deps: MetadataDeps) {
  return {
    resolve: deps.resolve,
    findKnown: (db: Queryable, chainId: number, collection: string, tokenIds: readonly string[]) =>
      findKnown(db, deps.tables, chainId, collection, tokenIds),
    addKnownTokens,
    knownInRange,
    notReadSince,
    readServed: (db: Queryable, chainId: number, collection: string, tokenIds: readonly string[]) =>
      readServed(db, chainId, collection, tokenIds, deps.operatorContact),
    countTraits,

    /** Notes a fetch that failed and goes on: its place in the history, and nothing of what is served. */
    async recordAttempt(tx: Queryable, token: TokenRef, trigger: string, failure: Failure): Promise<void> {
      if (await lockServed(tx, token)) await addFailure(tx, token, trigger, failure);
    },

    /**
     * Stores what a fetch found, inside the caller's transaction. What is served changes only for a document
     * that is at least as complete; a failure is noted beside it. A token that nobody knows and that could not be
     * read leaves no trace.
     */
    async record(
      tx: Queryable,
      token: TokenRef,
      trigger: string,
      resolution: Resolution,
    ): Promise<RecordedOutcome> {
      const { uri, block, durationMs } = resolution;
      let served = await lockServed(tx, token);
      // A document makes a token known, and so does the chain, whose cause may not have been looked at yet.
      if (!served && (resolution.kind === "document" || (await isOnChain(tx, deps.tables, token)))) {
        await addKnownTokens(tx, token.chainId, token.collection, [token.tokenId]);
        served = await lockServed(tx, token);
      }

      if (resolution.kind === "failed") {
        const reason = explain(resolution);
        // Known once, and now neither the chain nor the contract has it: a reorg took its mint back.
        const isTakenBack =
          served && resolution.reason === "token_reverted" && !(await isOnChain(tx, deps.tables, token));
        if (isTakenBack) await forgetToken(tx, token);
        if (!served || isTakenBack) return { status: "not_found", reason };
        await addFailure(tx, token, trigger, resolution);
        return { status: "failed", reason };
      }

      if (served?.versionId && served.hash === resolution.document.hash && served.uri === uri) {
        await confirmVersion(tx, served.versionId);
        await markFetched(tx, token, { outcome: "good", reason: null, block });
        return { status: "unchanged", reason: null };
      }

      if (served?.complete && !resolution.document.complete) {
        const { document } = resolution;
        const missing = document.issues.filter(({ level }) => level === "error").map(({ path }) => path);
        const reason = `incomplete_document: ${missing.join(" and ")} missing; the last good version stays`;
        const { issues } = document;
        await addVersion(tx, token, {
          trigger,
          outcome: "rejected",
          reason,
          uri,
          block,
          durationMs,
          document,
          issues,
        });
        await markFetched(tx, token, { outcome: "failed", reason, block });
        return { status: "failed", reason };
      }
      const { document } = resolution;
      const { traits } = document.metadata;
      const settled = await settleTraitTypes(tx, token, traits);
      // For the history, which tells what was said when; what is served tells what is held back now.
      const { conflicts } = holdBack(traits, settledTypes(settled, traits));
      const versionId = await addVersion(tx, token, {
        trigger,
        outcome: "updated",
        reason: null,
        uri,
        block,
        durationMs,
        document,
        issues: addIssues(document.issues, conflicts),
      });
      await replaceTraits(tx, token, traits);
      await markFetched(tx, token, { outcome: "good", reason: null, block, served: versionId });
      return { status: "updated", reason: null };
    },
  };
}

export type MetadataService = ReturnType<typeof createMetadata>;

type Failure = Extract<Resolution, { kind: "failed" }>;

const explain = ({ reason, message }: Failure): string => `${reason}: ${message}`;

async function addFailure(tx: Queryable, token: TokenRef, trigger: string, failure: Failure): Promise<void> {
  const { uri, block, durationMs } = failure;
  const reason = explain(failure);
  await addVersion(tx, token, {
    trigger,
    outcome: "failed",
    reason,
    uri,
    block,
    durationMs,
    document: null,
    issues: [],
  });
  await markFetched(tx, token, { outcome: "failed", reason, block });
}
