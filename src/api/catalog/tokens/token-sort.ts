/** The sort orders of tokens, by their public names. */

import { z } from "@hono/zod-openapi";
import { clip } from "../../http/fields.ts";
import { storable } from "../../metadata/rules.ts";
import type { TokenSort } from "../../search/query.ts";

/** Every sort but those by a trait: its name in requests, and its label on pages. The first is the default. */
export const plainSorts: Readonly<Record<string, { readonly sort: TokenSort; readonly label: string }>> = {
  id_asc: { sort: { by: "id", descending: false }, label: "Id, low to high" },
  id_desc: { sort: { by: "id", descending: true }, label: "Id, high to low" },
  name_asc: { sort: { by: "name", descending: false }, label: "Name, A to Z" },
  name_desc: { sort: { by: "name", descending: true }, label: "Name, Z to A" },
  latest: { sort: { by: "latest" }, label: "Newest first" },
  updated: { sort: { by: "updated" }, label: "Last updated first" },
  rarity: { sort: { by: "rarity" }, label: "Rarest first" },
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
      "`latest`: newest block first; `updated`: last updated first; `rarity`: rarest first. Tokens without the name or the trait come last in both directions; ties are broken by id.",
  });
