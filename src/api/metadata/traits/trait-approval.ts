/** The operator's approval of changed display types (spec.md "Versioning" 2). */

import type { CollectionRef } from "../../../domain/token-ref.ts";
import type { Database, Queryable } from "../../db/database.ts";
import type { DisplayType } from "../document/traits.ts";
import { type PendingType, readConflictingTypes, readPending, switchDisplayType } from "./approval-store.ts";
import { lockTraits, readTraitTypes } from "./trait-type-store.ts";

export type Approval =
  | { readonly kind: "approved"; readonly was: DisplayType }
  /** The collection never had this trait type, or it was deleted since. */
  | { readonly kind: "unknown_trait_type" }
  /** No token has an entry of that display type; `held` lists those that can be approved. */
  | {
      readonly kind: "not_pending";
      readonly known: DisplayType;
      readonly conflicting: readonly DisplayType[];
    };

export function createTraitApproval(database: Database) {
  return {
    /** The conflicting types, oldest conflict first, at most `limit`. */
    pending: (collections: readonly CollectionRef[], limit: number): Promise<PendingType[]> =>
      readPending(database, collections, limit),

    /** Whether the collection hides entries of this trait type that have this display type. */
    async isPending(collection: CollectionRef, traitType: string, displayType: string): Promise<boolean> {
      const type = (await readTraitTypes(database, collection, [traitType])).get(traitType);
      return (
        type !== undefined &&
        (await readConflictingTypes(database, type)).some((each) => each === displayType)
      );
    },

    /**
     * Makes `displayType` the trait type's known display type. From the commit on, every read shows entries of that
     * type and hides those of the previous one, in document order. Nothing is fetched, converted or rewritten, so
     * versions keep their numbers and hashes. `audit` runs in the same transaction, only if something changed.
     */
    approve(
      collection: CollectionRef,
      traitType: string,
      displayType: DisplayType,
      audit: (tx: Queryable, was: DisplayType) => Promise<void>,
    ): Promise<Approval> {
      return database.transaction((tx) => approveIn(tx, collection, traitType, displayType, audit));
    },

    /** The same in the caller's transaction. */
    approveIn,
  };
}

async function approveIn(
  tx: Queryable,
  collection: CollectionRef,
  traitType: string,
  displayType: DisplayType,
  audit: (tx: Queryable, was: DisplayType) => Promise<void>,
): Promise<Approval> {
  await lockTraits(tx, collection);
  const type = (await readTraitTypes(tx, collection, [traitType])).get(traitType);
  if (!type) return { kind: "unknown_trait_type" };
  const known = type.displayType;
  const conflicting = await readConflictingTypes(tx, type);
  if (!conflicting.includes(displayType)) return { kind: "not_pending", known, conflicting };
  await switchDisplayType(tx, type, displayType);
  await audit(tx, known);
  return { kind: "approved", was: known };
}

export type TraitApproval = ReturnType<typeof createTraitApproval>;
