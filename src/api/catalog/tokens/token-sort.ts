/** The sort orders of tokens, by their public names. */

import { z } from "@hono/zod-openapi";
import { clip } from "../../http/fields.ts";
import { storable } from "../../metadata/rules.ts";
import type { TokenSort } from "../../search/query.ts";

const plainSorts: Readonly<Record<string, TokenSort>> = {
  id_asc: { by: "id", descending: false },
  id_desc: { by: "id", descending: true },
  name_asc: { by: "name", descending: false },
  name_desc: { by: "name", descending: true },
  latest: { by: "latest" },
  updated: { by: "updated" },
};

// A trait type may contain any character, colons included.
const TRAIT_SORT = /^trait:(.+):(asc|desc)$/s;

export const defaultSort: TokenSort = { by: "id", descending: false };

export const sortSchema = z
  .string()
  .transform((text, context): TokenSort => {
    const plain = Object.hasOwn(plainSorts, text) ? plainSorts[text] : undefined;
    if (plain) return plain;
    const [, name, direction] = TRAIT_SORT.exec(text) ?? [];
    if (name !== undefined) return { by: "trait", name: storable(name), descending: direction === "desc" };
    context.addIssue({
      code: "custom",
      message: `must be ${Object.keys(plainSorts).join(", ")} or trait:<name>:asc or :desc; it is "${clip(text)}"`,
    });
    return z.NEVER;
  })
  .openapi({
    type: "string",
    default: "id_asc",
    pattern: "^(id_asc|id_desc|name_asc|name_desc|latest|updated|trait:.+:(asc|desc))$",
    description:
      "`latest`: the newest block first; `updated`: what was served last first. Tokens without the name or the trait come last either way; ties go by id.",
  });
