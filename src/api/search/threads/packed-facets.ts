/** Facets as columns: an array of counts is transferred, where thousands of objects would be copied one by one. */

import { percentageOf } from "../percentage.ts";
import type { CountedFacets, Facets, TraitFacet } from "../query.ts";

export interface PackedFacets extends Pick<Facets, "total" | "listed"> {
  readonly traits: readonly (Omit<TraitFacet, "values"> & { readonly length: number })[];
  /** The values of all traits, one after another, and their counts. */
  readonly values: readonly (string | number | boolean)[];
  readonly counts: Uint32Array<ArrayBuffer>;
}

export function packFacets({ total, listed, traits }: CountedFacets): PackedFacets {
  const values = traits.flatMap((trait) => trait.values);
  const counts = new Uint32Array(values.length);
  let at = 0;
  for (const trait of traits) {
    counts.set(trait.counts, at);
    at += trait.counts.length;
  }
  return {
    total,
    listed,
    traits: traits.map(({ values, counts: _, ...trait }) => ({ ...trait, length: values.length })),
    values,
    counts,
  };
}

export function unpackFacets({ total, listed, traits, values, counts }: PackedFacets): Facets {
  let from = 0;
  return {
    total,
    listed,
    traits: traits.map(({ length, values_total, ...trait }) => {
      const start = from;
      from += length;
      return {
        ...trait,
        values: values.slice(start, from).map((value, nth) => {
          const count = counts[start + nth] as number;
          return { value, count, percentage: percentageOf(count, listed) };
        }),
        values_total,
      };
    }),
  };
}
