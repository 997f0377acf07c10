/**
 * What of a stored version is shown. A version keeps every entry that could be read, in the document's order, and what
 * is held back is told at every reading from the display types that its trait types are known with. So an approval
 * re-types a collection of any size by one row, and nobody ever meets a half of it.
 */

import { addIssues, ISSUES_MAX, type Issue } from "../document/issues.ts";
import type { Metadata } from "../document/normalise.ts";
import { type DisplayTypes, holdBack, settledTypes } from "./display-types.ts";

export interface StoredVersion {
  readonly metadata: Metadata;
  readonly issues: readonly Issue[];
}

/**
 * The stored version without the entries that are held back now, each named by an issue in place of those that were
 * recorded with it. `operatorContact` is who can approve.
 */
export function showVersion(
  { metadata, issues }: StoredVersion,
  known: DisplayTypes,
  operatorContact?: string,
): StoredVersion {
  const { kept, conflicts } = holdBack(metadata.traits, settledTypes(known, metadata.traits));
  const remedy = operatorContact === undefined ? "" : `; ask ${operatorContact} to approve`;
  const others = issues.filter(({ code }) => code !== "display_type_conflict");
  return {
    metadata: { ...metadata, traits: kept },
    // The last one of a full list counts the conflicts already.
    issues:
      others.length >= ISSUES_MAX
        ? others
        : addIssues(
            others,
            conflicts.map((each) => ({ ...each, message: each.message + remedy })),
          ),
  };
}
