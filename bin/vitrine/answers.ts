/** What the admin API answers, by operation: the types that are generated from openapi.json. */

import type { operations } from "../../clients/typescript/src/api.ts";

type Success<Responses> = Responses extends { readonly 200: infer Found }
  ? Found
  : Responses extends { readonly 201: infer Created }
    ? Created
    : never;

/** The body of the operation's successful answer. */
export type Answer<Operation extends keyof operations> =
  Success<operations[Operation]["responses"]> extends {
    readonly content: { readonly "application/json": infer Body };
  }
    ? Body
    : never;
