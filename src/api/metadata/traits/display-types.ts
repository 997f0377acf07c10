/** The known display type of each trait type in a collection, and its effect on new entries. */

import { clip } from "../../../domain/printable.ts";
import { type Issue, issue } from "../document/issues.ts";
import type { DisplayType, Trait } from "../document/traits.ts";

export type DisplayTypes = ReadonlyMap<string, DisplayType>;

/** The display types after these traits: known ones stay; the first entry decides for a new trait type. */
export function settledTypes(known: DisplayTypes, traits: readonly Trait[]): DisplayTypes {
  const settled = new Map(known);
  for (const { trait_type, display_type } of traits) {
    if (!settled.has(trait_type)) settled.set(trait_type, display_type);
  }
  return settled;
}

/** The entries that match the settled types, and an issue for each hidden one. */
export function separateConflicts(
  traits: readonly Trait[],
  settled: DisplayTypes,
): { readonly kept: readonly Trait[]; readonly conflicts: readonly Issue[] } {
  const conflicts: Issue[] = [];
  const kept = traits.filter(({ trait_type, display_type, value }) => {
    const known = settled.get(trait_type);
    if (known === display_type) return true;
    const entry = `"${clip(trait_type)}" with value ${clip(JSON.stringify(value))}`;
    const message = `${entry} has display_type ${display_type}; the trait type is known as ${known}`;
    conflicts.push(issue("display_type_conflict", "attributes", message));
    return false;
  });
  return { kept, conflicts };
}
