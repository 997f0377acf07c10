/** The sort orders of tokens, by their public names. */

import { z } from "@hono/zod-openapi";
import { clip } from "../../../domain/printable.ts";
import type { TokenSort } from "../../search/query.ts";
import { storable } from "../../text/storable.ts";

/** Every sort but those by a trait, by its name in requests. The first is the default. */
export const plainSorts: Readonly<Record<string, { readonly sort: TokenSort }>> = {
  id_asc: { sort: { by: "id", descending: false } },
  id_desc: { sort: { by: "id", descending: true } },
  name_asc: { sort: { by: "name", descending: false } },
  name_desc: { sort: { by: "name", descending: true } },
  latest: { sort: { by: "latest" } },
  updated: { sort: { by: "updated" } },
  rarity: { sort: { by: "rarity" } },
};
const names = Object.keys(plainSorts);

/** How a list may be grouped. */
export const groups = ["document"] as const;

// A trait type may contain any character, colons included.
const TRAIT_SORT = /^trait:(.+):(asc|desc)$/s;

export const defaultSort: TokenSort = { by: "id", descending: false };

export const sortSchema = z
  .string()
  .transform((text, context): TokenSort => {
    const plain = Object.hasOwn(plainSorts, text) ? plainSorts[text] : undefined;
    if (plain) return plain.sort;
    const [, name, direction] = TRAIT_SORT.exec(text) ?? [];
    if (name !== undefined) return { by: "trait", name: storable(name), descending: direction === "desc" };
    context.addIssue({
      code: "custom",
      message: `must be ${names.join(", ")} or trait:<name>:asc or :desc; it is "${clip(text)}"`,
    });
    return z.NEVER;
  })
  .openapi({
    type: "string",
    default: "id_asc",
    pattern: `^(${names.join("|")}|trait:.+:(asc|desc))$`,
    description:
      "`latest`: newest first, by the block of their first mint or transfer; `updated`: last updated first; `rarity`: rarest first. Tokens without the name or the trait come last in both directions; ties are broken by id.",
  });
