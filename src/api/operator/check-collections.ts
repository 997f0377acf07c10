/** Collections that an operator's body names: one that isn't served is refused together with what the body's schema refuses. */

import { z } from "@hono/zod-openapi";
import type { Collections } from "../catalog/collections.ts";
import { createBodyCheck, refuseBody } from "../http/all-problems.ts";
import { collectionRefField, firstRefs, type NamedCollection } from "../http/fields.ts";

interface NamesOne {
  readonly collection?: NamedCollection | null | undefined;
}

interface NamesSeveral {
  readonly collections?: "all" | readonly (NamedCollection | undefined)[] | undefined;
}

const namesOne: z.ZodType<NamesOne> = z
  .object({ collection: collectionRefField.nullish().catch(undefined) })
  .catch({});

/** The hook of a route whose body has a `collection`. */
export const refuseCollection = (collections: Pick<Collections, "findRef">) =>
  refuseBody(
    createBodyCheck(
      namesOne,
      async ({ collection }) => collection && collections.findRef(collection, "collection"),
    ),
  );

/** The hook of a route whose body has `collections`, which may be "all". */
export function refuseCollections(collections: Pick<Collections, "findRefs">, max: number) {
  const namesSeveral: z.ZodType<NamesSeveral> = z
    .object({
      collections: firstRefs(max).optional().catch(undefined),
    })
    .catch({});
  return refuseBody(
    createBodyCheck(
      namesSeveral,
      async ({ collections: named = "all" }) => named !== "all" && collections.findRefs(named),
    ),
  );
}
