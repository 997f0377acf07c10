/** The words for a value that a schema refuses: what it must be, the limit, and what arrived. */

import { z } from "zod";
import { clip } from "./domain/printable.ts";

/** What kind of value it is, in JSON's terms. */
export function kindOf(value: unknown): string {
  if (value === undefined) return "missing";
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  if (value === "") return "empty";
  if (typeof value === "string" && value.trim() === "") return "blank";
  if (typeof value === "object") return "an object";
  // JSON.parse gives Infinity for 1e999.
  if (typeof value === "number" && !Number.isFinite(value)) return "a number too large to hold";
  return `a ${typeof value}`;
}

/** The value itself, of a text as many characters as a message repeats; the kind of what is no plain value. */
export function shown(value: unknown): string {
  if (typeof value === "string") return `"${clip(value)}"`;
  return Number.isFinite(value) || typeof value === "boolean" ? String(value) : kindOf(value);
}

const TYPES: Readonly<Record<string, string>> = {
  string: "a string",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "an array",
  tuple: "an array",
  object: "an object",
  record: "an object",
};
const FORMATS: Readonly<Record<string, string>> = {
  safeint: "a whole number",
  uuid: "a UUID",
  datetime: "an ISO 8601 time in UTC, such as 2026-01-31T12:00:00Z",
};
// A body can have thousands.
const KEYS_MAX = 10;

const oneOf = new Intl.ListFormat("en-GB", { type: "disjunction" });

/** The message of an issue whose schema has none of its own, for zod's `customError` or `error`. */
export const explainInvalid: z.core.$ZodErrorMap = (issue) => {
  switch (issue.code) {
    case "invalid_type":
      return mustBe(typeOf(issue), issue.input, issue.expected === "int" ? shown : kindOf);
    case "invalid_value":
      return mustBe(oneOf.format(issue.values.map(String)), issue.input);
    case "invalid_union":
      return explainUnion(issue);
    case "invalid_format":
      return mustBe(FORMATS[issue.format], issue.input);
    case "too_small":
      return explainTooSmall(issue);
    case "too_big":
      return explainTooBig(issue);
    case "unrecognized_keys":
      return `has no field ${issue.keys
        .slice(0, KEYS_MAX)
        .map((key) => `"${clip(key)}"`)
        .join(", ")}`;
    default:
      return undefined;
  }
};

function typeOf({ expected, inst }: z.core.$ZodRawIssue<z.core.$ZodIssueInvalidType>): string | undefined {
  const { format } = (inst?._zod.def ?? {}) as { readonly format?: string };
  return FORMATS[format ?? ""] ?? TYPES[expected];
}

const mustBe = (what: string | undefined, input: unknown, describe = shown): string | undefined =>
  what === undefined ? undefined : `must be ${what}; it is ${describe(input)}`;

/** Only of one that chooses its form by a field, which the path of the issue names; others have problems of their own. */
function explainUnion({ discriminator, options, input }: Tagged): string | undefined {
  if (typeof discriminator !== "string" || !Array.isArray(options)) return undefined;
  return mustBe(oneOf.format(options.map(String)), (input as Record<string, unknown>)[discriminator]);
}

type Tagged = { readonly discriminator?: unknown; readonly options?: unknown; readonly input: unknown };

type Bounded = Pick<z.core.$ZodIssueTooBig, "origin" | "inclusive"> & { readonly input: unknown };

function explainTooSmall(issue: Bounded & { readonly minimum: number | bigint }): string | undefined {
  const { input, minimum } = issue;
  const has = hasOf(input);
  if (has) return has.count === 0 ? "must not be empty" : `has ${has.text}; the least is ${minimum}`;
  return mustBe(issue.inclusive === false ? `more than ${minimum}` : `at least ${minimum}`, input);
}

function explainTooBig(issue: Bounded & { readonly maximum: number | bigint }): string | undefined {
  const { input, maximum } = issue;
  const has = hasOf(input);
  if (has) return `has ${has.text}; the limit is ${maximum}`;
  return mustBe(issue.inclusive === false ? `less than ${maximum}` : `at most ${maximum}`, input);
}

function hasOf(input: unknown): { readonly count: number; readonly text: string } | undefined {
  if (typeof input !== "string" && !Array.isArray(input)) return undefined;
  const [one, more] = typeof input === "string" ? ["character", "characters"] : ["entry", "entries"];
  // As zod counts them.
  const count = typeof input === "string" ? z.core.util.codePointLength(input) : input.length;
  return { count, text: `${count} ${count === 1 ? one : more}` };
}

/**
 * For the bounds of a text or a list that a stranger sends: zod checks them on anything that has a `length`, after a wrong
 * type too, and throws where that can't be compared.
 */
export const sized = {
  error: undefined,
  when: ({ value }: z.core.ParsePayload) => typeof value === "string" || Array.isArray(value),
};

/** For a list that is too long: `what` names its entries. */
export const listAtMost = (what: string, max: number) => ({
  ...sized,
  error: ({ input }: { readonly input?: unknown }) =>
    `has ${(input as unknown[]).length} ${what}; the limit is ${max}`,
});
