/** Groups traits for the `Properties` section of a token page (spec.md "Trait groups"). */

import { LRUCache } from "lru-cache";
import type { Trait } from "../../metadata/document/traits.ts";
import { sortByName } from "../../search/rules.ts";

export interface TraitGroup {
  readonly category: string;
  readonly traits: readonly string[];
}

/** A group as submitted by a collection's creators. */
export interface SubmittedGroup {
  readonly name: string;
  readonly traits: readonly { readonly name: string }[];
}

type Named = Pick<Trait, "trait_type" | "display_type">;

const OTHERS = "Others";

/**
 * The categories of a token's traits: each trait type once, no empty category. Groups and their traits keep their
 * order; groups with the same name form one category. A trait type in several groups goes to the first (rule 3). One in
 * no group goes to `Others` (rule 2), sorted, after the traits of a group with that name. Without groups, see
 * `defaultGroups`.
 */
export function groupTraits(traits: readonly Named[], groups: readonly SubmittedGroup[]): TraitGroup[] {
  if (groups.length === 0) return defaultGroups(traits);
  const left = new Set(traits.map((trait) => trait.trait_type));
  const categories = new Map<string, string[]>();
  const put = (category: string, names: readonly string[]): void => {
    const own = names.filter((name) => left.delete(name));
    if (own.length > 0) categories.set(category, [...(categories.get(category) ?? []), ...own]);
  };
  for (const group of groups)
    put(
      group.name,
      group.traits.map(({ name }) => name),
    );
  put(
    OTHERS,
    sortByName([...left], (name) => name),
  );
  return [...categories].map(([category, names]) => ({ category, traits: names }));
}

// Characters of trait types, of which a token has a few hundred.
const GROUPED_CHARACTERS_MAX = 5_000_000;
/** Beside its characters, which are there twice. */
const ENTRY_CHARACTERS = 300;

/** Returns `groupTraits` with a memory: most tokens of a collection have the same trait types, and sorting them takes time. */
export function createTraitGrouping() {
  const grouped = new LRUCache<string, readonly TraitGroup[]>({ maxSize: GROUPED_CHARACTERS_MAX });
  const numbers = new WeakMap<readonly SubmittedGroup[], number>();
  let last = 0;

  function numberOf(groups: readonly SubmittedGroup[]): number {
    const number = numbers.get(groups) ?? ++last;
    numbers.set(groups, number);
    return number;
  }

  return (traits: readonly Named[], groups: readonly SubmittedGroup[]): readonly TraitGroup[] => {
    let types = `${numberOf(groups)}`;
    for (const { trait_type, display_type } of traits)
      types += `${display_type === "number" ? "#" : "."}${trait_type.length} ${trait_type}`;
    const known = grouped.get(types);
    if (known) return known;
    const found = groupTraits(traits, groups);
    grouped.set(types, found, { size: ENTRY_CHARACTERS + 2 * types.length });
    return found;
  };
}

/** Rule 4, for a collection without groups: numbers are `Others`, the rest `Traits`, both sorted. */
export function defaultGroups(traits: readonly Named[]): TraitGroup[] {
  const names = (isNumber: boolean): string[] => {
    const own = traits.filter((t) => (t.display_type === "number") === isNumber).map((t) => t.trait_type);
    return sortByName([...new Set(own)], (name) => name);
  };
  return [
    { category: "Traits", traits: names(false) },
    { category: OTHERS, traits: names(true) },
  ].filter((group) => group.traits.length > 0);
}

export interface GroupNotice {
  readonly path: string;
  readonly message: string;
}

/** The entries without effect: trait types that no token has (not in `known`), and repeated ones. */
export function noticesOf(groups: readonly SubmittedGroup[], known: ReadonlySet<string>): GroupNotice[] {
  const first = new Map<string, string>();
  return groups.flatMap((group, g) =>
    group.traits.flatMap(({ name }, t): GroupNotice[] => {
      const path = `trait_groups[${g}].traits[${t}].name`;
      const earlier = first.get(name);
      if (earlier !== undefined)
        return [{ path, message: `${JSON.stringify(name)} is listed at ${earlier} already, which counts` }];
      first.set(name, path);
      return known.has(name)
        ? []
        : [{ path, message: `no token of the collection has a trait type ${JSON.stringify(name)}` }];
    }),
  );
}
