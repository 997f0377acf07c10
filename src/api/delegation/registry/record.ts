/** A delegation as every route returns it, and its documented schema. */

import { z } from "@hono/zod-openapi";

const recordTypes = ["ALL", "CONTRACT", "ERC721", "ERC20", "ERC1155"] as const;
// One of the shapes that deployed registries use has this type for a token's delegation, whatever the token's standard.
export const foreignTypes = [...recordTypes, "TOKEN"] as const;

const fields = {
  from: z.string().openapi({ description: "The wallet that delegates." }),
  to: z.string().openapi({ description: "The wallet that may act for it." }),
  contract: z.string().nullable(),
  tokenId: z.string().nullable(),
  rights: z.string().openapi({ description: "32 bytes; all zero for a delegation without limits." }),
  amount: z.string().nullable(),
};

export const recordSchema = z.object({ type: z.enum(recordTypes), ...fields }).openapi("Delegation");
export type DelegationRecord = z.infer<typeof recordSchema>;

/** A delegation from any registry; values that it does not report are null. */
export const foreignRecordSchema = z
  .object({ type: z.enum(foreignTypes), ...fields, rights: fields.rights.nullable() })
  .openapi("ForeignDelegation");
export type ForeignRecord = z.infer<typeof foreignRecordSchema>;
