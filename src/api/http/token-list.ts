/** Lists of tokens in a request. */

import { z } from "@hono/zod-openapi";
import { sized } from "../../invalid-value.ts";

/**
 * 1 to `max` entries. More are marked TOO_MANY_TOKENS, the error code of the answer, before any entry is read: each wrong
 * one is a problem to name, and a body may have tens of thousands. `what` names them in messages.
 */
export const tokenList = <Entry extends z.ZodType>(
  entry: Entry,
  { max, one, many }: { readonly max: number; readonly one: string; readonly many: string },
) =>
  z
    .preprocess(
      (value, context) => {
        if (!Array.isArray(value) || value.length <= max) return value;
        context.addIssue({
          code: "custom",
          message: `has ${value.length} ${many}; the limit is ${max}`,
          params: { code: "TOO_MANY_TOKENS" },
        });
        return z.NEVER;
      },
      z.array(entry).min(1, { ...sized, error: `must contain at least one ${one}` }),
    )
    .openapi({ maxItems: max });
