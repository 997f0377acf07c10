/** Collection information and trait groups: public to read, replaced by the collection's app. */

import type { CollectionConfig } from "../../../config.ts";
import { collectionKey } from "../../../domain/token-ref.ts";
import type { Database, Queryable } from "../../db/database.ts";
import { ApiError } from "../../http/errors.ts";
import type { Search } from "../../search/service.ts";
import type { Collections } from "../collections.ts";
import type { Information, InformationView } from "./information-schema.ts";
import {
  type ReadState,
  readInformation,
  replaceInformation,
  type StoredInformation,
} from "./information-store.ts";
import { type GroupNotice, noticesOf, type SubmittedGroup } from "./trait-groups.ts";

export interface InformationDeps {
  readonly database: Database;
  readonly collections: Pick<Collections, "all">;
  readonly search: Pick<Search, "shownTypes">;
  /** Writes an audit row in the transaction of the change it records. */
  readonly audit: (
    tx: Queryable,
    actor: string,
    action: string,
    subject: string,
    detail: object,
  ) => Promise<void>;
}

export function createInformation({ database, collections, search, audit }: InformationDeps) {
  /** Undefined if the record is no longer as it was read. */
  async function write(
    collection: CollectionConfig,
    information: Information,
    actor: string,
    since?: ReadState,
  ): Promise<InformationView | undefined> {
    const { slug } = information;
    const taken = new ApiError("INVALID_REQUEST", [
      { path: "slug", message: `"${slug}" is the slug of another collection` },
    ]);
    const name = collectionKey(collection);
    if (slug !== null && collections.all.some((each) => each.slug === slug && collectionKey(each) !== name))
      throw taken;
    return database.transaction(async (tx) => {
      const updatedAt = await replaceInformation(tx, collection, information, actor, since);
      if (updatedAt === "slug_taken") throw taken;
      if (updatedAt === "changed") return undefined;
      const groups = information.trait_groups.length;
      await audit(tx, actor, "information.put", name, {
        name: information.name,
        slug,
        trait_groups: groups,
      });
      return viewInformation({ information, updatedAt });
    });
  }

  return {
    /** For each of these collections, in their order; null if none was submitted. */
    async readAll(of: readonly CollectionConfig[]): Promise<(InformationView | null)[]> {
      const stored = await readInformation(database, of);
      return of.map((collection) => {
        const found = stored.get(collectionKey(collection));
        return found ? viewInformation(found) : null;
      });
    },

    /** Replaces the whole record; concurrent writes never mix. Throws INVALID_REQUEST for a slug that is taken. */
    async replace(
      collection: CollectionConfig,
      information: Information,
      actor: string,
    ): Promise<InformationView> {
      const written = await write(collection, information, actor);
      if (!written) throw new Error("information is replaced whatever it is");
      return written;
    },

    /** As `replace`, unless the record has changed since it was read as `seen`, or exists where it was null: undefined. */
    replaceSeen: (
      collection: CollectionConfig,
      information: Information,
      actor: string,
      seen: InformationView | null,
    ): Promise<InformationView | undefined> =>
      write(collection, information, actor, { updatedAt: seen?.updated_at ?? null }),

    /** The parts of these groups without effect on the collection's current tokens. */
    async noticesOf(collection: CollectionConfig, groups: readonly SubmittedGroup[]): Promise<GroupNotice[]> {
      if (groups.length === 0) return [];
      const named = groups.flatMap(({ traits }) => traits.map(({ name }) => name));
      return noticesOf(groups, await search.shownTypes(collection, named));
    },
  };
}

export type InformationService = ReturnType<typeof createInformation>;

const viewInformation = ({ information, updatedAt }: StoredInformation): InformationView => ({
  ...information,
  updated_at: updatedAt.toISOString(),
});
