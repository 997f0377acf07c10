/**
 * Selects which entries of a stored version are shown. A version stores every readable entry in document order; each
 * read applies the currently known display types. So an approval re-types a collection of any size by changing one row,
 * and no reader ever sees half of it.
 */

import { addIssues, ISSUES_MAX, type Issue } from "../document/issues.ts";
import type { Metadata } from "../document/normalise.ts";
import { type DisplayTypes, separateConflicts, settledTypes } from "./display-types.ts";

export interface StoredVersion {
  readonly metadata: Metadata;
  readonly issues: readonly Issue[];
}

/**
 * The stored version without the hidden entries, each reported by an issue; these issues replace the recorded
 * ones. `operatorContact` can approve.
 */
export function showVersion(
  { metadata, issues }: StoredVersion,
  known: DisplayTypes,
  operatorContact?: string,
): StoredVersion {
  const { kept, conflicts } = separateConflicts(metadata.traits, settledTypes(known, metadata.traits));
  const remedy = operatorContact === undefined ? "" : `; ask ${operatorContact} to approve`;
  const others = issues.filter(({ code }) => code !== "display_type_conflict");
  return {
    metadata: { ...metadata, traits: kept },
    // The last issue of a full list already counts the conflicts.
    issues:
      others.length >= ISSUES_MAX
        ? others
        : addIssues(
            others,
            conflicts.map((each) => ({ ...each, message: each.message + remedy })),
          ),
  };
}
