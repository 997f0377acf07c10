/** The tokens that a partner or an anonymous caller may name in one request. */

import { tokenIdField } from "../http/fields.ts";
import { tokenList } from "../http/token-list.ts";

// spec.md "Limits": tokens per REST refresh request.
const TOKENS_MAX = 100;

/** 1 to 100 token ids, duplicates counted. */
export const tokenIdsField = tokenList(tokenIdField, {
  max: TOKENS_MAX,
  one: "token id",
  many: "ids",
}).openapi({
  example: ["1", "2"],
});
