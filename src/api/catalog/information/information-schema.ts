/** Schemas of collection information, as submitted and as returned (facts of the field's listing form). */

import { z } from "@hono/zod-openapi";
import { clip } from "../../../domain/printable.ts";
import { faultOfSlug } from "../../../domain/slug.ts";
import { listAtMost, sized } from "../../../invalid-value.ts";
import { slugPattern } from "../../http/fields.ts";
import { webHostOf } from "../../media/rules.ts";
import { storable } from "../../text/storable.ts";

const NAME_CHARACTERS_MAX = 100;
const DESCRIPTION_CHARACTERS_MAX = 1_000;
const LINK_CHARACTERS_MAX = 2_048;
const TRAIT_TYPE_CHARACTERS_MAX = 1_000;
// Allows 20 decimal places of a second.
const TIME_CHARACTERS_MAX = 40;
/** The trait groups of a collection. */
export const GROUPS_MAX = 100;
// The maximum of trait types per token.
const GROUP_TRAITS_MAX = 1_000;

const textUpTo = (max: number) => z.string().max(max, sized).transform(storable);

const nameUpTo = (max: number) =>
  textUpTo(max)
    .refine((text) => text.trim() !== "", { error: "must not be empty" })
    .openapi({ minLength: 1, maxLength: max, pattern: "\\S" });

const optional = <Schema extends z.ZodType>(schema: Schema) => schema.nullable().default(null as never);

const link = optional(
  textUpTo(LINK_CHARACTERS_MAX).refine((text) => webHostOf(text) !== undefined && !/[\s\p{Cc}]/u.test(text), {
    error: (issue) =>
      `must be an http or https link without credentials; it is "${clip(String(issue.input))}"`,
  }),
).openapi({
  type: ["string", "null"],
  format: "uri",
  pattern: "^[Hh][Tt][Tt][Pp][Ss]?://[^/\\\\\\s][^\\\\\\s]*$",
  maxLength: LINK_CHARACTERS_MAX,
});

const time = optional(
  z.iso
    .datetime()
    // PostgreSQL compares it with its clock, and accepts neither year 0 nor a fraction of 100 digits.
    .max(TIME_CHARACTERS_MAX, sized)
    .refine((text) => !text.startsWith("0000"), {
      error: (issue) => `must be of the year 0001 or later; it is "${clip(String(issue.input))}"`,
    }),
).openapi({
  type: ["string", "null"],
  format: "date-time",
  pattern: "^(?!0000)\\d{4}-\\d\\d-\\d\\dT([01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d(\\.\\d+)?Z$",
  maxLength: TIME_CHARACTERS_MAX,
});

const groupsSchema = z
  .array(
    z.strictObject({
      name: nameUpTo(NAME_CHARACTERS_MAX).openapi({ example: "Outfit" }),
      traits: z
        .array(
          z.strictObject({
            name: nameUpTo(TRAIT_TYPE_CHARACTERS_MAX).openapi({
              description: "A `trait_type` of the tokens. One that no token has is accepted with a notice.",
              example: "Hat",
            }),
          }),
        )
        .max(GROUP_TRAITS_MAX, listAtMost("traits", GROUP_TRAITS_MAX)),
    }),
  )
  .max(GROUPS_MAX, listAtMost("groups", GROUPS_MAX));

/** The complete record; a field left out counts as null. */
export const informationBody = z.strictObject({
  name: nameUpTo(NAME_CHARACTERS_MAX).openapi({ example: "Heroes" }),
  slug: optional(
    textUpTo(NAME_CHARACTERS_MAX).refine((text) => faultOfSlug(text) === undefined, {
      error: ({ input }) => `${faultOfSlug(String(input))}; it is "${clip(String(input))}"`,
    }),
  ).openapi({
    type: ["string", "null"],
    pattern: slugPattern(NAME_CHARACTERS_MAX),
    maxLength: NAME_CHARACTERS_MAX,
  }),
  description: optional(textUpTo(DESCRIPTION_CHARACTERS_MAX)).openapi({
    type: ["string", "null"],
    maxLength: DESCRIPTION_CHARACTERS_MAX,
  }),
  creator_name: optional(textUpTo(NAME_CHARACTERS_MAX)).openapi({
    type: ["string", "null"],
    maxLength: NAME_CHARACTERS_MAX,
  }),
  avatar: link,
  banner: link,
  website: link,
  discord: link,
  x: link,
  show_at: time,
  tradable_at: time.openapi({
    description:
      "Until then no token of the collection is `tradable`, and trade checks answer `not_open_yet`. Null opens trade immediately.",
  }),
  trait_groups: groupsSchema.default([]).openapi({
    description: "Categories of the token page, in this order; without any, the default ones.",
  }),
});

/** The same, as it is sent. */
export const informationRequest = informationBody
  .extend({
    updated_at: z.string().optional().openapi({
      description: "Ignored, so that a writer can change what GET answered and send it back.",
    }),
  })
  .openapi("CollectionInformationRequest");

export type Information = z.infer<typeof informationBody>;

/** The information as the API returns it. */
const informationSchema = z
  .object({
    name: z.string(),
    slug: z.string().nullable(),
    description: z.string().nullable(),
    creator_name: z.string().nullable(),
    avatar: z.string().nullable(),
    banner: z.string().nullable(),
    website: z.string().nullable(),
    discord: z.string().nullable(),
    x: z.string().nullable(),
    show_at: z.string().nullable(),
    tradable_at: z.string().nullable(),
    trait_groups: z.array(z.object({ name: z.string(), traits: z.array(z.object({ name: z.string() })) })),
    updated_at: z.string(),
  })
  .openapi("CollectionInformation");

/** Null if none was submitted. */
export const nullableInformation = z.union([informationSchema, z.null()]);

export type InformationView = z.infer<typeof informationSchema>;
