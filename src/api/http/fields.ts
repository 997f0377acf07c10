/** Fields that many routes share, with their documentation and validation. */

import { z } from "@hono/zod-openapi";
import { clip } from "../../domain/printable.ts";
import { faultOfSlug, isLikeAddress, SLUG_RULE } from "../../domain/slug.ts";
import { parseAddress, parseTokenId } from "../../domain/token-ref.ts";

/** In the examples of the committed document: Axie on Ronin. A service shows its own collections instead. */
export const EXAMPLE_CHAIN_ID = 2020;
export const EXAMPLE_ADDRESS = "0x32950db2a7164ae833121501c797d79e7b79d74c";

const ADDRESS_PATTERN = "0x[0-9a-fA-F]{40}";

export const addressField = z
  .string()
  .transform((text, context) => {
    const address = parseAddress(text);
    if (address) return address;
    context.addIssue({ code: "custom", message: `"${clip(text)}" is not an address: 0x and 40 hex digits` });
    return z.NEVER;
  })
  .openapi({
    type: "string",
    pattern: `^${ADDRESS_PATTERN}$`,
    example: EXAMPLE_ADDRESS,
  });

const SLUG_PATTERN = "(?!(0x[0-9a-f]*|[0-9a-f]{40})$)[a-z0-9_-]";
const NAME_PATTERN = `(${ADDRESS_PATTERN}|${SLUG_PATTERN}{1,200})$`;

/** What a slug of at most `max` characters matches, for the documents. */
export const slugPattern = (max: number): string => `^${SLUG_PATTERN}{1,${max}}$`;

/** An address in lower case, or a slug. */
const parseName = (text: string): string | undefined =>
  parseAddress(text) ?? (faultOfSlug(text) === undefined ? text : undefined);

/** A collection's address in lower case, or its slug; `Collections.findNamed` finds it. */
export const collectionNameField = z
  .string()
  .transform((text, context) => {
    const name = parseName(text);
    if (name) return name;
    const slug = isLikeAddress(text) ? "which must not look like one" : SLUG_RULE;
    const message = `"${clip(text)}" is neither an address (0x and 40 hex digits) nor a slug (${slug})`;
    context.addIssue({ code: "custom", message });
    return z.NEVER;
  })
  .openapi({
    type: "string",
    example: EXAMPLE_ADDRESS,
    description:
      "The collection's address or its slug. Where two chains use the same slug, `chain_id` chooses.",
  });

/** The same as a field of a body, whose schema refuses what the service does. */
export const namedInBodyField = collectionNameField.openapi({ pattern: `^${NAME_PATTERN}` });

export const tokenIdField = z
  .string()
  .refine((text) => parseTokenId(text) !== undefined, {
    error: (issue) =>
      `"${clip(String(issue.input))}" is not a token id: a decimal number from 0 to 2^256-1, without leading zeros`,
  })
  .openapi({ pattern: "^(0|[1-9][0-9]{0,77})$", example: "7" });

const CHAIN_ID_MAX = 999_999_999_999_999;

export const chainIdField = z
  .string()
  .regex(/^[1-9][0-9]{0,14}$/, {
    error: (issue) => `must be a chain id: a positive decimal number; it is "${clip(String(issue.input))}"`,
  })
  .transform(Number)
  .optional()
  .openapi({
    type: "integer",
    minimum: 1,
    maximum: CHAIN_ID_MAX,
    example: EXAMPLE_CHAIN_ID,
    description: "The chain; without it, the one that has the address.",
  });

/** A query parameter that is true or false. */
export const booleanField = z
  .enum(["true", "false"])
  .optional()
  .openapi({ type: "string", enum: ["true", "false"] });

/** A body that may name its `chain_id` as `chainId`, as queries may. Giving both is refused as an unknown field. */
export const withEitherChainName = <Body extends z.ZodType>(schema: Body) =>
  z.preprocess((body) => {
    if (typeof body !== "object" || body === null || !("chainId" in body) || "chain_id" in body) return body;
    const { chainId, ...rest } = body;
    return { ...rest, chain_id: chainId };
  }, schema);

/** The id of something; `error` replaces the message for what is not a UUID. In lower case, as PostgreSQL writes it. */
export const uuidField = (error?: Parameters<typeof z.uuid>[0]) => z.uuid(error).toLowerCase();

const LIMIT_DEFAULT = 20;
export const LIMIT_MAX = 100;

/** The number of entries on a page of a list. */
export const limitField = z
  .string()
  .refine((text) => /^[1-9][0-9]{0,2}$/.test(text) && Number(text) <= LIMIT_MAX, {
    error: (issue) => `must be a whole number from 1 to ${LIMIT_MAX}; it is "${clip(String(issue.input))}"`,
  })
  .transform(Number)
  .default(LIMIT_DEFAULT)
  .openapi({ type: "integer", minimum: 1, maximum: LIMIT_MAX, default: LIMIT_DEFAULT });

/** How a request names a collection in one text. */
export interface NamedCollection {
  /** An address in lower case, or a slug. */
  readonly name: string;
  readonly chainId: number | undefined;
}

/** An address or slug, alone or after its chain: `chainId:address`. `Collections.findRef` finds it. */
export const collectionRefField = z
  .string()
  .transform((text, context): NamedCollection => {
    const [, chainId, given = text] = /^([1-9][0-9]{0,14}):(.+)$/s.exec(text) ?? [];
    const name = parseName(given);
    if (name !== undefined) return { name, chainId: chainId === undefined ? undefined : Number(chainId) };
    context.addIssue({
      code: "custom",
      message: `"${clip(text)}" is neither an address (0x and 40 hex digits), a slug, nor one of them after its chain, such as chainId:address`,
    });
    return z.NEVER;
  })
  .openapi({
    type: "string",
    pattern: `^([1-9][0-9]{0,14}:)?${NAME_PATTERN}`,
    example: `${EXAMPLE_CHAIN_ID}:${EXAMPLE_ADDRESS}`,
  });

/**
 * The first `max` references of a list, undefined where one can't be read, for bodies that are refused anyway. Not by
 * zod's `max`, which reads the length of any value.
 */
export const firstRefs = (max: number) =>
  z.array(collectionRefField.optional().catch(undefined)).transform((refs) => refs.slice(0, max));
