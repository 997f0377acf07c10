/** The parameters of the registry's routes, under the names that its clients use. */

import { z } from "@hono/zod-openapi";
import { clip } from "../../../domain/printable.ts";
import { addressField, chainIdField, tokenIdField } from "../../http/fields.ts";
import { EMPTY_RIGHTS } from "./rights.ts";
import type { Place } from "./store.ts";

const RECORDS_MAX = 1_000;

const rightsText = z
  .string()
  .refine((text) => /^0x[0-9a-fA-F]{64}$/.test(text), {
    error: (issue) => `"${clip(String(issue.input))}" is not 32 bytes: 0x and 64 hex digits`,
  })
  .transform((text) => text.toLowerCase())
  .openapi({ pattern: "^0x[0-9a-fA-F]{64}$", example: EMPTY_RIGHTS });

const CURSOR = /^([0-9]{1,15})\.([0-9]{1,9})$/;

export const cursorOf = ({ block, log }: Place): string => `${block}.${log}`;

const cursorField = z
  .string()
  .transform((text, context): Place => {
    const [, block, log] = CURSOR.exec(text) ?? [];
    if (block !== undefined && log !== undefined) return { block: Number(block), log: Number(log) };
    const message = `"${clip(text)}" is no cursor; take it from the Link header of the page before`;
    context.addIssue({ code: "custom", message });
    return z.NEVER;
  })
  .optional()
  .openapi({ type: "string", description: "From the Link header of the page before." });

const pageFields = {
  chainId: chainIdField.openapi({
    description:
      "The chain; without it, the first in the order of collections.json whose registry is indexed.",
  }),
  limit: z
    .string()
    .refine((text) => /^[1-9][0-9]{0,3}$/.test(text) && Number(text) <= RECORDS_MAX, {
      error: (issue) =>
        `must be a whole number from 1 to ${RECORDS_MAX}; it is "${clip(String(issue.input))}"`,
    })
    .transform(Number)
    .default(RECORDS_MAX)
    .openapi({ type: "integer", minimum: 1, maximum: RECORDS_MAX, default: RECORDS_MAX }),
  cursor: cursorField,
};

export const walletQuery = z.object({
  ...pageFields,
  direction: z
    .enum(["incoming", "outgoing", "all"])
    .default("incoming")
    .openapi({ description: "incoming: those to the wallet" }),
});

const otherName = (name: string) =>
  addressField.optional().openapi({ description: `Another name of \`${name}\`, which delegate.xyz uses.` });

// Either name is required, which a query's schema can't say.
const parties = {
  from: addressField
    .optional()
    .openapi({ description: "The wallet that delegates. Required, as `from` or `vault`." }),
  to: addressField
    .optional()
    .openapi({ description: "The wallet that may act. Required, as `to` or `delegate`." }),
  vault: otherName("from"),
  delegate: otherName("to"),
};

const names = [
  ["from", "vault"],
  ["to", "delegate"],
] as const;

type Parties = { readonly [Name in keyof typeof parties]?: string | undefined };

/** Adds the rules that each wallet is named, and named once or twice alike. */
function withParties<Schema extends z.ZodType<Parties>>(schema: Schema): Schema {
  // Beside the problems of other fields.
  const when = () => true;
  return names.reduce<Schema>(
    (ruled, [name, other]) =>
      ruled
        .refine((query) => (query[name] ?? query[other]) !== undefined, {
          path: [name],
          error: `is required, as ${name} or ${other}`,
          when,
        })
        .refine((query) => isAlike(query[name], query[other]), {
          path: [other],
          error: `differs from ${name}, of which it is another name`,
          when,
        }),
    schema,
  );
}

// What is no address is a problem of its own, and not text.
const isAlike = (one: unknown, other: unknown): boolean =>
  typeof one !== "string" || typeof other !== "string" || one === other;

/** The query with both wallets under the names `from` and `to`. */
export function namedParties<Query extends Parties>({ from, to, vault, delegate, ...query }: Query) {
  const [giver, receiver] = [from ?? vault, to ?? delegate];
  if (giver === undefined || receiver === undefined) throw new Error("the schema requires both wallets");
  return { ...query, from: giver, to: receiver };
}

export const betweenQuery = withParties(
  z.object({
    ...parties,
    ...pageFields,
    rights: rightsText.optional().openapi({ description: "Only those that count for these rights." }),
  }),
);

const checkFields = {
  ...parties,
  chainId: pageFields.chainId,
  rights: rightsText.default(EMPTY_RIGHTS).openapi({
    description: "Without it, only delegations without limits count, as in the contract.",
  }),
};

export const contractCheckQuery = withParties(z.object({ ...checkFields, contract: addressField }));
export const tokenCheckQuery = withParties(
  z.object({ ...checkFields, contract: addressField, tokenId: tokenIdField }),
);
