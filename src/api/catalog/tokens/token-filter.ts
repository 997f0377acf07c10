/** Schemas of token filters, shared by REST, GraphQL and the pages. Each error names the faulty field. */

import { z } from "@hono/zod-openapi";
import { clip } from "../../../domain/printable.ts";
import { parseAddress } from "../../../domain/token-ref.ts";
import { kindOf, listAtMost, shown, sized } from "../../../invalid-value.ts";
import { ApiError } from "../../http/errors.ts";
import { valueText } from "../../metadata/rules.ts";
import type { TokenFilter } from "../../search/query.ts";
import { parseNumber } from "../../text/number-text.ts";
import { storable } from "../../text/storable.ts";

// Filter pages use a few; each costs a pass over the values of its trait type.
const CONDITIONS_MAX = 20;
const VALUES_MAX = 100;
export const TEXT_CHARACTERS_MAX = 200;

export const traitNameSchema = z
  .string()
  .refine((name) => name !== "", { error: "must not be empty" })
  .transform(storable)
  .openapi({ example: "Class" });

/** A value as text; numbers and booleans are accepted instead of their JSON text. */
const traitValue = z
  .unknown()
  .transform((value, context) => {
    if (typeof value === "string") return storable(value);
    if (Number.isFinite(value) || typeof value === "boolean") return valueText(value as number | boolean);
    context.addIssue({ code: "custom", message: `must be a string; it is ${kindOf(value)}` });
    return z.NEVER;
  })
  .openapi({ type: "string", example: "Mage" });

const objectWith = (fields: string) => ({
  error: ({ code, input }: z.core.$ZodRawIssue) =>
    code === "invalid_type" ? `must be an object with ${fields}; it is ${kindOf(input)}` : undefined,
});

export const criteriaSchema = z
  .array(
    z.strictObject(
      {
        name: traitNameSchema,
        values: z
          .array(traitValue)
          .min(1, { ...sized, error: "must contain at least one value" })
          .max(VALUES_MAX, listAtMost("values", VALUES_MAX)),
      },
      objectWith("name and values"),
    ),
  )
  .max(CONDITIONS_MAX, listAtMost("criteria", CONDITIONS_MAX));

/** One end of a range, as a number or its text; null leaves it open. */
const bound = z
  .unknown()
  .transform((value, context) => {
    if (value === null || value === undefined) return undefined;
    const number = typeof value === "string" ? parseNumber(value) : value;
    if (typeof number === "number" && Number.isFinite(number)) return number;
    context.addIssue({ code: "custom", message: `must be a number or its text; it is ${shown(value)}` });
    return z.NEVER;
  })
  .openapi({ type: ["string", "number", "null"], example: "10" });

export const rangeCriteriaSchema = z
  .array(
    z.strictObject(
      {
        name: traitNameSchema,
        range: z
          .strictObject({ from: bound.optional(), to: bound.optional() }, objectWith("from, to or both"))
          .refine(({ from, to }) => from !== undefined || to !== undefined, {
            error: "needs from, to or both",
          }),
      },
      objectWith("name and range"),
    ),
  )
  .max(CONDITIONS_MAX, listAtMost("ranges", CONDITIONS_MAX));

export const textSchema = z.string().max(TEXT_CHARACTERS_MAX, sized);

export const ownerSchema = z.string().transform((text, context) => {
  const address = parseAddress(text);
  if (address) return address;
  context.addIssue({ code: "custom", message: `"${clip(text)}" is not an address: 0x and 40 hex digits` });
  return z.NEVER;
});

// Each costs reads of its tokens.
const OWNERS_MAX = 20;

export const ownersSchema = z.array(ownerSchema).max(OWNERS_MAX, listAtMost("owners", OWNERS_MAX));

/** A parameter that may be repeated, and may list several values, separated by commas. */
export const ownersParameter = z.union([z.string(), z.array(z.string())]).transform((given, context) => {
  const read = ownersSchema.min(1).safeParse([given].flat().flatMap((text) => text.split(",")));
  if (read.success) return read.data;
  for (const { message } of read.error.issues) context.addIssue({ code: "custom", message });
  return z.NEVER;
});

export interface ReadConditions {
  readonly criteria?: z.infer<typeof criteriaSchema> | null | undefined;
  readonly rangeCriteria?: z.infer<typeof rangeCriteriaSchema> | null | undefined;
  /** The empty text matches every token, as does the empty name. */
  readonly text?: string | null | undefined;
  readonly name?: string | null | undefined;
  readonly owner?: string | null | undefined;
  /** Beside `owner`. Without any, whoever owns the token matches. */
  readonly owners?: readonly string[] | null | undefined;
  readonly includeDelegated?: boolean | null | undefined;
  readonly locked?: boolean | null | undefined;
}

/** Every condition, so that none can be forgotten where filters are made. */
type WholeFilter = { readonly [Field in keyof Required<TokenFilter>]: TokenFilter[Field] };

/** Throws INVALID_REQUEST for delegations without an owner, naming the field as `names` does. */
export function toFilter(
  { criteria, rangeCriteria, text, name, owner, owners, includeDelegated, locked }: ReadConditions,
  names = { owner: "owner", includeDelegated: "include_delegated" },
): WholeFilter {
  const holders = [...new Set([owner ?? [], owners ?? []].flat())].sort();
  if (includeDelegated && holders.length === 0) {
    const message = `needs ${names.owner}, to whom tokens are delegated`;
    throw new ApiError("INVALID_REQUEST", [{ path: names.includeDelegated, message }]);
  }
  return {
    criteria: criteria ?? [],
    ranges: (rangeCriteria ?? []).map(({ name, range }) => ({ name, ...range })),
    text: text || undefined,
    name: name || undefined,
    owners: holders.length > 0 ? holders : undefined,
    includeDelegated: includeDelegated || undefined,
    locked: locked ?? undefined,
  };
}
