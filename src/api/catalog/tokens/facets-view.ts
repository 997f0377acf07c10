/** The response shape of the trait distribution. */

import { z } from "@hono/zod-openapi";
import { writeOnce } from "../../http/revalidation.ts";
import { displayTypes } from "../../metadata/rules.ts";
import type { CompletedValues, Facets } from "../../search/query.ts";

const valueCountSchema = z.object({
  value: z.union([z.string(), z.number(), z.boolean()]),
  count: z.number().openapi({ description: "Matching tokens with this value." }),
  percentage: z.number().openapi({
    description:
      "`count` as a share of `listed`, 0 to 100, with any filter: the same base as the percentages of a token.",
  }),
});

const facetSchema = z
  .object({
    trait_type: z.string(),
    display_type: z.enum(displayTypes),
    count: z.number().openapi({ description: "Matching tokens that have the trait." }),
    min: z.number().nullable().openapi({ description: "For numbers and dates, among matching tokens." }),
    max: z.number().nullable(),
    max_value: z.number().nullable().openapi({
      description:
        "The highest number that any token of the collection has had. It drops only when tokens without any transfer are deleted.",
    }),
    values: z.array(valueCountSchema).openapi({ description: "Most frequent first, at most 1,000." }),
    values_total: z.number().openapi({ description: "The number of different values." }),
  })
  .openapi("TraitFacet");

export const facetsSchema = z
  .object({
    total: z.number().openapi({
      description:
        "The number of matching listed tokens. A token is listed if a transfer of it is indexed and it is not burned.",
    }),
    listed: z.number().openapi({
      description:
        "The number of listed tokens of the collection, whatever the filter: the base of percentages.",
    }),
    traits: z.array(facetSchema),
  })
  .openapi("TraitDistribution");

export const completedSchema = z
  .object({
    trait_type: z.string(),
    display_type: z
      .enum(displayTypes)
      .nullable()
      .openapi({ description: "Null for a trait that the collection has never had." }),
    total: z.number().openapi({ description: "The number of values that begin with the prefix." }),
    listed: z
      .number()
      .openapi({ description: "The number of listed tokens of the collection: the base of percentages." }),
    values: z.array(valueCountSchema).openapi({ description: "Most frequent first." }),
  })
  .openapi("TraitValues");

export const viewCompleted = (
  name: string,
  { values, ...rest }: CompletedValues,
): z.infer<typeof completedSchema> => ({ trait_type: name, ...rest, values: [...values] });

const views = new WeakMap<Facets, z.infer<typeof facetsSchema>>();

/** The same view for the same facets, whose answer is written once. */
export function viewFacets(facets: Facets): z.infer<typeof facetsSchema> {
  const { total, listed, traits } = facets;
  const view =
    views.get(facets) ??
    writeOnce({ total, listed, traits: traits.map((trait) => ({ ...trait, values: [...trait.values] })) });
  views.set(facets, view);
  return view;
}
