/** The tokens that a partner or an anonymous caller may name in one request. */

import { z } from "@hono/zod-openapi";
import { sized } from "../../invalid-value.ts";
import { tokenIdField } from "../http/fields.ts";

// spec.md "Limits": tokens per REST refresh request.
const TOKENS_MAX = 100;

/** 1 to 100 token ids, duplicates counted. More are marked TOO_MANY_TOKENS, the error code of the answer. */
export const tokenIdsField = z
  .array(tokenIdField)
  .min(1, { ...sized, error: "must contain at least one token id" })
  .superRefine((ids, context) => {
    if (ids.length <= TOKENS_MAX) return;
    context.addIssue({
      code: "custom",
      message: `has ${ids.length} ids; the limit is ${TOKENS_MAX}`,
      params: { code: "TOO_MANY_TOKENS" },
    });
  })
  .openapi({ maxItems: TOKENS_MAX, example: ["1", "2"] });
