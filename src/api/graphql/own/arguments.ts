/** Arguments of our fields, parsed as REST parses its own: every problem is named by its path. */

import { z } from "@hono/zod-openapi";
import { parseTokenId } from "../../../domain/token-ref.ts";
import { listAtMost, shown } from "../../../invalid-value.ts";
import { criteriaSchema, ownerSchema, rangeCriteriaSchema, textSchema } from "../../catalog/rules.ts";
import { invalidRequest } from "../../http/errors.ts";
import { collectionNameField } from "../../http/fields.ts";

/** Throws INVALID_REQUEST with every problem of the arguments, by path. */
export function readArguments<Output>(schema: z.ZodType<Output>, args: unknown): Output {
  const { data, error } = schema.safeParse(args);
  if (!error) return data;
  throw invalidRequest(error);
}

/** `chainId` is declared a Float; null counts as absent. */
export const chainIdArgument = z
  .number()
  .nullish()
  .transform((chainId) => chainId ?? undefined);

export const collectionArguments = { tokenAddress: collectionNameField, chainId: chainIdArgument };

/** Also for BigDecimal arguments, which arrive as any literal; a number that a double can't hold, as its text. */
const tokenIdArgument = z.unknown().transform((value, context) => {
  const isExact = typeof value === "string" || Number.isSafeInteger(value);
  if (isExact && parseTokenId(String(value)) !== undefined) return String(value);
  const message = `${shown(value)} is not a token id: a decimal number from 0 to 2^256-1`;
  context.addIssue({ code: "custom", message });
  return z.NEVER;
});

export const tokenArguments = z.object({ ...collectionArguments, tokenId: tokenIdArgument });

/** A list. Its length comes first: each wrong entry is a problem to name, and a request may contain any number of them. */
export const listArgument = <Entry extends z.ZodType>(entry: Entry, max: number, what: string) =>
  z.array(z.unknown()).max(max, listAtMost(what, max)).pipe(z.array(entry));

/** The conditions that all lists share. */
export const conditionArguments = {
  criteria: criteriaSchema.nullish(),
  rangeCriteria: rangeCriteriaSchema.nullish(),
  owner: ownerSchema.nullish(),
};

export const textArgument = textSchema.nullish();

/** Declared an Int, with bounds that the error names. */
export const intArgument = (least: number, most = Number.POSITIVE_INFINITY) =>
  z
    .number()
    .refine((value) => value >= least, {
      error: (issue) => `must be greater than or equal to ${least}; it is ${String(issue.input)}`,
    })
    .refine((value) => value <= most, {
      error: (issue) => `must be less than or equal to ${most}; it is ${String(issue.input)}`,
    });

const LIMIT_MAX = 100;

/** The number of entries on a page of a list with cursors. */
export const limitArgument = intArgument(1, LIMIT_MAX);

// Worded as the SDK's own endpoint words its refusal; cursors serve deeper pages.
const SIZE_MAX = 50;
const WINDOW_MAX = 10_000;

/** The page of a list, as the SDK requests it. */
export const windowArguments = z
  .object({ from: intArgument(0), size: intArgument(0, SIZE_MAX) })
  .refine(({ from, size }) => from + size <= WINDOW_MAX, {
    path: ["from"],
    error: (issue) => {
      const { from, size } = issue.input as { from: number; size: number };
      return `from + size must be less than or equal to ${WINDOW_MAX}; it is ${from + size}`;
    },
  });
