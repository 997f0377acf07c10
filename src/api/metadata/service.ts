/** The metadata room's door: resolve a token, record what came of it, and read what is served. */

import type { TokenRef } from "../../domain/token-ref.ts";
import type { ChainTables } from "../chain/tables.ts";
import { clip } from "../contract/fields.ts";
import type { Queryable } from "../store/database.ts";
import { addIssues, type Issue, issue } from "./issues.ts";
import type { Document, Resolution, Resolve } from "./resolve.ts";
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
import { countTraits, replaceTraits, settleTraitTypes } from "./trait-store.ts";

/** How a fetch ended for those who asked for it. */
export interface RecordedOutcome {
  readonly status: "updated" | "unchanged" | "failed" | "not_found";
  readonly reason: string | null;
}

export function createMetadata(deps: { readonly resolve: Resolve; readonly tables: ChainTables }) {
  return {
    resolve: deps.resolve,
    findKnown: (db: Queryable, chainId: number, collection: string, tokenIds: readonly string[]) =>
      findKnown(db, deps.tables, chainId, collection, tokenIds),
    addKnownTokens,
    knownInRange,
    notReadSince,
    readServed,
    countTraits,

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
        const reason = `${resolution.reason}: ${resolution.message}`;
        // Known once, and now neither the chain nor the contract has it: a reorg took its mint back.
        const isTakenBack =
          served && resolution.reason === "token_reverted" && !(await isOnChain(tx, deps.tables, token));
        if (isTakenBack) await forgetToken(tx, token);
        if (!served || isTakenBack) return { status: "not_found", reason };
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
      const document = await holdBackConflicts(tx, token, resolution.document);
      const { issues } = document;
      const versionId = await addVersion(tx, token, {
        trigger,
        outcome: "updated",
        reason: null,
        uri,
        block,
        durationMs,
        document,
        issues,
      });
      await replaceTraits(tx, token, document.metadata.traits);
      await markFetched(tx, token, { outcome: "good", reason: null, block, served: versionId });
      return { status: "updated", reason: null };
    },
  };
}

export type MetadataService = ReturnType<typeof createMetadata>;

/** Entries whose display type differs from the one their trait type is known with are left out, and said so. */
async function holdBackConflicts(tx: Queryable, token: TokenRef, document: Document): Promise<Document> {
  const { traits } = document.metadata;
  if (traits.length === 0) return document;
  const settled = await settleTraitTypes(tx, token, traits);
  const conflicts: Issue[] = [];
  const kept = traits.filter(({ trait_type, display_type, value }) => {
    const known = settled.get(trait_type);
    if (known === display_type) return true;
    const entry = `"${clip(trait_type)}" with value ${clip(JSON.stringify(value))}`;
    const message = `${entry} has display_type ${display_type}; the trait type is known as ${known}`;
    conflicts.push(issue("display_type_conflict", "attributes", message));
    return false;
  });
  if (conflicts.length === 0) return document;
  return {
    ...document,
    metadata: { ...document.metadata, traits: kept },
    issues: addIssues(document.issues, conflicts),
  };
}
